use domain::connector::call::{build_call, build_read, parse_base_url};
use domain::connector::executor::{CALL_TIMEOUT, Executor as _, HttpExecutor, LostReason, Outgoing, Reply};
use domain::connector::manifest::{Idempotency, Manifest};
use domain::connector::outcome::{OutcomeClass, ReplyFacts, classify, excerpt, request_id, retry_after_ms, returns};
use domain::connector::schema::prepare_input;
use domain::connector::secret::Secret;
use domain::connector::shipped;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Fault, SandboxState, serve};

struct Provider {
    state: SandboxState,
    base_url: url::Url,
    manifest: Manifest,
}

async fn provider() -> Provider {
    let state = SandboxState::with_examples("token-of-the-sandbox");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base_url = parse_base_url(&format!("http://{}", listener.local_addr().expect("bound"))).expect("good");
    tokio::spawn(serve(listener, state.clone()));
    let (file, text) = shipped::manifest("sandbox").expect("shipped");
    Provider { state, base_url, manifest: Manifest::from_toml(text, file).expect("sound") }
}

impl Provider {
    async fn act(&self, action: &str, input: Value) -> (OutcomeClass, Reply) {
        self.act_within(action, input, CALL_TIMEOUT).await
    }

    async fn act_within(&self, action: &str, input: Value, timeout: std::time::Duration) -> (OutcomeClass, Reply) {
        let action = &self.manifest.actions[action];
        let input = prepare_input(&action.input, input).expect("valid").input;
        let call = build_call(&self.manifest, action, &self.base_url, &input).expect("a call");
        let key = match &action.idempotency {
            Idempotency::Key { header, .. } => Some((header.as_str(), "key-1")),
            _ => None,
        };
        let reply = self.send(&call, key, action.path.as_str(), timeout).await;
        (classify(action, &ReplyFacts::of(&reply)), reply)
    }

    async fn read(&self, id: &str) -> Reply {
        let read = &self.manifest.reads["contact"];
        let call = build_read(&self.manifest, read, &self.base_url, &json!({ "id": id })).expect("a call");
        self.send(&call, None, read.path.as_str(), CALL_TIMEOUT).await
    }

    async fn send(
        &self,
        call: &domain::connector::call::Call,
        idempotency_key: Option<(&str, &str)>,
        template: &str,
        timeout: std::time::Duration,
    ) -> Reply {
        let body = call.body_bytes();
        HttpExecutor::new()
            .send(Outgoing {
                call,
                body: body.as_deref(),
                auth: &self.manifest.auth,
                credential: Some(&Secret::new("token-of-the-sandbox".to_owned())),
                idempotency_key,
                allowed_host: Some("127.0.0.1"),
                timeout,
                deadline: None,
                template,
            })
            .await
    }
}

const ADA: &str = "c1";

fn new_contact() -> Value {
    json!({ "name": "Mary Anning", "email": "mary@example.com" })
}

#[tokio::test]
async fn a_write_is_done_with_exactly_the_listed_headers() {
    let provider = provider().await;
    let (outcome, reply) = provider.act("create_contact", new_contact()).await;
    assert_eq!(outcome, OutcomeClass::Applied);
    assert_eq!(request_id(&reply).as_deref(), Some("sbx-1"));
    let action = &provider.manifest.actions["create_contact"];
    assert_eq!(
        returns(action, &ReplyFacts::of(&reply)),
        [("/id".to_owned(), json!("c5")), ("/version".to_owned(), json!(1))]
    );
    let received = provider.state.received_writes();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].idempotency_key.as_deref(), Some("key-1"));
    assert_eq!(received[0].body, br#"{"email":"mary@example.com","name":"Mary Anning","status":"lead"}"#);
    let call = build_call(&provider.manifest, action, &provider.base_url, &new_contact()).expect("a call");
    let mut listed = call.headers;
    listed.extend(["content-length".to_owned(), "host".to_owned()]);
    listed.sort();
    assert_eq!(received[0].headers, listed);
}

#[tokio::test]
async fn a_repeat_with_the_same_key_is_known() {
    let provider = provider().await;
    provider.act("create_contact", new_contact()).await;
    let (outcome, _) = provider.act("create_contact", new_contact()).await;
    assert_eq!(outcome, OutcomeClass::Applied);
    assert_eq!(provider.state.contact_count(), 5);
    let other = json!({ "name": "Mary", "email": "mary@example.com" });
    assert_eq!(provider.act("create_contact", other).await.0, OutcomeClass::Failed);
}

#[tokio::test]
async fn a_read_brings_the_entity_and_its_version() {
    let provider = provider().await;
    let Reply::Answered(answer) = provider.read(ADA).await else { panic!("no answer") };
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("etag"), Some("\"1\""));
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(body["name"], "Ada Lovelace");
    let Reply::Answered(answer) = provider.read("c99").await else { panic!("no answer") };
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_change_leaves_the_other_fields() {
    let provider = provider().await;
    let change = json!({ "id": ADA, "changes": { "status": "former" } });
    assert_eq!(provider.act("update_contact", change).await.0, OutcomeClass::Applied);
    let contact = provider.state.contact(ADA).expect("there");
    assert_eq!(
        (&contact["name"], &contact["status"], &contact["version"]),
        (&json!("Ada Lovelace"), &json!("former"), &json!(2))
    );
    assert_eq!(provider.act("delete_contact", json!({ "id": ADA })).await.0, OutcomeClass::Applied);
    assert_eq!(provider.state.contact(ADA), None);
    let (outcome, reply) = provider.act("delete_contact", json!({ "id": ADA })).await;
    assert_eq!(outcome, OutcomeClass::Failed);
    assert_eq!(excerpt(&reply).as_deref(), Some("There is no such contact."));
}

