//! The private PostgreSQL: the real server, started for a Countersign that was
//! given no other database.
//!
//! All of it lies in the data directory: the cluster in `postgres`, its log in
//! `postgres/log`, the passwords of its two roles in `postgres-passwords.json`.
//! It listens on a Unix socket only, in a directory that only its user enters.
//!
//! Several processes may use it at a time (a server, and a command that a person
//! runs beside it). The first one starts it, the last one to stop it stops it.
//! It outlives a process that is killed, and the next one adopts it.

mod cluster;
mod error;
mod files;
mod locks;
mod passwords;
mod postmaster;
mod programs;
mod runner;
mod socket;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use error::PrivatePostgresError;

use cluster::Cluster;
use locks::InUse;
use passwords::Passwords;

/// A running private PostgreSQL. Dropped without [`PrivatePostgres::stop`] it
/// goes on running, as when the process is killed.
#[derive(Debug)]
pub struct PrivatePostgres {
    cluster: Cluster,
    in_use: InUse,
    passwords: Passwords,
    socket_dir: PathBuf,
}

impl PrivatePostgres {
    /// Returns when it accepts connections, whether it had to be made, started,
    /// recovered after a crash, or was already running.
    ///
    /// # Errors
    ///
    /// When it cannot be had; the text says what to do next.
    pub async fn start(data_dir: &Path) -> Result<Self, PrivatePostgresError> {
        let data_dir = data_dir.to_owned();
        blocking(move || Self::start_blocking(&data_dir)).await
    }

    fn start_blocking(data_dir: &Path) -> Result<Self, PrivatePostgresError> {
        let runner = runner::Runner::for_this_process()?;
        let data_dir = files::make_data_dir(data_dir)?;
        runner.check_can_enter(&data_dir)?;

        let starting = locks::one_at_a_time(&data_dir)?;
        let passwords = Passwords::load_or_make(&data_dir)?;
        let cluster = Cluster::find_or_make(&data_dir, runner, &passwords)?;
        let socket_dir = match cluster.adopt()? {
            Some(socket_dir) => socket_dir,
            None => cluster.start(&data_dir)?,
        };
        let in_use = starting.done()?;
        Ok(Self { cluster, in_use, passwords, socket_dir })
    }

    /// A connection string for the role that owns the tables.
    #[must_use]
    pub fn owner_url(&self) -> String {
        self.url(passwords::OWNER, &self.passwords.owner)
    }

    /// A connection string for the role that the server works as.
    #[must_use]
    pub fn server_url(&self) -> String {
        self.url(passwords::SERVER, &self.passwords.server)
    }

    fn url(&self, role: &str, password: &str) -> String {
        let host = socket::percent_encoded(&self.socket_dir);
        format!("postgres://{role}:{password}@localhost/{}?host={host}&sslmode=disable", cluster::DATABASE)
    }

    /// Ends it, unless another process still uses it.
    ///
    /// # Errors
    ///
    /// When it did not end within a minute; it then goes on running.
    pub async fn stop(self) -> Result<(), PrivatePostgresError> {
        blocking(move || match self.in_use.end()? {
            Some(_no_other_starts_meanwhile) => self.cluster.stop(),
            None => Ok(()),
        })
        .await
    }
}

/// Starting and stopping is all files and waiting for programs.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PrivatePostgresError> + Send + 'static,
) -> Result<T, PrivatePostgresError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(stopped) => match stopped.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(PrivatePostgresError::ShuttingDown),
        },
    }
}
