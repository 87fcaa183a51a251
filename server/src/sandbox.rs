//! A small CRM inside the same binary, so that a newcomer sees the whole loop
//! without an account anywhere, and tests have a provider that misbehaves on order.
//!
//! It knows nothing of the rest of the product: it is called as any provider is.

mod contacts;
mod faults;
mod line;
mod state;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tokio::net::TcpListener;

pub use self::faults::Fault;
pub use self::state::{Received, SandboxState};

/// The CRM's API.
pub fn router(state: SandboxState) -> Router {
    Router::new()
        .route("/contacts", get(contacts::list).post(contacts::create))
        .route(
            "/contacts/{id}",
            get(contacts::read).put(contacts::replace).patch(contacts::change).delete(contacts::delete),
        )
        .fallback(contacts::no_such_place)
        .layer(from_fn_with_state(state.clone(), faults::around))
        .with_state(state)
}

/// Serves the CRM until the task is dropped.
///
/// # Errors
/// If the listener fails for good.
pub async fn serve(listener: TcpListener, state: SandboxState) -> std::io::Result<()> {
    let service = router(state).into_make_service_with_connect_info::<line::Line>();
    axum::serve(line::Lines(listener), service).await
}

#[cfg(test)]
mod tests;