#[tokio::test]
async fn ordered_faults_end_as_what_is_certain() {
    use OutcomeClass::{Failed, Refused, Unknown};
    let provider = provider().await;
    for (fault, outcome, done) in [
        (Fault::ErrorBefore(500), Unknown, false),
        (Fault::ErrorAfterCommit(500), Unknown, true),
        (Fault::ErrorBefore(422), Failed, false),
        (Fault::ErrorBefore(401), Refused, false),
        (Fault::RetryAfter(3), Refused, false),
        (Fault::ErrorBefore(302), Unknown, false),
        (Fault::DropBefore, Unknown, false),
        (Fault::DropAfterCommit, Unknown, true),
    ] {
        let version = provider.state.contact(ADA).expect("there")["version"].clone();
        provider.state.enqueue_fault(fault.clone());
        let change = json!({ "id": ADA, "changes": { "name": "Ada" } });
        let (found, reply) = provider.act("update_contact", change).await;
        assert_eq!(found, outcome, "{fault:?}");
        let is_done = provider.state.contact(ADA).expect("there")["version"] != version;
        assert_eq!(is_done, done, "{fault:?}");
        match fault {
            Fault::RetryAfter(_) => assert_eq!(retry_after_ms(&reply), Some(3000)),
            Fault::DropBefore | Fault::DropAfterCommit => {
                assert!(matches!(reply, Reply::Lost { reason: LostReason::Reset, .. }), "{reply:?}");
            }
            _ => {}
        }
    }
    assert_eq!(provider.state.received_writes().len(), 8);
}

#[tokio::test]
async fn a_late_write_lands_although_nobody_waits() {
    let provider = provider().await;
    provider.state.enqueue_fault(Fault::Delay(300));
    let change = json!({ "id": ADA, "changes": { "name": "Ada" } });
    let (outcome, reply) = provider.act_within("update_contact", change, std::time::Duration::from_millis(100)).await;
    assert_eq!(outcome, OutcomeClass::Unknown);
    assert!(matches!(reply, Reply::Lost { reason: LostReason::Timeout, .. }), "{reply:?}");
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(provider.state.contact(ADA).expect("there")["version"], 2);
}

#[tokio::test]
async fn a_wrong_token_is_refused_and_does_not_use_a_fault_up() {
    let provider = provider().await;
    provider.state.enqueue_read_fault(Fault::ErrorBefore(500));
    let read = &provider.manifest.reads["contact"];
    let call = build_read(&provider.manifest, read, &provider.base_url, &json!({ "id": ADA })).expect("a call");
    let reply = HttpExecutor::new()
        .send(Outgoing {
            call: &call,
            body: None,
            auth: &provider.manifest.auth,
            credential: Some(&Secret::new("another token".to_owned())),
            idempotency_key: None,
            allowed_host: Some("127.0.0.1"),
            timeout: CALL_TIMEOUT,
            deadline: None,
            template: read.path.as_str(),
        })
        .await;
    assert_eq!(reply.status(), Some(401));
    assert_eq!(provider.read(ADA).await.status(), Some(500));
    assert_eq!(provider.read(ADA).await.status(), Some(200));
}

#[tokio::test]
async fn the_marker_is_in_every_answer() {
    let provider = provider().await;
    provider.state.set_marker(Some("marker-7f3a"));
    for id in [ADA, "c99"] {
        let Reply::Answered(answer) = provider.read(id).await else { panic!("no answer") };
        assert_eq!(answer.header("x-sandbox-marker"), Some("marker-7f3a"));
        assert!(String::from_utf8_lossy(&answer.body).contains("marker-7f3a"));
        assert!(!format!("{:?}", Reply::Answered(answer)).contains("marker-7f3a"));
    }
}

#[tokio::test]
async fn the_list_is_paged_and_knows_what_changed() {
    let provider = provider().await;
    let list = &provider.manifest.lists["contacts"];
    let input = json!({ "offset": 1, "limit": 2 });
    let call =
        domain::connector::call::build_list(&provider.manifest, list, &provider.base_url, &input).expect("a call");
    assert!(call.url.ends_with("/contacts?offset=1&limit=2"), "{}", call.url);
    let Reply::Answered(answer) = provider.send(&call, None, list.path.as_str(), CALL_TIMEOUT).await else {
        panic!("no answer")
    };
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let names: Vec<&str> =
        body["contacts"].as_array().expect("a list").iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(names, ["Grace Hopper", "Katherine Johnson"]);
    assert_eq!(body["total"], 4);
}
