//! Digests, in groups that a person can compare.

use domain::digest::Digest;
use leptos::prelude::*;

/// A whole digest in eight groups, four on a line.
#[component]
pub fn Grouped(
    /// The digest.
    digest: Digest,
    /// What it is called in the check that the browser makes.
    #[prop(optional)]
    shown: Option<&'static str>,
) -> impl IntoView {
    let text = digest.grouped();
    let (first, second) = text.split_at_checked(36).unwrap_or((&text, ""));
    let (first, second) = (first.to_owned(), second.to_owned());
    view! { <code class="digest" data-shown=shown><span>{first}</span><span>{second}</span></code> }
}

/// The beginning of a digest, where nothing is decided by it.
#[component]
pub fn Short(
    /// The digest in hexadecimal.
    #[prop(into)]
    hex: String,
) -> impl IntoView {
    let short: String = hex.chars().take(12).collect();
    view! { <code class="digest-short" title=hex>{short}</code> }
}
