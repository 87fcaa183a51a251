//! The audit history as people read it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::Service;
use crate::actor::SignedIn;
use crate::db;
use crate::db::events::{EventFilter, EventRow};
use crate::error::{Error, Result, invalid};
use crate::ids::ProposalId;

/// How many events are on one page.
const PAGE: usize = 50;

/// Which part of the history.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter {
    /// Only this connection (its name).
    pub connection: Option<String>,
    /// Only this proposal.
    pub proposal: Option<ProposalId>,
    /// Only events whose kind begins so, e.g. `proposal.`.
    pub kind: Option<String>,
    /// Events before this one (newest first): what [`HistoryPage::next`] gave.
    pub before: Option<String>,
}

/// One page, newest first.
#[derive(Debug, Clone)]
pub struct HistoryPage {
    /// At most 50.
    pub entries: Vec<HistoryEntry>,
    /// What to pass as `before` for the page after; opaque.
    pub next: Option<String>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct HistoryEntry {
    /// The chain: a connection's id or `administration`.
    pub chain: String,
    /// Its place in the chain.
    pub sequence: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// What happened, e.g. `proposal.approved`.
    pub kind: String,
    /// Who did it, by name; `the clock` and so on where nobody did.
    pub actor: String,
    /// The connection's name.
    pub connection: Option<String>,
    /// The proposal.
    pub proposal: Option<ProposalId>,
    /// The action, where a proposal is concerned.
    pub action: Option<String>,
    /// What else the event says.
    pub facts: Value,
    /// The hash that ends the chain here, hex.
    pub hash: String,
}

impl Service {
    /// One page of the history that this person may see: auditors and admins all
    /// of it, reviewers the connections that they review, owners the proposals
    /// of their agents.
    ///
    /// # Errors
    /// `cursor_malformed`.
    pub async fn history(&self, by: &SignedIn, filter: &HistoryFilter) -> Result<HistoryPage> {
        let before = filter.before.as_deref().map(marker).transpose()?;
        let mut conn = self.pool.acquire().await?;
        let sees_all = by.person().is_admin || by.person().is_auditor;
        let reviewed =
            if sees_all { Vec::new() } else { db::connections::reviewed_by(&mut conn, by.id().as_str()).await? };
        let mut rows = db::events::page(
            &mut conn,
            &EventFilter {
                visible: (!sees_all).then_some((reviewed.as_slice(), by.id().as_str())),
                connection: filter.connection.as_deref(),
                proposal: filter.proposal.as_ref().map(ProposalId::as_str),
                kind: filter.kind.as_deref(),
                before: before.as_ref().map(|(at, chain, sequence)| (*at, chain.as_str(), *sequence)),
                limit: i64::try_from(PAGE).unwrap_or(50) + 1,
            },
        )
        .await?;
        let more = rows.len() > PAGE;
        rows.truncate(PAGE);
        let next = rows
            .last()
            .filter(|_| more)
            .map(|row| format!("{}.{}.{}", row.at.timestamp_micros(), row.chain, row.sequence));

        let bodies: Vec<Value> =
            rows.iter().map(|row| serde_json::from_slice(&row.body).map_err(Error::internal)).collect::<Result<_>>()?;
        let names = self.names(&mut conn, &bodies).await?;
        let entries =
            rows.into_iter().zip(bodies).map(|(row, body)| entry(row, &body, &names)).collect::<Result<_>>()?;
        Ok(HistoryPage { entries, next })
    }

    /// The names of the people and agents that these events name.
    async fn names(&self, conn: &mut sqlx::PgConnection, bodies: &[Value]) -> Result<BTreeMap<String, String>> {
        let of = |kind: &str| -> Vec<String> {
            bodies.iter().filter_map(|body| body["actor"][kind].as_str()).map(str::to_owned).collect()
        };
        let mut names = db::people::names(conn, &of("person")).await?;
        names.extend(db::agents::names(conn, &of("agent")).await?);
        Ok(names)
    }
}

fn entry(row: EventRow, body: &Value, names: &BTreeMap<String, String>) -> Result<HistoryEntry> {
    let named = |id: &Value| id.as_str().and_then(|id| names.get(id)).cloned();
    let actor = &body["actor"];
    let actor = named(&actor["person"])
        .or_else(|| named(&actor["agent"]))
        .or_else(|| actor["rule"].as_str().map(|rule| format!("the rule {rule}")))
        .unwrap_or_else(|| match actor.as_str() {
            Some("clock") => "the clock".to_owned(),
            Some("operator") => "the command line".to_owned(),
            _ => "the server".to_owned(),
        });
    Ok(HistoryEntry {
        chain: row.chain,
        sequence: row.sequence,
        at: row.at,
        kind: row.kind,
        actor,
        connection: row.connection,
        proposal: row.proposal_id.map(|id| id.parse().map_err(Error::internal)).transpose()?,
        action: row.action,
        facts: body["facts"].clone(),
        hash: crate::audit::hex(&row.hash),
    })
}

/// The time, chain and sequence number that a page marker stands for.
fn marker(text: &str) -> Result<(DateTime<Utc>, String, i64)> {
    let malformed =
        || invalid("cursor_malformed", "This page marker is not one that Countersign gave. Begin at the first page.");
    let mut parts = text.splitn(3, '.');
    let at = parts.next().and_then(|at| at.parse().ok()).and_then(DateTime::from_timestamp_micros);
    let chain = parts.next().map(str::to_owned);
    let sequence = parts.next().and_then(|sequence| sequence.parse().ok());
    match (at, chain, sequence) {
        (Some(at), Some(chain), Some(sequence)) => Ok((at, chain, sequence)),
        _ => Err(malformed()),
    }
}
