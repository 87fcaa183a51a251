//! The people, the agent and the connection that most tests are about.

use std::collections::BTreeMap;

use domain::actor::Operator;
use domain::ids::GroupId;
use domain::policy::Approval;
use domain::proposal::{OnFailure, Phase};
use domain::service::{GrantedScope, NewAgent, NewConnection, NewPerson, NewProposal, ProposalSummary, Roles};
use serde_json::json;

use super::{AgentToken, PASSWORD, TestApp};

const MANIFEST: &str = r#"
[connector]
name = "notes"
title = "Notes"
auth = "none"

[actions.put_note]
title = "Write a note"
summary = "Write note {id}"
risk = "low"
method = "PUT"
path = "/notes/{id}"
idempotency = "natural"
approval = "person"

[actions.put_note.input]
type = "object"
additionalProperties = false
required = ["id", "text"]

[actions.put_note.input.properties.id]
type = "string"

[actions.put_note.input.properties.text]
type = "string"
"#;

/// Rita reviews; Olaf owns the agent and reviews; Adam is an admin; Aude an
/// auditor; Otto reviews in another group. The agent is Olaf's; the connection
/// `notes` asks for four eyes.
pub struct World<'a> {
    pub app: &'a TestApp,
    pub agent: AgentToken<'a>,
}

impl<'a> World<'a> {
    pub async fn new(app: &'a TestApp) -> Self {
        let reviewer = Roles { reviewer: true, ..Roles::default() };
        let people = [
            ("rita", reviewer),
            ("olaf", reviewer),
            ("adam", Roles { admin: true, ..Roles::default() }),
            ("aude", Roles { auditor: true, ..Roles::default() }),
            ("otto", Roles::default()),
        ];
        for (login, roles) in people {
            add_person(app, login, roles).await;
        }
        let others = GroupId::from_random([9; 16]);
        app.arrange(&format!(
            "insert into reviewer_group (id, name, created_at) values ('{others}', 'Others', now());
             insert into group_member (group_id, person_id, added_at)
             select '{others}', id, now() from person where login = 'otto'"
        ))
        .await;
        add_connection(app, "notes", true).await;
        let new = NewAgent {
            name: "scribe".to_owned(),
            owner_login: "olaf".to_owned(),
            scopes: vec![GrantedScope { connection: "notes".to_owned(), read: true, propose: true, apply: true }],
            expires_at: None,
        };
        let token = app.service().add_agent(&Operator, new).await.unwrap();
        Self { app, agent: AgentToken { app, secret: token.secret } }
    }

    /// Something that waits for a person.
    pub async fn proposal(&self, note: &str) -> ProposalSummary {
        let service = self.app.service();
        let agent = service.agent_by_token(&self.agent.secret).await.unwrap().unwrap();
        let new = NewProposal {
            action: "put_note".to_owned(),
            input: json!({ "id": note, "text": "hello" }),
            reason: None,
            idempotency_key: None,
            client_ref: None,
        };
        service.propose(&agent, "notes", new).await.unwrap().proposal
    }

    /// Where it stands.
    pub async fn phase(&self, proposal: &ProposalSummary) -> Phase {
        let service = self.app.service();
        let agent = service.agent_by_token(&self.agent.secret).await.unwrap().unwrap();
        service.proposal(&agent, &proposal.id).await.unwrap().phase
    }
}

/// Somebody who signs in with [`PASSWORD`].
pub async fn add_person(app: &TestApp, login: &str, roles: Roles) {
    let new = NewPerson { login: login.to_owned(), name: login.to_owned(), password: PASSWORD.to_owned() };
    app.service().add_person(&Operator, new, roles).await.unwrap();
}

async fn add_connection(app: &TestApp, name: &str, four_eyes: bool) {
    let new = NewConnection {
        name: name.to_owned(),
        manifest: (MANIFEST.to_owned(), "notes.toml".to_owned()),
        base_url: "http://127.0.0.1:9".to_owned(),
        credential: None,
        allowed_host: Some("127.0.0.1".to_owned()),
        lane_order: "connection".to_owned(),
        on_failure: OnFailure::Stop,
        approval: Approval::Person,
        action_approval: BTreeMap::new(),
        four_eyes,
        approve_within: None,
        apply_within: None,
    };
    app.service().add_connection(&Operator, new).await.unwrap();
}
