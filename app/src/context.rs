//! What the server hands to a page, by the extensions of the request and by
//! Leptos' context.

use std::collections::BTreeMap;

use domain::actor::SignedIn;
use domain::service::Service;
use http::request::Parts;
use leptos::prelude::use_context;

use crate::failure::Failure;

/// Who looks at the page. In the extensions of every request.
#[derive(Debug, Clone)]
pub struct Viewer(pub Option<SignedIn>);

/// Why a form was refused, and what was typed. In the extensions of a request
/// that renders the page of that form again.
#[derive(Debug, Clone, Default)]
pub struct Feedback {
    /// The stable machine word.
    pub code: String,
    /// What to show.
    pub message: String,
    /// The field at fault.
    pub field: Option<String>,
    /// What was typed, by field; never a password.
    pub values: BTreeMap<String, String>,
}

impl Feedback {
    /// What was typed into this field; empty if nothing was.
    #[must_use]
    pub fn value(&self, field: &str) -> String {
        self.values.get(field).cloned().unwrap_or_default()
    }

    /// Whether this field is at fault.
    #[must_use]
    pub fn blames(&self, field: &str) -> bool {
        self.field.as_deref() == Some(field)
    }
}

/// Where this server is. Provided as context.
#[derive(Debug, Clone)]
pub struct Site {
    /// Without a slash at its end.
    pub public_url: String,
}

/// What a person quotes when they report a fault. In the extensions of a request.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// A value of the request's extensions.
#[must_use]
pub fn extension<T: Clone + Send + Sync + 'static>() -> Option<T> {
    use_context::<Parts>()?.extensions.get::<T>().cloned()
}

/// Who is signed in, if anybody is.
#[must_use]
pub fn viewer() -> Option<SignedIn> {
    extension::<Viewer>().and_then(|viewer| viewer.0)
}

/// Why the form on this page was refused, if it was.
#[must_use]
pub fn feedback() -> Option<Feedback> {
    extension()
}

/// The path and query of the page.
#[must_use]
pub fn address() -> String {
    use_context::<Parts>()
        .and_then(|parts| parts.uri.path_and_query().map(ToString::to_string))
        .unwrap_or_else(|| "/".to_owned())
}

/// The operations, and who is signed in.
///
/// # Errors
/// If nobody is signed in: the server leads them to sign in before a page is
/// rendered, so this is only for a page that was forgotten there.
pub fn signed_in() -> Result<(Service, SignedIn), Failure> {
    let viewer = viewer().ok_or(Failure::SignedOut)?;
    Ok((service()?, viewer))
}

/// The operations.
///
/// # Errors
/// If the server did not provide them.
pub fn service() -> Result<Service, Failure> {
    use_context::<Service>().ok_or_else(|| Failure::fault("the service is not in the context of this page"))
}
