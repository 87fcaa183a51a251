//! The end of a session.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use domain::error::Error;
use tower_sessions::Session;

use super::{Forms, see_other};
use crate::session;
use crate::web::problem;

pub(super) async fn submit(State(forms): State<Forms>, session: Session) -> Response {
    if session.id().is_some()
        && let Err(error) = session::end(&session).await
    {
        return problem::of(&Error::internal(error));
    }
    (AppendHeaders([session::removal(&forms.state.site.public_url)]), see_other("/sign-in")).into_response()
}
