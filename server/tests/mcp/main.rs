//! The MCP endpoint, through its real router, over a database of its own and a
//! provider that only pretends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod eras;
mod faults;
mod lists;
mod malformed;
mod replies;
mod support;
