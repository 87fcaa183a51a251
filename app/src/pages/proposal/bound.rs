//! The digests, what a decision is bound to, and the check in the browser.

use domain::integrity::Binding;
use domain::service::ProposalView;
use leptos::prelude::*;

use super::Input;
use crate::components::digest::Grouped;
use crate::components::revealed::Line;
use crate::words;

/// Digests to compare.
#[component]
pub(super) fn Bound(proposal: ProposalView, input: Input) -> impl IntoView {
    let binding = proposal.evidence.map(|evidence| evidence.binding);
    let call_digest = match input {
        Input::Shown(content) => Some(content.call_digest),
        _ => None,
    };
    view! {
        <section class="bound" aria-labelledby="bound">
            <h2 id="bound">"Digests"</h2>
            <dl class="digests">
                <div>
                    <dt>"Binding"</dt>
                    <dd>
                        <Grouped digest=proposal.binding_digest shown="binding-digest" />
                        <p class="hint">"What a decision is bound to: everything below, and who asks, where, under which policy."</p>
                    </dd>
                </div>
                {binding.as_ref().map(|binding| view! {
                    <div>
                        <dt>"Content commitment"</dt>
                        <dd>
                            <Grouped digest=binding.content_commitment shown="content-commitment" />
                            <p class="hint">"The salted digest of input, call and reason that the history keeps."</p>
                        </dd>
                    </div>
                })}
                {call_digest.map(|digest| view! {
                    <div><dt>"Call"</dt><dd><Grouped digest shown="call-digest" /></dd></div>
                })}
            </dl>
            {binding.map(|binding| view! { <Covered binding /> })}
        </section>
    }
    .into_any()
}

/// Everything that the binding digest covers.
#[component]
fn Covered(binding: Binding) -> impl IntoView {
    let depends_on = if binding.depends_on.is_empty() { "nothing".to_owned() } else { binding.depends_on.join(", ") };
    view! {
        <details class="fold-section">
            <summary>"What the binding covers"</summary>
            <dl class="facts small">
                <div><dt>"Proposal"</dt><dd><code><Line text=binding.proposal /></code></dd></div>
                <div><dt>"Round"</dt><dd>{binding.round}</dd></div>
                <div><dt>"Connection"</dt><dd><code><Line text=binding.connection /></code></dd></div>
                <div><dt>"Action"</dt><dd><code><Line text=binding.action /></code></dd></div>
                <div><dt>"Agent"</dt><dd><code><Line text=binding.requester /></code></dd></div>
                <div><dt>"On behalf of"</dt><dd><code><Line text=binding.on_behalf_of /></code></dd></div>
                <div><dt>"Depends on"</dt><dd><code><Line text=depends_on /></code></dd></div>
                <div><dt>"To be decided within"</dt><dd>{words::span(binding.approve_within)}</dd></div>
                <div><dt>"To be applied within"</dt><dd>{words::span(binding.apply_within)}</dd></div>
                <div><dt>"Target"</dt><dd><Grouped digest=binding.target_digest /></dd></div>
                <div><dt>"Manifest"</dt><dd><Grouped digest=binding.manifest_digest /></dd></div>
                <div><dt>"Policy"</dt><dd><Grouped digest=binding.policy_digest /></dd></div>
            </dl>
        </details>
    }
    .into_any()
}
