//! What proposals are held to: manifests and policies.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgConnection;

use super::{Record, hex, micros};
use crate::digest::Digest;
use crate::error::Result;

/// A row of `manifest`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct ManifestRow {
    #[serde(serialize_with = "hex")]
    pub digest: Vec<u8>,
    pub name: String,
    pub title: String,
    #[serde(serialize_with = "hex")]
    pub body: Vec<u8>,
    #[serde(serialize_with = "micros")]
    pub loaded_at: DateTime<Utc>,
}

impl Record for ManifestRow {
    const TABLE: &'static str = "manifest";

    fn key(&self) -> String {
        crate::audit::hex(&self.digest)
    }
}

impl ManifestRow {
    /// Adds the row; `false` if this manifest is stored already.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<bool> {
        let result = sqlx::query!(
            "insert into manifest (digest, name, title, body, loaded_at)
             values ($1, $2, $3, $4, $5)
             on conflict (digest) do nothing",
            self.digest,
            self.name,
            self.title,
            self.body,
            self.loaded_at,
        )
        .execute(conn)
        .await?;
        Ok(result.rows_affected() == 1)
    }

    /// The manifest of this digest in hex.
    pub(super) async fn find(conn: &mut PgConnection, key: &str) -> Result<Option<Self>> {
        let Ok(digest) = Digest::from_str(key) else {
            return Ok(None);
        };
        Self::by_digest(conn, &digest).await
    }

    /// The manifest of this digest.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn by_digest(conn: &mut PgConnection, digest: &Digest) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from manifest where digest = $1", digest.as_bytes().as_slice())
            .fetch_optional(conn)
            .await?)
    }
}

/// A row of `policy_version`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct PolicyRow {
    pub id: String,
    pub connection_id: String,
    pub version: i32,
    #[serde(serialize_with = "hex")]
    pub body: Vec<u8>,
    #[serde(serialize_with = "hex")]
    pub policy_digest: Vec<u8>,
    #[serde(serialize_with = "micros")]
    pub created_at: DateTime<Utc>,
}

impl Record for PolicyRow {
    const TABLE: &'static str = "policy_version";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl PolicyRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into policy_version (id, connection_id, version, body, policy_digest, created_at)
             values ($1, $2, $3, $4, $5, $6)",
            self.id,
            self.connection_id,
            self.version,
            self.body,
            self.policy_digest,
            self.created_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    /// The policy version of this id.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from policy_version where id = $1", id).fetch_optional(conn).await?)
    }

    /// The version in force at a connection.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn newest(conn: &mut PgConnection, connection: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(
            Self,
            "select * from policy_version where connection_id = $1 order by version desc limit 1",
            connection,
        )
        .fetch_optional(conn)
        .await?)
    }
}
