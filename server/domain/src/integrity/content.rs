//! The content of a proposal: all of it that can hold personal data.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::members::Members;
use super::{Binding, Evidence};
use crate::canonical::{self, Limits, StrictError, canonical_bytes, digest_json};
use crate::digest::{Digest, from_hex, to_hex};

/// What lies sealed beside a proposal's record, which holds only a commitment
/// to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// What the agent wants to write, complete; secrets stand as placeholders.
    pub input: Value,
    /// What would be sent: method, address, header names, body.
    pub call: Value,
    /// What the agent had read: `{read, input, context_version}` each.
    pub based_on: Vec<Value>,
    /// Keys of the entities that it touches.
    pub entities: Vec<String>,
    /// Why, in the agent's words.
    pub reason: Option<String>,
    /// The digest of the input.
    pub input_digest: Digest,
    /// The digest of the call.
    pub call_digest: Digest,
}

/// Content together with the salt of its commitment.
#[derive(Clone, Debug, PartialEq)]
pub struct SealedContent {
    /// 32 random bytes, which keep the commitment from being guessed.
    pub salt: [u8; 32],
    /// The content.
    pub content: Content,
}

/// Why stored bytes are not a proposal's content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// Not strict JSON.
    #[error(transparent)]
    Json(#[from] StrictError),
    /// Strict JSON, but not in canonical form, so that its bytes are not those
    /// that were committed to.
    #[error("the content is not in canonical form")]
    NotCanonical,
    /// Something is missing, too much or of the wrong type.
    #[error("the content does not have the members of a proposal's content")]
    Members,
}

/// What the record holds in place of content (or of a comment): it gives
/// nothing away, and fits no other content.
#[must_use]
pub fn content_commitment(salt: &[u8; 32], content_jcs: &[u8]) -> Digest {
    Digest::of_parts(&[salt, content_jcs])
}

impl Content {
    /// Content whose digests are computed here.
    #[must_use]
    pub fn new(input: Value, call: Value, based_on: Vec<Value>, entities: Vec<String>, reason: Option<String>) -> Self {
        Self {
            input_digest: digest_json(&input),
            call_digest: digest_json(&call),
            input,
            call,
            based_on,
            entities,
            reason,
        }
    }

    /// The bytes that are committed to.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&self.to_value())
    }

    /// Reads content back from [`Content::canonical`] bytes.
    ///
    /// # Errors
    /// If they are any other bytes.
    pub fn from_canonical(bytes: &[u8]) -> Result<Self, ContentError> {
        let value = canonical::parse_strict(bytes, Limits::STORED)?;
        if canonical_bytes(&value) != bytes {
            return Err(ContentError::NotCanonical);
        }
        Self::from_value(value).ok_or(ContentError::Members)
    }

    fn from_value(value: Value) -> Option<Self> {
        let mut members = Members::of(value)?;
        let content = Self {
            input: members.take("input")?,
            call: members.take("call")?,
            based_on: members.list("based_on")?,
            entities: members.texts("entities")?,
            reason: match members.take("reason")? {
                Value::Null => None,
                Value::String(reason) => Some(reason),
                _ => return None,
            },
            input_digest: members.digest("input_digest")?,
            call_digest: members.digest("call_digest")?,
        };
        members.is_empty().then_some(content)
    }

    fn to_value(&self) -> Value {
        json!({
            "input": self.input,
            "call": self.call,
            "based_on": self.based_on,
            "entities": self.entities,
            "reason": self.reason,
            "input_digest": self.input_digest,
            "call_digest": self.call_digest,
        })
    }
}

impl SealedContent {
    /// The commitment to this content with this salt.
    #[must_use]
    pub fn commitment(&self) -> Digest {
        content_commitment(&self.salt, &self.content.canonical())
    }

    /// The salt in hexadecimal.
    #[must_use]
    pub fn salt_hex(&self) -> String {
        to_hex(&self.salt)
    }

    /// What a page that may show the content hands to its own check.
    ///
    /// # Panics
    /// Never: a canonical form is UTF-8.
    #[must_use]
    pub fn evidence(&self, binding: Binding) -> Evidence {
        Evidence {
            salt_hex: self.salt_hex(),
            content_json: String::from_utf8(self.content.canonical()).expect("a canonical form is UTF-8"),
            binding,
        }
    }

    /// The bytes to seal: the salt, then the canonical content.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.salt.as_slice(), &self.content.canonical()].concat()
    }

    /// Reads back what [`SealedContent::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ContentError> {
        let (salt, content) = bytes.split_first_chunk().ok_or(ContentError::Members)?;
        Ok(Self { salt: *salt, content: Content::from_canonical(content)? })
    }
}

/// A salt written in hexadecimal.
pub(super) fn read_salt(hex: &str) -> Option<[u8; 32]> {
    from_hex(hex)
}
