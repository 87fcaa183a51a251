//! JSON-RPC errors as HTTP responses. Every refusal has such a body: a client
//! that finds none takes us for a server of an older era.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::{Value, json};

/// The text is not JSON that means one thing only.
pub const PARSE_ERROR: i32 = -32700;
/// The JSON is not a request.
pub const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters have the wrong shape.
pub const INVALID_PARAMS: i32 = -32602;
/// A fault of ours.
pub const INTERNAL_ERROR: i32 = -32603;
/// A header is missing or contradicts the body.
pub const HEADER_MISMATCH: i32 = -32020;
/// The protocol version is not one of ours.
pub const UNSUPPORTED_VERSION: i32 = -32022;

/// A refusal outside of any tool.
#[derive(Debug)]
pub struct RpcError {
    status: StatusCode,
    code: i32,
    message: String,
    data: Option<Value>,
    id: Option<Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl RpcError {
    /// With this status, code and message.
    pub fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None, id: None, headers: Vec::new() }
    }

    /// With status 400, which most of them have.
    pub fn bad_request(code: i32, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// With further facts for the client.
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// With the id of the request that it answers, if it could be read.
    pub fn answering(mut self, id: Option<Value>) -> Self {
        self.id = id;
        self
    }

    /// With one more header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl IntoResponse for RpcError {
    fn into_response(self) -> Response {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = data;
        }
        let mut body = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = self.id {
            body["id"] = id;
        }
        let mut response = (self.status, Json(body)).into_response();
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}

/// There are no streams to open and no sessions to end here: only POST.
pub async fn method_not_allowed() -> RpcError {
    RpcError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        INVALID_REQUEST,
        "This endpoint answers POST only; it keeps no sessions and no streams.",
    )
    .with_header(header::ALLOW, HeaderValue::from_static("POST"))
}
