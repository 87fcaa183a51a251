//! What browsers post.
//!
//! A form that went through leads to its page. A form that was refused shows its
//! page again, with the status of the refusal, what was wrong and everything that
//! was typed except passwords: the page is rendered by a GET of its own that
//! carries a [`Feedback`].

mod acknowledgement;
mod decision;
mod outcome;
mod setup;
mod sign_in;
mod sign_out;
mod submission;
mod withdrawal;

use app::context::{Feedback, Viewer};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{MethodRouter, post};
use domain::error::{Error, not_found};
use domain::ids::ProposalId;
use tower::ServiceExt as _;

use self::submission::Submission;
use super::{pages, problem};
use crate::state::AppState;

/// A path and what answers there.
type Route = (&'static str, fn() -> MethodRouter<Forms>);

/// Every form.
pub const ROUTES: &[Route] = &[
    ("/setup", || post(setup::submit)),
    ("/sign-in", || post(sign_in::submit)),
    ("/sign-out", || post(sign_out::submit)),
    ("/proposals/{id}/decision", || post(decision::submit)),
    ("/proposals/{id}/withdrawal", || post(withdrawal::submit)),
    ("/proposals/{id}/outcome", || post(outcome::submit)),
    ("/proposals/{id}/acknowledgement", || post(acknowledgement::submit)),
];

/// What the forms are given.
#[derive(Clone)]
pub struct Forms {
    /// What every handler is given.
    pub state: AppState,
    /// The pages, to show one of them again.
    pub pages: Router,
}

/// All of them.
pub fn router(forms: Forms) -> Router {
    ROUTES.iter().fold(Router::new(), |router, (path, route)| router.route(path, route())).with_state(forms)
}

impl Forms {
    /// The page that the form was on, with what was wrong.
    async fn again(&self, submission: Submission, page: &str, error: Error) -> Response {
        let status = problem::status(&error);
        let message = problem::message(&error);
        let code = error.code().to_owned();
        let field = field_at_fault(&error);
        let mut values = submission.typed();

        // Whose session ended meanwhile signs in first and comes back.
        let page = if submission.viewer.is_none() && !pages::is_public(page) {
            values.insert("next".to_owned(), page.to_owned());
            "/sign-in"
        } else {
            page
        };
        let Ok(uri) = page.parse::<Uri>() else { return problem::text(status, message) };

        let mut request = Request::new(Body::empty());
        *request.uri_mut() = uri;
        *request.headers_mut() = submission.headers;
        request.extensions_mut().insert(Viewer(submission.viewer));
        request.extensions_mut().insert(Feedback { code, message, field, values });
        if let Some(id) = submission.request_id {
            request.extensions_mut().insert(id);
        }
        let mut response = match self.pages.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        // A page that leads elsewhere or is not there keeps its own status.
        if response.status() == StatusCode::OK {
            *response.status_mut() = status;
        }
        response
    }
}

fn see_other(page: &str) -> Response {
    Redirect::to(page).into_response()
}

/// The proposal of the path; a miscopied id is of no proposal.
fn proposal_id(text: &str) -> Result<ProposalId, Error> {
    text.parse().map_err(|_| not_found("proposal"))
}

/// The page of `/proposals/{id}/…`.
fn page_above(path: &str) -> &str {
    path.rsplit_once('/').map_or("/", |(page, _)| page)
}

/// Which field a refusal is about: by its pointer, else by its code, which
/// begins with the field's name.
fn field_at_fault(error: &Error) -> Option<String> {
    const FIELDS: &[&str] = &["login", "name", "password", "comment", "reason", "note", "verdict"];
    let refusal = error.refusal()?;
    if let Some(pointer) = &refusal.pointer {
        return Some(pointer.trim_start_matches('/').to_owned());
    }
    let field = FIELDS.iter().find(|field| refusal.code.split('_').next() == Some(**field))?;
    Some((*field).to_owned())
}

#[cfg(test)]
mod tests {
    use domain::error::{invalid, invalid_at, not_found};

    use super::*;

    #[test]
    fn the_field_at_fault_is_named() {
        assert_eq!(field_at_fault(&invalid("password_too_short", "x")).as_deref(), Some("password"));
        assert_eq!(field_at_fault(&invalid("comment_too_long", "x")).as_deref(), Some("comment"));
        assert_eq!(field_at_fault(&invalid_at("/note", "note_missing", "x")).as_deref(), Some("note"));
        assert_eq!(field_at_fault(&invalid("not_unknown", "x")), None);
        assert_eq!(field_at_fault(&not_found("proposal")), None);
    }

    #[test]
    fn a_form_lies_under_its_page() {
        assert_eq!(page_above("/proposals/prp_1/decision"), "/proposals/prp_1");
    }
}
