//! The few parts of an answer that are handed on.

use serde_json::Value;

use super::super::executor::{Answer, Reply};
use super::super::manifest::Action;
use super::ReplyFacts;

/// More than this of an answer is not handed to the caller of apply.
const MAX_RETURNS: usize = 8 * 1024;
/// An excerpt is a hint, not a report.
const MAX_EXCERPT: usize = 300;
/// Nobody is told to wait longer.
const MAX_RETRY_MS: u64 = 24 * 60 * 60 * 1000;
/// Headers in which providers name a call, in the order of preference.
const REQUEST_ID_HEADERS: [&str; 10] = [
    "x-request-id",
    "request-id",
    "x-requestid",
    "x-amzn-requestid",
    "x-amz-request-id",
    "x-ms-request-id",
    "x-github-request-id",
    "x-hubspot-correlation-id",
    "x-correlation-id",
    "cf-ray",
];

/// When the provider asks to come again, in milliseconds from its answer.
///
/// A date is compared with the answer's own `Date`, so that no other clock matters.
#[must_use]
pub fn retry_after_ms(reply: &Reply) -> Option<u64> {
    let Reply::Answered(answer) = reply else { return None };
    let text = answer.header("retry-after")?.trim();
    let ms = if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(1000)
    } else {
        let date = |text: &str| chrono::DateTime::parse_from_rfc2822(text).ok();
        let span = date(text)?.signed_duration_since(date(answer.header("date")?)?);
        u64::try_from(span.num_milliseconds()).unwrap_or(0)
    };
    Some(ms.min(MAX_RETRY_MS))
}

/// What the provider calls this call, from a known header, if it is harmless to keep.
#[must_use]
pub fn request_id(reply: &Reply) -> Option<String> {
    let Reply::Answered(answer) = reply else { return None };
    let value = REQUEST_ID_HEADERS.iter().find_map(|name| answer.header(name))?;
    let harmless = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
    ((1..=64).contains(&value.len()) && value.bytes().all(harmless)).then(|| value.to_owned())
}

/// The declared parts of the answer, by pointer, as far as they fit.
#[must_use]
pub fn returns(action: &Action, reply: &ReplyFacts) -> Vec<(String, Value)> {
    let Some(body) = &reply.body else { return Vec::new() };
    let mut left = MAX_RETURNS;
    let mut parts = Vec::new();
    for pointer in &action.returns {
        let Some(value) = pointer.get(body) else { continue };
        let size = pointer.as_str().len() + serde_json::to_vec(value).map_or(usize::MAX, |bytes| bytes.len());
        if size <= left {
            left -= size;
            parts.push((pointer.to_string(), value.clone()));
        }
    }
    parts
}

/// A bounded excerpt of what the provider says about a failure.
#[must_use]
pub fn excerpt(reply: &Reply) -> Option<String> {
    let Reply::Answered(answer) = reply else { return None };
    let text = match serde_json::from_slice::<Value>(&answer.body) {
        Ok(body) => message_of(&body)?,
        Err(_) => plain_text(answer)?,
    };
    // One line: what is quoted must not look like a reply of ours.
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    Some(match line.char_indices().nth(MAX_EXCERPT - 1) {
        Some((at, _)) if line.chars().count() > MAX_EXCERPT => format!("{}…", &line[..at]),
        _ => line,
    })
}

fn message_of(body: &Value) -> Option<String> {
    match body {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.iter().find_map(message_of),
        Value::Object(entries) => {
            const NAMES: [&str; 9] = [
                "message",
                "detail",
                "error_description",
                "error",
                "title",
                "description",
                "details",
                "errors",
                "reason",
            ];
            NAMES.iter().filter_map(|name| entries.get(*name)).find_map(message_of)
        }
        _ => None,
    }
}

/// A page of HTML says nothing that fits into a line.
fn plain_text(answer: &Answer) -> Option<String> {
    let kind = answer.header("content-type").unwrap_or("text/plain").to_ascii_lowercase();
    if !kind.starts_with("text/plain") {
        return None;
    }
    let head = &answer.body[..answer.body.len().min(4 * MAX_EXCERPT + 16)];
    Some(String::from_utf8_lossy(head).into_owned())
}
