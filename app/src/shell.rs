//! The document around every page, and the header that says what it may load.

use http::{HeaderValue, header};
use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_meta::{HashedStylesheet, MetaTags};

use crate::routes::App;

/// The whole document.
#[must_use]
pub fn shell(options: LeptosOptions) -> impl IntoView {
    restrict_page();
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="robots" content="noindex, nofollow" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <HashedStylesheet id="leptos" options=options.clone() />
                <HydrationScripts options islands=true />
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Nothing but our own files and the one inline script that starts them.
fn restrict_page() {
    let (Some(options), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else {
        return;
    };
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        options.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}
