//! What lies beside the records of proposals: sealed texts, fingerprints, lists.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::states::{Row as StateRow, State};
use crate::error::Result;
use crate::ids::ProposalId;

/// The sealed content of a proposal.
pub struct ContentRow {
    /// The key of its texts, sealed by a data key.
    pub sealed_key: Vec<u8>,
    /// Salt and content.
    pub sealed: Vec<u8>,
    /// The plain digests alone.
    pub sealed_digests: Vec<u8>,
}

/// Stores the sealed content of a new proposal.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert_content(conn: &mut PgConnection, id: &ProposalId, content: &ContentRow) -> Result<()> {
    sqlx::query!(
        "insert into proposal_content (proposal_id, sealed_key, sealed, sealed_digests) values ($1, $2, $3, $4)",
        id.as_str(),
        content.sealed_key,
        content.sealed,
        content.sealed_digests,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The sealed content of a proposal.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_content(conn: &mut PgConnection, id: &str) -> Result<Option<ContentRow>> {
    Ok(sqlx::query_as!(
        ContentRow,
        "select sealed_key, sealed, sealed_digests from proposal_content where proposal_id = $1",
        id,
    )
    .fetch_optional(conn)
    .await?)
}

/// The key of a proposal's texts, sealed.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_content_key(conn: &mut PgConnection, id: &str) -> Result<Option<Vec<u8>>> {
    Ok(sqlx::query_scalar!("select sealed_key from proposal_content where proposal_id = $1", id)
        .fetch_optional(conn)
        .await?)
}

/// Stores a sealed comment, note or reason beside the record that it belongs to.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert_text(conn: &mut PgConnection, record: &str, id: &ProposalId, sealed: &[u8]) -> Result<()> {
    sqlx::query!(
        "insert into proposal_text (record_id, proposal_id, sealed) values ($1, $2, $3)",
        record,
        id.as_str(),
        sealed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Every sealed comment, note and reason of a proposal, by record.
///
/// # Errors
/// If the database cannot be reached.
pub async fn texts(conn: &mut PgConnection, id: &str) -> Result<Vec<(String, Vec<u8>)>> {
    Ok(sqlx::query!("select record_id, sealed from proposal_text where proposal_id = $1", id)
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| (row.record_id, row.sealed))
        .collect())
}

