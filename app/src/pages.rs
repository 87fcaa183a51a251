//! One file per address. A page loads and hands on; what it looks like is a
//! view of plain data beside it, which tests and pictures render by themselves.

pub mod history;
pub mod proposal;
pub mod queue;
pub mod setup;
pub mod sign_in;
