//! The whole router, without a port: an agent and a reviewer come in by it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use chrono::DateTime;
use domain::service::StoredSession;
use leptos::config::LeptosOptions;
use serde_json::{Value, json};
use server::shutdown::Shutdown;
use server::state::{AppState, Site};
use tower::ServiceExt as _;
use tower_sessions::session::Id;

use crate::world::World;

const HOST: &str = "127.0.0.1:3000";

/// The whole router, an agent's token, and the cookie of Rita's browser.
pub struct Door {
    router: Router,
    secret: String,
    cookie: String,
}

impl Door {
    pub async fn open(world: &World) -> Self {
        let id = Id(41);
        let session = StoredSession {
            id: server::session_store::stored_id(&id),
            person: Some(world.rita.id().clone()),
            data: serde_json::to_vec(&json!({ "person": world.rita.id(), "renewed_at": i64::MAX / 2 })).unwrap(),
            expires_at: DateTime::from_timestamp(4_000_000_000, 0).unwrap(),
        };
        assert!(world.service.create_session(&session).await.unwrap());
        let state = AppState {
            service: world.service.clone(),
            site: Arc::new(Site::new(format!("http://{HOST}").parse().unwrap(), HOST.parse().unwrap())),
            leptos: LeptosOptions::builder().output_name("countersign").site_root("nowhere").build(),
            shutdown: Shutdown::new(),
        };
        Self {
            router: server::web::router(state),
            secret: world.agent_token("caller", "olaf", "crm").await,
            cookie: format!("countersign={id}"),
        }
    }

    /// Calls a tool; the whole answer as text.
    pub async fn call(&self, tool: &str, arguments: Value) -> String {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments },
        });
        let request = Request::post(server::mcp::PATH)
            .header(header::HOST, HOST)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.secret))
            .header(header::CONTENT_TYPE, "application/json")
            .header("mcp-protocol-version", "2025-06-18");
        self.send(request.body(Body::from(call.to_string())).unwrap()).await
    }

    /// A page as Rita sees it.
    pub async fn page(&self, path: &str) -> String {
        let request = Request::get(path).header(header::HOST, HOST).header(header::COOKIE, &self.cookie);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    async fn send(&self, request: Request<Body>) -> String {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(status.is_success(), "{status}: {body}");
        body
    }
}
