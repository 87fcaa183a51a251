//! Everything around a call: the log, the token, and what goes wrong on order.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::contacts::problem;
use super::line::Line;
use super::state::{Received, SandboxState};

/// The largest body that is read.
const MAX_BODY: usize = 1024 * 1024;

/// What goes wrong with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Waits so many milliseconds, then does its work, even if nobody listens any more.
    Delay(u64),
    /// Does its work, then waits so many milliseconds with the answer.
    DelayAfterCommit(u64),
    /// Answers with this status and does nothing.
    ErrorBefore(u16),
    /// Does its work, then answers with this status.
    ErrorAfterCommit(u16),
    /// Answers 429 with this many seconds to wait, and does nothing.
    RetryAfter(u32),
    /// Does nothing and drops the connection.
    DropBefore,
    /// Does its work, then drops the connection.
    DropAfterCommit,
}

/// The layer around every handler.
pub(super) async fn around(State(state): State<SandboxState>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return problem(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.");
    };
    let line = parts.extensions.get::<ConnectInfo<Line>>().map(|info| info.0.clone()).unwrap_or_default();
    let received = received(&state, &parts, &body);
    let (is_write, is_authorized) = (received.is_write(), received.is_authorized);
    let (number, fault) = {
        let mut inner = state.lock();
        let number = inner.note(received);
        (number, if is_authorized { inner.next_fault(is_write) } else { None })
    };
    let work = next.run(Request::from_parts(parts, Body::from(body)));
    let mut response = if is_authorized {
        go_wrong(fault, line, work).await
    } else {
        problem(StatusCode::UNAUTHORIZED, "The token is missing or wrong.")
    };
    if let Ok(id) = HeaderValue::from_str(&format!("sbx-{number}")) {
        response.headers_mut().insert("x-request-id", id);
    }
    let marker = state.lock().marker();
    match marker {
        Some(marker) => mark(response, &marker).await,
        None => response,
    }
}

fn received(state: &SandboxState, parts: &axum::http::request::Parts, body: &Bytes) -> Received {
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let expected = format!("Bearer {}", state.lock().token);
    Received {
        method: parts.method.to_string(),
        path: parts.uri.path_and_query().map_or_else(|| parts.uri.path().to_owned(), ToString::to_string),
        idempotency_key: text("idempotency-key"),
        if_match: text("if-match"),
        headers: names(&parts.headers),
        body: body.to_vec(),
        is_authorized: text("authorization").as_deref() == Some(expected.as_str()),
    }
}

fn names(headers: &HeaderMap) -> Vec<String> {
    let mut names: Vec<String> = headers.keys().map(ToString::to_string).collect();
    names.sort();
    names
}

async fn go_wrong(fault: Option<Fault>, line: Line, work: impl Future<Output = Response> + Send + 'static) -> Response {
    let status = |status: u16| StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match fault {
        None => work.await,
        Some(Fault::Delay(ms)) => {
            // In a task of its own: a provider does not stop because we hung up.
            let late = tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                work.await
            });
            late.await.unwrap_or_else(|_| problem(StatusCode::INTERNAL_SERVER_ERROR, "The work was cut short."))
        }
        Some(Fault::DelayAfterCommit(ms)) => {
            let response = work.await;
            tokio::time::sleep(Duration::from_millis(ms)).await;
            response
        }
        Some(Fault::ErrorBefore(code)) => problem(status(code), "This error was ordered; nothing was done."),
        Some(Fault::ErrorAfterCommit(code)) => {
            work.await;
            problem(status(code), "This error was ordered; the work was done.")
        }
        Some(Fault::RetryAfter(seconds)) => {
            let mut response = problem(StatusCode::TOO_MANY_REQUESTS, "Too many calls; nothing was done.");
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Some(Fault::DropBefore) => {
            line.cut();
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Some(Fault::DropAfterCommit) => {
            work.await;
            line.cut();
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Puts the marker into a header and into the body, wherever a text may stand.
async fn mark(response: Response, marker: &str) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Ok(value) = HeaderValue::from_str(marker) {
        parts.headers.insert("x-sandbox-marker", value);
    }
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    if let Some(message) = value.pointer_mut("/error/message") {
        *message = json!(format!("{} {marker}", message.as_str().unwrap_or_default()));
    }
    if let Some(entries) = value.as_object_mut() {
        entries.insert("marker".to_owned(), json!(marker));
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(value.to_string()))
}
