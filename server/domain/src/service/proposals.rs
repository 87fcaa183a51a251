//! What an agent asks about its proposals.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::Service;
use super::decisions::open_text;
use crate::actor::Agent;
use crate::db;
use crate::db::proposals::{ListFilter, ListRow};
use crate::db::records::{DecisionRow, ProposalRow};
use crate::digest::Digest;
use crate::error::{Error, Result, invalid, not_found};
use crate::ids::ProposalId;
use crate::integrity::Binding;
use crate::proposal::{OnFailure, Phase};
use crate::vault::ContentKey;

/// A write that an agent wants, as it came in after strict parsing.
#[derive(Debug, Clone)]
pub struct NewProposal {
    /// The action's name.
    pub action: String,
    /// Its input.
    pub input: Value,
    /// Why, in the agent's words; at most 2,000 characters. Unverified.
    pub reason: Option<String>,
    /// 1–64 of `[A-Za-z0-9._:-]`.
    pub idempotency_key: Option<String>,
    /// 1–64 of `[A-Za-z0-9._:-]`.
    pub client_ref: Option<String>,
}

/// The answer to propose.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// The proposal, new or already there.
    pub proposal: ProposalSummary,
    /// Whether it was already there.
    pub existing: bool,
    /// Pointers of the defaults that were filled in.
    pub filled: Vec<String>,
}

/// What an agent sees of a proposal.
#[derive(Debug, Clone)]
pub struct ProposalSummary {
    /// Its id.
    pub id: ProposalId,
    /// The connection's name.
    pub connection: String,
    /// The action.
    pub action: String,
    /// Its place in the connection's sequence.
    pub sequence: i64,
    /// Where it stands.
    pub phase: Phase,
    /// What people compare; absent if the sealed input was changed or erased.
    pub input_digest: Option<Digest>,
    /// What decisions are bound to.
    pub binding_digest: Digest,
    /// The agent that proposed it, by name.
    pub agent: String,
    /// On whose behalf, by name.
    pub on_behalf_of: String,
    /// When it was proposed.
    pub proposed_at: DateTime<Utc>,
    /// Until when it must be decided.
    pub approve_by: DateTime<Utc>,
    /// Until when it must be applied, once that is known.
    pub apply_by: Option<DateTime<Utc>>,
    /// Its agent's own reference.
    pub client_ref: Option<String>,
    /// What reviewers said, newest last: (name, approves, comment). For the owner's agents.
    pub comments: Vec<(String, bool, String)>,
    /// Whether the last apply found that its records do not agree.
    pub integrity_fault: Option<String>,
    /// Whether its lane waits for an acknowledgement of it.
    pub stops_lane: bool,
}

/// Which proposals.
#[derive(Debug, Clone, Default)]
pub struct ProposalFilter {
    /// Only this connection (its name).
    pub connection: Option<String>,
    /// Only those that can still change.
    pub open: bool,
    /// Only those of this agent; otherwise those of every agent of its owner.
    pub mine: bool,
    /// Only those with this reference.
    pub client_ref: Option<String>,
    /// Where the page before ended.
    pub after: Option<PageKey>,
    /// At most so many, 1 to 100.
    pub limit: usize,
}

/// Where a page ended; opaque to whoever passes it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageKey(pub String);

/// One page, newest first.
#[derive(Debug, Clone)]
pub struct ProposalPage {
    /// The proposals.
    pub proposals: Vec<ProposalSummary>,
    /// Where the next page begins.
    pub next: Option<PageKey>,
}

