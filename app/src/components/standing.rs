//! Where a proposal stands: two axes, always apart, each in words.

use domain::proposal::{Decision, Execution, Phase};
use leptos::prelude::*;

/// Both axes, one under the other.
#[component]
pub fn Standing(
    /// Where the proposal stands.
    phase: Phase,
) -> impl IntoView {
    let execution = phase.execution();
    view! {
        <dl class="axes">
            <div>
                <dt>"Decision"</dt>
                <dd><DecisionMark decision=phase.decision() /></dd>
            </div>
            <div>
                <dt>"Execution"</dt>
                <dd>
                    {match execution {
                        Some(execution) => view! { <ExecutionMark execution /> }.into_any(),
                        None => view! { <span class="state none" data-execution="none">"Nothing sent"</span> }.into_any(),
                    }}
                </dd>
            </div>
        </dl>
    }
    .into_any()
}

/// The decision axis in a word.
#[component]
pub fn DecisionMark(
    /// The state.
    decision: Decision,
) -> impl IntoView {
    let tone = match decision {
        Decision::Pending => "state open",
        Decision::Approved => "state good",
        Decision::Rejected => "state no",
        _ => "state over",
    };
    view! { <span class=tone data-decision=decision.word()>{decision_word(decision)}</span> }
}

/// The execution axis in a word.
#[component]
pub fn ExecutionMark(
    /// The state.
    execution: Execution,
) -> impl IntoView {
    let tone = match execution {
        Execution::Waiting | Execution::Executing => "state open",
        Execution::Applied | Execution::ConfirmedApplied => "state good",
        Execution::Unknown => "state alarm",
        Execution::Failed | Execution::ConfirmedNotApplied => "state no",
        Execution::Lapsed | Execution::Drifted | Execution::Blocked => "state over",
    };
    view! { <span class=tone data-execution=execution.word()>{execution_word(execution)}</span> }
}

fn decision_word(decision: Decision) -> &'static str {
    match decision {
        Decision::Pending => "Pending",
        Decision::Approved => "Approved",
        Decision::Rejected => "Rejected",
        Decision::Withdrawn => "Withdrawn",
        Decision::Expired => "Expired",
        Decision::Superseded => "Superseded",
        Decision::Cancelled => "Called off",
    }
}

fn execution_word(execution: Execution) -> &'static str {
    match execution {
        Execution::Waiting => "Not applied yet",
        Execution::Executing => "Call under way",
        Execution::Applied => "Applied",
        Execution::Failed => "Failed",
        Execution::Unknown => "Outcome unknown",
        Execution::Lapsed => "Lapsed",
        Execution::Drifted => "Drifted",
        Execution::Blocked => "Blocked",
        Execution::ConfirmedApplied => "Confirmed applied",
        Execution::ConfirmedNotApplied => "Confirmed not applied",
    }
}

/// What the state means, in one sentence that says only what was recorded.
#[must_use]
pub fn sentence(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "It waits for a decision. Nothing is sent before that.",
        Phase::Rejected => "It was rejected. Nothing was sent.",
        Phase::Withdrawn => "It was taken back before it was decided. Nothing was sent.",
        Phase::Expired => "Nobody decided in time. Nothing was sent; the agent may propose it again.",
        Phase::Superseded => "A newer proposal took its place. Nothing was sent.",
        Phase::Cancelled => "It was approved, and called off before the call. No write was made.",
        Phase::Approved(execution) => match execution {
            Execution::Waiting => "It is approved and waits for an agent to apply it, in its turn.",
            Execution::Executing => "The call was begun. How it ended is not recorded yet.",
            Execution::Applied => "The provider answered that it was done.",
            Execution::Failed => "The provider refused it for good. It was not done.",
            Execution::Unknown => "A call was begun and no certain answer is recorded. It may have been done or not.",
            Execution::Lapsed => "It was approved, and nobody applied it in time. No write was made.",
            Execution::Drifted => "What it was to change had changed since it was looked at. No write was made.",
            Execution::Blocked => "Something that it depends on was not done. No write was made.",
            Execution::ConfirmedApplied => "Its outcome was unknown; it was then found to be done.",
            Execution::ConfirmedNotApplied => "Its outcome was unknown; it was then found not to be done.",
        },
    }
}
