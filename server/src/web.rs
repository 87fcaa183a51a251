//! The web server: which paths there are, and what every request passes through.

pub mod forms;
pub mod headers;
pub mod health;
pub mod host;
pub mod next;
pub mod pages;
pub mod problem;
pub mod trace;

use std::any::Any;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::limit::RequestBodyLimitLayer;

use crate::mcp::McpConfig;
use crate::session;
use crate::state::AppState;

/// No form needs more.
const FORM_LIMIT: usize = 64 * 1024;

/// Everything that this server answers.
///
/// What a request passes through, outermost first:
///
/// 1. the span, so that everything below is logged with the request's id;
/// 2. the headers, so that refusals and panics carry them too;
/// 3. the guard against panics, so that one request never takes others with it;
/// 4. for browsers: the host check, before anything reads a cookie or a body;
///    the body's limit; the check that a form comes from our own page; the
///    session; who it is.
///
/// Agents carry a token in every call and no cookie, so that `/mcp` needs no
/// session and none of its checks; it has a host check of its own, which answers
/// in the protocol's form. The probes have none: they are sent to an address and
/// say nothing.
pub fn router(state: AppState) -> Router {
    let policy = headers::Policy { hashed_files: state.leptos.hash_files, https: state.site.public_url.is_https() };
    Router::new()
        .merge(browser(&state))
        .merge(agents(&state))
        .merge(health::router(state))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(policy, headers::add))
        .layer(from_fn(trace::each))
}

/// Every method and path template of [`router`]. Tests hold each of them against
/// who may decide.
#[must_use]
pub fn routes() -> Vec<(Method, String)> {
    let forms = forms::ROUTES.iter().map(|(path, _)| (Method::POST, (*path).to_owned()));
    let pages = pages::paths().into_iter().map(|path| (Method::GET, path));
    let functions = pages::server_functions();
    let health = health::PATHS.iter().map(|path| (Method::GET, (*path).to_owned()));
    let others = [(Method::GET, pages::FILES.to_owned()), (Method::POST, crate::mcp::PATH.to_owned())];
    forms.chain(pages).chain(functions).chain(health).chain(others).collect()
}

/// The endpoint of the agents.
fn agents(state: &AppState) -> Router {
    let config = McpConfig {
        public_url: state.site.public_url.origin(),
        allowed_hosts: state.site.hosts.iter().cloned().collect(),
        allowed_origins: Vec::new(),
    };
    crate::mcp::router(state.service.clone(), config)
}

/// Pages, forms and files.
fn browser(state: &AppState) -> Router {
    let pages = pages::router(state);
    let forms = forms::router(forms::Forms { state: state.clone(), pages: pages.clone() });
    pages
        .route_layer(from_fn(session::require_viewer))
        .merge(forms)
        .layer(from_fn_with_state(state.service.clone(), session::identify))
        .layer(session::layer(state.service.clone(), &state.site.public_url))
        .merge(pages::files(&state.leptos))
        .layer(CsrfLayer::new().with_rejection_response(foreign))
        .layer(RequestBodyLimitLayer::new(FORM_LIMIT))
        .layer(from_fn_with_state(state.site.clone(), host::check))
}

fn foreign(_: ProtectionError) -> Response<Body> {
    problem::text(
        StatusCode::FORBIDDEN,
        "This was sent from a page of another site, and nothing was done. Open the page here and send it again.",
    )
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(panic: Box<dyn Any + Send>) -> Response<Body> {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message");
    tracing::error!(message, "a handler panicked");
    problem::text(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Something went wrong on the server. Look at the page again to see what was recorded, then try again.",
    )
}
