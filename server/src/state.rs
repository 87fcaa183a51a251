//! What every handler is given.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::FromRef;
use domain::service::Service;
use leptos::config::LeptosOptions;

use crate::config::PublicUrl;
use crate::shutdown::Shutdown;

/// What every handler is given. Cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The operations.
    pub service: Service,
    /// Where this server is.
    pub site: Arc<Site>,
    /// Where the browser's files are.
    pub leptos: LeptosOptions,
    /// Told when the process ends.
    pub shutdown: Shutdown,
}

/// Where this server is.
#[derive(Debug, Clone)]
pub struct Site {
    /// Where people and agents reach it.
    pub public_url: PublicUrl,
    /// Every `Host` that it answers to.
    pub hosts: BTreeSet<String>,
}

impl Site {
    /// Reached at `public_url` while it listens on `bound`.
    ///
    /// It also answers to the address that it listens on and, where that is
    /// loopback or every address, to the names of loopback with that port. A
    /// name of somebody else that was pointed here is refused: that is how a web
    /// page would reach a server on the machine of who looks at it.
    #[must_use]
    pub fn new(public_url: PublicUrl, bound: SocketAddr) -> Self {
        let mut hosts = BTreeSet::from([public_url.host_header()]);
        if bound.ip().is_loopback() || bound.ip().is_unspecified() {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| with_port(name, bound.port())));
        }
        if !bound.ip().is_unspecified() {
            let name = if bound.is_ipv6() { format!("[{}]", bound.ip()) } else { bound.ip().to_string() };
            hosts.insert(with_port(&name, bound.port()));
        }
        Self { public_url, hosts }
    }
}

fn with_port(name: &str, port: u16) -> String {
    if port == 80 { name.to_owned() } else { format!("{name}:{port}") }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}

impl FromRef<AppState> for Service {
    fn from_ref(state: &AppState) -> Self {
        state.service.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(public_url: &str, bound: &str) -> Vec<String> {
        Site::new(public_url.parse().unwrap(), bound.parse().unwrap()).hosts.into_iter().collect()
    }

    #[test]
    fn it_answers_to_its_own_names_only() {
        assert_eq!(
            hosts("http://127.0.0.1:3000", "127.0.0.1:3000"),
            ["127.0.0.1:3000", "[::1]:3000", "localhost:3000"]
        );
        assert_eq!(hosts("https://sign.example", "0.0.0.0:80"), ["127.0.0.1", "[::1]", "localhost", "sign.example"]);
        assert_eq!(hosts("https://sign.example", "10.0.0.7:8080"), ["10.0.0.7:8080", "sign.example"]);
    }
}
