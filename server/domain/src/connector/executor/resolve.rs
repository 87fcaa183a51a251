//! The addresses of a host: resolved once, checked, and pinned.

use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::NotSentReason;
use super::address::is_public;

/// What was resolved and checked; whatever name is asked for.
pub(super) struct Pinned(pub(super) Vec<SocketAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// The addresses of the host, if all of them may be called.
pub(super) async fn addresses(url: &Url, allowed_host: Option<&str>) -> Result<Vec<SocketAddr>, NotSentReason> {
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return Err(NotSentReason::Invalid);
    }
    let host = url.host().ok_or(NotSentReason::Invalid)?;
    let port = url.port_or_known_default().ok_or(NotSentReason::Invalid)?;
    let found: Vec<SocketAddr> = match host {
        Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(address), port)],
        Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(address), port)],
        Host::Domain(name) => tokio::net::lookup_host((name, port)).await.map_err(|_| NotSentReason::Dns)?.collect(),
    };
    if found.is_empty() {
        return Err(NotSentReason::Dns);
    }
    let is_allowed = allowed_host.is_some_and(|allowed| names_host(allowed, &host));
    // One private address among public ones is no accident.
    if !is_allowed && !found.iter().all(|address| is_public(address.ip())) {
        return Err(NotSentReason::AddressRefused);
    }
    Ok(found)
}

/// Whether `allowed` names exactly this host, however it is written.
fn names_host(allowed: &str, host: &Host<&str>) -> bool {
    let allowed = match allowed.parse() {
        Ok(IpAddr::V6(address)) => Host::Ipv6(address),
        _ => match Host::parse(allowed) {
            Ok(host) => host,
            Err(_) => return false,
        },
    };
    match (&allowed, host) {
        (Host::Domain(allowed), Host::Domain(name)) => allowed.trim_end_matches('.') == name.trim_end_matches('.'),
        (Host::Ipv4(allowed), Host::Ipv4(address)) => allowed == address,
        (Host::Ipv6(allowed), Host::Ipv6(address)) => allowed == address,
        _ => false,
    }
}
