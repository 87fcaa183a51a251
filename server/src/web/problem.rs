//! Refusals and faults as answers.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use domain::error::{Error, Kind};

/// The status of a refusal, or of a fault.
#[must_use]
pub fn status(error: &Error) -> StatusCode {
    match error.refusal().map(|refusal| refusal.kind) {
        Some(Kind::NotFound) => StatusCode::NOT_FOUND,
        Some(Kind::Forbidden) => StatusCode::FORBIDDEN,
        Some(Kind::Invalid | Kind::NotOffered) => StatusCode::UNPROCESSABLE_ENTITY,
        Some(Kind::Conflict) => StatusCode::CONFLICT,
        Some(Kind::Limited) => StatusCode::TOO_MANY_REQUESTS,
        Some(Kind::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        None => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The sentence that may be shown. The cause of a fault is logged and not shown.
#[must_use]
pub fn message(error: &Error) -> String {
    match error {
        Error::Refused(refusal) => refusal.message.clone(),
        Error::Internal(cause) => {
            tracing::error!(%cause, causes = %causes(cause.as_ref()), "internal error");
            "Something went wrong on the server. Look at the page again to see what was recorded, then try again."
                .to_owned()
        }
    }
}

/// The answer where there is no page to show it on.
#[must_use]
pub fn of(error: &Error) -> Response {
    text(status(error), message(error))
}

/// A short plain text.
#[must_use]
pub fn text(status: StatusCode, message: impl Into<String>) -> Response {
    let mut body = message.into();
    body.push('\n');
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    (status, [(header::CONTENT_TYPE, plain)], body).into_response()
}

/// What lies under an error, outermost first.
#[must_use]
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
