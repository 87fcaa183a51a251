//! Manifests: what a connector can read and write, declared in TOML.
//!
//! 1. [`Manifest::from_toml`] reads a file, with every fault at once.
//! 2. It is stored as canonical JSON under its digest; connections pin the digest.
//! 3. [`Manifest::from_canonical`] reads the stored one back to an equal value.
//!
//! Whatever is not understood is refused: a misspelt key must not quietly
//! weaken what a manifest asks for.

mod check;
mod document;
mod fault;
mod parts;
mod reader;
mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::canonical::{Limits, canonical_bytes, parse_strict};
use crate::digest::Digest;

pub use self::fault::{ManifestError, ManifestErrors};
pub use crate::policy::Approval;

use super::path::PathTemplate;
use super::pointer::Pointer;

/// One connector.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// What it is called in files and records.
    pub name: String,
    /// What it is called on pages.
    pub title: String,
    /// How calls are authorised.
    pub auth: Auth,
    /// Where the provider names the account that a credential belongs to.
    pub account: Option<Account>,
    /// Reads of one entity, by name.
    pub reads: BTreeMap<String, Read>,
    /// Writes, by name.
    pub actions: BTreeMap<String, Action>,
    /// Reads of many entities, by name.
    pub lists: BTreeMap<String, List>,
    document: Value,
}

/// How a call is authorised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Not at all.
    None,
    /// The credential as a bearer token.
    Bearer,
    /// The credential is `user:password`.
    Basic,
    /// The credential as the value of this header, in lower case.
    Header(String),
}

/// A read that names the account of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The read.
    pub read: String,
    /// Where in its answer the account is named.
    pub pointer: Pointer,
}

/// One read of one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Its name.
    pub name: String,
    /// What it is called on pages.
    pub title: String,
    /// The path under the base URL.
    pub path: PathTemplate,
    /// The input properties that become query parameters.
    pub query: Vec<String>,
    /// The JSON Schema of its input.
    pub input: Value,
    /// Which entity it reads.
    pub entity: Option<EntityTemplate>,
    /// Where its answer carries the provider's own version.
    pub version: Option<Source>,
    /// Which parts of the answer are compared.
    pub watch: Vec<Pointer>,
    /// Which parts of the answer make it the same entity.
    pub identity: Vec<Pointer>,
    /// For how long what was read may be relied on.
    pub ttl: Option<Duration>,
}

/// One write.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// What it is called on pages.
    pub title: String,
    /// One sentence with what it does.
    pub summary: Option<String>,
    /// How much care it needs.
    pub risk: Risk,
    /// The HTTP method.
    pub method: Method,
    /// The path under the base URL.
    pub path: PathTemplate,
    /// The input property that is sent as the body. Without it the body is an
    /// object of all input properties that are sent nowhere else.
    pub body: Option<Pointer>,
    /// The input properties that become query parameters.
    pub query: Vec<String>,
    /// The JSON Schema of its input.
    pub input: Value,
    /// The read that shows the entity before the write.
    pub before: Option<String>,
    /// What else changes by it.
    pub effects: Vec<Effect>,
    /// The header that makes the provider refuse an outdated write.
    pub precondition: Option<Precondition>,
    /// Whether it may be repeated.
    pub idempotency: Idempotency,
    /// Where the answer carries the version that this write made.
    pub after: Option<Source>,
    /// How an unknown outcome can be looked up.
    pub lookup: Option<Lookup>,
    /// The parts of the answer that the caller of apply gets.
    pub returns: Vec<Pointer>,
    /// How it is approved, unless the policy is stricter.
    pub approval: Approval,
    /// Statuses by which the provider says that it did not take the write up.
    pub not_executed: Vec<u16>,
    /// What must hold in the answer besides a status of success.
    pub success: Option<Success>,
}

/// One read of many entities.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Its name.
    pub name: String,
    /// What it is called on pages.
    pub title: String,
    /// The path under the base URL.
    pub path: PathTemplate,
    /// The input properties that become query parameters.
    pub query: Vec<String>,
    /// The JSON Schema of its input.
    pub input: Value,
    /// The query parameter that takes a cursor.
    pub since: Option<String>,
    /// Where the next page is.
    pub next: Option<Next>,
    /// Where in the answer the records are.
    pub items: Pointer,
    /// Where in a record its key is.
    pub key: Pointer,
    /// Where in a record the time of its last change is.
    pub changed: Option<Pointer>,
    /// Where in a record it says that it was deleted.
    pub deleted: Option<Pointer>,
}

/// How much care an action needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Easily undone.
    Low,
    /// The usual.
    Medium,
    /// Hard or impossible to undo.
    High,
}

