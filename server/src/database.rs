//! The database of this process: the one that was given, or the private one.

use std::sync::Arc;
use std::time::Duration;

use domain::service::Service;
use domain::vault::{MasterKey, MasterKeyError, Vault};
use sqlx::PgPool;

use crate::config::Config;
use crate::private_postgres::{PrivatePostgres, PrivatePostgresError};

const CLOSING: Duration = Duration::from_secs(5);

/// An open database, migrated, with its keys.
pub struct Database {
    /// Connections as the server's role.
    pub pool: PgPool,
    /// The operations over it.
    pub service: Service,
    private: Option<PrivatePostgres>,
}

/// Why there is no database to work with.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// Nothing was ever served from here.
    #[error(
        "there is no database in {0}; start `countersign serve` once, or name its directory with --data-dir or its address with --database-url"
    )]
    NoDataDir(String),
    /// A database that was not given cannot be owned.
    #[error("COUNTERSIGN_OWNER_URL is set and COUNTERSIGN_DATABASE_URL is not; set both or neither")]
    OwnerAlone,
    /// The private one did not start or stop.
    #[error(transparent)]
    Private(#[from] PrivatePostgresError),
    /// The master key.
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    /// It refuses, or is not what it should be.
    #[error("the database cannot be used: {}", explained(.0))]
    Unusable(domain::error::Error),
}

/// Whether a database may be made where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfAbsent {
    /// The server makes it.
    Make,
    /// A command that is run in the wrong directory makes none.
    Refuse,
}

impl Database {
    /// Opens it, with at most so many connections.
    ///
    /// # Errors
    /// If there is none, or it cannot be used; the text says what to do next.
    pub async fn open(config: &Config, connections: u32, if_absent: IfAbsent) -> Result<Self, DatabaseError> {
        let Some(url) = &config.database_url else {
            if config.owner_url.is_some() {
                return Err(DatabaseError::OwnerAlone);
            }
            if if_absent == IfAbsent::Refuse && !config.data_dir.is_dir() {
                return Err(DatabaseError::NoDataDir(config.data_dir.display().to_string()));
            }
            let private = PrivatePostgres::start(&config.data_dir).await?;
            let opened = Self::connect(config, Some(&private.owner_url()), &private.server_url(), connections).await;
            return match opened {
                Ok((pool, service)) => Ok(Self { pool, service, private: Some(private) }),
                Err(error) => {
                    stop(private).await;
                    Err(error)
                }
            };
        };
        let (pool, service) = Self::connect(config, config.owner_url.as_deref(), url, connections).await?;
        Ok(Self { pool, service, private: None })
    }

    /// The order matters: the owner makes the tables before the server's role
    /// looks at them, and the keys lie in one of them.
    async fn connect(
        config: &Config,
        owner_url: Option<&str>,
        server_url: &str,
        connections: u32,
    ) -> Result<(PgPool, Service), DatabaseError> {
        if let Some(owner_url) = owner_url {
            domain::db::migrate(owner_url).await.map_err(DatabaseError::Unusable)?;
        }
        let pool = domain::db::connect(server_url, connections).await.map_err(DatabaseError::Unusable)?;
        let key = MasterKey::load_or_create(&config.master_key_file())?;
        let vault = Vault::open(&pool, &key).await.map_err(DatabaseError::Unusable)?;
        let executor = Arc::new(domain::connector::executor::HttpExecutor::new());
        Ok((pool.clone(), Service::new(pool, Arc::new(vault), executor)))
    }

    /// Closes the connections and ends the private PostgreSQL, unless another
    /// process uses it.
    pub async fn close(self) {
        // A request that was cut off may hold a connection for good.
        let _closed_in_time = tokio::time::timeout(CLOSING, self.pool.close()).await;
        if let Some(private) = self.private {
            stop(private).await;
        }
    }
}

async fn stop(private: PrivatePostgres) {
    if let Err(error) = private.stop().await {
        tracing::error!(%error, "the private PostgreSQL did not stop");
    }
}

fn explained(error: &domain::error::Error) -> String {
    match error {
        domain::error::Error::Refused(refusal) => refusal.message.clone(),
        // Whoever starts the process may see the cause.
        domain::error::Error::Internal(cause) => {
            let causes = crate::web::problem::causes(cause.as_ref());
            if causes.is_empty() { cause.to_string() } else { format!("{cause}: {causes}") }
        }
    }
}
