//! The HTTP client.
//!
//! 1. The address is checked, its name resolved once, and every address that
//!    came of it checked.
//! 2. A client of its own, pinned to those addresses, connects. The last act of
//!    connecting is the gate: past the deadline it stays shut.
//! 3. The gate opened: from here on a byte may have been sent, and an error
//!    means that the call is lost. Until here it means that nothing was sent.
//! 4. The answer is read up to a limit.

use std::error::Error as StdError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use reqwest::redirect::Policy;
use rustls::{ClientConfig, ConfigBuilder};
use rustls_platform_verifier::BuilderVerifierExt;
use tracing::Instrument as _;
use url::Url;

use super::answer::read_answer;
use super::gate::{Gate, GateLayer};
use super::headers::headers;
use super::resolve::{Pinned, addresses};
use super::{Executor, LostReason, NotSentReason, Outgoing, Reply};

/// Makes calls over HTTP/1.1, each on a connection of its own.
#[derive(Clone)]
pub struct HttpExecutor {
    /// `None` if this machine has no certificates to trust.
    tls: Option<ClientConfig>,
}

impl HttpExecutor {
    /// Trusts whom the operating system trusts.
    #[must_use]
    pub fn new() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .map(ConfigBuilder::<ClientConfig, _>::with_no_client_auth);
        if tls.is_err() {
            tracing::warn!("no trusted certificates were found on this machine: https calls will not be made");
        }
        Self { tls: tls.ok().map(with_http1) }
    }
}

impl Default for HttpExecutor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor for HttpExecutor {
    fn send<'a>(&'a self, call: Outgoing<'a>) -> BoxFuture<'a, Reply> {
        let span = tracing::info_span!("provider_call", method = call.call.method.as_str(), path = call.template);
        let send = async move {
            let reply = self.send_once(call).await;
            tracing::debug!(reply = ?reply, "called");
            reply
        };
        Box::pin(send.instrument(span))
    }
}

impl HttpExecutor {
    async fn send_once(&self, call: Outgoing<'_>) -> Reply {
        let started = Instant::now();
        let gate = Gate::new(call.deadline);
        match tokio::time::timeout(call.timeout, self.connect_and_send(&call, &gate, started)).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(reason)) => Reply::NotSent(reason),
            Err(_) if gate.is_open() => {
                Reply::Lost { reason: LostReason::Timeout, status: gate.status(), duration: started.elapsed() }
            }
            Err(_) => Reply::NotSent(NotSentReason::Connect),
        }
    }

    async fn connect_and_send(
        &self,
        call: &Outgoing<'_>,
        gate: &Arc<Gate>,
        started: Instant,
    ) -> Result<Reply, NotSentReason> {
        gate.check_deadline()?;
        let url = Url::parse(&call.call.url).map_err(|_| NotSentReason::Invalid)?;
        let (headers, scrub) = headers(call)?;
        let addresses = addresses(&url, call.allowed_host).await?;
        let client = self.client(&url, addresses, gate)?;
        let method = reqwest::Method::from_bytes(call.call.method.as_str().as_bytes());
        let mut request = client.request(method.map_err(|_| NotSentReason::Invalid)?, url).headers(headers);
        if let Some(body) = call.body {
            request = request.body(body.to_vec());
        }
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(error) if gate.is_open() => {
                return Ok(Reply::Lost { reason: why_lost(&error), status: None, duration: started.elapsed() });
            }
            Err(error) => return Err(gate.refusal().unwrap_or_else(|| why_not_sent(&error))),
        };
        gate.note_status(answer.status().as_u16());
        Ok(read_answer(answer, &scrub, started).await)
    }

    fn client(
        &self,
        url: &Url,
        addresses: Vec<SocketAddr>,
        gate: &Arc<Gate>,
    ) -> Result<reqwest::Client, NotSentReason> {
        let mut builder = reqwest::Client::builder()
            .http1_only()
            .pool_max_idle_per_host(0)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            // A proxy from the environment would see and could change every call.
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .dns_resolver(Pinned(addresses))
            .connector_layer(GateLayer::new(gate));
        match &self.tls {
            Some(tls) => builder = builder.tls_backend_preconfigured(tls.clone()),
            None if url.scheme() == "https" => return Err(NotSentReason::Tls),
            None => builder = builder.tls_certs_only([]),
        }
        builder.build().map_err(|_| NotSentReason::Invalid)
    }
}

fn with_http1(mut tls: ClientConfig) -> ClientConfig {
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    tls
}

fn why_not_sent(error: &reqwest::Error) -> NotSentReason {
    if error.is_builder() {
        NotSentReason::Invalid
    } else if has_cause::<rustls::Error>(error) {
        NotSentReason::Tls
    } else {
        NotSentReason::Connect
    }
}

pub(super) fn why_lost(error: &reqwest::Error) -> LostReason {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return LostReason::Malformed;
        }
        cause = error.source();
    }
    LostReason::Reset
}

/// Looks into I/O errors too: they do not count what they wrap as their source.
fn has_cause<E: StdError + 'static>(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<E>() {
            return true;
        }
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}
