//! Servers that listen, and who talks to them over the network.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use domain::connector::executor::HttpExecutor;
use leptos::config::LeptosOptions;
use serde_json::{Value, json};
use server::shutdown::Shutdown;
use server::state::{AppState, Site};
use sqlx::postgres::PgConnectOptions;
use tokio::net::TcpListener;
use tokio::runtime;

use super::{server_pool, service_over};

/// A server with a port, threads, and connections to the database of its own.
pub struct Server {
    pub url: String,
    shutdown: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(connect: &PgConnectOptions) -> Self {
        let (started, starts) = mpsc::channel();
        let connect = connect.clone();
        let shutdown = Shutdown::new();
        let told = shutdown.clone();
        let thread = std::thread::spawn(move || {
            let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(serve(connect, told, started));
        });
        Self { url: format!("http://{}", starts.recv().unwrap()), shutdown, thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.begin();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
    }
}

async fn serve(connect: PgConnectOptions, shutdown: Shutdown, started: mpsc::Sender<SocketAddr>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let pool = server_pool(connect, 20).await;
    let state = AppState {
        service: service_over(&pool, Arc::new(HttpExecutor::new())).await,
        site: Arc::new(Site::new(format!("http://{address}").parse().unwrap(), address)),
        leptos: LeptosOptions::builder().output_name("countersign").site_root("nowhere").build(),
        shutdown: shutdown.clone(),
    };
    started.send(address).unwrap();
    let ends = async move { shutdown.wait().await };
    axum::serve(listener, server::web::router(state)).with_graceful_shutdown(ends).await.unwrap();
    pool.close().await;
}

/// An agent with its token, at one server.
#[derive(Clone)]
pub struct McpClient {
    http: reqwest::Client,
    url: String,
    secret: String,
}

impl McpClient {
    pub fn new(server: &Server, secret: &str) -> Self {
        Self { http: http_client(), url: format!("{}{}", server.url, server::mcp::PATH), secret: secret.to_owned() }
    }

    /// Calls a tool and returns what it answers.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments },
        });
        let request = self.http.post(&self.url).bearer_auth(&self.secret).header("mcp-protocol-version", "2025-06-18");
        let reply = request.json(&call).send().await.unwrap();
        let mut reply: Value = reply.json().await.unwrap();
        let body = reply["result"]["structuredContent"].take();
        assert!(body.is_object(), "{tool}: {reply}");
        body
    }
}

/// A person's browser, at one server. It keeps its cookie.
pub struct Browser {
    http: reqwest::Client,
    url: String,
}

impl Browser {
    pub async fn signed_in(server: &Server, login: &str, password: &str) -> Self {
        let browser = Self { http: http_client(), url: server.url.clone() };
        assert_eq!(browser.post("/sign-in", &[("login", login), ("password", password)]).await, 303);
        browser
    }

    /// Sends a form as a page of the server does, and returns the status.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> u16 {
        let request = self.http.post(format!("{}{path}", self.url)).header("origin", &self.url);
        request.header("sec-fetch-site", "same-origin").form(fields).send().await.unwrap().status().as_u16()
    }
}

fn http_client() -> reqwest::Client {
    // The first test to come here installs it for all.
    let _already_there = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().cookie_store(true).redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
