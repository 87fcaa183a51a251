//! The rules and records of Countersign: no HTTP server, no pages, no MCP.
//!
//! The pure modules also compile for the browser. Everything that talks to
//! Postgres or to a provider is behind the feature `db`.

pub mod actor;
#[cfg(feature = "db")]
pub mod audit;
pub mod canonical;
#[cfg(feature = "db")]
pub mod connector;
#[cfg(feature = "db")]
pub mod db;
pub mod digest;
pub mod error;
pub mod fields;
pub mod ids;
pub mod integrity;
pub mod policy;
pub mod proposal;
#[cfg(feature = "db")]
pub mod random;
pub mod reveal;
#[cfg(feature = "db")]
pub mod service;
#[cfg(feature = "db")]
pub mod vault;
