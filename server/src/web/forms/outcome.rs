//! A person's word on an outcome that is unknown.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::error::Result;
use domain::proposal::Verdict;

use super::{Forms, Submission, page_above, proposal_id, see_other};

const VERDICTS: &[(&str, Verdict)] =
    &[("confirmed_applied", Verdict::ConfirmedApplied), ("confirmed_not_applied", Verdict::ConfirmedNotApplied)];

pub(super) async fn submit(State(forms): State<Forms>, Path(id): Path<String>, submission: Submission) -> Response {
    let page = page_above(&submission.path).to_owned();
    match judge(&forms, &id, &submission).await {
        Ok(()) => see_other(&page),
        Err(error) => forms.again(submission, &page, error).await,
    }
}

async fn judge(forms: &Forms, id: &str, submission: &Submission) -> Result<()> {
    let person = submission.person()?;
    let proposal = proposal_id(id)?;
    let verdict = submission.word("verdict", VERDICTS)?;
    let note = submission.prose("note").unwrap_or_default();
    forms.state.service.judge_outcome(person, &proposal, verdict, &note).await?;
    Ok(())
}
