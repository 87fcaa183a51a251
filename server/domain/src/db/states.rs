//! The projection of where each proposal stands. Written in the transaction of
//! the record that causes the change, and never believed where a record can be asked.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{Inconsistent, changed_one};
use crate::error::Result;
use crate::ids::{ConnectionId, ProposalId};
use crate::proposal::{Decision, Execution, Phase};

/// Where one proposal stands.
#[derive(Debug, Clone)]
pub struct State {
    /// The proposal.
    pub proposal: ProposalId,
    /// Its connection.
    pub connection: ConnectionId,
    /// Its lane.
    pub lane: String,
    /// Its place in the connection's sequence.
    pub sequence: i64,
    /// The agent that proposed it.
    pub agent: String,
    /// The newest round.
    pub round: i32,
    /// Both axes.
    pub phase: Phase,
    /// Until when it must be decided.
    pub approve_by: DateTime<Utc>,
    /// When it was approved.
    pub approved_at: Option<DateTime<Utc>>,
    /// When it became the first of its lane.
    pub first_at: Option<DateTime<Utc>>,
    /// Since when its lane may move past it.
    pub closed_at: Option<DateTime<Utc>>,
    /// Why the last apply refused it.
    pub integrity_fault: Option<String>,
}

pub(super) struct Row {
    pub proposal_id: String,
    pub connection_id: String,
    pub lane: String,
    pub sequence: i64,
    pub agent_id: String,
    pub round: i32,
    pub decision: String,
    pub execution: Option<String>,
    pub approve_by: DateTime<Utc>,
    pub approved_at: Option<DateTime<Utc>>,
    pub first_at: Option<DateTime<Utc>>,
    pub closed_at: Option<DateTime<Utc>>,
    pub integrity_fault: Option<String>,
}

impl TryFrom<Row> for State {
    type Error = crate::error::Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row {
            proposal_id,
            connection_id,
            lane,
            sequence,
            agent_id,
            round,
            decision,
            execution,
            approve_by,
            approved_at,
            first_at,
            closed_at,
            integrity_fault,
        } = row;
        let wrong = |what| Inconsistent::error("proposal_state", &proposal_id, what);
        Ok(Self {
            phase: phase(&decision, execution.as_deref()).ok_or_else(|| wrong("phase"))?,
            connection: ConnectionId::from_str(&connection_id).map_err(|_| wrong("connection_id"))?,
            proposal: ProposalId::from_str(&proposal_id).map_err(|_| wrong("proposal_id"))?,
            lane,
            sequence,
            agent: agent_id,
            round,
            approve_by,
            approved_at,
            first_at,
            closed_at,
            integrity_fault,
        })
    }
}

/// The phase that two words stand for.
#[must_use]
pub fn phase(decision: &str, execution: Option<&str>) -> Option<Phase> {
    let execution = match execution {
        None => None,
        Some(word) => Some(Execution::from_word(word)?),
    };
    Phase::of(Decision::from_word(decision)?, execution)
}

impl State {
    /// Until when it must be applied: so many seconds after the later of its
    /// approval and its turn.
    #[must_use]
    pub fn apply_by(&self, apply_within: i64) -> Option<DateTime<Utc>> {
        let from = self.approved_at?.max(self.first_at?);
        Some(from + chrono::TimeDelta::seconds(apply_within))
    }
}

