//! `countersign serve`.

use clap::Args;

use super::answer::Answer;
use super::error::CliError;
use crate::config::{Config, SiteFiles};

/// Run the server.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Also run the sandbox, a small CRM to try things on, with a connection
    /// named sandbox to it.
    #[arg(long)]
    pub sandbox: bool,

    /// Also make a few proposals to look at, once.
    #[arg(skip)]
    pub demo: bool,

    /// Where the browser's files are.
    #[command(flatten, next_help_heading = "Browser's files")]
    pub site: SiteFiles,
}

impl Serve {
    /// The same with the sandbox and a few proposals to look at.
    #[must_use]
    pub fn with_examples(&self) -> Self {
        Self { sandbox: true, demo: true, ..self.clone() }
    }

    /// Serves until the process is told to end.
    ///
    /// # Errors
    /// If the server cannot start; the text says what to do next.
    pub async fn run(&self, config: &Config) -> Result<Answer, CliError> {
        crate::serve::serve(config, self).await?;
        Ok(Answer::good("", serde_json::json!({})))
    }
}
