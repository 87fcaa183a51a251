//! What an answer proves.
//!
//! A timeout never reads as success or failure: whatever is not certain is
//! `Unknown`, and somebody looks.

mod extract;

use serde_json::Value;

use super::executor::Reply;
use super::manifest::{Action, Success};

pub use crate::proposal::OutcomeClass;
pub use extract::{excerpt, request_id, retry_after_ms, returns};

/// The facts of a reply by which it is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyFacts {
    /// Whether a byte may have been sent.
    pub sent: bool,
    /// The status of a whole answer.
    pub status: Option<u16>,
    /// The body, if it is JSON and whole.
    pub body: Option<Value>,
    /// Whether an earlier try of the same write may have been received.
    pub is_repeat: bool,
}

impl ReplyFacts {
    /// The facts of a reply to the first try.
    #[must_use]
    pub fn of(reply: &Reply) -> Self {
        match reply {
            Reply::NotSent(_) => Self { sent: false, status: None, body: None, is_repeat: false },
            Reply::Lost { .. } => Self { sent: true, status: None, body: None, is_repeat: false },
            Reply::Answered(answer) => Self {
                sent: true,
                status: Some(answer.status),
                body: if answer.truncated { None } else { serde_json::from_slice(&answer.body).ok() },
                is_repeat: false,
            },
        }
    }

    /// The same as facts of a later try.
    #[must_use]
    pub fn of_a_repeat(self) -> Self {
        Self { is_repeat: true, ..self }
    }
}

/// How a try ended, by what is certain.
#[must_use]
pub fn classify(action: &Action, reply: &ReplyFacts) -> OutcomeClass {
    if !reply.sent {
        return OutcomeClass::NotSent;
    }
    let Some(status) = reply.status else { return OutcomeClass::Unknown };
    match status {
        _ if action.not_executed.contains(&status) => OutcomeClass::Refused,
        401 | 429 => OutcomeClass::Refused,
        // 202: taken up, and not done yet.
        200..=299 if status != 202 => success(action.success.as_ref(), reply.body.as_ref()),
        // On a repeat, the first try may have made it so.
        404 | 409 | 412 if reply.is_repeat => OutcomeClass::Unknown,
        400..=499 if status != 408 => OutcomeClass::Failed,
        _ => OutcomeClass::Unknown,
    }
}

fn success(condition: Option<&Success>, body: Option<&Value>) -> OutcomeClass {
    let Some(condition) = condition else { return OutcomeClass::Applied };
    let found = body.and_then(|body| condition.pointer.get(body));
    match (found, &condition.equals) {
        (Some(_), None) => OutcomeClass::Applied,
        (Some(found), Some(wanted)) if found == wanted => OutcomeClass::Applied,
        (Some(_), Some(_)) if condition.otherwise_failed => OutcomeClass::Failed,
        _ => OutcomeClass::Unknown,
    }
}

#[cfg(test)]
mod tests;
