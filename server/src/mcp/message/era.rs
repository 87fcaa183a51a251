//! Two generations of the protocol on one endpoint.
//!
//! A modern request carries its version and capabilities in every message; a
//! legacy client opens with `initialize` and then names the version in a header
//! only. Which one it is, is told by the request itself: there is no session.

use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::envelope::{Envelope, is_implementation};
use crate::mcp::rpc::{HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, UNSUPPORTED_VERSION};

/// Every version that is served, newest first.
pub const VERSIONS: [&str; 4] = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"];

/// The first version without `initialize`.
const MODERN: &str = "2026-07-28";
/// What a request without the header speaks.
const ASSUMED: &str = "2025-03-26";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// The generation of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Everything stands in the request.
    Modern,
    /// `initialize` came first; no `resultType`, no caching hints.
    Legacy,
}

/// The era of this request, whose version is one of ours and the same in header and body.
pub fn of(request: &Envelope<'_>, headers: &HeaderMap) -> Result<Era, RpcError> {
    if request.method == "initialize" && request.id.is_some() {
        return initialize(request);
    }
    let header = single(request, headers, "mcp-protocol-version")?;
    let body = request.meta(VERSION_KEY);
    if body.is_none() && header != Some(MODERN) {
        let version = header.unwrap_or(ASSUMED);
        let known = VERSIONS.contains(&version);
        return if known { Ok(Era::Legacy) } else { Err(unsupported(request, version)) };
    }
    // A notification has no rules of its own yet; rmcp accepts and ignores it.
    if request.id.is_none() {
        return Ok(Era::Modern);
    }
    match (header, body.and_then(Value::as_str)) {
        (None, _) => return Err(request.refused(HEADER_MISMATCH, "The header MCP-Protocol-Version is missing.")),
        (Some(header), Some(body)) if header != body => {
            return Err(request.refused(
                HEADER_MISMATCH,
                format!("MCP-Protocol-Version is {header} in the header and {body} in _meta. Send the same in both."),
            ));
        }
        (Some(version), _) if !VERSIONS.contains(&version) => return Err(unsupported(request, version)),
        (Some(version), _) if version < MODERN => {}
        (Some(_), _) => method_header(request, headers)?,
    }
    required_meta(request)?;
    Ok(Era::Modern)
}

fn initialize(request: &Envelope<'_>) -> Result<Era, RpcError> {
    if request.param("protocolVersion").is_some_and(Value::is_string) {
        return Ok(Era::Legacy);
    }
    Err(RpcError::new(
        StatusCode::NOT_FOUND,
        METHOD_NOT_FOUND,
        format!("initialize without a protocolVersion is not a method here. Served are {}.", VERSIONS.join(", ")),
    )
    .answering(request.id.cloned()))
}

fn method_header(request: &Envelope<'_>, headers: &HeaderMap) -> Result<(), RpcError> {
    match single(request, headers, "mcp-method")? {
        Some(method) if method == request.method => Ok(()),
        Some(method) => Err(request.refused(
            HEADER_MISMATCH,
            format!("Mcp-Method is {method} in the header and {} in the body. Send the same in both.", request.method),
        )),
        None => Err(request.refused(HEADER_MISMATCH, "The header Mcp-Method is missing.")),
    }
}

/// What every modern request must carry. rmcp would let a client that sends a
/// name for its description pass.
fn required_meta(request: &Envelope<'_>) -> Result<(), RpcError> {
    let fault = if !request.meta(VERSION_KEY).is_some_and(Value::is_string) {
        VERSION_KEY
    } else if !request.meta(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        CAPABILITIES_KEY
    } else if !request.meta(CLIENT_KEY).is_none_or(is_implementation) {
        CLIENT_KEY
    } else {
        return Ok(());
    };
    Err(request.refused(INVALID_PARAMS, format!("_meta: {fault} is missing or malformed.")))
}

fn unsupported(request: &Envelope<'_>, version: &str) -> RpcError {
    request
        .refused(UNSUPPORTED_VERSION, format!("The protocol version {version} is not served here."))
        .with_data(json!({ "supported": VERSIONS, "requested": version }))
}

/// The value of a header that may stand there once.
fn single<'h>(request: &Envelope<'_>, headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(request.refused(HEADER_MISMATCH, format!("The header {name} is there more than once.")));
    }
    value.to_str().map(|value| Some(value.trim())).map_err(|_| {
        request.refused(HEADER_MISMATCH, format!("The header {name} holds characters that are not ASCII."))
    })
}
