//! What waits for a person, and one proposal as its reviewer sees it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Service;
use super::connections::policy_in_force;
use super::decisions::CannotDecide;
use super::proposals::{PageKey, input_digest};
use crate::actor::SignedIn;
use crate::db;
use crate::db::proposals::{ListFilter, ListRow};
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::ids::{ConnectionId, GroupId, PersonId, ProposalId};
use crate::policy::Policy;
use crate::proposal::Phase;

/// How many rows a part of the queue has on one page.
const PAGE: usize = 50;

/// The queue of one person.
#[derive(Debug, Clone)]
pub struct Queue {
    /// Pending, oldest first: at most 50. Those that the person may decide are marked.
    pub waiting: Vec<QueueRow>,
    /// Where the next page begins.
    pub next: Option<PageKey>,
    /// How many wait for this person, and how many more they can only watch.
    pub counts: QueueCounts,
    /// Approved and not applied, oldest first, at most 50.
    pub approved: Vec<QueueRow>,
    /// Unknown outcomes, integrity faults and unacknowledged failures, oldest first, at most 50.
    pub stuck: Vec<QueueRow>,
    /// How many connections this person reviews.
    pub connections_reviewed: i64,
    /// When this was read.
    pub at: DateTime<Utc>,
}

/// Counts at the time of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// Pending ones that this person may decide.
    pub for_me: i64,
    /// Pending ones that this person only sees.
    pub for_others: i64,
}

/// One line of the queue.
#[derive(Debug, Clone)]
pub struct QueueRow {
    /// The proposal.
    pub id: ProposalId,
    /// The connection's name.
    pub connection: String,
    /// The action's name.
    pub action: String,
    /// The action's title.
    pub action_title: String,
    /// `low`, `medium` or `high`.
    pub risk: &'static str,
    /// The agent's name.
    pub agent: String,
    /// On whose behalf, by name.
    pub on_behalf_of: String,
    /// What people compare; absent where the viewer may not see the input.
    pub input_digest: Option<Digest>,
    /// Where it stands.
    pub phase: Phase,
    /// When it was proposed.
    pub proposed_at: DateTime<Utc>,
    /// Until when it must be decided.
    pub approve_by: DateTime<Utc>,
    /// Until when it must be applied, once that is known.
    pub apply_by: Option<DateTime<Utc>>,
    /// How many open proposals of its lane wait behind it.
    pub behind: i64,
    /// Whether this person may decide it, and why not.
    pub can_decide: Result<(), CannotDecide>,
    /// Whether the last apply found that its records do not agree.
    pub integrity_fault: Option<String>,
}

impl Service {
    /// The queue of this person: the connections that they review, and the
    /// proposals of the agents that they own; for auditors and admins everything.
    ///
    /// # Errors
    /// `cursor_malformed`.
    pub async fn queue(&self, by: &SignedIn, after: Option<&PageKey>) -> Result<Queue> {
        let after = after.map(PageKey::parts).transpose()?;
        let mut conn = self.pool.acquire().await?;
        let at = db::now(&mut conn).await?;
        let reviewed = db::connections::reviewed_by(&mut conn, by.id().as_str()).await?;
        let sees_all = by.person().is_admin || by.person().is_auditor;
        let filter = |only| ListFilter {
            connections: (!sees_all).then_some(reviewed.as_slice()),
            owner: (!sees_all).then_some(by.id().as_str()),
            only: Some(only),
            limit: limit(PAGE),
            ..ListFilter::default()
        };
        let mut waiting = db::proposals::list(
            &mut conn,
            &ListFilter {
                after: after.as_ref().map(|(at, id)| (*at, id.as_str())),
                limit: limit(PAGE + 1),
                ..filter("pending")
            },
        )
        .await?;
        let more = waiting.len() > PAGE;
        waiting.truncate(PAGE);
        let next = waiting.last().filter(|_| more).map(PageKey::after);
        let approved = db::proposals::list(&mut conn, &filter("approved")).await?;
        let stuck = db::proposals::list(&mut conn, &filter("stuck")).await?;

        let groups = db::people::groups_of(&mut conn, &[by.id().as_str().to_owned()]).await?;
        let mut view =
            View { by, at, groups: groups.get(by.id()).cloned().unwrap_or_default(), policies: BTreeMap::new() };
        let counts = self.counts(&mut conn, &mut view, &reviewed, sees_all).await?;
        Ok(Queue {
            waiting: self.rows(&mut conn, &mut view, waiting).await?,
            next,
            counts,
            approved: self.rows(&mut conn, &mut view, approved).await?,
            stuck: self.rows(&mut conn, &mut view, stuck).await?,
            connections_reviewed: i64::try_from(reviewed.len()).unwrap_or(i64::MAX),
            at,
        })
    }

