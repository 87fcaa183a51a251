//! SQL, by noun. Free functions, named by what they do, that take a connection
//! and so compose in a transaction. Nothing here decides anything.

pub mod agents;
pub mod audit;
pub mod connections;
pub mod events;
pub mod keys;
pub mod lanes;
pub mod people;
pub mod proposals;
pub mod records;
pub mod sessions;
pub mod states;

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::error::{Error, Kind, Refusal, Result};

/// How long a request waits for the database before it is told that it cannot be reached.
const ACQUIRE: Duration = Duration::from_secs(5);

/// The migrations, run by the owner's role.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Brings the database to the newest migration.
///
/// # Errors
/// If the database cannot be reached or a migration fails.
pub async fn migrate(owner_url: &str) -> Result<()> {
    let mut conn = PgConnection::connect(owner_url).await?;
    MIGRATOR.run(&mut conn).await.map_err(Error::internal)?;
    conn.close().await?;
    Ok(())
}

/// A pool of the server's role.
///
/// # Errors
/// If the address is malformed or the database cannot be reached.
pub async fn connect(server_url: &str, max: u32) -> Result<PgPool> {
    let options: PgConnectOptions = server_url.parse().map_err(Error::internal)?;
    Ok(PgPoolOptions::new().max_connections(max).acquire_timeout(ACQUIRE).connect_with(options).await?)
}

/// The database's clock at this moment. A statement of its own, to be asked
/// after the lock is held.
///
/// # Errors
/// If the database cannot be reached.
pub async fn now(conn: &mut PgConnection) -> Result<DateTime<Utc>> {
    Ok(sqlx::query_scalar!(r#"select app_now() as "now!""#).fetch_one(conn).await?)
}

/// What a row holds although it cannot.
#[derive(Debug, thiserror::Error)]
#[error("{table} {key} holds something impossible: {what}")]
pub struct Inconsistent {
    /// The table.
    pub table: &'static str,
    /// The row's key.
    pub key: String,
    /// What is impossible about it.
    pub what: &'static str,
}

impl Inconsistent {
    pub(crate) fn error(table: &'static str, key: &str, what: &'static str) -> Error {
        Error::internal(Self { table, key: key.to_owned(), what })
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => {
                tracing::warn!(error = %error, "the database cannot be reached");
                Refusal::new(
                    Kind::Unavailable,
                    "database_unavailable",
                    "The database cannot be reached at the moment. Nothing was changed; try again.",
                )
                .into()
            }
            other => Self::internal(other),
        }
    }
}

/// Whether the error says that this named constraint was broken.
#[must_use]
pub fn breaks(error: &sqlx::Error, constraint: &str) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::constraint) == Some(constraint)
}

/// One row was changed by a guarded UPDATE; any other number is a fault.
pub(crate) fn changed_one(result: &sqlx::postgres::PgQueryResult, what: &'static str) -> Result<()> {
    if result.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Error::internal(format!("{what}: {} rows were changed instead of one", result.rows_affected())))
    }
}
