//! Letting a lane go on after a write that was not done.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::error::Result;

use super::{Forms, Submission, page_above, proposal_id, see_other};

pub(super) async fn submit(State(forms): State<Forms>, Path(id): Path<String>, submission: Submission) -> Response {
    let page = page_above(&submission.path).to_owned();
    match acknowledge(&forms, &id, &submission).await {
        Ok(()) => see_other(&page),
        Err(error) => forms.again(submission, &page, error).await,
    }
}

async fn acknowledge(forms: &Forms, id: &str, submission: &Submission) -> Result<()> {
    let person = submission.person()?;
    forms.state.service.acknowledge(person, &proposal_id(id)?).await
}
