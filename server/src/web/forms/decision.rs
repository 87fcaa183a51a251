//! Approve or reject: the only way in to [`domain::service::Service::decide`].

use axum::extract::{Path, State};
use axum::response::Response;
use domain::error::{Error, Result, invalid};
use domain::service::{Ballot, DecisionVerdict};

use super::{Forms, Submission, page_above, proposal_id, see_other};

const VERDICTS: &[(&str, DecisionVerdict)] =
    &[("approve", DecisionVerdict::Approve), ("reject", DecisionVerdict::Reject)];

pub(super) async fn submit(State(forms): State<Forms>, Path(id): Path<String>, submission: Submission) -> Response {
    let page = page_above(&submission.path).to_owned();
    match decide(&forms, &id, &submission).await {
        Ok(()) => see_other(&page),
        Err(error) => forms.again(submission, &page, error).await,
    }
}

async fn decide(forms: &Forms, id: &str, submission: &Submission) -> Result<()> {
    let person = submission.person()?;
    let proposal = proposal_id(id)?;
    let ballot = Ballot {
        verdict: submission.word("verdict", VERDICTS)?,
        binding_digest: submission.text("binding_digest").parse().map_err(|_| malformed_binding())?,
        comment: submission.prose("comment"),
    };
    forms.state.service.decide(person, &proposal, ballot).await?;
    Ok(())
}

fn malformed_binding() -> Error {
    invalid("binding_malformed", "The form did not say what it was about. Look at the page again, then decide.")
}
