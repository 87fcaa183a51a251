//! What else can be done with a proposal: take it back, judge what came of it,
//! let its lane go on.

use domain::proposal::Phase;
use domain::service::ProposalView;
use leptos::prelude::*;

use crate::components::form::TextArea;
use crate::context::Feedback;

/// Every form that this person may use now.
#[component]
pub(super) fn OtherForms(proposal: ProposalView, feedback: Option<Feedback>) -> impl IntoView {
    let base = format!("/proposals/{}", proposal.id);
    view! {
        {proposal.can_judge.then(|| view! { <Judge base=base.clone() feedback=feedback.clone() /> })}
        {proposal.can_acknowledge.then(|| view! { <Acknowledge base=base.clone() /> })}
        {proposal.can_withdraw.then(|| view! { <Withdraw base pending=proposal.phase == Phase::Pending feedback /> })}
    }
}

#[component]
fn Judge(base: String, feedback: Option<Feedback>) -> impl IntoView {
    view! {
        <form class="judge" method="post" action=format!("{base}/outcome")>
            <h3>"What did you find at the provider?"</h3>
            <TextArea name="note" id="note" label="How you know (required, kept in the history)" required=true feedback />
            <div class="buttons">
                <button class="button" type="submit" name="verdict" value="confirmed_applied">"It was done"</button>
                <button class="button" type="submit" name="verdict" value="confirmed_not_applied">"It was not done"</button>
            </div>
        </form>
    }
}

#[component]
fn Acknowledge(base: String) -> impl IntoView {
    view! {
        <form class="acknowledge" method="post" action=format!("{base}/acknowledgement")>
            <h3>"The lane has stopped here"</h3>
            <p class="hint">"What waits behind it is applied only after somebody has seen that this one was not done."</p>
            <button class="button" type="submit">"I have seen it; let the lane go on"</button>
        </form>
    }
}

#[component]
fn Withdraw(base: String, pending: bool, feedback: Option<Feedback>) -> impl IntoView {
    let (summary, button) =
        if pending { ("Withdraw this proposal", "Withdraw") } else { ("Call it off before it is applied", "Call off") };
    let open = feedback.as_ref().is_some_and(|feedback| feedback.values.contains_key("reason"));
    view! {
        <details class="withdraw" open=open>
            <summary>{summary}</summary>
            <form method="post" action=format!("{base}/withdrawal")>
                <TextArea name="reason" id="withdrawal-reason" label="Reason (optional, kept in the history)" feedback />
                <button class="button" type="submit">{button}</button>
            </form>
        </details>
    }
}
