//! One line of the audit history: what it says and how it is hashed.
//!
//! `hash = SHA-256(prev ‖ SHA-256(canonical event))`. An event names its chain,
//! its place in it and a random salt beside its facts, so that an inclusion proof
//! is a list of digests that discloses nobody else's events. It also carries the
//! digest of every record of its transaction. Times are integers of microseconds.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use crate::canonical::canonical_bytes;
use crate::digest::Digest;
use crate::ids::{AgentId, ConnectionId, PersonId, ProposalId};
use crate::integrity::event_hash;

/// The first event of a chain follows this.
pub const GENESIS: [u8; 32] = [0; 32];

/// The chain of people, agents, keys and connections.
pub const ADMINISTRATION: &str = "administration";

/// Who did what an event says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventActor {
    /// An agent.
    Agent(AgentId),
    /// A person in a browser.
    Person(PersonId),
    /// A rule of the policy.
    Rule(&'static str),
    /// Whoever runs the command line.
    Operator,
    /// A deadline that passed.
    Clock,
    /// The server by itself.
    Server,
}

/// The digest of a record that an event stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordDigest {
    /// The table.
    pub table: &'static str,
    /// The row's key.
    pub key: String,
    /// The digest of all its columns.
    pub digest: Digest,
}

/// What is to be appended; its place in the chain is found under the chain's lock.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The connection's chain, or the one of administration.
    pub connection: Option<ConnectionId>,
    /// The proposal that it is about.
    pub proposal: Option<ProposalId>,
    /// What happened, such as `proposal.approved`.
    pub kind: &'static str,
    /// Who did it.
    pub actor: EventActor,
    /// What else there is to say; never a value of an input or an answer.
    pub facts: Value,
    /// The records of the transaction.
    pub records: Vec<RecordDigest>,
}

impl Entry {
    /// An entry on the chain of administration.
    #[must_use]
    pub fn administration(kind: &'static str, actor: EventActor, facts: Value) -> Self {
        Self { connection: None, proposal: None, kind, actor, facts, records: Vec::new() }
    }

    /// An entry about a proposal, on its connection's chain.
    #[must_use]
    pub fn of_proposal(
        connection: &ConnectionId,
        proposal: &ProposalId,
        kind: &'static str,
        actor: EventActor,
        facts: Value,
        records: Vec<RecordDigest>,
    ) -> Self {
        Self { connection: Some(connection.clone()), proposal: Some(proposal.clone()), kind, actor, facts, records }
    }

    /// The chain that it goes on.
    #[must_use]
    pub fn chain(&self) -> &str {
        self.connection.as_ref().map_or(ADMINISTRATION, ConnectionId::as_str)
    }

    /// The canonical JSON that is hashed.
    #[must_use]
    pub fn body(&self, sequence: i64, at: DateTime<Utc>, salt: &[u8; 32]) -> Vec<u8> {
        let mut body = json!({
            "format": "countersign/event/v1",
            "chain": self.chain(),
            "sequence": sequence,
            "salt": hex(salt),
            "at": at.timestamp_micros(),
            "kind": self.kind,
            "actor": self.actor,
            "facts": self.facts,
            "records": self.records,
        });
        if let Some(proposal) = &self.proposal {
            body["proposal"] = json!(proposal);
        }
        canonical_bytes(&body)
    }
}

/// The hash that ends a chain after this event.
#[must_use]
pub fn chain_hash(prev: &[u8; 32], body: &[u8]) -> Digest {
    event_hash(&Digest::from_bytes(*prev), &Digest::of(body))
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recomputed by hand with another implementation, so that the form cannot change unnoticed.
    #[test]
    fn an_event_is_hashed_as_written_down() {
        let entry = Entry::administration("key.created", EventActor::Server, json!({"b": 1, "a": "x"}));
        let at = DateTime::from_timestamp_micros(1_700_000_000_000_001).unwrap();
        let body = entry.body(1, at, &[7; 32]);
        assert_eq!(
            String::from_utf8(body.clone()).unwrap(),
            concat!(
                r#"{"actor":"server","at":1700000000000001,"chain":"administration","#,
                r#""facts":{"a":"x","b":1},"format":"countersign/event/v1","kind":"key.created","#,
                r#""records":[],"salt":"0707070707070707070707070707070707070707070707070707070707070707","sequence":1}"#
            )
        );
        let expected = Digest::of_parts(&[&GENESIS, Digest::of(&body).as_bytes()]);
        assert_eq!(chain_hash(&GENESIS, &body), expected);
    }
}
