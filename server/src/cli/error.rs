//! Why a command could not do it.

use std::io::{self, Write};

use serde_json::json;

use crate::database::DatabaseError;
use crate::web::problem;

/// Why a command could not do it.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// There is no database to work with.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// An operation refused, or failed.
    #[error(transparent)]
    Operation(#[from] domain::error::Error),
    /// A file or a stream.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// What was given makes no sense.
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// A failed access, with what was tried.
    #[must_use]
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }

    /// The stable machine word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::Operation(error) => error.code(),
            Self::Io { .. } => "io",
            Self::Usage(_) => "usage",
        }
    }

    /// Writes it to standard error.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub fn write(&self, as_json: bool) -> io::Result<()> {
        let mut message = self.to_string();
        if let Self::Operation(domain::error::Error::Internal(cause)) = self {
            // Whoever runs the command on this machine may see the cause.
            message = format!("{message}: {cause}");
            let causes = problem::causes(cause.as_ref());
            if !causes.is_empty() {
                message = format!("{message}: {causes}");
            }
        }
        let mut out = io::stderr().lock();
        if as_json {
            writeln!(out, "{}", json!({ "error": { "code": self.code(), "message": message } }))
        } else {
            writeln!(out, "error: {message}")
        }
    }
}
