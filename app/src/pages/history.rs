//! `/history`: what was recorded, newest first.

mod sentence;

use domain::ids::ProposalId;
use domain::service::{HistoryEntry, HistoryFilter, HistoryPage as Entries};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::address;
use crate::components::digest::Short;
use crate::components::layout::page;
use crate::components::moment::At;
use crate::components::revealed::{Block, Line};
use crate::context;
use crate::failure::Failure;

/// What the address asks for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Only this connection.
    pub connection: Option<String>,
    /// Only kinds that begin so.
    pub kind: Option<String>,
    /// Only this proposal.
    pub proposal: Option<String>,
    /// Only what is older.
    pub before: Option<String>,
}

/// The history that this person may see.
#[component]
pub fn HistoryPage() -> impl IntoView {
    let query = use_query_map();
    let part = |name: &str| {
        query.read_untracked().get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let asked = Asked {
        connection: part("connection"),
        kind: part("kind"),
        proposal: part("proposal"),
        before: part("before"),
    };
    let signed_in = context::signed_in();
    page(async move {
        let (service, viewer) = signed_in?;
        let proposal = asked
            .proposal
            .as_deref()
            .map(str::parse::<ProposalId>)
            .transpose()
            .map_err(|error| Failure::from(domain::error::invalid(error.code(), error.to_string())))?;
        let filter = HistoryFilter {
            connection: asked.connection.clone(),
            proposal,
            kind: asked.kind.clone(),
            before: asked.before.clone(),
        };
        let entries = service.history(&viewer, &filter).await?;
        Ok(view! { <HistoryView asked entries /> })
    })
}

/// One page of it.
#[component]
pub fn HistoryView(
    /// What was asked for.
    asked: Asked,
    /// What was found.
    entries: Entries,
) -> impl IntoView {
    let filtered = asked.connection.is_some() || asked.kind.is_some() || asked.proposal.is_some();
    let page_at = |before: Option<&str>| {
        address::with_query(
            "/history",
            &[
                ("connection", asked.connection.as_deref()),
                ("kind", asked.kind.as_deref()),
                ("proposal", asked.proposal.as_deref()),
                ("before", before),
            ],
        )
    };
    let newest = asked.before.is_some().then(|| page_at(None));
    let older = entries.next.as_deref().map(|next| page_at(Some(next)));
    let empty = entries.entries.is_empty();
    view! {
        <Title text="History" />
        <div class="history">
            <div class="page-head">
                <h1>"History"</h1>
                <p class="measured">"Every line is one event on a hash chain; the digits at its end are the hash that it made."</p>
            </div>
            <Filters asked=asked.clone() filtered />
            {empty.then(|| view! {
                <p class="empty">{if filtered { "Nothing that you may see matches this filter." } else { "Nothing was recorded that you may see." }}</p>
            })}
            <ol class="events">
                {entries.entries.into_iter().map(|entry| view! { <Event entry /> }).collect::<Vec<_>>()}
            </ol>
            {(newest.is_some() || older.is_some()).then(|| view! {
                <nav class="pages" aria-label="Pages of the history">
                    {newest.map(|href| view! { <a href=href>"Newest"</a> })}
                    {older.map(|href| view! { <a href=href rel="next">"Older"</a> })}
                </nav>
            })}
        </div>
    }
}

#[component]
fn Filters(asked: Asked, filtered: bool) -> impl IntoView {
    let kind = asked.kind.unwrap_or_default();
    let known = sentence::GROUPS.iter().any(|(prefix, _)| *prefix == kind);
    view! {
        <form class="filters" method="get" action="/history">
            <div class="field">
                <label for="connection">"Connection"</label>
                <input id="connection" name="connection" value=asked.connection autocomplete="off" spellcheck="false" />
            </div>
            <div class="field">
                <label for="kind">"What happened"</label>
                <select id="kind" name="kind">
                    <option value="" selected=kind.is_empty()>"Anything"</option>
                    {sentence::GROUPS.iter().map(|(prefix, name)| view! {
                        <option value=*prefix selected=*prefix == kind>{*name}</option>
                    }).collect::<Vec<_>>()}
                    {(!known && !kind.is_empty()).then(|| view! { <option value=kind.clone() selected=true>{kind.clone()}</option> })}
                </select>
            </div>
            <div class="field wide">
                <label for="proposal">"Proposal"</label>
                <input id="proposal" name="proposal" value=asked.proposal autocomplete="off" spellcheck="false" placeholder="prp_…" />
            </div>
            <div class="buttons">
                <button class="button" type="submit">"Show"</button>
                {filtered.then(|| view! { <a href="/history">"Show everything"</a> })}
            </div>
        </form>
    }
}

#[component]
fn Event(entry: HistoryEntry) -> impl IntoView {
    let HistoryEntry { chain, sequence, at, kind, actor, connection, proposal, action, facts, hash } = entry;
    let on = match (chain.as_str(), &connection) {
        ("administration", _) => "administration".to_owned(),
        (_, Some(connection)) => connection.clone(),
        (chain, None) => chain.to_owned(),
    };
    let has_facts = facts.as_object().is_some_and(|facts| !facts.is_empty());
    view! {
        <li data-kind=kind.clone() data-sequence=sequence>
            <p class="event-when"><At at /></p>
            <div class="event-what">
                <p>
                    <strong><Line text=actor /></strong> " " {sentence::of(&kind)}
                    {action.map(|action| view! { " " <code><Line text=action /></code> })}
                    {connection.map(|connection| view! { " on " <Line text=connection /> })}
                </p>
                {proposal.map(|id| view! { <p><a href=format!("/proposals/{id}")><code>{id.to_string()}</code></a></p> })}
                {has_facts.then(|| view! {
                    <details><summary>"What the event says"</summary><div class="bytes"><Block text=facts.to_string() /></div></details>
                })}
            </div>
            <p class="event-hash">
                <span class="label" title=chain><Line text=on /></span>
                <span class="event-place">{format!("No. {sequence}")}</span>
                <Short hex=hash />
            </p>
        </li>
    }
}
