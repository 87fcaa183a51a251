//! What is logged, and what never is.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::config::LogFormat;

/// What others log that nobody wants to read; a filter may ask for it.
const QUIET: &str = "tower_sessions=warn,tower_sessions_core=warn,sqlx::postgres::notice=warn";
/// Below a warning the MCP library writes the arguments of every call.
const NEVER: &str = "rmcp=warn";

/// Why logging does not start.
#[derive(Debug, thiserror::Error)]
pub enum LogFilterError {
    /// It cannot be read.
    #[error("the log filter {filter:?} cannot be read; write it as info or server=debug,info")]
    Malformed {
        /// As it was given.
        filter: String,
        /// What is wrong with it.
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    /// It would log what agents propose.
    #[error("the log filter {0:?} names rmcp, whose lines hold what agents propose; leave that out")]
    Discloses(String),
}

/// Starts logging to standard error.
///
/// # Errors
/// If the filter cannot be read, or would log inputs.
pub fn start(filter: &str, format: LogFormat) -> Result<(), LogFilterError> {
    let filter = checked_filter(filter)?;
    let lines = tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal()).with_writer(io::stderr);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    // A second start, as in a test, keeps the first.
    let _already_started = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(())
}

/// What of all lines is logged: what was asked for, without the lines that hold
/// what agents propose.
///
/// # Errors
/// If the filter cannot be read, or would log inputs.
pub fn checked_filter(filter: &str) -> Result<EnvFilter, LogFilterError> {
    if filter.contains("rmcp") {
        return Err(LogFilterError::Discloses(filter.to_owned()));
    }
    EnvFilter::try_new(format!("{QUIET},{filter},{NEVER}"))
        .map_err(|source| LogFilterError::Malformed { filter: filter.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_filter_logs_what_agents_propose() {
        assert!(checked_filter("trace").unwrap().to_string().contains("rmcp=warn"));
        assert!(matches!(checked_filter("rmcp::service=debug,info"), Err(LogFilterError::Discloses(_))));
        assert!(matches!(checked_filter("server=loud"), Err(LogFilterError::Malformed { .. })));
    }
}
