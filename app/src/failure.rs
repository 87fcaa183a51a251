//! What a page shows when there is nothing to show.

use domain::error::{Error, Kind};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_meta::Title;

use crate::components::revealed::Line;
use crate::context::{self, RequestId};

/// Why a page could not be shown.
#[derive(Debug)]
pub enum Failure {
    /// The service refused it, or failed.
    Service(Error),
    /// Nobody is signed in.
    SignedOut,
    /// There is no such page.
    NoSuchPage,
}

impl Failure {
    /// A fault of ours.
    #[must_use]
    pub fn fault(cause: &'static str) -> Self {
        Self::Service(Error::internal(cause))
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::NoSuchPage => StatusCode::NOT_FOUND,
            Self::Service(error) => match error.refusal().map(|refusal| refusal.kind) {
                Some(Kind::NotFound) => StatusCode::NOT_FOUND,
                Some(Kind::Forbidden) => StatusCode::FORBIDDEN,
                Some(Kind::Invalid | Kind::NotOffered) => StatusCode::UNPROCESSABLE_ENTITY,
                Some(Kind::Conflict) => StatusCode::CONFLICT,
                Some(Kind::Limited) => StatusCode::TOO_MANY_REQUESTS,
                Some(Kind::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
                None => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    fn title(&self) -> &'static str {
        match self.status() {
            StatusCode::UNAUTHORIZED => "Sign in first",
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "Try again later",
            StatusCode::INTERNAL_SERVER_ERROR => "Something went wrong",
            _ => "This cannot be shown",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::SignedOut => "This page is only for people who are signed in.".to_owned(),
            Self::NoSuchPage => "There is no page at this address.".to_owned(),
            Self::Service(Error::Refused(refusal)) => refusal.message.clone(),
            Self::Service(Error::Internal(_)) => {
                "The fault is on the server, and it has been logged. Nothing was changed by looking at this page."
                    .to_owned()
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

/// The page of a failure; it also sets the status of the answer.
#[component]
pub fn FailurePage(
    /// Why there is nothing else to show.
    failure: Failure,
) -> impl IntoView {
    let request = context::extension::<RequestId>().map(|id| id.0);
    if let Failure::Service(Error::Internal(cause)) = &failure {
        tracing::error!(request_id = request.as_deref(), error = ?cause, "a page could not be shown");
    }
    if let Some(options) = use_context::<ResponseOptions>() {
        options.set_status(failure.status());
    }
    view! {
        <Title text=failure.title() />
        <article class="message">
            <h1>{failure.title()}</h1>
            <p><Line text=failure.message() /></p>
            {request.map(|id| view! { <p class="quiet">"If you report this, quote " <code>{id}</code> "."</p> })}
            <p><a href="/">"To the queue"</a></p>
        </article>
    }
}
