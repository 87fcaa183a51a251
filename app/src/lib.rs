//! What a person sees: pages rendered by the server, islands where the browser
//! must act.
//!
//! Pages, components and everything that asks the service exist on the server
//! only. The browser gets [`islands`] and the [`words`] that both sides use.
//! A page reads; whatever changes something is a plain form that the server
//! handles, so that every page works without JavaScript.

#![recursion_limit = "256"]
#![expect(clippy::must_use_candidate, reason = "a component is called by the view that it is a part of")]
#![cfg_attr(feature = "ssr", expect(clippy::needless_pass_by_value, reason = "a component owns what it is given"))]

pub mod islands;
pub mod words;

#[cfg(feature = "ssr")]
mod address;
#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod context;
#[cfg(feature = "ssr")]
pub mod failure;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod routes;
#[cfg(feature = "ssr")]
pub mod shell;

#[cfg(feature = "ssr")]
pub use routes::App;

/// Wakes the islands; the page calls it once the WebAssembly is there.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
