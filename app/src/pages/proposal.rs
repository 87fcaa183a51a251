//! `/proposals/{id}`: what somebody approves or rejects, and later what came of it.

mod asked;
mod bound;
mod course;
mod decide;
mod other_forms;
mod policy;
mod written;

use domain::ids::ProposalId;
use domain::integrity::Content;
use domain::proposal::{Execution, Phase};
use domain::service::ProposalView;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use self::asked::Asked;
use self::bound::Bound;
use self::course::Course;
use self::decide::Panel;
use self::written::Written;
use crate::components::form::Refusal;
use crate::components::icon::Warning;
use crate::components::layout::page;
use crate::components::revealed::{Block, Line, plainly};
use crate::components::standing;
use crate::context::{self, Feedback};
use crate::failure::Failure;

/// One proposal.
#[component]
pub fn ProposalPage() -> impl IntoView {
    let id = use_params_map().read_untracked().get("id").unwrap_or_default();
    let asked = context::signed_in();
    let feedback = context::feedback();
    page(async move {
        let (service, viewer) = asked?;
        let id: ProposalId = id.parse().map_err(|_| Failure::from(domain::error::not_found("proposal")))?;
        let proposal = service.proposal_view(&viewer, &id).await?;
        Ok(view! { <ProposalDocument proposal feedback /> })
    })
}

/// What the page makes of the evidence.
#[derive(Clone)]
pub(crate) enum Input {
    /// The viewer may not see it.
    NotForThisViewer,
    /// It can be shown.
    Shown(Box<Content>),
    /// What is stored is not what was committed to, so that nothing can be shown.
    Unreadable(String),
}

impl Input {
    fn of(proposal: &ProposalView) -> Self {
        let Some(evidence) = &proposal.evidence else {
            return Self::NotForThisViewer;
        };
        match Content::from_canonical(evidence.content_json.as_bytes()) {
            Ok(content) => Self::Shown(Box::new(content)),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }
}

/// The proposal as it was read.
#[component]
pub fn ProposalDocument(
    /// What was read.
    proposal: ProposalView,
    /// Why a form on this page was refused, if one was.
    feedback: Option<Feedback>,
) -> impl IntoView {
    let input = Input::of(&proposal);
    let title = plainly(&format!("{} on {}", proposal.action_title, proposal.connection));
    let (id, round) = (proposal.id.to_string(), proposal.round);
    view! {
        <Title text=title />
        <article class="proposal" data-proposal=id data-round=round>
            <Refusal feedback=feedback.clone() />
            <div class="proposal-main">
                <Banners proposal=proposal.clone() input=input.clone() />
                <header class="proposal-head">
                    <p class="eyebrow">
                        <Line text=proposal.connection.clone() /> " · " <Line text=proposal.connector_title.clone() />
                    </p>
                    <h1><Line text=proposal.action_title.clone() /></h1>
                    {proposal.action_summary.clone().map(|summary| view! { <div class="lead"><Block text=summary /></div> })}
                    <p class="sentence">{standing::sentence(proposal.phase)}</p>
                </header>
                <Asked proposal=proposal.clone() />
                <Written input=input.clone() />
                <Bound proposal=proposal.clone() input=input.clone() />
                <Course proposal=proposal.clone() />
            </div>
            <Panel proposal input feedback />
        </article>
    }
}

/// What must be seen before anything else.
#[component]
fn Banners(proposal: ProposalView, input: Input) -> impl IntoView {
    let fault = proposal.integrity_fault.clone().or(match input {
        Input::Unreadable(error) => Some(error),
        _ => None,
    });
    view! {
        {fault.map(|fault| view! {
            <div class="notice fault" role="alert" data-banner="integrity">
                <Warning />
                <p>
                    <strong>"The records of this proposal do not agree. "</strong>
                    "Nothing is sent while they do not. Found: " <Line text=fault /> " Tell your administrator."
                </p>
            </div>
        })}
        {(proposal.phase == Phase::Approved(Execution::Unknown)).then(|| view! {
            <div class="notice caution" role="alert" data-banner="unknown">
                <Warning />
                <p>
                    <strong>"Nobody can say whether this was done. "</strong>
                    "The lane stands still until somebody looks at the provider and records what they found."
                </p>
            </div>
        })}
        {(proposal.phase == Phase::Pending && !proposal.same_as.is_empty()).then(|| view! {
            <div class="notice caution" data-banner="same">
                <Warning />
                <div>
                    <p>
                        <strong>"The same write was proposed before. "</strong>
                        "If you approve this one too, it is made once more. Same as:"
                    </p>
                    <ul class="ids">
                        {proposal.same_as.iter().map(|id| view! {
                            <li><a href=format!("/proposals/{id}")><code>{id.to_string()}</code></a></li>
                        }).collect::<Vec<_>>()}
                    </ul>
                </div>
            </div>
        })}
    }
    .into_any()
}
