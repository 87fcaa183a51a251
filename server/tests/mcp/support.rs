//! One server with a connection `crm`, a person who reviews it, and agents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request};
use chrono::{DateTime, TimeDelta, Utc};
use domain::actor::{Operator, SignedIn};
use domain::connector::executor::{Answer as ProviderAnswer, Executor, LostReason, Outgoing, Reply};
use domain::connector::shipped;
use domain::ids::{PersonId, ProposalId};
use domain::policy::Approval;
use domain::proposal::OnFailure;
use domain::service::{
    Ballot, DecisionVerdict, GrantedScope, NewAgent, NewConnection, NewPerson, Roles, Service, StoredSession,
};
use domain::vault::{MasterKey, Vault};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use server::mcp::{McpConfig, router};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Executor as _, PgPool};
use tower::ServiceExt as _;

pub const HOST: &str = "countersign.example";
pub const MODERN: &str = "2026-07-28";

/// A server over a database of its own.
pub struct TestApp {
    pub service: Service,
    pub provider: Arc<Provider>,
    /// An agent's token with every scope at `crm`.
    pub token: String,
    /// As the owner of the tables, to arrange what only time would bring.
    pub owner: PgPool,
    router: Router,
    reviewer: SignedIn,
    /// What each token was shown, so that every reply can be checked without asking again.
    published: Mutex<BTreeMap<String, Vec<Value>>>,
}

/// What came back over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

/// What a tool said, already checked against what is published about it.
#[derive(Debug)]
pub struct ToolAnswer {
    pub is_error: bool,
    pub body: Value,
    pub line: String,
}

impl TestApp {
    pub async fn new(options: PgPoolOptions, connect: PgConnectOptions) -> Self {
        let owner = PgPoolOptions::new().max_connections(1).connect_with(connect.clone()).await.unwrap();
        let pool = options
            .after_connect(|conn, _| {
                Box::pin(async move {
                    conn.execute("set role countersign_server").await?;
                    Ok(())
                })
            })
            .connect_with(connect)
            .await
            .unwrap();
        let vault = Vault::open(&pool, &MasterKey::from_bytes([7; 32])).await.unwrap();
        let provider = Arc::new(Provider::default());
        let service = Service::new(pool, Arc::new(vault), Arc::clone(&provider) as Arc<dyn Executor>);
        let person = add_person(&service, "rita").await;
        let reviewer = sign_in(&service, person, now(&owner).await).await;
        add_connection(&service, "crm", Approval::Person).await;
        let config = McpConfig {
            public_url: format!("https://{HOST}/"),
            allowed_hosts: vec!["localhost:3000".to_owned()],
            allowed_origins: vec!["http://localhost:3000".to_owned()],
        };
        let router = router(service.clone(), config);
        let published = Mutex::default();
        let mut app = Self { service, provider, token: String::new(), owner, router, reviewer, published };
        app.token = app.add_agent("scribe", &[("crm", "rpa")]).await;
        app
    }

    /// A token with these scopes: `r`ead, `p`ropose, `a`pply.
    pub async fn add_agent(&self, name: &str, scopes: &[(&str, &str)]) -> String {
        self.add_agent_until(name, scopes, None).await
    }

    pub async fn add_agent_until(&self, name: &str, scopes: &[(&str, &str)], until: Option<TimeDelta>) -> String {
        let now = now(&self.owner).await;
        let expires_at = until.map(|span| now + span);
        let scopes = scopes
            .iter()
            .map(|(connection, letters)| GrantedScope {
                connection: (*connection).to_owned(),
                read: letters.contains('r'),
                propose: letters.contains('p'),
                apply: letters.contains('a'),
            })
            .collect();
        let new = NewAgent { name: name.to_owned(), owner_login: "rita".to_owned(), scopes, expires_at };
        self.service.add_agent(&Operator, new).await.unwrap().secret
    }

    pub async fn add_connection(&self, name: &str, approval: Approval) {
        add_connection(&self.service, name, approval).await;
    }

    /// Changes what only the owner of the tables can change.
    pub async fn arrange(&self, sql: &'static str) {
        self.owner.execute(sql).await.unwrap();
    }

