//! Connections.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Inconsistent;
use crate::digest::Digest;
use crate::error::Result;
use crate::ids::{ConnectionId, GroupId};
use crate::proposal::OnFailure;

/// How the proposals of a connection are put in sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneOrder {
    /// One sequence.
    Connection,
    /// One for each agent.
    Agent,
    /// One for each entity.
    Entity,
}

impl LaneOrder {
    /// The word in the database.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Agent => "agent",
            Self::Entity => "entity",
        }
    }

    /// The value of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Connection, Self::Agent, Self::Entity].into_iter().find(|order| order.word() == word)
    }
}

/// A connection.
#[derive(Debug, Clone)]
pub struct ConnectionRow {
    /// Its id.
    pub id: ConnectionId,
    /// Its name.
    pub name: String,
    /// Where the provider's API begins.
    pub base_url: String,
    /// The sealed credential.
    pub credential: Option<Vec<u8>>,
    /// HMAC of the credential.
    pub account: Vec<u8>,
    /// The manifest that it pins.
    pub manifest_digest: Digest,
    /// A host that may be called although its address is private.
    pub allowed_host: Option<String>,
    /// How its proposals are put in sequence.
    pub lane_order: LaneOrder,
    /// What a lane does after a write that was not done.
    pub on_failure: OnFailure,
    /// Whether it may be used.
    pub enabled: bool,
    /// The newest sequence number.
    pub last_sequence: i64,
}

struct Row {
    id: String,
    name: String,
    base_url: String,
    credential: Option<Vec<u8>>,
    account: Vec<u8>,
    manifest_digest: Vec<u8>,
    allowed_host: Option<String>,
    lane_order: String,
    on_failure: String,
    enabled: bool,
    last_sequence: i64,
}

impl TryFrom<Row> for ConnectionRow {
    type Error = crate::error::Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row {
            id,
            name,
            base_url,
            credential,
            account,
            manifest_digest,
            allowed_host,
            lane_order,
            on_failure,
            enabled,
            last_sequence,
        } = row;
        let wrong = |what| Inconsistent::error("connection", &id, what);
        Ok(Self {
            lane_order: LaneOrder::from_word(&lane_order).ok_or_else(|| wrong("lane_order"))?,
            on_failure: OnFailure::from_word(&on_failure).ok_or_else(|| wrong("on_failure"))?,
            manifest_digest: digest(&manifest_digest).ok_or_else(|| wrong("manifest_digest"))?,
            id: ConnectionId::from_str(&id).map_err(|_| wrong("id"))?,
            name,
            base_url,
            credential,
            account,
            allowed_host,
            enabled,
            last_sequence,
        })
    }
}

/// 32 bytes as a digest.
#[must_use]
pub fn digest(bytes: &[u8]) -> Option<Digest> {
    bytes.try_into().ok().map(Digest::from_bytes)
}

/// Adds a connection; `false` if the name is taken.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(conn: &mut PgConnection, new: &ConnectionRow, now: DateTime<Utc>) -> Result<bool> {
    let inserted = sqlx::query!(
        "insert into connection (
             id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
             on_failure, enabled, last_sequence, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         on conflict (name) do nothing",
        new.id.as_str(),
        new.name,
        new.base_url,
        new.credential,
        new.account,
        new.manifest_digest.as_bytes().as_slice(),
        new.allowed_host,
        new.lane_order.word(),
        new.on_failure.word(),
        new.enabled,
        new.last_sequence,
        now,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Says which groups review a connection.
///
/// # Errors
/// If the database cannot be reached.
pub async fn set_reviewers(conn: &mut PgConnection, id: &ConnectionId, groups: &[&GroupId]) -> Result<()> {
    sqlx::query!("delete from connection_reviewers where connection_id = $1", id.as_str()).execute(&mut *conn).await?;
    for group in groups {
        sqlx::query!(
            "insert into connection_reviewers (connection_id, group_id) values ($1, $2) on conflict do nothing",
            id.as_str(),
            group.as_str(),
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// The connection of this name.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_by_name(conn: &mut PgConnection, name: &str) -> Result<Option<ConnectionRow>> {
    sqlx::query_as!(
        Row,
        "select id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
                on_failure, enabled, last_sequence
         from connection
         where name = $1",
        name,
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// The connection of this id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<ConnectionRow>> {
    sqlx::query_as!(
        Row,
        "select id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
                on_failure, enabled, last_sequence
         from connection
         where id = $1",
        id,
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// Every connection of these ids, by name; every one at all if `ids` is absent.
///
/// # Errors
/// If the database cannot be reached.
pub async fn list(conn: &mut PgConnection, ids: Option<&[String]>) -> Result<Vec<ConnectionRow>> {
    sqlx::query_as!(
        Row,
        "select id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
                on_failure, enabled, last_sequence
         from connection
         where $1::text[] is null or id = any($1)
         order by name",
        ids as Option<&[String]>,
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(TryInto::try_into)
    .collect()
}

/// Locks a connection for a new sequence number: the first lock in the order of locks.
///
/// # Errors
/// If the database cannot be reached.
pub async fn lock(conn: &mut PgConnection, id: &ConnectionId) -> Result<Option<ConnectionRow>> {
    sqlx::query_as!(
        Row,
        "select id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
                on_failure, enabled, last_sequence
         from connection
         where id = $1
         for no key update",
        id.as_str(),
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// Keeps a connection from changing its target or being disabled until the
/// transaction ends.
///
/// # Errors
/// If the database cannot be reached.
pub async fn lock_shared(conn: &mut PgConnection, id: &ConnectionId) -> Result<Option<ConnectionRow>> {
    sqlx::query_as!(
        Row,
        "select id, name, base_url, credential, account, manifest_digest, allowed_host, lane_order,
                on_failure, enabled, last_sequence
         from connection
         where id = $1
         for share",
        id.as_str(),
    )
    .fetch_optional(conn)
    .await?
    .map(TryInto::try_into)
    .transpose()
}

/// Takes the next sequence number under [`lock`].
///
/// # Errors
/// If the database cannot be reached.
pub async fn next_sequence(conn: &mut PgConnection, id: &ConnectionId) -> Result<i64> {
    Ok(sqlx::query_scalar!(
        "update connection set last_sequence = last_sequence + 1 where id = $1 returning last_sequence",
        id.as_str(),
    )
    .fetch_one(conn)
    .await?)
}

/// The connections in which one of this person's groups reviews.
///
/// # Errors
/// If the database cannot be reached.
pub async fn reviewed_by(conn: &mut PgConnection, person: &str) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select distinct connection_reviewers.connection_id
         from connection_reviewers
         join group_member on group_member.group_id = connection_reviewers.group_id
         where group_member.person_id = $1",
        person,
    )
    .fetch_all(conn)
    .await?)
}
