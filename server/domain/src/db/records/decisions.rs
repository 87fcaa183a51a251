//! What people, rules and clocks said about proposals.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgConnection;

use super::{Record, hex, hex_or_null, micros};
use crate::error::Result;

/// A row of `decision`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct DecisionRow {
    pub id: String,
    pub proposal_id: String,
    pub round: i32,
    pub number: i32,
    #[serde(serialize_with = "hex")]
    pub binding_digest: Vec<u8>,
    pub person_id: Option<String>,
    pub rule: Option<String>,
    pub verdict: String,
    #[serde(serialize_with = "hex_or_null")]
    pub comment_commitment: Option<Vec<u8>>,
    #[serde(serialize_with = "micros")]
    pub decided_at: DateTime<Utc>,
    pub key_id: String,
    #[serde(serialize_with = "hex")]
    pub signature: Vec<u8>,
}

impl Record for DecisionRow {
    const TABLE: &'static str = "decision";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl DecisionRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into decision (
                 id, proposal_id, round, number, binding_digest, person_id, rule, verdict,
                 comment_commitment, decided_at, key_id, signature)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            self.id,
            self.proposal_id,
            self.round,
            self.number,
            self.binding_digest,
            self.person_id,
            self.rule,
            self.verdict,
            self.comment_commitment,
            self.decided_at,
            self.key_id,
            self.signature,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    /// The decision of this id.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from decision where id = $1", id).fetch_optional(conn).await?)
    }

    /// Every decision on a proposal, oldest first.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_proposal(conn: &mut PgConnection, proposal: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(Self, "select * from decision where proposal_id = $1 order by number", proposal)
            .fetch_all(conn)
            .await?)
    }
}

/// A row of `verdict`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct VerdictRow {
    pub id: String,
    pub attempt_id: String,
    pub proposal_id: String,
    pub person_id: String,
    pub verdict: String,
    #[serde(serialize_with = "hex")]
    pub note_commitment: Vec<u8>,
    #[serde(serialize_with = "micros")]
    pub given_at: DateTime<Utc>,
}

impl Record for VerdictRow {
    const TABLE: &'static str = "verdict";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl VerdictRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into verdict (id, attempt_id, proposal_id, person_id, verdict, note_commitment, given_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
            self.id,
            self.attempt_id,
            self.proposal_id,
            self.person_id,
            self.verdict,
            self.note_commitment,
            self.given_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    pub(super) async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from verdict where id = $1", id).fetch_optional(conn).await?)
    }

    /// Every verdict on a proposal's attempts.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_proposal(conn: &mut PgConnection, proposal: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(Self, "select * from verdict where proposal_id = $1 order by given_at", proposal)
            .fetch_all(conn)
            .await?)
    }
}

/// A row of `ending`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct EndingRow {
    pub id: String,
    pub proposal_id: String,
    pub cause: String,
    pub agent_id: Option<String>,
    pub person_id: Option<String>,
    #[serde(serialize_with = "hex_or_null")]
    pub reason_commitment: Option<Vec<u8>>,
    #[serde(serialize_with = "micros")]
    pub ended_at: DateTime<Utc>,
}

impl Record for EndingRow {
    const TABLE: &'static str = "ending";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl EndingRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into ending (id, proposal_id, cause, agent_id, person_id, reason_commitment, ended_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
            self.id,
            self.proposal_id,
            self.cause,
            self.agent_id,
            self.person_id,
            self.reason_commitment,
            self.ended_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    pub(super) async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from ending where id = $1", id).fetch_optional(conn).await?)
    }

    /// Every ending of a proposal: at most the ending itself and its acknowledgement.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn of_proposal(conn: &mut PgConnection, proposal: &str) -> Result<Vec<Self>> {
        Ok(sqlx::query_as!(Self, "select * from ending where proposal_id = $1 order by ended_at, id", proposal)
            .fetch_all(conn)
            .await?)
    }
}
