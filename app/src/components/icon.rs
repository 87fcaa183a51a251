//! Small drawings. They only repeat what the text beside them says.

use leptos::prelude::*;

/// The sign of the product: a mark, and the mark that counters it.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <svg class="icon brand-icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path class="first" d="M2.5 12.5l4.5 5 8-11" />
            <path class="second" d="M10.5 14.8l2.3 2.7 8.7-11" />
        </svg>
    }
}

/// A tick.
#[component]
pub fn Tick() -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M4 12.5l5.5 6L20 6" /></svg>
    }
}

/// A cross.
#[component]
pub fn Cross() -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M5.5 5.5l13 13m0-13l-13 13" /></svg>
    }
}

/// A triangle with an exclamation mark.
#[component]
pub fn Warning() -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d="M12 3.5L22 20.5H2L12 3.5zm0 6v5.5m0 2v.8" />
        </svg>
    }
}
