//! Host and Origin: the two headers by which a page in somebody's browser is
//! kept from talking to this endpoint (DNS rebinding, cross-site calls).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::uri::Authority;
use http::{HeaderMap, StatusCode, Uri, header};

use super::rpc::{INVALID_REQUEST, RpcError};

/// The hosts and origins that are let in.
#[derive(Debug)]
pub struct Allowed {
    hosts: Vec<Host>,
    origins: Vec<Origin>,
}

#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: String,
    /// Any, if absent.
    port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Allowed {
    /// The host and origin of `public_url`, and these. An entry that cannot be
    /// read lets nobody in.
    pub fn new(public_url: &str, hosts: &[String], origins: &[String]) -> Self {
        let public_host = public_url.parse::<Uri>().ok().and_then(|uri| uri.authority().map(Authority::to_string));
        let hosts = public_host.iter().chain(hosts).filter_map(|entry| read_host(entry)).collect();
        let public_origin = public_url.to_owned();
        let origins = std::iter::once(&public_origin).chain(origins).filter_map(|entry| read_origin(entry)).collect();
        Self { hosts, origins }
    }

    fn lets_in(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), &'static str> {
        let mut hosts = headers.get_all(header::HOST).iter();
        // HTTP/2 has no Host header, but an authority.
        let host = match (hosts.next(), uri.authority()) {
            (Some(host), _) => host.to_str().ok().and_then(read_host),
            (None, Some(authority)) => read_host(authority.as_str()),
            (None, None) => None,
        };
        let host = host.ok_or("The Host header is missing or malformed.")?;
        if hosts.next().is_some() {
            return Err("There is more than one Host header.");
        }
        let known = |entry: &Host| entry.name == host.name && (entry.port.is_none() || entry.port == host.port);
        if !self.hosts.iter().any(known) {
            return Err("This Host is not served here.");
        }
        // Only browsers send an Origin; whoever sends none is not in a page.
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().ok().and_then(read_origin);
            if !origin.is_some_and(|origin| self.origins.contains(&origin)) {
                return Err("Calls from this Origin are not allowed.");
            }
        }
        Ok(())
    }
}

/// Lets only known hosts and origins pass.
pub async fn check(State(allowed): State<Arc<Allowed>>, request: Request, next: Next) -> Result<Response, RpcError> {
    allowed
        .lets_in(request.uri(), request.headers())
        .map_err(|reason| RpcError::new(StatusCode::FORBIDDEN, INVALID_REQUEST, reason))?;
    Ok(next.run(request).await)
}

fn read_host(text: &str) -> Option<Host> {
    let authority: Authority = text.trim().parse().ok()?;
    // A user name before the host would be part of the text and not of the host.
    if authority.as_str().contains('@') {
        return None;
    }
    Some(Host { name: authority.host().to_ascii_lowercase(), port: authority.port_u16() })
}

fn read_origin(text: &str) -> Option<Origin> {
    let (scheme, rest) = text.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let host = read_host(rest.strip_suffix('/').unwrap_or(rest))?;
    let port = match (host.port, scheme.as_str()) {
        (Some(port), _) => port,
        (None, "https") => 443,
        (None, "http") => 80,
        (None, _) => return None,
    };
    Some(Origin { scheme, host: host.name, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Allowed {
        Allowed::new(
            "https://app.example.org",
            &["localhost".to_owned(), "127.0.0.1:3000".to_owned()],
            &["http://localhost:3000".to_owned()],
        )
    }

    fn lets_in(host: Option<&str>, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        if let Some(host) = host {
            headers.insert(header::HOST, host.parse().unwrap());
        }
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        allowed().lets_in(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    #[test]
    fn hosts() {
        for (host, expected) in [
            (Some("app.example.org"), true),
            (Some("APP.example.org"), true),
            (Some("localhost:9"), true),
            (Some("127.0.0.1:3000"), true),
            (Some("127.0.0.1:3001"), false),
            (Some("127.0.0.1"), false),
            (Some("evil.example"), false),
            (Some("app.example.org.evil.example"), false),
            (Some("app.example.org@evil.example"), false),
            (Some("evil.example@app.example.org"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(lets_in(host, None), expected, "{host:?}");
        }
    }

    #[test]
    fn origins() {
        for (origin, expected) in [
            ("https://app.example.org", true),
            ("https://app.example.org:443", true),
            ("http://localhost:3000", true),
            ("http://app.example.org", false),
            ("https://app.example.org:444", false),
            ("http://localhost", false),
            ("https://evil.example", false),
            ("https://app.example.org.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(lets_in(Some("app.example.org"), Some(origin)), expected, "{origin:?}");
        }
    }
}
