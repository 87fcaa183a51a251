//! Tries to execute, and how they ended.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgConnection;

use super::{Record, hex, hex_or_null, micros};
use crate::error::Result;

/// A row of `attempt`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct AttemptRow {
    pub id: String,
    pub proposal_id: String,
    pub number: i32,
    pub connection_id: String,
    pub lane: String,
    pub fence: i64,
    #[serde(serialize_with = "hex")]
    pub binding_digest: Vec<u8>,
    pub idempotency_key: String,
    pub agent_id: Option<String>,
    pub person_id: Option<String>,
    #[serde(serialize_with = "hex_or_null")]
    pub before_digest: Option<Vec<u8>>,
    #[serde(serialize_with = "micros")]
    pub started_at: DateTime<Utc>,
    #[serde(serialize_with = "micros")]
    pub lease_until: DateTime<Utc>,
}

impl Record for AttemptRow {
    const TABLE: &'static str = "attempt";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl AttemptRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into attempt (
                 id, proposal_id, number, connection_id, lane, fence, binding_digest, idempotency_key,
                 agent_id, person_id, before_digest, started_at, lease_until)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            self.id,
            self.proposal_id,
            self.number,
            self.connection_id,
            self.lane,
            self.fence,
            self.binding_digest,
            self.idempotency_key,
            self.agent_id,
            self.person_id,
            self.before_digest,
            self.started_at,
            self.lease_until,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    /// The attempt of this id.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from attempt where id = $1", id).fetch_optional(conn).await?)
    }

    /// Every attempt at a proposal, oldest first.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_proposal(conn: &mut PgConnection, proposal: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(Self, "select * from attempt where proposal_id = $1 order by number", proposal)
            .fetch_all(conn)
            .await?)
    }
}

/// A row of `outcome`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct OutcomeRow {
    pub id: String,
    pub attempt_id: String,
    pub source: String,
    pub class: String,
    pub http_status: Option<i32>,
    pub duration_ms: Option<i64>,
    pub provider_request_id: Option<String>,
    #[serde(serialize_with = "hex_or_null")]
    pub after_digest: Option<Vec<u8>>,
    #[serde(serialize_with = "micros")]
    pub ended_at: DateTime<Utc>,
}

impl Record for OutcomeRow {
    const TABLE: &'static str = "outcome";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl OutcomeRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into outcome (
                 id, attempt_id, source, class, http_status, duration_ms, provider_request_id,
                 after_digest, ended_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            self.id,
            self.attempt_id,
            self.source,
            self.class,
            self.http_status,
            self.duration_ms,
            self.provider_request_id,
            self.after_digest,
            self.ended_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    pub(super) async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from outcome where id = $1", id).fetch_optional(conn).await?)
    }

    /// Every outcome of a proposal's attempts, oldest first.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_proposal(conn: &mut PgConnection, proposal: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(
            Self,
            "select outcome.*
             from outcome
             join attempt on attempt.id = outcome.attempt_id
             where attempt.proposal_id = $1
             order by attempt.number, outcome.ended_at",
            proposal,
        )
        .fetch_all(conn)
        .await?)
    }

    /// Every outcome of one attempt: the first, and a late answer on top of it.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_attempt(conn: &mut PgConnection, attempt: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(Self, "select * from outcome where attempt_id = $1 order by ended_at", attempt)
            .fetch_all(conn)
            .await?)
    }
}