/// Stores a fingerprint.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert_fingerprint(conn: &mut PgConnection, id: &ProposalId, kind: &str, value: &[u8; 32]) -> Result<()> {
    sqlx::query!(
        "insert into fingerprint (proposal_id, kind, value) values ($1, $2, $3) on conflict do nothing",
        id.as_str(),
        kind,
        value.as_slice(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a proposal has this fingerprint; `None` if it has none of this kind (any more).
///
/// # Errors
/// If the database cannot be reached.
pub async fn has_fingerprint(conn: &mut PgConnection, id: &str, kind: &str, value: &[u8; 32]) -> Result<Option<bool>> {
    Ok(sqlx::query_scalar!(
        "select bool_or(value = $3) from fingerprint where proposal_id = $1 and kind = $2",
        id,
        kind,
        value.as_slice(),
    )
    .fetch_one(conn)
    .await?)
}

/// The newest open proposal with this fingerprint.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_open_equal(conn: &mut PgConnection, value: &[u8; 32]) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        "select proposal_state.proposal_id
         from fingerprint
         join proposal_state on proposal_state.proposal_id = fingerprint.proposal_id
         where fingerprint.kind = 'equal' and fingerprint.value = $1 and proposal_state.closed_at is null
         order by proposal_state.sequence desc
         limit 1",
        value.as_slice(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Other proposals with the same `equal` fingerprint as this one, newest first.
///
/// # Errors
/// If the database cannot be reached.
pub async fn same_as(conn: &mut PgConnection, id: &str, limit: i64) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select proposal.id
         from fingerprint as mine
         join fingerprint as other on other.kind = mine.kind and other.value = mine.value
         join proposal on proposal.id = other.proposal_id
         where mine.proposal_id = $1 and mine.kind = 'equal' and other.proposal_id <> $1
         order by proposal.proposed_at desc, proposal.id desc
         limit $2",
        id,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// One proposal of a list, with its names and its state.
pub struct ListRow {
    /// Where it stands.
    pub state: State,
    /// Its connection's name.
    pub connection: String,
    /// The manifest that it runs under.
    pub manifest_digest: Vec<u8>,
    /// Its action.
    pub action: String,
    /// Its agent's name.
    pub agent: String,
    /// The owner's id.
    pub owner_id: String,
    /// The owner's name.
    pub owner: String,
    /// When it was proposed.
    pub proposed_at: DateTime<Utc>,
    /// Seconds in which it must be applied.
    pub apply_within: i64,
    /// Its agent's own reference.
    pub client_ref: Option<String>,
    /// What decisions of the newest round are bound to.
    pub binding_digest: Vec<u8>,
    /// The key of its texts, sealed.
    pub sealed_key: Vec<u8>,
    /// The plain digests, sealed.
    pub sealed_digests: Vec<u8>,
    /// How many open proposals of its lane wait behind it.
    pub behind: i64,
}

/// Which proposals a list holds. Every part narrows it.
#[derive(Default)]
pub struct ListFilter<'a> {
    /// Only this one.
    pub id: Option<&'a str>,
    /// Only of these connections, or of this owner.
    pub connections: Option<&'a [String]>,
    /// With `connections`: or of this owner's agents. Alone: only of them.
    pub owner: Option<&'a str>,
    /// Only of this agent.
    pub agent: Option<&'a str>,
    /// Only with this reference.
    pub client_ref: Option<&'a str>,
    /// Only at this connection (its name).
    pub connection_name: Option<&'a str>,
    /// `open`, `pending`, `approved` (and not applied) or `stuck`.
    pub only: Option<&'a str>,
    /// Where the page before ended: time and id.
    pub after: Option<(DateTime<Utc>, &'a str)>,
    /// Newest first; otherwise oldest first.
    pub newest_first: bool,
    /// At most so many.
    pub limit: i64,
}

/// A page of proposals.
///
/// # Errors
/// If the database cannot be reached.
#[expect(clippy::too_many_lines, reason = "one statement and the mapping of its columns")]
pub async fn list(conn: &mut PgConnection, filter: &ListFilter<'_>) -> Result<Vec<ListRow>> {
    let (after_at, after_id) = filter.after.map_or((None, None), |(at, id)| (Some(at), Some(id)));
    let rows = sqlx::query!(
        r#"select proposal.id, proposal.connection_id, proposal.lane, proposal.sequence, proposal.agent_id,
                  state.round, state.decision, state.execution, state.approve_by, state.approved_at,
                  state.first_at, state.closed_at, state.integrity_fault,
                  connection.name as connection, proposal.manifest_digest, proposal.action,
                  agent.name as agent, person.id as owner_id, person.name as owner,
                  proposal.proposed_at, proposal.apply_within, proposal.client_ref,
                  round.binding_digest, content.sealed_key, content.sealed_digests,
                  (select count(*)
                   from proposal_state as behind
                   where state.closed_at is null
                     and behind.connection_id = state.connection_id
                     and behind.lane = state.lane
                     and behind.closed_at is null
                     and behind.sequence > state.sequence) as "behind!"
           from proposal
           join proposal_state as state on state.proposal_id = proposal.id
           join proposal_round as round on round.proposal_id = proposal.id and round.round = state.round
           join proposal_content as content on content.proposal_id = proposal.id
           join connection on connection.id = proposal.connection_id
           join agent on agent.id = proposal.agent_id
           join person on person.id = proposal.on_behalf_of
           where ($1::text is null or proposal.id = $1)
             and (($2::text[] is null and ($3::text is null or proposal.on_behalf_of = $3))
                  or proposal.connection_id = any($2)
                  or ($2 is not null and proposal.on_behalf_of = $3))
             and ($4::text is null or proposal.agent_id = $4)
             and ($5::text is null or proposal.client_ref = $5)
             and ($6::text is null or connection.name = $6)
             and case $7::text
                     when 'open' then state.closed_at is null
                     when 'pending' then state.closed_at is null and state.decision = 'pending'
                     when 'approved' then state.closed_at is null and state.execution in ('waiting', 'executing') and state.integrity_fault is null
                     when 'stuck' then state.closed_at is null
                          and (state.integrity_fault is not null
                               or state.execution not in ('waiting', 'executing'))
                     else true
                 end
             and ($8::timestamptz is null
                  or case when $10
                         then (proposal.proposed_at, proposal.id) < ($8, $9)
                         else (proposal.proposed_at, proposal.id) > ($8, $9)
                     end)
           order by
               case when $10 then proposal.proposed_at end desc,
               case when $10 then proposal.id end desc,
               case when not $10 then proposal.proposed_at end,
               case when not $10 then proposal.id end
           limit $11"#,
        filter.id,
        filter.connections as Option<&[String]>,
        filter.owner,
        filter.agent,
        filter.client_ref,
        filter.connection_name,
        filter.only,
        after_at,
        after_id,
        filter.newest_first,
        filter.limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ListRow {
                state: StateRow {
                    proposal_id: row.id,
                    connection_id: row.connection_id,
                    lane: row.lane,
                    sequence: row.sequence,
                    agent_id: row.agent_id,
                    round: row.round,
                    decision: row.decision,
                    execution: row.execution,
                    approve_by: row.approve_by,
                    approved_at: row.approved_at,
                    first_at: row.first_at,
                    closed_at: row.closed_at,
                    integrity_fault: row.integrity_fault,
                }
                .try_into()?,
                connection: row.connection,
                manifest_digest: row.manifest_digest,
                action: row.action,
                agent: row.agent,
                owner_id: row.owner_id,
                owner: row.owner,
                proposed_at: row.proposed_at,
                apply_within: row.apply_within,
                client_ref: row.client_ref,
                binding_digest: row.binding_digest,
                sealed_key: row.sealed_key,
                sealed_digests: row.sealed_digests,
                behind: row.behind,
            })
        })
        .collect()
}
