//! What was seen is what runs: the digests that tie a proposal's content, the
//! decisions on it and the history together, and the check that a browser can
//! make of a page by itself.
//!
//! Every digest that covers a record of ours begins with a name of what it is
//! and a zero byte, so that no record can be passed off as one of another kind.
//! The formulas never change; a new one gets a new name.

mod check;
mod content;
mod members;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canonical::{self, Limits, canonical_bytes};
use crate::digest::Digest;

use members::Members;

pub use check::{Check, CheckName, CheckReport, Displayed, Evidence, check};
pub use content::{Content, ContentError, SealedContent, content_commitment};

/// What a decision is bound to: one round of one proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// Id of the proposal.
    pub proposal: String,
    /// The round, from 1.
    pub round: u32,
    /// Id of the connection.
    pub connection: String,
    /// Where it would be written, and as whom.
    pub target_digest: Digest,
    /// The manifest that it runs under.
    pub manifest_digest: Digest,
    /// Name of the action.
    pub action: String,
    /// The policy as at propose.
    pub policy_digest: Digest,
    /// Commits to the content without disclosing it.
    pub content_commitment: Digest,
    /// Id of the agent.
    pub requester: String,
    /// Id of the agent's owner.
    pub on_behalf_of: String,
    /// Ids of earlier proposals without which this one must not run.
    pub depends_on: Vec<String>,
    /// Seconds, as first set.
    pub approve_within: i64,
    /// Seconds, as first set.
    pub apply_within: i64,
}

impl Binding {
    /// The digest that decisions name.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_parts(&[b"countersign/proposal/v1\0", &self.canonical()])
    }

    /// The canonical JSON under the digest.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&json!({
            "proposal": self.proposal,
            "round": self.round,
            "connection": self.connection,
            "target_digest": self.target_digest,
            "manifest_digest": self.manifest_digest,
            "action": self.action,
            "policy_digest": self.policy_digest,
            "content_commitment": self.content_commitment,
            "requester": self.requester,
            "on_behalf_of": self.on_behalf_of,
            "depends_on": self.depends_on,
            "approve_within": self.approve_within,
            "apply_within": self.apply_within,
        }))
    }

    /// Reads back what [`Binding::canonical`] wrote; `None` if it is anything else.
    #[must_use]
    pub fn from_canonical(bytes: &[u8]) -> Option<Self> {
        let mut members = Members::of(canonical::parse_strict(bytes, Limits::STORED).ok()?)?;
        let binding = Self {
            proposal: members.text("proposal")?,
            round: members.take("round")?.as_u64()?.try_into().ok()?,
            connection: members.text("connection")?,
            target_digest: members.digest("target_digest")?,
            manifest_digest: members.digest("manifest_digest")?,
            action: members.text("action")?,
            policy_digest: members.digest("policy_digest")?,
            content_commitment: members.digest("content_commitment")?,
            requester: members.text("requester")?,
            on_behalf_of: members.text("on_behalf_of")?,
            depends_on: members.texts("depends_on")?,
            approve_within: members.take("approve_within")?.as_i64()?,
            apply_within: members.take("apply_within")?.as_i64()?,
        };
        members.is_empty().then_some(binding)
    }
}

/// Who or what decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// A person, by id.
    Person(String),
    /// A rule, by name.
    Rule(String),
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionVerdict {
    /// It may run.
    Approve,
    /// It must not.
    Reject,
}

impl DecisionVerdict {
    /// The word in records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// What the server signs of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionStatement {
    /// Id of the decision.
    pub decision: String,
    /// Id of the proposal.
    pub proposal: String,
    /// The round, from 1.
    pub round: u32,
    /// The digest of that round.
    pub binding_digest: Digest,
    /// Who or what decided.
    pub decided_by: DecidedBy,
    /// What was decided.
    pub verdict: DecisionVerdict,
    /// When, in microseconds since 1970.
    pub decided_at: i64,
    /// Commits to the comment, if there is one.
    pub comment_commitment: Option<Digest>,
}

impl DecisionStatement {
    /// The bytes under the signature.
    #[must_use]
    pub fn signed_bytes(&self) -> Vec<u8> {
        let decided_by = match &self.decided_by {
            DecidedBy::Person(id) => json!({ "person": id }),
            DecidedBy::Rule(name) => json!({ "rule": name }),
        };
        let canonical = canonical_bytes(&json!({
            "decision": self.decision,
            "proposal": self.proposal,
            "round": self.round,
            "binding_digest": self.binding_digest,
            "decided_by": decided_by,
            "verdict": self.verdict.as_str(),
            "decided_at": self.decided_at,
            "comment_commitment": self.comment_commitment,
        }));
        [b"countersign/decision/v1\0", canonical.as_slice()].concat()
    }
}

/// The link of a hash chain that an event makes.
#[must_use]
pub fn event_hash(prev: &Digest, event_digest: &Digest) -> Digest {
    Digest::of_parts(&[prev.as_bytes(), event_digest.as_bytes()])
}

/// The digest of an append-only row, which the event of its transaction holds.
#[must_use]
pub fn row_digest(table: &str, columns: &Value) -> Digest {
    Digest::of_parts(&[b"countersign/row/v1\0", table.as_bytes(), b"\0", &canonical_bytes(columns)])
}

#[cfg(test)]
mod tests;
