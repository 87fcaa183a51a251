//! Everything that runs in the browser. An island never decides: it checks,
//! refines and helps, and the page is whole without it.
//!
//! Each sets `data-alive="true"` on its root once it runs.

pub mod digest_check;
mod dom;
pub mod keyboard;
pub mod local_time;
pub mod submit_guard;
