//! The panel beside the proposal: where it stands, and the form to decide it.

use domain::proposal::{Execution, Phase};
use domain::service::ProposalView;
use leptos::prelude::*;

use super::Input;
use super::other_forms::OtherForms;
use super::policy::Policy;
use crate::components::form::{NotRecorded, TextArea};
use crate::components::icon::{Cross, Tick};
use crate::components::moment::{Since, Until};
use crate::components::standing::Standing;
use crate::context::Feedback;
use crate::islands::digest_check::DigestCheck;

/// Everything that somebody needs to act.
#[component]
pub(super) fn Panel(proposal: ProposalView, input: Input, feedback: Option<Feedback>) -> impl IntoView {
    let evidence = proposal.evidence.clone();
    let may_decide = proposal.phase == Phase::Pending && proposal.can_decide.is_ok();
    let readable = matches!(input, Input::Shown(_));
    let offered = [("comment", may_decide), ("note", proposal.can_judge), ("reason", proposal.can_withdraw)];
    let gone: Vec<_> = offered.into_iter().filter(|(_, offered)| !offered).map(|(field, _)| field).collect();
    view! {
        <aside class="panel" class:deciding=may_decide aria-label="State and decision">
            <div class="panel-inner">
                <NotRecorded fields=gone feedback=feedback.clone() />
                <Standing phase=proposal.phase />
                <Clocks proposal=proposal.clone() />
                <Policy proposal=proposal.clone() />
                {evidence.map(|evidence| view! {
                    <div
                        hidden data-evidence=""
                        data-salt=evidence.salt_hex
                        data-content=evidence.content_json
                        data-binding=String::from_utf8_lossy(&evidence.binding.canonical()).into_owned()
                    ></div>
                    <DigestCheck />
                    <noscript><p class="check-line">"This browser did not check the digests, because JavaScript is off."</p></noscript>
                })}
                {match proposal.can_decide {
                    Ok(()) if may_decide => view! {
                        <DecisionForm proposal=proposal.clone() readable feedback=feedback.clone() />
                    }.into_any(),
                    Err(reason) if proposal.phase == Phase::Pending => view! {
                        <p class="may-not" data-reason=reason.word()>{reason.sentence()}</p>
                    }.into_any(),
                    _ => ().into_any(),
                }}
                <OtherForms proposal feedback />
            </div>
        </aside>
    }
}

/// The deadline for the decision, and the one for the execution.
#[component]
fn Clocks(proposal: ProposalView) -> impl IntoView {
    let now = proposal.at;
    let decide = match (proposal.phase, proposal.approved_at) {
        (Phase::Pending, _) => {
            view! { <div><dt>"Decide by"</dt><dd data-clock="decide"><Until at=proposal.approve_by now /></dd></div> }
                .into_any()
        }
        (_, Some(at)) => view! { <div><dt>"Approved"</dt><dd><Since at now /></dd></div> }.into_any(),
        _ => ().into_any(),
    };
    let apply = match (proposal.phase, proposal.apply_by) {
        (Phase::Pending, _) => {
            view! { <div><dt>"Apply by"</dt><dd>"Begins with the approval and its turn"</dd></div> }.into_any()
        }
        (Phase::Approved(Execution::Waiting), Some(at)) => {
            view! { <div><dt>"Apply by"</dt><dd data-clock="apply"><Until at now /></dd></div> }.into_any()
        }
        (Phase::Approved(Execution::Waiting), None) => {
            view! { <div><dt>"Apply by"</dt><dd>"Begins with its turn"</dd></div> }.into_any()
        }
        _ => ().into_any(),
    };
    view! { <dl class="clocks">{decide}{apply}</dl> }
}

/// Approve or reject. Both buttons stay in view on a small screen.
#[component]
fn DecisionForm(proposal: ProposalView, readable: bool, feedback: Option<Feedback>) -> impl IntoView {
    view! {
        <form class="decision" method="post" action=format!("/proposals/{}/decision", proposal.id) data-decision-form="">
            <input type="hidden" name="binding_digest" value=proposal.binding_digest.to_string() />
            <TextArea name="comment" id="comment" label="Comment, for the agent and the history (optional)" feedback />
            {(!readable).then(|| view! {
                <p class="may-not">"It cannot be approved, because its input cannot be shown. It can be rejected."</p>
            })}
            <div class="decide-bar">
                <button class="button reject" type="submit" name="verdict" value="reject" data-reject=""><Cross />"Reject"</button>
                {readable.then(|| view! {
                    <button class="button approve" type="submit" name="verdict" value="approve" data-approve=""><Tick />"Approve"</button>
                })}
            </div>
        </form>
    }
}
