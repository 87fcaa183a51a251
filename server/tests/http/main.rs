//! What browsers get, over the whole router.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod authorization;
mod deciding;
mod headers;
mod origin;
mod setup;
mod signing_in;
