//! The MCP endpoint: what agents talk to.
//!
//! The protocol itself is rmcp's. In front of it stands a guard, because rmcp
//! reads JSON leniently and answers some faults with bodies that a client takes
//! for an old server. A request passes, from the outside in:
//!
//! 1. [`origin`]: Host and Origin, before anything else is looked at (403);
//! 2. the method: only POST (405);
//! 3. [`bearer`]: the token, and with it the agent (401);
//! 4. [`message`]: size, strict JSON, envelope, shape of the parameters, era
//!    (413, 415, 400), and the scope that the named tool needs (403);
//! 5. rmcp: the remaining headers, then the methods of [`handler`];
//! 6. [`tools`]: one file per family, each a thin layer over one operation.
//!
//! No tool decides anything. Deciding takes a value that only a signed-in
//! browser session can make.

mod arguments;
mod bearer;
mod handler;
mod message;
mod next;
mod origin;
mod rate;
mod reply;
mod rpc;
mod schema;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::post_service;
use domain::service::Service;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

pub use next::{NextAction, Standing, after_refusal, after_stop, next_action};

/// Where the endpoint is.
pub const PATH: &str = "/mcp";

/// What the endpoint must know about where it stands.
#[derive(Debug, Clone)]
pub struct McpConfig {
    /// Where people open pages: scheme, host and port. Its host and its origin
    /// are always allowed.
    pub public_url: String,
    /// Further hosts, each `host` (any port) or `host:port`.
    pub allowed_hosts: Vec<String>,
    /// Further origins, each `scheme://host` (the scheme's own port) or `scheme://host:port`.
    pub allowed_origins: Vec<String>,
}

/// Everything for `/mcp`. It brings its own Host, Origin and token checks, and
/// stands outside sessions and outside the protection against cross-site forms.
pub fn router(service: Service, config: McpConfig) -> Router {
    let McpConfig { mut public_url, allowed_hosts, allowed_origins } = config;
    public_url.truncate(public_url.trim_end_matches('/').len());
    let allowed = Arc::new(origin::Allowed::new(&public_url, &allowed_hosts, &allowed_origins));
    let door = bearer::Door::new(service.clone());
    let handler = handler::Handler::new(service, public_url);
    // rmcp's own checks of Host and Origin come too late for us (after the body
    // was read); `origin` has done them.
    let settings = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(2 * message::MAX_BYTES);
    let protocol =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), settings);
    let endpoint = post_service(protocol)
        .route_layer(from_fn(message::admit))
        .route_layer(from_fn_with_state(door, bearer::authenticate))
        .fallback(rpc::method_not_allowed);
    Router::new().route(PATH, endpoint).layer(from_fn_with_state(allowed, origin::check))
}
