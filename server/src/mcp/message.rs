//! The body of a request: read once, strictly, before rmcp sees any of it.
//!
//! What tools act on is the value that was parsed here. rmcp gets it written
//! out again, for its own routing only: a second parser may read a number or a
//! repeated key in another way, and then what was checked is not what is done.

mod envelope;
mod era;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use domain::actor::Agent;
use domain::canonical::{Limits, StrictError, parse_strict};
use futures::StreamExt;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::bearer::insufficient_scope;
use super::rpc::{INVALID_REQUEST, PARSE_ERROR, RpcError};
use super::tools::{Access, ToolName};

pub use era::{Era, VERSIONS};

/// The longest body.
pub const MAX_BYTES: usize = Limits::BODY.bytes;

/// How long a client may take to send it.
const READ_WITHIN: Duration = Duration::from_secs(30);

/// A request that was found well-formed.
#[derive(Debug, Clone)]
pub struct Message {
    value: Arc<Value>,
    era: Era,
}

impl Message {
    /// Which generation of the protocol the client speaks.
    pub fn era(&self) -> Era {
        self.era
    }

    /// The arguments of a tool call, exactly as they were sent; empty if there are none.
    pub fn arguments(&self) -> Map<String, Value> {
        self.value.pointer("/params/arguments").and_then(Value::as_object).cloned().unwrap_or_default()
    }
}

/// Lets only well-formed requests pass that the token's scopes cover.
pub async fn admit(request: Request, next: Next) -> Result<Response, RpcError> {
    let (mut parts, body) = request.into_parts();
    let raw = read(&parts.headers, body).await?;
    let value = parse_strict(&raw, Limits::BODY).map_err(|error| not_strict(&raw, &error))?;
    let envelope = envelope::open(&value)?;
    let era = era::of(&envelope, &parts.headers)?;
    if let (Some(tool), Some(agent)) = (envelope.tool(), parts.extensions.get::<Agent>())
        && let Some(tool) = ToolName::parse(tool)
        && let Access::ScopeMissing(scope) = tool.access(agent)
    {
        return Err(insufficient_scope(&scope).answering(envelope.id.cloned()));
    }
    let forwarded = value.to_string();
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(forwarded.len()));
    // rmcp asks for both media types although it will send JSON; many clients name one.
    parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    parts.extensions.insert(Message { value: Arc::new(value), era });
    Ok(next.run(Request::from_parts(parts, Body::from(forwarded))).await)
}

async fn read(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, RpcError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(RpcError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            INVALID_REQUEST,
            "The Content-Type must be application/json.",
        ));
    }
    let collect = async {
        let mut raw = Vec::new();
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| RpcError::bad_request(PARSE_ERROR, "The body ended early."))?;
            if raw.len() + chunk.len() > MAX_BYTES {
                return Err(too_large());
            }
            raw.extend_from_slice(&chunk);
        }
        Ok(raw)
    };
    tokio::time::timeout(READ_WITHIN, collect).await.unwrap_or_else(|_| {
        Err(RpcError::new(StatusCode::REQUEST_TIMEOUT, INVALID_REQUEST, "The body did not arrive in time."))
    })
}

fn too_large() -> RpcError {
    RpcError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        INVALID_REQUEST,
        format!("The body is larger than {MAX_BYTES} bytes. Send less at a time."),
    )
}

fn not_strict(raw: &[u8], error: &StrictError) -> RpcError {
    // The text is refused, but its id may still be readable, and without it a
    // client cannot tell which of its calls was refused.
    let id = serde_json::from_slice::<IdOnly>(raw).ok().and_then(|message| message.id);
    let id = id.filter(envelope::is_id);
    RpcError::bad_request(PARSE_ERROR, format!("Parse error. {error}"))
        .with_data(json!({ "pointer": error.pointer, "offset": error.offset, "code": error.kind.code() }))
        .answering(id)
}

/// Everything else is skipped, and an `id` that stands there twice is none.
#[derive(Deserialize)]
struct IdOnly {
    id: Option<Value>,
}
