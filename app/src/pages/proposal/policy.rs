//! What the policy asks for, how much of it is there, and who can give it.

use domain::proposal::Phase;
use domain::service::{ProposalView, RequirementView};
use leptos::prelude::*;

use crate::components::revealed::Line;

/// The requirements, and who can decide.
#[component]
pub(super) fn Policy(proposal: ProposalView) -> impl IntoView {
    let pending = proposal.phase == Phase::Pending;
    let who = proposal.who_can_decide;
    let more = who.len() >= 20;
    view! {
        <div class="policy">
            <h3>"Policy"</h3>
            {proposal.requirements.is_empty().then(|| view! { <p class="quiet">"It asks for nobody's approval."</p> })}
            <ul class="requirements">
                {proposal.requirements.into_iter().map(|requirement| view! { <Requirement requirement /> }).collect::<Vec<_>>()}
            </ul>
            {proposal.four_eyes.then(|| view! { <p class="hint">"Four eyes: the agent's owner may not decide."</p> })}
            {pending.then(|| if who.is_empty() {
                view! { <p class="may-not">"At present nobody can decide this."</p> }.into_any()
            } else {
                let names: Vec<_> = who
                    .into_iter()
                    .enumerate()
                    .map(|(index, person)| view! { {(index > 0).then_some(", ")} <Line text=person.name /> })
                    .collect();
                view! { <p class="who-can">"Who can decide: " {names} {more.then_some(", and others")} "."</p> }.into_any()
            })}
        </div>
    }
}

#[component]
fn Requirement(requirement: RequirementView) -> impl IntoView {
    let RequirementView { group, needed, have } = requirement;
    let met = have >= needed;
    let missing = needed.saturating_sub(have);
    view! {
        <li class:met=met>
            <span class="tally">{have}" of "{needed}</span> " from " <Line text=group />
            {(!met).then(|| view! { <span class="missing">{format!(" ({missing} missing)")}</span> })}
        </li>
    }
}
