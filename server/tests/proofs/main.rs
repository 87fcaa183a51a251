//! What the product promises, held against a real PostgreSQL, a real provider on
//! a port of its own and, where it matters, real servers: each subject is a file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod world;

mod answers_are_not_kept;
mod append_only;
mod clocks;
mod deciding;
mod exactly_once;
mod history_tampering;
mod lanes;
mod policies;
mod proposing;
mod roles;
mod tampering;
mod tampering_rules;
mod unknown;
mod unknown_after_a_crash;
