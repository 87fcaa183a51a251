//! From a name and a password to a session.

use axum::extract::State;
use axum::response::Response;
use domain::error::{Error, Result, forbidden};
use tower_sessions::Session;

use tokio::sync::Semaphore;

use super::{Forms, Submission, see_other};
use crate::session;
use crate::web::next::local_page;

/// A check takes 19 MiB and most of a processor for a moment: a flood of them
/// waits here, outside of memory.
static CHECKS: Semaphore = Semaphore::const_new(4);

pub(super) async fn submit(State(forms): State<Forms>, session: Session, submission: Submission) -> Response {
    match sign_in(&forms, &session, &submission).await {
        Ok(()) => see_other(local_page(submission.text("next")).unwrap_or("/")),
        Err(error) => forms.again(submission, "/sign-in", error).await,
    }
}

async fn sign_in(forms: &Forms, session: &Session, submission: &Submission) -> Result<()> {
    let service = &forms.state.service;
    let turn = CHECKS.acquire().await.map_err(Error::internal)?;
    let person = service
        .check_password(submission.text("login").trim(), submission.text("password"))
        .await?
        // One sentence for both, so that nobody learns which names exist.
        .ok_or_else(|| forbidden("sign_in_refused", "The name or the password is wrong."))?;
    drop(turn);
    service.record_sign_in(&person.id).await?;
    session::begin(session, &person.id).await.map_err(Error::internal)
}
