//! A server over a database of its own.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use domain::connector::executor::HttpExecutor;
use domain::service::Service;
use domain::vault::{MasterKey, Vault};
use leptos::config::LeptosOptions;
use server::shutdown::Shutdown;
use server::state::{AppState, Site};
use server::web;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Executor as _, PgPool};
use tower::ServiceExt as _;

use super::reply::Reply;

/// A server over a database of its own.
pub struct TestApp {
    pub state: AppState,
    pub router: Router,
    /// As the owner of the tables, to arrange what only time would bring.
    pub owner: PgPool,
}

impl TestApp {
    /// Reached at `http://127.0.0.1:3000`.
    pub async fn new(options: PgPoolOptions, connect: PgConnectOptions) -> Self {
        Self::at("http://127.0.0.1:3000", options, connect).await
    }

    /// Reached at this address.
    pub async fn at(public_url: &str, options: PgPoolOptions, connect: PgConnectOptions) -> Self {
        let owner = PgPoolOptions::new().max_connections(1).connect_with(connect.clone()).await.unwrap();
        let pool = options
            .after_connect(|conn, _| {
                Box::pin(async move {
                    conn.execute("set role countersign_server").await?;
                    Ok(())
                })
            })
            .connect_with(connect)
            .await
            .unwrap();
        let vault = Vault::open(&pool, &MasterKey::from_bytes([7; 32])).await.unwrap();
        let service = Service::new(pool, Arc::new(vault), Arc::new(HttpExecutor::new()));
        let state = AppState {
            service,
            site: Arc::new(Site::new(public_url.parse().unwrap(), "127.0.0.1:3000".parse().unwrap())),
            leptos: LeptosOptions::builder().output_name("countersign").site_root("nowhere").build(),
            shutdown: Shutdown::new(),
        };
        Self { router: web::router(state.clone()), state, owner }
    }

    /// The operations.
    pub fn service(&self) -> &Service {
        &self.state.service
    }

    /// Sends a request as it is.
    pub async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        Reply::read(response).await
    }

    /// One number that changes if anything in the database does.
    pub async fn fingerprint(&self) -> Vec<(String, Option<String>)> {
        let tables = sqlx::query_scalar!(
            "select relname::text as \"name!\" from pg_class
             where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1"
        )
        .fetch_all(&self.owner)
        .await
        .unwrap();
        let mut all = Vec::new();
        for table in tables {
            let sql = format!("select md5(string_agg(t::text, '|' order by t::text)) from \"{table}\" t");
            let sum: Option<String> = sqlx::Row::get(&self.owner.fetch_one(sqlx::AssertSqlSafe(sql)).await.unwrap(), 0);
            all.push((table, sum));
        }
        all
    }

    /// Changes a row as only its owner can.
    pub async fn arrange(&self, sql: &str) {
        self.owner.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    }
}
