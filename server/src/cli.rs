//! The command line. It sets up, lists and verifies. No command decides: deciding
//! takes a signed-in browser, and nothing here can make one.

pub mod agent;
pub mod answer;
pub mod audit;
pub mod connection;
pub mod connector;
pub mod duration;
pub mod error;
pub mod person;
pub mod secret;
pub mod serve;
pub mod setup_link;

use clap::{Parser, Subcommand};

use self::answer::Answer;
use self::error::CliError;
use crate::config::Config;
use crate::database::{Database, IfAbsent};

/// A person countersigns what an AI agent wants to write.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Write one JSON object instead of text.
    #[arg(long, global = true)]
    pub json: bool,

    /// Settings of every command.
    #[command(flatten, next_help_heading = "Settings")]
    pub config: Config,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server.
    Serve(serve::Serve),
    /// Run the server with the sandbox and a few proposals to look at.
    Demo(serve::Serve),
    /// People who sign in.
    #[command(subcommand)]
    Person(person::Person),
    /// Agents and their tokens.
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Accounts at outside systems.
    #[command(subcommand)]
    Connection(connection::Connection),
    /// Manifests of outside systems.
    #[command(subcommand)]
    Connector(connector::Connector),
    /// The audit history.
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Make a new one-time link for the first person. It voids the ones before.
    SetupLink,
}

impl Cli {
    /// Starts logging, then does it.
    ///
    /// # Errors
    /// If it cannot be done; the text says what to do next.
    pub async fn start(&self) -> Result<Answer, CliError> {
        crate::telemetry::start(&self.config.log, self.config.log_format)
            .map_err(|error| CliError::Usage(error.to_string()))?;
        self.run().await
    }

    /// Does it.
    ///
    /// # Errors
    /// If it cannot be done; the text says what to do next.
    pub async fn run(&self) -> Result<Answer, CliError> {
        match &self.command {
            Command::Serve(serve) => serve.run(&self.config).await,
            Command::Demo(serve) => serve.with_examples().run(&self.config).await,
            Command::Connector(connector) => connector.run(),
            Command::Person(person) => {
                let person = person.prepared()?;
                self.with_database(async |database| person.run(&database.service).await).await
            }
            Command::Agent(agent) => self.with_database(async |database| agent.run(database, &self.config).await).await,
            Command::Connection(connection) => {
                let connection = connection.prepared()?;
                self.with_database(async |database| connection.run(&database.service).await).await
            }
            Command::Audit(audit) => self.with_database(async |database| audit.run(&database.service).await).await,
            Command::SetupLink => {
                self.with_database(async |database| setup_link::run(&database.service, &self.config).await).await
            }
        }
    }

    /// A command borrows the running private PostgreSQL, or runs one for itself.
    async fn with_database(
        &self,
        work: impl AsyncFnOnce(&Database) -> Result<Answer, CliError>,
    ) -> Result<Answer, CliError> {
        let database = Database::open(&self.config, 4, IfAbsent::Refuse).await?;
        let answer = work(&database).await;
        database.close().await;
        answer
    }
}
