//! Taking a proposal back, or calling an approved one off.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::actor::Actor;
use domain::error::Result;

use super::{Forms, Submission, page_above, proposal_id, see_other};

pub(super) async fn submit(State(forms): State<Forms>, Path(id): Path<String>, submission: Submission) -> Response {
    let page = page_above(&submission.path).to_owned();
    match withdraw(&forms, &id, &submission).await {
        Ok(()) => see_other(&page),
        Err(error) => forms.again(submission, &page, error).await,
    }
}

async fn withdraw(forms: &Forms, id: &str, submission: &Submission) -> Result<()> {
    let person = submission.person()?;
    let proposal = proposal_id(id)?;
    let reason = submission.prose("reason");
    forms.state.service.withdraw(Actor::Person(person), &proposal, reason.as_deref()).await?;
    Ok(())
}
