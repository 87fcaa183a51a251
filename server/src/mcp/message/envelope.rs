//! JSON-RPC: what a request must look like, and the shape of the parameters
//! that the methods take.

use serde_json::{Map, Value, json};

use crate::mcp::rpc::{INVALID_PARAMS, INVALID_REQUEST, RpcError};

/// The parts of a request or a notification.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// Absent in a notification.
    pub id: Option<&'a Value>,
    /// What is asked for.
    pub method: &'a str,
    /// With what.
    pub params: Option<&'a Map<String, Value>>,
}

impl<'a> Envelope<'a> {
    /// The tool that is called, if one is.
    pub fn tool(&self) -> Option<&'a str> {
        if self.method == "tools/call" { self.param("name")?.as_str() } else { None }
    }

    /// What stands under a reserved key of `_meta`.
    pub fn meta(&self, key: &str) -> Option<&'a Value> {
        self.param("_meta")?.get(key)
    }

    /// One parameter.
    pub fn param(&self, name: &str) -> Option<&'a Value> {
        self.params?.get(name)
    }

    /// A refusal that answers this request.
    pub fn refused(&self, code: i32, message: impl Into<String>) -> RpcError {
        RpcError::bad_request(code, message).answering(self.id.cloned())
    }
}

/// Whether it can be the id of a request.
pub fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64()
}

/// Checks the envelope and the shape of the parameters.
pub fn open(value: &Value) -> Result<Envelope<'_>, RpcError> {
    let invalid = |message: &str| RpcError::bad_request(INVALID_REQUEST, message);
    let message = match value {
        Value::Object(message) => message,
        Value::Array(_) => return Err(invalid("Batches are not part of the protocol. Send one request at a time.")),
        _ => return Err(invalid("A request is a JSON object.")),
    };
    let id = message.get("id");
    if id.is_some_and(|id| !is_id(id)) {
        return Err(invalid("The id is a string or an integer.").with_data(json!({ "pointer": "/id" })));
    }
    let invalid =
        |pointer: &str, message: &str| invalid(message).with_data(json!({ "pointer": pointer })).answering(id.cloned());
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("/jsonrpc", "jsonrpc must be \"2.0\"."));
    }
    if message.contains_key("result") || message.contains_key("error") {
        return Err(invalid("", "Responses are not accepted: the server asks nothing."));
    }
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        return Err(invalid("/method", "The method is missing or is not a string."));
    };
    let malformed = |pointer: &str, message: &str| {
        RpcError::bad_request(INVALID_PARAMS, message).with_data(json!({ "pointer": pointer })).answering(id.cloned())
    };
    let params = match message.get("params") {
        None => None,
        Some(Value::Object(params)) => Some(params),
        Some(_) => return Err(malformed("/params", "params must be an object.")),
    };
    let envelope = Envelope { id, method, params };
    shape(&envelope).map_err(|(pointer, message)| malformed(pointer, message))?;
    Ok(envelope)
}

/// rmcp takes a known method with misshapen parameters for an unknown method,
/// and some misshapen parameters for absent ones.
fn shape(envelope: &Envelope<'_>) -> Result<(), (&'static str, &'static str)> {
    let is = |name: &str, fits: fn(&Value) -> bool| envelope.param(name).is_none_or(fits);
    if !is("_meta", Value::is_object) {
        return Err(("/params/_meta", "_meta must be an object."));
    }
    if !envelope.meta("progressToken").is_none_or(is_id) {
        return Err(("/params/_meta/progressToken", "The progress token is a string or an integer."));
    }
    match envelope.method {
        "tools/call" => {
            if !envelope.param("name").is_some_and(Value::is_string) {
                return Err(("/params/name", "The tool's name is missing or is not a string."));
            }
            // Some clients write null for a call without arguments.
            if !is("arguments", |arguments| arguments.is_object() || arguments.is_null()) {
                return Err(("/params/arguments", "The arguments must be an object."));
            }
            if !is("requestState", Value::is_string) {
                return Err(("/params/requestState", "requestState must be a string."));
            }
            if !is("inputResponses", Value::is_object) {
                return Err(("/params/inputResponses", "inputResponses must be an object."));
            }
        }
        "tools/list" => {
            if !is("cursor", Value::is_string) {
                return Err(("/params/cursor", "The cursor must be a string, as it was given."));
            }
        }
        "initialize" if envelope.param("protocolVersion").is_some_and(Value::is_string) => {
            if !envelope.param("capabilities").is_some_and(Value::is_object) {
                return Err(("/params/capabilities", "The client's capabilities are missing or are not an object."));
            }
            if !envelope.param("clientInfo").is_some_and(is_implementation) {
                return Err(("/params/clientInfo", "clientInfo needs a name and a version."));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether it names a program and its version.
pub fn is_implementation(value: &Value) -> bool {
    value.get("name").is_some_and(Value::is_string) && value.get("version").is_some_and(Value::is_string)
}
