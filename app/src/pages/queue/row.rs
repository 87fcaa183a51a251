//! One line of the queue.

use chrono::{DateTime, Utc};
use domain::proposal::{Execution, Phase};
use domain::service::QueueRow;
use leptos::prelude::*;

use crate::components::digest::Grouped;
use crate::components::icon::Warning;
use crate::components::moment::{Since, Until};
use crate::components::revealed::Line;
use crate::components::standing::{DecisionMark, ExecutionMark};
use crate::words;

/// One proposal in the queue.
#[component]
pub(super) fn Row(row: QueueRow, now: DateTime<Utc>) -> impl IntoView {
    let QueueRow {
        id,
        connection,
        action,
        action_title,
        risk,
        agent,
        on_behalf_of,
        input_digest,
        phase,
        proposed_at,
        approve_by,
        apply_by,
        behind,
        can_decide,
        integrity_fault,
    } = row;
    let behind = words::size(behind);
    view! {
        <li class="row" data-proposal=id.to_string() data-risk=risk>
            <div class="row-what">
                <h3>
                    <a href=format!("/proposals/{id}") data-row=""><Line text=action_title /></a>
                </h3>
                <p class="row-where">
                    <span class="connection"><Line text=connection /></span>
                    <code class="action"><Line text=action /></code>
                    <span class=format!("risk {risk}")>{risk}" risk"</span>
                </p>
                <p class="row-who">
                    <Line text=agent /> " on behalf of " <Line text=on_behalf_of />
                </p>
            </div>
            <div class="row-digest">
                <span class="label">"Input digest"</span>
                {match input_digest {
                    Some(digest) => view! { <Grouped digest /> }.into_any(),
                    None => view! { <span class="quiet">"You may not see the input."</span> }.into_any(),
                }}
            </div>
            <div class="row-when">
                <p><span class="label">"Proposed "</span><Since at=proposed_at now /></p>
                {deadline(phase, approve_by, apply_by, now)}
            </div>
            <div class="row-state">
                <p class="marks">
                    <DecisionMark decision=phase.decision() />
                    {phase.execution().map(|execution| view! { <ExecutionMark execution /> })}
                </p>
                {(phase == Phase::Pending).then(|| match can_decide {
                    Ok(()) => view! { <p class="may">"You may decide this."</p> }.into_any(),
                    Err(reason) => view! { <p class="may-not" data-reason=reason.word()>{reason.sentence()}</p> }.into_any(),
                })}
                {(behind > 0).then(|| view! {
                    <p class="behind">{words::count(behind, "proposal waits", "proposals wait")}" behind it"</p>
                })}
                {integrity_fault.map(|fault| view! {
                    <p class="fault-line"><Warning /><span>"Integrity fault: "<Line text=fault /></span></p>
                })}
            </div>
        </li>
    }
}

/// The clock that runs now.
fn deadline(phase: Phase, approve_by: DateTime<Utc>, apply_by: Option<DateTime<Utc>>, now: DateTime<Utc>) -> AnyView {
    match (phase, apply_by) {
        (Phase::Pending, _) => {
            view! { <p><span class="label">"Decide by "</span><Until at=approve_by now /></p> }.into_any()
        }
        (Phase::Approved(Execution::Waiting), Some(at)) => {
            view! { <p><span class="label">"Apply by "</span><Until at now /></p> }.into_any()
        }
        (Phase::Approved(Execution::Waiting), None) => {
            view! { <p><span class="label">"Apply by "</span><span class="quiet">"Begins with its turn"</span></p> }
                .into_any()
        }
        _ => ().into_any(),
    }
}
