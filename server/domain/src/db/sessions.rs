//! Browser sessions.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::error::Result;

/// A session row, with its person's id.
pub struct SessionRow {
    /// Who is signed in by it.
    pub person_id: Option<String>,
    /// What the transport keeps.
    pub data: Vec<u8>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

/// Adds a session; `false` if the id is taken.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(
    conn: &mut PgConnection,
    id: &[u8],
    person: Option<&str>,
    data: &[u8],
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<bool> {
    let inserted = sqlx::query!(
        "insert into session (id, person_id, data, created_at, expires_at)
         values ($1, $2, $3, $4, $5)
         on conflict (id) do nothing",
        id,
        person,
        data,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Writes what a session holds; `false` if there is none of this id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn update(
    conn: &mut PgConnection,
    id: &[u8],
    person: Option<&str>,
    data: &[u8],
    expires_at: DateTime<Utc>,
) -> Result<bool> {
    let updated = sqlx::query!(
        "update session set person_id = $2, data = $3, expires_at = $4 where id = $1",
        id,
        person,
        data,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(updated.rows_affected() == 1)
}

/// A session that has not ended.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find(conn: &mut PgConnection, id: &[u8]) -> Result<Option<SessionRow>> {
    Ok(sqlx::query_as!(
        SessionRow,
        "select person_id, data, expires_at from session where id = $1 and expires_at > app_now()",
        id,
    )
    .fetch_optional(conn)
    .await?)
}

/// Ends a session.
///
/// # Errors
/// If the database cannot be reached.
pub async fn delete(conn: &mut PgConnection, id: &[u8]) -> Result<()> {
    sqlx::query!("delete from session where id = $1", id).execute(conn).await?;
    Ok(())
}

/// Removes sessions that have ended, at most a thousand at once.
///
/// # Errors
/// If the database cannot be reached.
pub async fn delete_ended(conn: &mut PgConnection) -> Result<u64> {
    let deleted = sqlx::query!(
        "delete from session
         where id in (select id from session where expires_at <= app_now() limit 1000)"
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