    /// A person decides, as in the browser.
    pub async fn decide(&self, answer: &ToolAnswer, verdict: DecisionVerdict, comment: Option<&str>) {
        let id: ProposalId = answer.text("proposal_id").parse().unwrap();
        let ballot = Ballot {
            verdict,
            binding_digest: answer.text("binding_digest").parse().unwrap(),
            comment: comment.map(str::to_owned),
        };
        self.service.decide(&self.reviewer, &id, ballot).await.unwrap();
    }

    /// Sends a request as it is.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 4 * 1024 * 1024).await.unwrap();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    /// Posts a body with the headers that every modern request has, changed by `headers`.
    pub async fn post(&self, token: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let authorization = format!("Bearer {token}");
        let mut all: Vec<(&str, &str)> = vec![
            ("host", HOST),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("authorization", &authorization),
        ];
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| name == other));
        all.extend(headers.iter().filter(|(_, value)| *value != "-"));
        let mut request = Request::builder().method(Method::POST).uri("/mcp");
        for (name, value) in all {
            request = request.header(name, value);
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    /// A modern request with everything that it needs.
    pub async fn ask(&self, token: &str, method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().unwrap_or("-").to_owned();
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", &*name)];
        self.post(token, &headers, modern(7, method, params).to_string()).await
    }

    /// The tools that this token sees.
    pub async fn tools(&self, token: &str) -> Vec<Value> {
        let answer = self.ask(token, "tools/list", json!({})).await;
        answer.json()["result"]["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool, and checks its reply against the schema that is published for it.
    pub async fn tool(&self, token: &str, name: &str, arguments: Value) -> ToolAnswer {
        let answer = self.ask(token, "tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.body);
        let reply = answer.json();
        let result = &reply["result"];
        assert_eq!(result["resultType"], "complete", "{reply}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "countersign");
        let body = result["structuredContent"].clone();
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, body, "the text is the same JSON");
        assert!(body.to_string().len() <= 16 * 1024);
        assert_fits(&self.published(token, name).await["outputSchema"], &body);
        ToolAnswer {
            is_error: result["isError"].as_bool().unwrap(),
            line: result["content"][1]["text"].as_str().unwrap().to_owned(),
            body,
        }
    }

    /// A tool as it was shown to this token.
    async fn published(&self, token: &str, name: &str) -> Value {
        let known = self.published.lock().unwrap().get(token).cloned();
        let tools = match known {
            Some(tools) => tools,
            None => self.tools(token).await,
        };
        let tool = tools.iter().find(|tool| tool["name"] == name).cloned();
        self.published.lock().unwrap().insert(token.to_owned(), tools);
        tool.unwrap_or_else(|| panic!("{name} is not listed"))
    }

    /// Proposes a contact of this name.
    pub async fn propose(&self, name: &str) -> ToolAnswer {
        let answer =
            self.tool(&self.token, "crm_propose", json!({ "action": "create_contact", "input": contact(name) })).await;
        assert!(!answer.is_error, "{answer:?}");
        answer
    }

    /// Proposes it and has a person approve it.
    pub async fn propose_approved(&self, name: &str) -> ToolAnswer {
        let answer = self.propose(name).await;
        self.decide(&answer, DecisionVerdict::Approve, None).await;
        answer
    }

    /// How many proposals there are.
    pub async fn count_proposals(&self) -> i64 {
        sqlx::query_scalar!("select count(*) as \"count!\" from proposal").fetch_one(&self.owner).await.unwrap()
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {} {}", self.status, self.body))
    }

    /// The JSON-RPC code of an error.
    pub fn code(&self) -> Option<i64> {
        self.json()["error"]["code"].as_i64()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

impl ToolAnswer {
    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    /// State and next action.
    #[track_caller]
    pub fn assert(&self, state: &str, next: &str) -> &Self {
        assert_eq!((self.text("state"), self.text("next_action")), (state, next), "{}", self.body);
        assert_eq!(self.is_error, state == "refused", "{}", self.body);
        self
    }

    #[track_caller]
    pub fn assert_refused(&self, code: &str) -> &Self {
        assert!(self.is_error, "{}", self.body);
        assert_eq!(self.text("code"), code, "{}", self.body);
        self
    }
}

/// A modern request as JSON.
pub fn modern(id: i64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub fn contact(name: &str) -> Value {
    json!({ "name": name, "email": "ada@example.org" })
}

/// Whether a reply fits its schema, and has nothing that the schema does not name.
#[track_caller]
pub fn assert_fits(schema: &Value, reply: &Value) {
    let mut strict = schema.clone();
    close(&mut strict);
    let validator = jsonschema::draft202012::new(&strict).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(reply).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{reply:#}");
}

/// Allows no other properties than those named.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.contains_key("properties") && members.contains_key("type") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

async fn now(pool: &PgPool) -> DateTime<Utc> {
    sqlx::query_scalar!("select app_now() as \"now!\"").fetch_one(pool).await.unwrap()
}

async fn add_person(service: &Service, login: &str) -> PersonId {
    let new =
        NewPerson { login: login.to_owned(), name: login.to_owned(), password: "correct horse battery".to_owned() };
    let roles = Roles { reviewer: true, admin: true, auditor: false };
    service.add_person(&Operator, new, roles).await.unwrap()
}

async fn sign_in(service: &Service, person: PersonId, now: DateTime<Utc>) -> SignedIn {
    let id = [3; 32];
    let session = StoredSession { id, person: Some(person), data: Vec::new(), expires_at: now + TimeDelta::hours(1) };
    assert!(service.create_session(&session).await.unwrap());
    service.signed_in(&id).await.unwrap().unwrap()
}

async fn add_connection(service: &Service, name: &str, approval: Approval) {
    let (file, text) = shipped::manifest("sandbox").unwrap();
    // The stricter of manifest and policy holds; here the policy shall say.
    let text = text.replace("approval = \"person\"", "approval = \"automatic\"");
    let new = NewConnection {
        name: name.to_owned(),
        manifest: (text, file.to_owned()),
        base_url: "https://provider.example".to_owned(),
        credential: Some("secret".to_owned()),
        allowed_host: None,
        lane_order: "connection".to_owned(),
        on_failure: OnFailure::Stop,
        approval,
        action_approval: BTreeMap::from([("delete_contact".to_owned(), Approval::Forbidden)]),
        four_eyes: false,
        approve_within: None,
        apply_within: None,
    };
    service.add_connection(&Operator, new).await.unwrap();
}

/// A provider inside the test. What it does is told by the contact's name.
#[derive(Default)]
pub struct Provider {
    sent: Mutex<Vec<String>>,
}

impl Provider {
    /// The bodies of the writes that it got.
    pub fn writes(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }
}

impl Executor for Provider {
    fn send<'a>(&'a self, call: Outgoing<'a>) -> BoxFuture<'a, Reply> {
        Box::pin(async move {
            let body = String::from_utf8(call.body.unwrap_or_default().to_vec()).unwrap();
            if !body.is_empty() {
                self.sent.lock().unwrap().push(body.clone());
            }
            let of_what = format!("{} {body}", call.call.url);
            assert!(!of_what.contains("panic"), "the client of the provider panics");
            if of_what.contains("slow") {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            let answer = |status: u16, body: Value| {
                Reply::Answered(ProviderAnswer {
                    status,
                    headers: BTreeMap::from([("etag".to_owned(), "\"1\"".to_owned())]),
                    body: body.to_string().into_bytes(),
                    truncated: false,
                    duration: Duration::from_millis(1),
                })
            };
            if of_what.contains("lost") {
                return Reply::Lost { reason: LostReason::Reset, status: None, duration: Duration::from_millis(1) };
            }
            if of_what.contains("refused") {
                return answer(422, json!({ "message": "This contact is not wanted." }));
            }
            if of_what.contains("unauthorized") {
                return answer(401, json!({ "message": "Who are you?" }));
            }
            if of_what.contains("missing") {
                return answer(404, json!({ "message": "There is none." }));
            }
            if of_what.contains("huge") {
                let rows: Vec<Value> = (0..200).map(|row| json!({ "id": row, "text": "x".repeat(500) })).collect();
                return answer(200, json!({ "contacts": rows }));
            }
            answer(200, json!({ "id": "c1", "version": 1, "name": "Ada" }))
        })
    }
}
