//! The schemas that are published with the tools.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::next::NextAction;

/// How long the schemas of actions or reads may be together before a tool
/// points to `_actions` instead: a list of tools is read at every start.
const EMBEDDED_BYTES: usize = 6 * 1024;

/// The schema of a reply. `required` holds for every reply but a refusal.
pub fn output(states: &[&str], facts: Value, required: &[&str]) -> Arc<JsonObject> {
    let states: Vec<&str> = states.iter().copied().chain(["refused"]).collect();
    let next: Vec<&str> = NextAction::ALL.iter().map(|next| next.word()).collect();
    let mut properties = object(json!({
        "state": { "enum": states },
        "next_action": { "enum": next },
        "message": { "type": "string" },
        "warnings": { "type": "array", "items": { "type": "string" } },
        "retry_after_ms": { "type": "integer", "minimum": 0 },
        "keep": { "type": "array", "items": { "type": "string" }, "description": "Ids worth keeping." },
        "expires_at": time("Until when the next step is possible."),
        "approval_url": { "type": "string", "format": "uri", "description": "The page to send a person to." },
        "truncated": { "type": "boolean", "description": "Something was left out to keep the reply short." },
        "code": { "type": "string", "description": "Of a refusal." },
        "pointer": { "type": "string", "description": "Where in the arguments the fault lies." },
    }));
    properties.extend(object(facts));
    Arc::new(object(json!({
        "type": "object",
        "properties": properties,
        "required": ["state", "next_action", "message", "warnings"],
        "if": { "properties": { "state": { "const": "refused" } } },
        "then": { "required": ["code"] },
        "else": { "required": required },
    })))
}

/// A point in time.
pub fn time(description: &str) -> Value {
    json!({ "type": "string", "format": "date-time", "description": description })
}

/// Some text.
pub fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of `input`, given what each choice takes: all of them if they are
/// short enough, else `None`.
///
/// They stand under `input` and not at the root beside `action`: several hosts
/// drop a tool, or fail altogether, if its schema has `oneOf` at the root.
pub fn of_input(choices: &[(&str, &Value)]) -> Option<Value> {
    let schemas = choices.iter().map(|(name, schema)| embedded(name, schema)).collect::<Option<Vec<Value>>>()?;
    let length: usize = schemas.iter().map(super::reply::size).sum();
    if schemas.is_empty() || length > EMBEDDED_BYTES {
        return None;
    }
    match <[Value; 1]>::try_from(schemas) {
        Ok([schema]) => Some(schema),
        // Not `oneOf`: an input may fit the schemas of two actions.
        Err(schemas) => Some(json!({ "type": "object", "anyOf": schemas })),
    }
}

/// One schema inside another. References in it would point elsewhere there.
fn embedded(name: &str, schema: &Value) -> Option<Value> {
    let text = schema.to_string();
    if ["\"$ref\"", "\"$dynamicRef\"", "\"$id\"", "\"$anchor\"", "\"$schema\""].iter().any(|key| text.contains(key)) {
        return None;
    }
    let mut schema = schema.as_object()?.clone();
    schema.insert("title".to_owned(), name.into());
    Some(Value::Object(schema))
}

/// The members of a value that was written as an object.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
