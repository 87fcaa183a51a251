//! `{connection}_propose`: records a write that is wanted. Nothing is sent.

use domain::canonical::{Limits, too_deep};
use domain::error::{Result, invalid_at};
use domain::policy::Approval;
use domain::service::{ActionInfo, ConnectionInfo, NewProposal, Proposed};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::{Call, Effect, define, one_proposal};
use crate::mcp::arguments::{Arguments, Parameter, Shape};
use crate::mcp::reply::Reply;
use crate::mcp::schema::{object, of_input, output, text};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "action",
        shape: Shape::Text(100),
        required: true,
        description: "What to do; one of the connection's actions.",
    },
    Parameter {
        name: "input",
        shape: Shape::Object,
        required: true,
        description: "What to write; the action's own schema says how.",
    },
    Parameter {
        name: "reason",
        shape: Shape::Text(2_000),
        required: false,
        description: "Why, in a sentence for the person who decides. Shown to them as unverified.",
    },
    Parameter {
        name: "idempotency_key",
        shape: Shape::Key,
        required: false,
        description: "The same key gives the same proposal, for ever. A wanted repeat takes a new key.",
    },
    Parameter {
        name: "client_ref",
        shape: Shape::Key,
        required: false,
        description: "Your own reference, to find it again with proposals_list.",
    },
];

/// How many pointers of filled defaults are told.
const FILLED_SHOWN: usize = 50;

/// The tool as this connection offers it.
pub fn definition(connection: &ConnectionInfo, actions: &[ActionInfo]) -> Tool {
    let name = &connection.name;
    let offered: Vec<&ActionInfo> = actions.iter().filter(|action| action.approval != Approval::Forbidden).collect();
    let choices: Vec<(&str, &Value)> = offered.iter().map(|action| (action.name.as_str(), &action.input)).collect();
    let input = of_input(&choices);
    let schemas = if input.is_some() {
        String::new()
    } else {
        format!(" Call {name}_actions with an action's name for the schema of its input.")
    };
    let description = format!(
        "Proposes one write to {}. Nothing is sent: a person decides first, on a page. \
         Next: send the person to approval_url, then call {name}_apply. \
         Keep proposal_id; it is good until expires_at (normally 72 h to decide).{schemas}",
        connection.title
    );
    let mut facts = object(one_proposal::properties());
    facts.extend(object(json!({
        "comments": one_proposal::comments(),
        "existing": { "type": "boolean", "description": "It was there already; no second one was made." },
        "filled_defaults": {
            "type": "array",
            "items": text(),
            "description": "JSON pointers into input where defaults were filled in.",
        },
    })));
    let required: Vec<&str> = one_proposal::REQUIRED.into_iter().chain(["existing", "filled_defaults"]).collect();
    let mut tool = define(
        format!("{name}_propose"),
        format!("Propose a write to {}", connection.title),
        description,
        PARAMETERS,
        output(&one_proposal::STATES, facts.into(), &required),
        Effect::Records,
    );
    let mut schema = tool.input_schema.as_ref().clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        if let (false, Some(action)) = (offered.is_empty(), properties.get_mut("action")) {
            action["enum"] = offered.iter().map(|action| action.name.as_str()).collect();
        }
        if let Some(input) = input {
            properties.insert("input".to_owned(), input);
        }
    }
    tool.input_schema = schema.into();
    tool
}

/// Proposes.
pub async fn call(call: &Call<'_>, connection: &str, arguments: Map<String, Value>) -> Result<Reply> {
    let mut arguments = Arguments::read(arguments, PARAMETERS)?;
    let input = arguments.take_object("input");
    // The whole body was let through a little deeper than an input may be.
    if let Some(pointer) = too_deep(&input, Limits::INPUT_DEPTH) {
        let message = format!("The input is more than {} levels deep.", Limits::INPUT_DEPTH);
        return Err(invalid_at(format!("/input{pointer}"), "too_deep", message));
    }
    let owned = |name: &str| arguments.text(name).map(str::to_owned);
    let new = NewProposal {
        action: arguments.required_text("action").to_owned(),
        input,
        reason: owned("reason"),
        idempotency_key: owned("idempotency_key"),
        client_ref: owned("client_ref"),
    };
    Ok(reply(call, &call.service.propose(call.agent, connection, new).await?))
}

fn reply(call: &Call<'_>, proposed: &Proposed) -> Reply {
    let mut reply = one_proposal::reply(call, &proposed.proposal).with("existing", proposed.existing);
    if proposed.existing {
        reply = reply.prefaced("This proposal was there already, and no second one was made.");
    }
    let filled: Vec<&str> = proposed.filled.iter().take(FILLED_SHOWN).map(String::as_str).collect();
    reply = reply.with("filled_defaults", filled);
    if proposed.filled.len() > FILLED_SHOWN {
        reply = reply.with("truncated", true);
    }
    reply
}
