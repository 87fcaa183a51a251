//! The sandbox beside the server: a provider to try things on, and a connection
//! to it that is made once.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use domain::actor::Operator;
use domain::connector::shipped;
use domain::policy::Approval;
use domain::proposal::OnFailure;
use domain::service::{ConnectionInfo, NewConnection, Service};
use tokio::net::TcpListener;
use url::Url;

use crate::cli::error::CliError;
use crate::sandbox::{self, SandboxState};

/// The connection's name.
pub const CONNECTION: &str = "sandbox";
/// Tried first; another one is taken where it is in use.
const PORT: u16 = 3010;
/// It guards nothing: only this machine reaches the sandbox, and what is in it
/// is made up.
const TOKEN: &str = "sandbox";

/// Starts it, and makes the connection if there is none.
///
/// # Errors
/// If its address is taken, or the connection is one to something else.
pub async fn start(service: &Service) -> Result<(), CliError> {
    let connections = service.connections(&Operator).await?;
    let existing = connections.iter().find(|connection| connection.name == CONNECTION);
    let listener = match existing {
        // The address stands in the connection and in everything proposed on it.
        Some(connection) => listen(address_of(connection)?).await?,
        None => match listen(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))).await {
            Ok(listener) => listener,
            Err(_) => listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?,
        },
    };
    let bound = listener.local_addr().map_err(|source| CliError::io("the sandbox cannot listen", source))?;
    if existing.is_none() {
        service.add_connection(&Operator, connection_to(bound)).await?;
    }
    tokio::spawn(async move {
        if let Err(error) = sandbox::serve(listener, SandboxState::with_examples(TOKEN)).await {
            tracing::error!(%error, "the sandbox stopped");
        }
    });
    tracing::info!(%bound, "the sandbox is there");
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| CliError::io(format!("the sandbox cannot listen on {address}; end what does"), source))
}

fn address_of(connection: &ConnectionInfo) -> Result<SocketAddr, CliError> {
    let url = Url::parse(&connection.base_url).ok();
    let port = url
        .filter(|url| connection.manifest.name == "sandbox" && url.host_str() == Some("127.0.0.1"))
        .and_then(|url| url.port());
    let port = port.ok_or_else(|| {
        CliError::Usage(format!(
            "the connection {CONNECTION} leads to {}, not to a sandbox of this machine; leave out --sandbox",
            connection.base_url
        ))
    })?;
    Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

fn connection_to(bound: SocketAddr) -> NewConnection {
    let (file, text) = shipped::manifest("sandbox").expect("the sandbox's manifest is shipped");
    NewConnection {
        name: CONNECTION.to_owned(),
        manifest: (text.to_owned(), file.to_owned()),
        base_url: format!("http://{bound}"),
        credential: Some(TOKEN.to_owned()),
        allowed_host: Some("127.0.0.1".to_owned()),
        lane_order: "connection".to_owned(),
        on_failure: OnFailure::Stop,
        approval: Approval::Person,
        action_approval: BTreeMap::new(),
        four_eyes: false,
        approve_within: None,
        apply_within: None,
    }
}