impl Service {
    /// One proposal: of the agent's owner, or of a connection where the token may read.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn proposal(&self, by: &Agent, id: &ProposalId) -> Result<ProposalSummary> {
        let mut conn = self.pool.acquire().await?;
        let filter = ListFilter { id: Some(id.as_str()), limit: 1, ..ListFilter::default() };
        let row = db::proposals::list(&mut conn, &filter).await?.pop().ok_or_else(|| not_found("proposal"))?;
        let may_read = by.scopes.iter().any(|scope| scope.read && scope.connection == row.state.connection);
        if row.owner_id != by.owner.as_str() && !may_read {
            return Err(not_found("proposal"));
        }
        self.summary(&mut conn, by, row).await
    }

    /// A page of proposals of the agent's owner, newest first.
    ///
    /// # Errors
    /// `cursor_malformed`.
    pub async fn proposals(&self, by: &Agent, filter: &ProposalFilter) -> Result<ProposalPage> {
        let after = filter.after.as_ref().map(PageKey::parts).transpose()?;
        let limit = filter.limit.clamp(1, 100);
        let mut conn = self.pool.acquire().await?;
        let mut rows = db::proposals::list(
            &mut conn,
            &ListFilter {
                owner: Some(by.owner.as_str()),
                agent: filter.mine.then_some(by.id.as_str()),
                client_ref: filter.client_ref.as_deref(),
                connection_name: filter.connection.as_deref(),
                only: filter.open.then_some("open"),
                after: after.as_ref().map(|(at, id)| (*at, id.as_str())),
                newest_first: true,
                limit: i64::try_from(limit).unwrap_or(100) + 1,
                ..ListFilter::default()
            },
        )
        .await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(PageKey::after);
        let mut proposals = Vec::with_capacity(rows.len());
        for row in rows {
            proposals.push(self.summary(&mut conn, by, row).await?);
        }
        Ok(ProposalPage { proposals, next })
    }

    /// A row of a list as its agent sees it.
    async fn summary(&self, conn: &mut PgConnection, by: &Agent, row: ListRow) -> Result<ProposalSummary> {
        // What was changed in the database does not open: apply says so, and a
        // list is not refused because of it.
        let key = self.vault.open_content_key(&row.state.proposal, &row.sealed_key).ok();
        let input_digest = key.as_ref().and_then(|key| input_digest(key, &row.sealed_digests).ok());
        let comments = match &key {
            // What reviewers write can be about the input.
            Some(key) if row.owner_id == by.owner.as_str() => self.comments(conn, &row.state.proposal, key).await?,
            _ => Vec::new(),
        };
        let connection =
            db::connections::find(conn, row.state.connection.as_str()).await?.ok_or_else(|| not_found("connection"))?;
        let stops_lane =
            row.state.phase.ended_undone() && row.state.closed_at.is_none() && connection.on_failure == OnFailure::Stop;
        Ok(ProposalSummary {
            apply_by: row.state.apply_by(row.apply_within),
            connection: row.connection,
            action: row.action,
            sequence: row.state.sequence,
            phase: row.state.phase,
            input_digest,
            binding_digest: db::connections::digest(&row.binding_digest)
                .ok_or_else(|| Error::internal("a binding digest has another length"))?,
            agent: row.agent,
            on_behalf_of: row.owner,
            proposed_at: row.proposed_at,
            approve_by: row.state.approve_by,
            client_ref: row.client_ref,
            comments,
            integrity_fault: row.state.integrity_fault,
            stops_lane,
            id: row.state.proposal,
        })
    }

    async fn comments(
        &self,
        conn: &mut PgConnection,
        id: &ProposalId,
        key: &ContentKey,
    ) -> Result<Vec<(String, bool, String)>> {
        let texts: BTreeMap<String, Vec<u8>> = db::proposals::texts(conn, id.as_str()).await?.into_iter().collect();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let decisions = DecisionRow::of_proposal(conn, id.as_str()).await?;
        let people: Vec<String> = decisions.iter().filter_map(|decision| decision.person_id.clone()).collect();
        let names = db::people::names(conn, &people).await?;
        let mut comments = Vec::new();
        for decision in decisions {
            let (Some(person), Some(sealed)) = (&decision.person_id, texts.get(&decision.id)) else {
                continue;
            };
            let comment = open_text(key, &decision.id, sealed)?;
            comments.push((names.get(person).cloned().unwrap_or_default(), decision.verdict == "approve", comment));
        }
        Ok(comments)
    }
}

impl PageKey {
    /// After this row.
    pub(super) fn after(row: &ListRow) -> Self {
        Self(format!("{}.{}", row.proposed_at.timestamp_micros(), row.state.proposal))
    }

    /// The time and the id that it stands for.
    pub(super) fn parts(&self) -> Result<(DateTime<Utc>, ProposalId)> {
        let malformed = || {
            invalid("cursor_malformed", "This page marker is not one that Countersign gave. Begin at the first page.")
        };
        let (at, id) = self.0.split_once('.').ok_or_else(malformed)?;
        let at = at.parse().ok().and_then(DateTime::from_timestamp_micros).ok_or_else(malformed)?;
        Ok((at, id.parse().map_err(|_| malformed())?))
    }
}

/// What a round of this proposal binds its decisions to.
pub(super) fn binding(row: &ProposalRow, round: u32, target: &Digest) -> Result<Binding> {
    let digest = |bytes: &[u8]| {
        db::connections::digest(bytes)
            .ok_or_else(|| Error::internal(format!("{}: a digest has another length", row.id)))
    };
    Ok(Binding {
        proposal: row.id.clone(),
        round,
        connection: row.connection_id.clone(),
        target_digest: *target,
        manifest_digest: digest(&row.manifest_digest)?,
        action: row.action.clone(),
        policy_digest: digest(&row.policy_digest)?,
        content_commitment: digest(&row.content_commitment)?,
        requester: row.agent_id.clone(),
        on_behalf_of: row.on_behalf_of.clone(),
        depends_on: Vec::new(),
        approve_within: row.approve_within,
        apply_within: row.apply_within,
    })
}

/// The input digest out of the sealed pair of digests.
pub(super) fn input_digest(key: &ContentKey, sealed: &[u8]) -> Result<Digest> {
    let plain = key.open("digests", sealed)?;
    plain
        .first_chunk::<32>()
        .map(|bytes| Digest::from_bytes(*bytes))
        .ok_or_else(|| Error::internal("sealed digests have another length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_marker_is_read_back() {
        let id = ProposalId::from_random([3; 16]);
        let key = PageKey(format!("1700000000000001.{id}"));
        assert_eq!(key.parts().unwrap().1, id);
        for bad in ["", "1", "x.prp_1", "1700000000000001.con_1"] {
            assert_eq!(PageKey(bad.to_owned()).parts().unwrap_err().code(), "cursor_malformed");
        }
    }
}
