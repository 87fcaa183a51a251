//! What the tests of the process share: a server over a database of its own,
//! and whoever comes to it, each as a type.
//!
//! Nothing listens: requests go straight into the router. The server works as its
//! own database role, so that a missing grant fails a test.

#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses a part of it")]

mod actors;
mod app;
mod reply;
mod world;

pub use actors::{Actor, AgentToken, Anonymous, Browser};
pub use app::TestApp;
pub use reply::Reply;
pub use world::{World, add_person};

/// What everybody's password is.
pub const PASSWORD: &str = "correct horse battery";
