//! What has happened so far: votes, the end, and every try to execute.

use chrono::{DateTime, Utc};
use domain::proposal::OutcomeClass;
use domain::service::{AttemptView, EndingView, ProposalView, VoteView};
use leptos::prelude::*;

use crate::components::moment::Since;
use crate::components::revealed::{Block, Line};

/// Votes, ending and attempts; nothing if there are none.
#[component]
pub(super) fn Course(proposal: ProposalView) -> impl IntoView {
    let now = proposal.at;
    let round = proposal.round;
    let history = format!("/history?proposal={}", proposal.id);
    view! {
        {(!proposal.votes.is_empty()).then(|| view! {
            <section class="votes" aria-labelledby="votes">
                <h2 id="votes">"Decisions"</h2>
                <ol class="course">
                    {proposal.votes.into_iter().map(|vote| view! { <Vote vote round now /> }).collect::<Vec<_>>()}
                </ol>
            </section>
        })}
        {proposal.ended.map(|ending| view! { <Ending ending now /> })}
        {(!proposal.attempts.is_empty()).then(|| view! {
            <section class="attempts" aria-labelledby="attempts">
                <h2 id="attempts">"Execution"</h2>
                <ol class="course">
                    {proposal.attempts.into_iter().map(|attempt| view! { <Attempt attempt now /> }).collect::<Vec<_>>()}
                </ol>
            </section>
        })}
        <p class="more"><a href=history>"Everything that was recorded of this proposal"</a></p>
    }
    .into_any()
}

#[component]
fn Vote(vote: VoteView, round: i32, now: DateTime<Utc>) -> impl IntoView {
    let who = vote.person.map_or_else(|| "A rule".to_owned(), |person| person.name);
    let counts = !vote.replaced && vote.round == round;
    let verb = if vote.approves { "approved" } else { "rejected" };
    view! {
        <li class:void=!counts data-verdict=verb>
            <p>
                <strong><Line text=who /></strong> " " {verb} " " <Since at=vote.at now />
                {vote.replaced.then_some(" (changed later)")}
                {(vote.round != round).then(|| format!(" (for round {}; it no longer counts)", vote.round))}
            </p>
            {vote.comment.map(|comment| view! { <blockquote><Block text=comment /></blockquote> })}
        </li>
    }
    .into_any()
}

#[component]
fn Ending(ending: EndingView, now: DateTime<Utc>) -> impl IntoView {
    view! {
        <section class="ending" aria-labelledby="ending">
            <h2 id="ending">"How it ended"</h2>
            <p>"Ended by " <strong><Line text=ending.by /></strong> " " <Since at=ending.at now /></p>
            {ending.reason.map(|reason| view! { <blockquote><Block text=reason /></blockquote> })}
        </section>
    }
    .into_any()
}

#[component]
fn Attempt(attempt: AttemptView, now: DateTime<Utc>) -> impl IntoView {
    let AttemptView {
        id,
        number,
        by,
        started_at,
        outcome,
        ended_at,
        http_status,
        duration_ms,
        provider_request_id,
        verdict,
    } = attempt;
    view! {
        <li data-attempt=id.to_string() data-outcome=outcome.map_or("open", OutcomeClass::word)>
            <p><strong>"Attempt "{number}</strong> " by " <Line text=by /> ", begun " <Since at=started_at now /></p>
            <p class="outcome">
                {outcome.map_or("It has not ended yet, or nobody has recorded how.", outcome_sentence)}
            </p>
            <dl class="facts small">
                {ended_at.map(|at| view! { <div><dt>"Recorded"</dt><dd><Since at now /></dd></div> })}
                {http_status.map(|status| view! { <div><dt>"Provider's status"</dt><dd>{status}</dd></div> })}
                {duration_ms.map(|ms| view! { <div><dt>"Took"</dt><dd>{ms}" ms"</dd></div> })}
                {provider_request_id.map(|id| view! { <div><dt>"Provider's id of the call"</dt><dd><code><Line text=id /></code></dd></div> })}
            </dl>
            {verdict.map(|(person, done, note)| view! {
                <p><strong><Line text=person.name /></strong> {if done { " looked: it was done." } else { " looked: it was not done." }}</p>
                <blockquote><Block text=note /></blockquote>
            })}
        </li>
    }
    .into_any()
}

fn outcome_sentence(outcome: OutcomeClass) -> &'static str {
    match outcome {
        OutcomeClass::NotSent => "Nothing was sent. It may be tried again.",
        OutcomeClass::Refused => "The provider did not take it up. It may be tried again.",
        OutcomeClass::Failed => "The provider refused it for good.",
        OutcomeClass::Applied => "The provider answered that it was done.",
        OutcomeClass::Unknown => "No answer is certain: it may have been done or not.",
    }
}
