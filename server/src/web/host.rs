//! Which names this server answers to.
//!
//! A page of somebody else can point a name of its own at this machine (DNS
//! rebinding) and would then be of the same origin. The name that it used stands
//! in `Host`, and it is not one of ours.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::problem;
use crate::state::Site;

/// Refuses every request for another host.
pub async fn check(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    match requested(&request) {
        Some(host) if site.hosts.contains(&host) => next.run(request).await,
        Some(_) => problem::text(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "This server is not known under that name. Open {}, or set COUNTERSIGN_PUBLIC_URL to the name that you use.",
                site.public_url.origin()
            ),
        ),
        None => problem::text(StatusCode::BAD_REQUEST, "The request names no host, or more than one."),
    }
}

fn requested(request: &Request) -> Option<String> {
    if let Some(authority) = request.uri().authority() {
        return Some(authority.as_str().to_ascii_lowercase());
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    hosts.next().is_none().then(|| host.to_ascii_lowercase())
}
