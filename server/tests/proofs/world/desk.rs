//! One agent at one connection.

use std::sync::Arc;

use domain::actor::{Actor, Agent};
use domain::error::Result;
use domain::ids::ProposalId;
use domain::proposal::Phase;
use domain::service::{ApplyReport, Budget, NewProposal, ProposalSummary, Proposed, Service};
use serde_json::{Value, json};
use server::sandbox::SandboxState;

/// One agent at one connection.
#[derive(Clone)]
pub struct Desk {
    pub service: Service,
    pub connection: String,
    pub agent: Agent,
}

impl Desk {
    pub fn new(service: &Service, connection: &str, agent: Agent) -> Self {
        Self { service: service.clone(), connection: connection.to_owned(), agent }
    }

    /// The same with another agent.
    pub fn of(&self, agent: &Agent) -> Self {
        Self { agent: agent.clone(), ..self.clone() }
    }

    /// The same over another service.
    pub fn over(&self, service: &Service) -> Self {
        Self { service: service.clone(), ..self.clone() }
    }

    pub async fn try_propose(&self, new: NewProposal) -> Result<Proposed> {
        self.service.propose(&self.agent, &self.connection, new).await
    }

    /// Proposes a contact of this name.
    pub async fn propose(&self, name: &str) -> ProposalSummary {
        self.try_propose(contact(name)).await.unwrap().proposal
    }

    pub async fn apply(&self) -> ApplyReport {
        self.try_apply(None).await.unwrap()
    }

    pub async fn try_apply(&self, through: Option<&ProposalId>) -> Result<ApplyReport> {
        let by = Actor::Agent(&self.agent);
        self.service.apply(by, &self.connection, through, Budget::default(), Arc::default()).await
    }

    /// Where a proposal stands.
    pub async fn phase(&self, of: &ProposalSummary) -> Phase {
        self.service.proposal(&self.agent, &of.id).await.unwrap().phase
    }
}

/// The wish for a contact of this name.
pub fn contact(name: &str) -> NewProposal {
    NewProposal {
        action: "create_contact".to_owned(),
        input: json!({ "name": name, "email": format!("{name}@example.com") }),
        reason: None,
        idempotency_key: None,
        client_ref: None,
    }
}

/// The names in the bodies that the provider received as writes, in order.
pub fn names(provider: &SandboxState) -> Vec<String> {
    let name = |body: &[u8]| {
        let body: Value = serde_json::from_slice(body).unwrap();
        body["name"].as_str().unwrap().to_owned()
    };
    provider.received_writes().iter().map(|write| name(&write.body)).collect()
}
