//! Lanes: who may write in one at this moment.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::changed_one;
use crate::error::Result;
use crate::ids::ConnectionId;

/// A lane, locked until the transaction ends.
#[derive(Debug)]
pub struct Lane {
    /// The newest fence.
    pub fence: i64,
    /// The attempt that holds the lease.
    pub holder: Option<String>,
    /// Until when it does.
    pub lease_until: Option<DateTime<Utc>>,
}

/// Locks a lane, made if there is none.
///
/// # Errors
/// If the database cannot be reached.
pub async fn lock(conn: &mut PgConnection, connection: &ConnectionId, lane: &str) -> Result<Lane> {
    sqlx::query!(
        "insert into lane (connection_id, lane) values ($1, $2) on conflict do nothing",
        connection.as_str(),
        lane,
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_as!(
        Lane,
        "select fence, holder, lease_until from lane where connection_id = $1 and lane = $2 for update",
        connection.as_str(),
        lane,
    )
    .fetch_one(conn)
    .await?)
}

/// Gives the lane to an attempt under a new fence.
///
/// # Errors
/// If the database cannot be reached.
pub async fn take(
    conn: &mut PgConnection,
    connection: &ConnectionId,
    lane: &str,
    fence: i64,
    holder: &str,
    lease_until: DateTime<Utc>,
) -> Result<()> {
    let taken = sqlx::query!(
        "update lane
         set fence = $3, holder = $4, lease_until = $5
         where connection_id = $1 and lane = $2 and fence < $3 and holder is null",
        connection.as_str(),
        lane,
        fence,
        holder,
        lease_until,
    )
    .execute(conn)
    .await?;
    changed_one(&taken, "lane lease")
}

/// Frees the lane if this attempt still holds it: a stale owner frees nothing.
///
/// # Errors
/// If the database cannot be reached.
pub async fn release(
    conn: &mut PgConnection,
    connection: &ConnectionId,
    lane: &str,
    fence: i64,
    holder: &str,
) -> Result<bool> {
    let released = sqlx::query!(
        "update lane
         set holder = null, lease_until = null
         where connection_id = $1 and lane = $2 and fence = $3 and holder = $4",
        connection.as_str(),
        lane,
        fence,
        holder,
    )
    .execute(conn)
    .await?;
    Ok(released.rows_affected() == 1)
}

/// Lanes whose lease ended this long ago without an outcome.
///
/// # Errors
/// If the database cannot be reached.
pub async fn abandoned(conn: &mut PgConnection, seconds: f64) -> Result<Vec<(String, String)>> {
    Ok(sqlx::query!(
        "select connection_id, lane
         from lane
         where lease_until <= app_now() - make_interval(secs => $1)
         limit 100",
        seconds,
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .map(|row| (row.connection_id, row.lane))
    .collect())
}
