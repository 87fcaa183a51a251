//! The audit history, read back.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::error::Result;

/// An event with the names that a reader wants.
pub struct EventRow {
    /// Its chain.
    pub chain: String,
    /// Its place in it.
    pub sequence: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: String,
    /// The proposal.
    pub proposal_id: Option<String>,
    /// The canonical JSON.
    pub body: Vec<u8>,
    /// The hash before it.
    pub prev: Vec<u8>,
    /// The hash after it.
    pub hash: Vec<u8>,
    /// The connection.
    pub connection_id: Option<String>,
    /// The connection's name.
    pub connection: Option<String>,
    /// The proposal's action.
    pub action: Option<String>,
}

/// Which events a page holds. Every part narrows it.
#[derive(Default)]
pub struct EventFilter<'a> {
    /// Only of these connections, or about proposals of this owner.
    pub visible: Option<(&'a [String], &'a str)>,
    /// Only of this connection (its name).
    pub connection: Option<&'a str>,
    /// Only of this proposal.
    pub proposal: Option<&'a str>,
    /// Only kinds that begin so.
    pub kind: Option<&'a str>,
    /// Only before this event.
    pub before: Option<(DateTime<Utc>, &'a str, i64)>,
    /// At most so many.
    pub limit: i64,
}

/// A page of the history, newest first.
///
/// # Errors
/// If the database cannot be reached.
pub async fn page(conn: &mut PgConnection, filter: &EventFilter<'_>) -> Result<Vec<EventRow>> {
    let (connections, owner) = filter.visible.map_or((None, None), |(ids, owner)| (Some(ids), Some(owner)));
    let (at, chain, sequence) =
        filter.before.map_or((None, None, None), |(at, chain, sequence)| (Some(at), Some(chain), Some(sequence)));
    Ok(sqlx::query_as!(
        EventRow,
        r#"select event.chain, event.sequence, event.at, event.kind, event.proposal_id, event.body,
                  event.prev, event.hash, event.connection_id,
                  connection.name as "connection?", proposal.action as "action?"
           from event
           left join connection on connection.id = event.connection_id
           left join proposal on proposal.id = event.proposal_id
           where ($1::text[] is null or event.connection_id = any($1) or proposal.on_behalf_of = $2)
             and ($3::text is null or connection.name = $3)
             and ($4::text is null or event.proposal_id = $4)
             and ($5::text is null or starts_with(event.kind, $5))
             and ($6::timestamptz is null or (event.at, event.chain, event.sequence) < ($6, $7, $8))
           order by event.at desc, event.chain desc, event.sequence desc
           limit $9"#,
        connections as Option<&[String]>,
        owner,
        filter.connection,
        filter.proposal,
        filter.kind,
        at,
        chain,
        sequence,
        filter.limit,
    )
    .fetch_all(conn)
    .await?)
}

/// The next events of a chain after a sequence number, in order.
///
/// # Errors
/// If the database cannot be reached.
pub async fn of_chain(conn: &mut PgConnection, chain: &str, after: i64, limit: i64) -> Result<Vec<EventRow>> {
    Ok(sqlx::query_as!(
        EventRow,
        r#"select chain, sequence, at, kind, proposal_id, body, prev, hash, connection_id,
                  null::text as connection, null::text as action
           from event
           where chain = $1 and sequence > $2
           order by sequence
           limit $3"#,
        chain,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Every chain: id, length and head.
///
/// # Errors
/// If the database cannot be reached.
pub async fn chains(conn: &mut PgConnection) -> Result<Vec<(String, i64, Vec<u8>)>> {
    Ok(sqlx::query!("select id, length, head from chain order by id")
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| (row.id, row.length, row.head))
        .collect())
}
