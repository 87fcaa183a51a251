//! Working keys, sealed.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::error::Result;
use crate::ids::KeyId;

/// A working key as it is stored.
pub struct KeyRow {
    /// Its id.
    pub id: String,
    /// `data`, `fingerprint` or `signing`.
    pub purpose: String,
    /// Sealed by the master key.
    pub sealed: Vec<u8>,
    /// Since when it only opens and verifies.
    pub retired_at: Option<DateTime<Utc>>,
}

/// Whether a key of this purpose is in use.
///
/// # Errors
/// If the database cannot be reached.
pub async fn in_use(conn: &mut PgConnection, purpose: &str) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from working_key where purpose = $1 and retired_at is null) as "exists!""#,
        purpose,
    )
    .fetch_one(conn)
    .await?)
}

/// Stores a new key.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(
    conn: &mut PgConnection,
    id: &KeyId,
    purpose: &str,
    sealed: &[u8],
    public: Option<&[u8]>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into working_key (id, purpose, sealed, public, created_at) values ($1, $2, $3, $4, $5)",
        id.as_str(),
        purpose,
        sealed,
        public,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Every key, oldest first.
///
/// # Errors
/// If the database cannot be reached.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<KeyRow>> {
    Ok(sqlx::query_as!(KeyRow, "select id, purpose, sealed, retired_at from working_key order by created_at, id")
        .fetch_all(conn)
        .await?)
}
