//! Whoever comes to the server.

use axum::body::Body;
use axum::http::{HeaderName, Request, header};

use serde_json::{Value, json};

use super::{PASSWORD, Reply, TestApp};

const PROTOCOL: &str = "2026-07-28";

/// Somebody who is not signed in.
pub struct Anonymous<'a>(pub &'a TestApp);

/// A person's browser: it keeps the cookie and says where a form comes from.
pub struct Browser<'a> {
    app: &'a TestApp,
    pub cookie: Option<String>,
}

/// An agent with its token.
pub struct AgentToken<'a> {
    pub app: &'a TestApp,
    pub secret: String,
}

/// What the three have in common.
pub trait Actor {
    fn app(&self) -> &TestApp;

    /// What it sends with every request.
    fn credentials(&self) -> Vec<(HeaderName, String)>;
}

impl Actor for Anonymous<'_> {
    fn app(&self) -> &TestApp {
        self.0
    }

    fn credentials(&self) -> Vec<(HeaderName, String)> {
        Vec::new()
    }
}

impl Actor for Browser<'_> {
    fn app(&self) -> &TestApp {
        self.app
    }

    fn credentials(&self) -> Vec<(HeaderName, String)> {
        self.cookie.iter().map(|cookie| (header::COOKIE, cookie.clone())).collect()
    }
}

impl Actor for AgentToken<'_> {
    fn app(&self) -> &TestApp {
        self.app
    }

    fn credentials(&self) -> Vec<(HeaderName, String)> {
        vec![(header::AUTHORIZATION, format!("Bearer {}", self.secret))]
    }
}

impl dyn Actor + '_ {
    pub async fn get(&self, path: &str) -> Reply {
        let mut request = request("GET", self.app(), path);
        for (name, value) in self.credentials() {
            request = request.header(name, value);
        }
        self.app().send(request.body(Body::empty()).unwrap()).await
    }

    /// A form, as a browser sends it from a page of the server.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let from_here = [("sec-fetch-site", "same-origin"), ("origin", &*self.app().state.site.public_url.origin())];
        self.post_with(path, fields, &from_here).await
    }

    /// A form with these headers and no others that would say where it is from.
    pub async fn post_with(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Reply {
        let mut request =
            request("POST", self.app(), path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in self.credentials() {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.app().send(request.body(Body::from(form(fields))).unwrap()).await
    }
}

impl<'a> Browser<'a> {
    pub fn new(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    /// Signs in with the password that everybody has.
    pub async fn signed_in(app: &'a TestApp, login: &str) -> Self {
        let mut browser = Self::new(app);
        browser.sign_in(login, PASSWORD).await.assert_status(303);
        assert!(browser.cookie.is_some());
        browser
    }

    /// A browser that came by this cookie.
    pub fn with_cookie(app: &'a TestApp, cookie: Option<String>) -> Self {
        Self { app, cookie }
    }

    pub async fn sign_in(&mut self, login: &str, password: &str) -> Reply {
        self.post("/sign-in", &[("login", login), ("password", password)]).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        (self as &dyn Actor).get(path).await
    }

    /// Posts a form and keeps the cookie that comes back.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let reply = (&*self as &dyn Actor).post(path, fields).await;
        for cookie in reply.cookies() {
            let pair = cookie.split(';').next().unwrap_or_default();
            let is_removal = cookie.contains("Max-Age=0");
            self.cookie = (!is_removal).then(|| pair.to_owned());
        }
        reply
    }
}

impl AgentToken<'_> {
    /// One call of the agents' protocol.
    pub async fn ask(&self, method: &str, mut params: Value) -> Value {
        let name = params["name"].as_str().unwrap_or("-").to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let mut request = request("POST", self.app, "/mcp")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL)
            .header("mcp-method", method)
            .header("mcp-name", name);
        for (name, value) in self.credentials() {
            request = request.header(name, value);
        }
        let reply = self.app.send(request.body(Body::from(body)).unwrap()).await;
        serde_json::from_str(&reply.body).unwrap()
    }
}

fn request(method: &str, app: &TestApp, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header(header::HOST, app.state.site.public_url.host_header())
}

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
