//! Connectors: what an outside system can be asked to do, and how it is asked.
//!
//! A manifest declares reads, lists and actions with JSON Schemas. Everything
//! up to the call is pure: [`schema`] checks an input, [`call`] makes of it what
//! will be sent, [`outcome`] says what an answer proves. Only [`executor`] opens
//! a connection. Nothing here knows proposals, people or the database.

pub mod call;
pub mod entity;
pub mod executor;
pub mod manifest;
pub mod outcome;
pub mod path;
pub mod pointer;
pub mod schema;
pub mod secret;
pub mod shipped;