/// Adds the state of a new proposal.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(conn: &mut PgConnection, state: &State) -> Result<()> {
    sqlx::query!(
        "insert into proposal_state (
             proposal_id, connection_id, lane, sequence, agent_id, round, decision, execution,
             approve_by, approved_at, first_at, closed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        state.proposal.as_str(),
        state.connection.as_str(),
        state.lane,
        state.sequence,
        state.agent,
        state.round,
        state.phase.decision().word(),
        state.phase.execution().map(Execution::word),
        state.approve_by,
        state.approved_at,
        state.first_at,
        state.closed_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Where a proposal stands, unlocked.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find(conn: &mut PgConnection, id: &ProposalId) -> Result<Option<State>> {
    sqlx::query_as!(
        Row,
        "select proposal_id, connection_id, lane, sequence, agent_id, round, decision, execution,
                approve_by, approved_at, first_at, closed_at, integrity_fault
         from proposal_state
         where proposal_id = $1",
        id.as_str(),
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// Where a proposal stands, locked until the transaction ends.
///
/// # Errors
/// If the database cannot be reached.
pub async fn lock(conn: &mut PgConnection, id: &ProposalId) -> Result<Option<State>> {
    sqlx::query_as!(
        Row,
        "select proposal_id, connection_id, lane, sequence, agent_id, round, decision, execution,
                approve_by, approved_at, first_at, closed_at, integrity_fault
         from proposal_state
         where proposal_id = $1
         for update",
        id.as_str(),
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// The first open proposal of a lane, locked.
///
/// # Errors
/// If the database cannot be reached.
pub async fn lock_first(conn: &mut PgConnection, connection: &ConnectionId, lane: &str) -> Result<Option<State>> {
    sqlx::query_as!(
        Row,
        "select proposal_id, connection_id, lane, sequence, agent_id, round, decision, execution,
                approve_by, approved_at, first_at, closed_at, integrity_fault
         from proposal_state
         where connection_id = $1 and lane = $2 and closed_at is null
         order by sequence
         limit 1
         for update",
        connection.as_str(),
        lane,
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// Writes what `new` says, if the proposal still stands where `old` says.
///
/// # Errors
/// If the database cannot be reached, or it stands elsewhere although it was locked.
pub async fn save(conn: &mut PgConnection, old: &State, new: &State) -> Result<()> {
    let saved = sqlx::query!(
        "update proposal_state
         set decision = $4, execution = $5, approved_at = $6, first_at = $7, closed_at = $8,
             integrity_fault = $9
         where proposal_id = $1 and decision = $2 and execution is not distinct from $3",
        old.proposal.as_str(),
        old.phase.decision().word(),
        old.phase.execution().map(Execution::word),
        new.phase.decision().word(),
        new.phase.execution().map(Execution::word),
        new.approved_at,
        new.first_at,
        new.closed_at,
        new.integrity_fault,
    )
    .execute(conn)
    .await?;
    changed_one(&saved, "proposal state")
}

/// Notes that the first open proposal of a lane became the first at this moment.
///
/// # Errors
/// If the database cannot be reached.
pub async fn note_first(
    conn: &mut PgConnection,
    connection: &ConnectionId,
    lane: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update proposal_state
         set first_at = $3
         where first_at is null
           and proposal_id = (
               select proposal_id
               from proposal_state
               where connection_id = $1 and lane = $2 and closed_at is null
               order by sequence
               limit 1)",
        connection.as_str(),
        lane,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How many open proposals a connection has, and how many pending ones an agent has.
///
/// # Errors
/// If the database cannot be reached.
pub async fn count_open(conn: &mut PgConnection, connection: &ConnectionId, agent: &str) -> Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"select
               (select count(*) from proposal_state where connection_id = $1 and closed_at is null) as "of_connection!",
               (select count(*) from proposal_state where agent_id = $2 and decision = 'pending') as "of_agent!""#,
        connection.as_str(),
        agent,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.of_connection, row.of_agent))
}

/// How many open proposals of its lane stand before this one, and how many behind.
///
/// # Errors
/// If the database cannot be reached.
pub async fn neighbours(conn: &mut PgConnection, state: &State) -> Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"select
               count(*) filter (where sequence < $3) as "ahead!",
               count(*) filter (where sequence > $3) as "behind!"
           from proposal_state
           where connection_id = $1 and lane = $2 and closed_at is null"#,
        state.connection.as_str(),
        state.lane,
        state.sequence,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.ahead, row.behind))
}

/// The lanes of a connection that have an open proposal, in the order of their first ones.
///
/// # Errors
/// If the database cannot be reached.
pub async fn open_lanes(conn: &mut PgConnection, connection: &ConnectionId) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select lane
         from proposal_state
         where connection_id = $1 and closed_at is null
         group by lane
         order by min(sequence)",
        connection.as_str(),
    )
    .fetch_all(conn)
    .await?)
}

/// What was closed last at a connection: proposal and state word, newest first.
///
/// # Errors
/// If the database cannot be reached.
pub async fn closed_last(
    conn: &mut PgConnection,
    connection: &ConnectionId,
    limit: i64,
) -> Result<Vec<(ProposalId, Phase)>> {
    sqlx::query!(
        "select proposal_id, decision, execution
         from proposal_state
         where connection_id = $1 and closed_at is not null
         order by closed_at desc
         limit $2",
        connection.as_str(),
        limit,
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| {
        let wrong = |what| Inconsistent::error("proposal_state", &row.proposal_id, what);
        Ok((
            ProposalId::from_str(&row.proposal_id).map_err(|_| wrong("proposal_id"))?,
            phase(&row.decision, row.execution.as_deref()).ok_or_else(|| wrong("phase"))?,
        ))
    })
    .collect()
}

/// Pending proposals whose time has passed, and lanes whose lease has, at most
/// a hundred of each: what a sweep has to look at.
///
/// # Errors
/// If the database cannot be reached.
pub async fn overdue(conn: &mut PgConnection) -> Result<Vec<(ConnectionId, ProposalId)>> {
    sqlx::query!(
        "select connection_id, proposal_id
         from proposal_state
         where decision = 'pending' and approve_by <= app_now()
         order by approve_by
         limit 100"
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| {
        let wrong = |what| Inconsistent::error("proposal_state", &row.proposal_id, what);
        Ok((
            ConnectionId::from_str(&row.connection_id).map_err(|_| wrong("connection_id"))?,
            ProposalId::from_str(&row.proposal_id).map_err(|_| wrong("proposal_id"))?,
        ))
    })
    .collect()
}

/// How many pending proposals a connection has: of a person's own agents, and of others.
pub struct PendingCount {
    /// The connection.
    pub connection: ConnectionId,
    /// Of this person's agents.
    pub own: i64,
    /// Of everybody else's.
    pub of_others: i64,
}

/// Pending proposals by connection: at these connections, or of this owner;
/// everywhere if `connections` is absent.
///
/// # Errors
/// If the database cannot be reached.
pub async fn count_pending(
    conn: &mut PgConnection,
    connections: Option<&[String]>,
    owner: &str,
) -> Result<Vec<PendingCount>> {
    sqlx::query!(
        r#"select state.connection_id,
                  count(*) filter (where proposal.on_behalf_of = $2) as "own!",
                  count(*) filter (where proposal.on_behalf_of <> $2) as "of_others!"
           from proposal_state as state
           join proposal on proposal.id = state.proposal_id
           where state.decision = 'pending' and state.closed_at is null
             and ($1::text[] is null or state.connection_id = any($1) or proposal.on_behalf_of = $2)
           group by state.connection_id"#,
        connections as Option<&[String]>,
        owner,
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| {
        Ok(PendingCount {
            connection: ConnectionId::from_str(&row.connection_id)
                .map_err(|_| Inconsistent::error("proposal_state", &row.connection_id, "connection_id"))?,
            own: row.own,
            of_others: row.of_others,
        })
    })
    .collect()
}
