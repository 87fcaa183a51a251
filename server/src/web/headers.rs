//! The headers that every answer carries.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// On every answer, whatever it is.
static ALWAYS: [(HeaderName, HeaderValue); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // Not `no-referrer`: browsers would then send `Origin: null` with a form.
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static(
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), \
             microphone=(), midi=(), payment=(), usb=()",
        ),
    ),
];

/// Where a page does not say more precisely what it needs: nothing.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// What depends on how the server runs.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Whether the names of the browser's files carry a hash of what is in them.
    pub hashed_files: bool,
    /// Whether the server is reached through TLS.
    pub https: bool,
}

/// Adds them.
pub async fn add(State(policy): State<Policy>, request: Request, next: Next) -> Response {
    let is_file = request.uri().path().starts_with("/pkg/");
    let mut response = next.run(request).await;
    let never_changes = is_file && policy.hashed_files && response.status().is_success();
    let headers = response.headers_mut();
    for (name, value) in &ALWAYS {
        headers.insert(name, value.clone());
    }
    if policy.https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, TLS_ONLY);
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    headers.entry(header::CACHE_CONTROL).or_insert(if never_changes { IMMUTABLE } else { NO_STORE });
    response
}
