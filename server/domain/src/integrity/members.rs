//! The members of a JSON object, taken out one by one.
//!
//! By hand and not by serde: what reads our own few objects this way is a third
//! of the size in the browser.

use serde_json::{Map, Value};

use crate::digest::Digest;

/// What is left of an object.
pub(super) struct Members(Map<String, Value>);

impl Members {
    /// The members of an object; `None` of anything else.
    pub(super) fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(members) => Some(Self(members)),
            _ => None,
        }
    }

    /// Takes one out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Takes out a text.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        text(self.take(name)?)
    }

    /// Takes out a list.
    pub(super) fn list(&mut self, name: &str) -> Option<Vec<Value>> {
        match self.take(name)? {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Takes out a list of texts.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.list(name)?.into_iter().map(text).collect()
    }

    /// Takes out a digest.
    pub(super) fn digest(&mut self, name: &str) -> Option<Digest> {
        self.text(name)?.parse().ok()
    }

    /// Whether everything was taken: what nobody knows is not accepted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
