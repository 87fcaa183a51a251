//! One span and one line of log for each request.
//!
//! They hold the template of the path and never the path: ids in a URL are no
//! secret, but a search or a `next` can hold what somebody typed.

use std::time::Instant;

use app::context::RequestId;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Wraps a request in its span.
pub async fn each(mut request: Request, next: Next) -> Response {
    let id = RequestId(format!("{:016x}", getrandom::u64().unwrap_or_default()));
    let path = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = %id.0, method = %request.method(), path);
    request.extensions_mut().insert(id.clone());

    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let status = response.status().as_u16();
    if matches!(path.as_str(), "/healthz" | "/readyz") || path.starts_with("/pkg/") {
        tracing::debug!(parent: &span, status, ms, "answered");
    } else {
        tracing::info!(parent: &span, status, ms, "answered");
    }
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
