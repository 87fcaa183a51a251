//! The first person, by the one-time link.

use axum::extract::State;
use axum::response::Response;
use domain::error::{Error, Result};
use domain::service::NewPerson;
use tower_sessions::Session;

use super::{Forms, Submission, see_other};
use crate::session;

pub(super) async fn submit(State(forms): State<Forms>, session: Session, submission: Submission) -> Response {
    match complete(&forms, &session, &submission).await {
        Ok(()) => see_other("/"),
        Err(error) => forms.again(submission, "/setup", error).await,
    }
}

async fn complete(forms: &Forms, session: &Session, submission: &Submission) -> Result<()> {
    let new = NewPerson {
        login: submission.text("login").trim().to_owned(),
        name: submission.text("name").trim().to_owned(),
        password: submission.text("password").to_owned(),
    };
    let service = &forms.state.service;
    let person = service.complete_setup(submission.text("token"), new).await?;
    service.record_sign_in(&person).await?;
    session::begin(session, &person).await.map_err(Error::internal)
}