    async fn rows(&self, conn: &mut PgConnection, view: &mut View<'_>, rows: Vec<ListRow>) -> Result<Vec<QueueRow>> {
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            shown.push(self.row(conn, view, row).await?);
        }
        Ok(shown)
    }

    async fn row(&self, conn: &mut PgConnection, view: &mut View<'_>, row: ListRow) -> Result<QueueRow> {
        let digest = db::connections::digest(&row.manifest_digest)
            .ok_or_else(|| Error::internal("a manifest digest has another length"))?;
        let manifest = self.manifest(conn, &digest).await?;
        let action = manifest.actions.get(&row.action);
        let owner: PersonId = row.owner_id.parse().map_err(Error::internal)?;
        let policy = view.policy(conn, &row.state.connection).await?;
        let is_reviewer = policy.requirements.iter().any(|requirement| view.groups.contains(&requirement.group));
        let sees_input = is_reviewer || view.by.person().is_auditor || owner == *view.by.id();
        // What was changed in the database does not open: apply says so, and the
        // rest of the queue is shown all the same.
        let input_digest = self
            .vault
            .open_content_key(&row.state.proposal, &row.sealed_key)
            .ok()
            .filter(|_| sees_input)
            .and_then(|key| input_digest(&key, &row.sealed_digests).ok());
        let can_decide = if row.state.phase != Phase::Pending {
            Err(CannotDecide::NotPending)
        } else if row.state.approve_by <= view.at {
            Err(CannotDecide::Expired)
        } else if !is_reviewer {
            Err(CannotDecide::NotAReviewer)
        } else if policy.four_eyes && owner == *view.by.id() {
            Err(CannotDecide::FourEyes)
        } else {
            Ok(())
        };
        Ok(QueueRow {
            apply_by: row.state.apply_by(row.apply_within),
            connection: row.connection,
            action_title: action.map_or_else(|| row.action.clone(), |action| action.title.clone()),
            risk: action.map_or("high", |action| action.risk.as_str()),
            action: row.action,
            agent: row.agent,
            on_behalf_of: row.owner,
            input_digest,
            phase: row.state.phase,
            proposed_at: row.proposed_at,
            approve_by: row.state.approve_by,
            behind: row.behind,
            can_decide,
            integrity_fault: row.state.integrity_fault,
            id: row.state.proposal,
        })
    }

    /// How many pending proposals this person may decide, and how many they only see.
    async fn counts(
        &self,
        conn: &mut PgConnection,
        view: &mut View<'_>,
        reviewed: &[String],
        sees_all: bool,
    ) -> Result<QueueCounts> {
        let mut counts = QueueCounts::default();
        let visible = (!sees_all).then_some(reviewed);
        for pending in db::states::count_pending(conn, visible, view.by.id().as_str()).await? {
            let policy = view.policy(conn, &pending.connection).await?;
            let is_reviewer = policy.requirements.iter().any(|requirement| view.groups.contains(&requirement.group));
            let mine = if !is_reviewer {
                0
            } else if policy.four_eyes {
                pending.of_others
            } else {
                pending.of_others + pending.own
            };
            counts.for_me += mine;
            counts.for_others += pending.of_others + pending.own - mine;
        }
        Ok(counts)
    }
}

fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Through whose eyes the queue is seen, and the policies that were looked up for it.
struct View<'a> {
    by: &'a SignedIn,
    at: DateTime<Utc>,
    groups: BTreeSet<GroupId>,
    policies: BTreeMap<ConnectionId, Policy>,
}

impl View<'_> {
    async fn policy(&mut self, conn: &mut PgConnection, connection: &ConnectionId) -> Result<Policy> {
        if let Some(policy) = self.policies.get(connection) {
            return Ok(policy.clone());
        }
        let (policy, _) = policy_in_force(conn, connection).await?;
        self.policies.insert(connection.clone(), policy.clone());
        Ok(policy)
    }
}