impl Risk {
    /// The word in manifests and replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Reads only.
    Get,
    /// Makes something new.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

impl Method {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a body belongs to it.
    #[must_use]
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// A text with `{property}` in it that names an entity, such as `contact:{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTemplate {
    /// As written.
    pub text: String,
    /// The input properties that stand in it, in order.
    pub parameters: Vec<String>,
}

/// Where in an answer a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In this header, in lower case.
    Header(String),
    /// At this place of the body.
    Body(Pointer),
}

/// What else a write changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Of which entity.
    pub entity: EntityTemplate,
    /// In one word, such as `locked`; a change if absent.
    pub effect: Option<String>,
    /// For how long it lasts.
    pub lasts: Option<Duration>,
}

/// The header that carries the version which a write expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// `If-Match`.
    IfMatch,
    /// `If-Unmodified-Since`.
    IfUnmodifiedSince,
}

/// Whether a write may be repeated when its outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idempotency {
    /// Never.
    None,
    /// Doing it twice is as doing it once.
    Natural,
    /// The precondition makes the second one fail.
    Conditional,
    /// The provider knows a repeat by a key.
    Key {
        /// The header that carries the key, in lower case.
        header: String,
        /// For how long the provider remembers it.
        window: Duration,
    },
}

/// How an unknown outcome can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// The read to make.
    pub read: String,
    /// What its answer must show if the write was done.
    pub applied_when: AppliedWhen,
}

/// What a lookup's answer must show if the write was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppliedWhen {
    /// The same at this place as the input.
    Equals(Pointer),
    /// The entity is there.
    Exists,
    /// The entity is not there.
    Absent,
}

/// What must hold in an answer with a status of success.
#[derive(Debug, Clone, PartialEq)]
pub struct Success {
    /// Where in the body to look.
    pub pointer: Pointer,
    /// The value that must be there; any value if absent.
    pub equals: Option<Value>,
    /// Whether another value there is a definite refusal. Otherwise nothing is
    /// certain and the outcome is unknown.
    pub otherwise_failed: bool,
}

/// Where a list's next page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Its address is in this header, in lower case.
    Header(String),
    /// Its address is at this place of the body.
    Body(Pointer),
    /// A token at this place of the body goes into this query parameter.
    Token {
        /// Where the token is.
        body: Pointer,
        /// Which query parameter takes it.
        query: String,
    },
    /// The number of records read so far goes into this query parameter.
    Offset {
        /// Which query parameter takes it.
        query: String,
    },
}

impl Manifest {
    /// Reads a manifest; `file` is only for the errors.
    ///
    /// # Errors
    /// With every fault: file, key, line and what to do.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, ManifestErrors> {
        let document = document::from_toml(text, file)?;
        // Numbers such as `1.0` have another form in canonical JSON. What is
        // returned is what will be read back, so the two cannot differ.
        let checked = parts::manifest(&document, file)?;
        Self::from_canonical(&checked.canonical())
    }

    /// Reads a stored manifest back.
    ///
    /// # Errors
    /// If the bytes are not what [`Manifest::canonical`] makes.
    pub fn from_canonical(bytes: &[u8]) -> Result<Self, ManifestErrors> {
        const FILE: &str = "stored manifest";
        let value = parse_strict(bytes, Limits::STORED)
            .map_err(|error| ManifestErrors::one(FILE, "", None, format!("It is not strict JSON: {error}")))?;
        if canonical_bytes(&value) != bytes {
            return Err(ManifestErrors::one(FILE, "", None, "It is not in canonical form.".to_owned()));
        }
        parts::manifest(&document::from_json(&value), FILE)
    }

    /// The whole document as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&self.document)
    }

    /// The digest of the canonical JSON.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.canonical())
    }
}

impl Action {
    /// Whether the body is an object of the properties that go nowhere else.
    #[must_use]
    pub fn sends_the_rest(&self) -> bool {
        self.body.is_none() && self.method.has_body()
    }

    /// Whether an input can hold nothing but parameters, so that no body is sent.
    #[must_use]
    pub fn has_only_parameters(&self) -> bool {
        let properties = self.input.get("properties").and_then(Value::as_object);
        self.input.get("additionalProperties") == Some(&Value::Bool(false))
            && self.input.get("patternProperties").is_none()
            && properties.into_iter().flatten().all(|(name, _)| self.is_parameter(name))
    }

    /// Whether this input property goes into the path or the query.
    #[must_use]
    pub fn is_parameter(&self, property: &str) -> bool {
        self.path.parameters().any(|name| name == property) || self.query.iter().any(|name| name == property)
    }
}

#[cfg(test)]
mod tests;
