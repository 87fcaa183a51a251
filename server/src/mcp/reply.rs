//! What a tool answers: a state, the one next step, and facts, bounded in size.

use std::io::{self, Write};

use domain::error::{Error, Kind, Refusal};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::next::{NextAction, after_refusal};

/// The longest JSON of one reply: it must not flood a context window.
pub const MAX_BYTES: usize = 16 * 1024;

/// A reply that is not a refusal.
#[derive(Debug)]
pub struct Reply {
    state: &'static str,
    next: NextAction,
    message: String,
    warnings: Vec<String>,
    facts: Map<String, Value>,
}

impl Reply {
    /// With a stable word, the next step, and one short line for whoever reads along.
    pub fn new(state: &'static str, next: NextAction, message: impl Into<String>) -> Self {
        Self { state, next, message: message.into(), warnings: Vec::new(), facts: Map::new() }
    }

    /// With one more fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// With one more fact, if there is one.
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// With all of these facts.
    pub fn with_all(mut self, facts: Map<String, Value>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// With something that the agent should know and that stops nothing.
    pub fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// With a line before the message.
    pub fn prefaced(mut self, line: &str) -> Self {
        self.message = format!("{line} {}", self.message);
        self
    }

    /// How long its JSON is.
    pub fn bytes(&self) -> usize {
        size(&self.value())
    }

    /// As the protocol wants it: structured, the same as text, and the line.
    pub fn into_result(mut self) -> CallToolResult {
        self.bound();
        let mut result = CallToolResult::structured(self.value());
        result.content.push(ContentBlock::text(self.message));
        result
    }

    fn value(&self) -> Value {
        let mut body = Map::new();
        body.insert("state".to_owned(), self.state.into());
        body.insert("next_action".to_owned(), self.next.word().into());
        body.insert("message".to_owned(), self.message.as_str().into());
        body.insert("warnings".to_owned(), json!(self.warnings));
        body.extend(self.facts.clone());
        Value::Object(body)
    }

    /// A last resort; the tools keep their replies small by themselves.
    fn bound(&mut self) {
        loop {
            let excess = self.bytes().saturating_sub(MAX_BYTES);
            let largest = self.facts.iter().max_by_key(|(_, value)| size(value)).map(|(name, _)| name.clone());
            let (true, Some(name)) = (excess > 0, largest) else { return };
            let Some(value) = self.facts.remove(&name) else { return };
            // A little more, for the mark that something is missing.
            let budget = size(&value).saturating_sub(excess + 32);
            if let Some(rest) = fit(value, budget) {
                self.facts.insert(name, rest);
            }
            self.facts.insert("truncated".to_owned(), true.into());
        }
    }
}

/// A refusal as a reply. `again` is the word for calling the same tool again.
pub fn refused(error: &Error, again: NextAction) -> CallToolResult {
    let Some(refusal) = error.refusal() else {
        // `Display` of an internal error shows nothing; its cause is for the log only.
        let cause = std::error::Error::source(error);
        tracing::error!(cause = ?cause, "a tool failed");
        return fault("internal", "The server failed at this call. It was recorded; try again later, or ask an admin.");
    };
    let next = after_refusal(refusal, again);
    refusal_result(refusal, next)
}

/// A fault of ours, without its details.
pub fn fault(code: &'static str, message: &str) -> CallToolResult {
    refusal_result(&Refusal::new(Kind::Unavailable, code, message), NextAction::AskAdmin)
}

/// A call that took too long. What it began is not undone.
pub fn timed_out() -> CallToolResult {
    refusal_result(
        &Refusal::new(
            Kind::Unavailable,
            "timed_out",
            "The server did not finish in time. What was begun is finished and recorded: \
             ask for the state before you repeat anything.",
        ),
        NextAction::Wait,
    )
}

fn refusal_result(refusal: &Refusal, next: NextAction) -> CallToolResult {
    const SHOWN: usize = 2_000;
    let message: String = refusal.message.chars().take(SHOWN).collect();
    let mut body = json!({
        "state": "refused",
        "next_action": next.word(),
        "message": message,
        "warnings": [],
        "code": refusal.code,
    });
    if let Some(pointer) = &refusal.pointer {
        body["pointer"] = pointer.chars().take(SHOWN).collect::<String>().into();
    }
    let retry_after = match (next, refusal.kind) {
        (NextAction::Wait, Kind::Limited) => Some(60_000),
        (NextAction::Wait, _) => Some(2_000),
        _ => None,
    };
    if let Some(retry_after) = retry_after {
        body["retry_after_ms"] = retry_after.into();
    }
    let mut result = CallToolResult::structured_error(body);
    result.content.push(ContentBlock::text(format!("Refused ({}): {message}", refusal.code)));
    result
}

/// As much of a value as fits, in whole members and items; nothing of a text
/// or a number that does not fit, since half of one would pass for the whole.
pub fn fit(value: Value, budget: usize) -> Option<Value> {
    if size(&value) <= budget {
        return Some(value);
    }
    // The brackets.
    let mut left = budget.checked_sub(2)?;
    match value {
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                let whole = size(&item) < left;
                let Some(item) = fit(item, left.saturating_sub(1)) else { break };
                left -= size(&item) + 1;
                kept.push(item);
                if !whole {
                    break;
                }
            }
            Some(Value::Array(kept))
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                let around = size(&Value::from(name.as_str())) + 2;
                let Some(member) = left.checked_sub(around).and_then(|left| fit(member, left)) else { continue };
                left -= around + size(&member);
                kept.insert(name, member);
            }
            Some(Value::Object(kept))
        }
        _ => None,
    }
}

/// How long the JSON of a value is.
pub fn size(value: &Value) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail; a value that could not be written would be too large.
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_cut_to_whole_members() {
        for (value, budget, expected) in [
            (json!([1, 2, 3]), 7, Some(json!([1, 2, 3]))),
            (json!([11, 22, 33]), 9, Some(json!([11, 22]))),
            (json!(["long text"]), 8, Some(json!([]))),
            (json!({"a": "long text", "b": 1}), 12, Some(json!({"b": 1}))),
            (json!({"a": [1, 2, 3, 4, 5, 6]}), 14, Some(json!({"a": [1, 2]}))),
            (json!("long text"), 5, None),
            (json!([1]), 1, None),
        ] {
            let kept = fit(value.clone(), budget);
            assert!(kept.as_ref().is_none_or(|kept| size(kept) <= budget), "{value} in {budget}: {kept:?}");
            assert_eq!(kept, expected, "{value} in {budget}");
        }
    }

    #[test]
    fn no_reply_is_longer_than_allowed() {
        let reply = Reply::new("read", NextAction::Done, "Read.")
            .with("body", json!({ "rows": vec!["x".repeat(300); 100], "text": "y".repeat(20_000) }))
            .with("other", vec!["z".repeat(100); 100]);
        let result = reply.into_result();
        let body = result.structured_content.unwrap();
        assert!(size(&body) <= MAX_BYTES, "{}", size(&body));
        assert_eq!(body["truncated"], true);
        assert_eq!(body["state"], "read");
    }
}
