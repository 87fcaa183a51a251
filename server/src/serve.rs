//! From settings to a server, and back down.
//!
//! 1. The address is taken first: who started a second server by mistake learns
//!    it before anything else is touched.
//! 2. The database is opened and migrated, the keys are read.
//! 3. Workers, then the server.
//! 4. Told to end, it takes no new request, lets those under way come to their
//!    end, stops the workers, and lets go of the database last.

pub mod demo;
pub mod sandbox;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::actor::Operator;
use domain::service::Service;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{JoinError, JoinHandle};

use crate::cli::error::CliError;
use crate::cli::serve::Serve;
use crate::cli::setup_link;
use crate::config::{Config, PublicUrl};
use crate::database::{Database, IfAbsent};
use crate::shutdown::Shutdown;
use crate::state::{AppState, Site};
use crate::web;
use crate::workers::Workers;

const CONNECTIONS: u32 = 20;
/// A waiting tool call takes at most 25 seconds, an apply 20 and its last call 15.
const GRACE: Duration = Duration::from_secs(40);

/// Serves until the process is told to end.
///
/// # Errors
/// If it cannot start; the text says what to do next.
pub async fn serve(config: &Config, options: &Serve) -> Result<(), CliError> {
    let listener = TcpListener::bind(config.listen).await.map_err(|source| {
        CliError::io(format!("cannot listen on {}; choose another address with --listen", config.listen), source)
    })?;
    let bound = listener.local_addr().map_err(|source| CliError::io("cannot listen", source))?;
    let public_url = config.public_url(bound);
    if !public_url.is_https() && !public_url.is_loopback() {
        tracing::warn!(
            "people's passwords and cookies cross the network in clear; put TLS in front and set COUNTERSIGN_PUBLIC_URL to an https address"
        );
    }

    let database = Database::open(config, CONNECTIONS, IfAbsent::Make).await?;
    let served = run(listener, bound, public_url, &database.service, options).await;
    database.close().await;
    served
}

async fn run(
    listener: TcpListener,
    bound: SocketAddr,
    public_url: PublicUrl,
    service: &Service,
    options: &Serve,
) -> Result<(), CliError> {
    let shutdown = Shutdown::new();
    let state = AppState {
        service: service.clone(),
        site: Arc::new(Site::new(public_url.clone(), bound)),
        leptos: options.site.leptos_options(),
        shutdown: shutdown.clone(),
    };
    if options.sandbox || options.demo {
        sandbox::start(service).await?;
    }
    announce(service, &public_url).await?;
    if options.demo {
        demo::start(service.clone(), public_url, shutdown.clone());
    }

    let workers = Workers::start(service, &shutdown);
    let mut signals = Signals::new()?;
    let server = axum::serve(listener, web::router(state)).with_graceful_shutdown({
        let shutdown = shutdown.clone();
        async move { shutdown.wait().await }
    });
    let mut server = tokio::spawn(server.into_future());
    let ended = tokio::select! {
        // Nobody asked for this.
        ended = &mut server => ended,
        () = signals.next() => {
            tracing::info!("ending: requests under way come to their end first");
            shutdown.begin();
            tokio::select! {
                ended = &mut server => ended,
                () = tokio::time::sleep(GRACE) => cut_off(&mut server).await,
                // Who asks twice does not want to wait.
                () = signals.next() => cut_off(&mut server).await,
            }
        }
    };
    shutdown.begin();
    workers.stopped().await;
    // A write whose caller went away is recorded before the database goes.
    if tokio::time::timeout(GRACE, service.calls_recorded()).await.is_err() {
        tracing::warn!("a call to a provider is still under way; its outcome will be unknown");
    }
    match ended {
        Ok(served) => served.map_err(|source| CliError::io("the server stopped", source)),
        Err(error) if error.is_cancelled() => Ok(()),
        Err(error) => Err(CliError::io("the server stopped", io::Error::other(error))),
    }
}

type Server = JoinHandle<io::Result<()>>;

async fn cut_off(server: &mut Server) -> Result<io::Result<()>, JoinError> {
    tracing::warn!("ending: requests under way are cut off");
    server.abort();
    server.await
}

/// Says where it is and, as long as nobody can sign in, how to become the first.
async fn announce(service: &Service, public_url: &PublicUrl) -> Result<(), CliError> {
    let mut text = format!("Countersign is at {}\n", public_url.origin());
    if service.needs_setup().await?
        && let Some(link) = service.issue_setup_link(&Operator).await?
    {
        let address = setup_link::address(public_url, &link.secret);
        text = format!(
            "{text}Nobody can sign in yet. This link works once, until {}:\n  {address}\n",
            link.expires_at.to_rfc3339()
        );
    }
    // A server whose output nobody reads serves all the same.
    let _unread = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}

/// What asks the process to end.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> Result<Self, CliError> {
        let listen = |kind| signal(kind).map_err(|source| CliError::io("cannot listen to signals", source));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
