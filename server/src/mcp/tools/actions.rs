//! `{connection}_actions`: what can be written and read at a connection.

use domain::error::{Result, invalid_at};
use domain::service::ConnectionInfo;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::{Call, Effect, define};
use crate::mcp::arguments::{Arguments, Parameter, Shape};
use crate::mcp::next::NextAction;
use crate::mcp::reply::{MAX_BYTES, Reply, size};
use crate::mcp::schema::{output, text};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "action",
        shape: Shape::Text(100),
        required: false,
        description: "Only this action, with the schema of its input.",
    },
    Parameter {
        name: "read",
        shape: Shape::Text(100),
        required: false,
        description: "Only this read, with the schema of its input.",
    },
];

/// The tool as this connection offers it.
pub fn definition(connection: &ConnectionInfo) -> Tool {
    let name = &connection.name;
    let list = |more: Value| {
        let mut properties = crate::mcp::schema::object(
            json!({ "name": text(), "title": text(), "input_schema": { "type": "object" } }),
        );
        properties.extend(crate::mcp::schema::object(more));
        let item = json!({ "type": "object", "properties": properties, "required": ["name", "title"] });
        json!({ "type": "array", "items": item })
    };
    define(
        format!("{name}_actions"),
        format!("What {} can do", connection.title),
        format!(
            "Lists what can be written to and read from {}, and who approves it. With action or read: that one's input schema. \
             Next: {name}_propose or {name}_read.",
            connection.title
        ),
        PARAMETERS,
        output(
            &["listed", "described"],
            json!({
                "connection": text(),
                "actions": list(json!({
                    "summary": text(),
                    "risk": { "enum": ["low", "medium", "high"] },
                    "approval": { "enum": ["automatic", "person", "forbidden"] },
                    "returns": { "type": "array", "items": text(), "description": "What apply gives back, once." },
                })),
                "reads": list(json!({})),
            }),
            &["connection", "actions", "reads"],
        ),
        Effect::Reads,
    )
}

/// Lists or describes.
pub async fn call(call: &Call<'_>, connection: &str, arguments: Map<String, Value>) -> Result<Reply> {
    let arguments = Arguments::read(arguments, PARAMETERS)?;
    let (action, read) = (arguments.text("action"), arguments.text("read"));
    let described = action.is_some() || read.is_some();
    let (actions, reads) = call.service.actions(call.agent, connection).await?;
    let asked_for = |asked: Option<&str>, name: &str| if described { asked == Some(name) } else { true };
    let action_items: Vec<Value> = actions
        .iter()
        .filter(|info| asked_for(action, &info.name))
        .map(|info| {
            let mut item = json!({
                "name": info.name,
                "title": info.title,
                "risk": info.risk,
                "approval": info.approval.word(),
                "returns": info.returns,
            });
            if let Some(summary) = &info.summary {
                item["summary"] = summary.as_str().into();
            }
            if described {
                item["input_schema"] = info.input.clone();
            }
            item
        })
        .collect();
    let read_items: Vec<Value> = reads
        .iter()
        .filter(|info| asked_for(read, &info.name))
        .map(|info| {
            let mut item = json!({ "name": info.name, "title": info.title });
            if described {
                item["input_schema"] = info.input.clone();
            }
            item
        })
        .collect();
    if action.is_some() && action_items.is_empty() {
        return Err(invalid_at(
            "/action",
            "action_unknown",
            format!("There is no such action. Call {connection}_actions without arguments for all of them."),
        ));
    }
    if read.is_some() && read_items.is_empty() {
        return Err(invalid_at(
            "/read",
            "read_unknown",
            format!("There is no such read. Call {connection}_actions without arguments for all of them."),
        ));
    }
    let message = if described {
        format!("Propose with {connection}_propose, read with {connection}_read.")
    } else {
        format!(
            "{} actions and {} reads. Ask for one by name to get the schema of its input.",
            action_items.len(),
            read_items.len()
        )
    };
    let too_large = action_items.iter().chain(&read_items).map(size).sum::<usize>() > MAX_BYTES;
    let mut reply = Reply::new(if described { "described" } else { "listed" }, NextAction::Done, message)
        .with("connection", connection)
        .with("actions", action_items)
        .with("reads", read_items);
    if too_large {
        reply = reply
            .warn("Parts did not fit in a reply and are missing; the server still checks inputs against all of it.");
    }
    Ok(reply)
}
