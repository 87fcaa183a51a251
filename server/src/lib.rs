//! The process: web server, agents' endpoint, workers and command line.
//!
//! What may be done, and by whom, is decided in `domain`; this package reads
//! input and shows output.

pub mod cli;
pub mod config;
pub mod database;
pub mod mcp;
pub mod private_postgres;
pub mod sandbox;
pub mod serve;
pub mod session;
pub mod session_store;
pub mod shutdown;
pub mod state;
pub mod telemetry;
pub mod web;
pub mod workers;
