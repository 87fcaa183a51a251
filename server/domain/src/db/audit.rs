//! Hash chains: opened, locked, appended to.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{Inconsistent, changed_one};
pub use crate::audit::ADMINISTRATION;
use crate::audit::{Entry, GENESIS, chain_hash};
use crate::error::Result;
use crate::random;

/// The head of a chain, locked until the transaction ends.
pub struct Head {
    /// How many events it has.
    pub length: i64,
    /// The hash after the last one.
    pub hash: [u8; 32],
}

/// Makes the chain if there is none of this name.
///
/// # Errors
/// If the database cannot be reached.
pub async fn open_chain(conn: &mut PgConnection, chain: &str) -> Result<()> {
    sqlx::query!(
        "insert into chain (id, length, head) values ($1, 0, $2) on conflict (id) do nothing",
        chain,
        GENESIS.as_slice(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the head of a chain. The last lock in the order of locks.
///
/// # Errors
/// If the database cannot be reached or there is no such chain.
pub async fn lock_chain(conn: &mut PgConnection, chain: &str) -> Result<Head> {
    let row = sqlx::query!("select length, head from chain where id = $1 for update", chain).fetch_one(conn).await?;
    let hash = row.head.try_into().map_err(|_| Inconsistent::error("chain", chain, "head"))?;
    Ok(Head { length: row.length, hash })
}

/// Appends one event in the transaction that it records.
///
/// # Errors
/// If the database cannot be reached.
pub async fn append(conn: &mut PgConnection, at: DateTime<Utc>, entry: &Entry) -> Result<()> {
    let chain = entry.chain();
    let head = lock_chain(conn, chain).await?;
    let sequence = head.length + 1;
    let body = entry.body(sequence, at, &random::bytes());
    let hash = chain_hash(&head.hash, &body);
    sqlx::query!(
        "insert into event (chain, sequence, at, kind, connection_id, proposal_id, body, prev, hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        chain,
        sequence,
        at,
        entry.kind,
        entry.connection.as_ref().map(crate::ids::ConnectionId::as_str),
        entry.proposal.as_ref().map(crate::ids::ProposalId::as_str),
        body,
        head.hash.as_slice(),
        hash.as_bytes().as_slice(),
    )
    .execute(&mut *conn)
    .await?;
    let moved = sqlx::query!(
        "update chain set length = $2, head = $3 where id = $1 and length = $4",
        chain,
        sequence,
        hash.as_bytes().as_slice(),
        head.length,
    )
    .execute(conn)
    .await?;
    changed_one(&moved, "chain head")
}
