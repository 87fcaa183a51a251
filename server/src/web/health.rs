//! Whether the process lives, and whether it can work.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use domain::service::Service;

use super::problem;
use crate::state::AppState;

/// Their paths.
pub const PATHS: &[&str] = &["/healthz", "/readyz"];

/// Both, for whoever asks and under whatever name: probes go to an address.
pub fn router(state: AppState) -> Router {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz)).with_state(state)
}

async fn healthz() -> Response {
    problem::text(StatusCode::OK, "alive")
}

async fn readyz(State(service): State<Service>) -> Response {
    match service.ready().await {
        Ok(()) => problem::text(StatusCode::OK, "ready"),
        Err(error) => {
            tracing::warn!(code = error.code(), "not ready");
            problem::text(StatusCode::SERVICE_UNAVAILABLE, "The database does not answer.")
        }
    }
}
