//! Proposals and what their decisions are bound to.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgConnection;

use super::{Record, hex, micros};
use crate::error::Result;

/// A row of `proposal`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct ProposalRow {
    pub id: String,
    pub connection_id: String,
    pub sequence: i64,
    pub lane: String,
    pub agent_id: String,
    pub token_id: String,
    pub on_behalf_of: String,
    pub action: String,
    #[serde(serialize_with = "hex")]
    pub manifest_digest: Vec<u8>,
    pub policy_id: String,
    #[serde(serialize_with = "hex")]
    pub policy_digest: Vec<u8>,
    #[serde(serialize_with = "hex")]
    pub content_commitment: Vec<u8>,
    pub approve_within: i64,
    pub apply_within: i64,
    pub idempotency_key: Option<String>,
    pub client_ref: Option<String>,
    #[serde(serialize_with = "micros")]
    pub proposed_at: DateTime<Utc>,
}

impl Record for ProposalRow {
    const TABLE: &'static str = "proposal";

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl ProposalRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into proposal (
                 id, connection_id, sequence, lane, agent_id, token_id, on_behalf_of, action,
                 manifest_digest, policy_id, policy_digest, content_commitment, approve_within,
                 apply_within, idempotency_key, client_ref, proposed_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
            self.id,
            self.connection_id,
            self.sequence,
            self.lane,
            self.agent_id,
            self.token_id,
            self.on_behalf_of,
            self.action,
            self.manifest_digest,
            self.policy_id,
            self.policy_digest,
            self.content_commitment,
            self.approve_within,
            self.apply_within,
            self.idempotency_key,
            self.client_ref,
            self.proposed_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    /// The proposal of this id.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn find(conn: &mut PgConnection, id: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(Self, "select * from proposal where id = $1", id).fetch_optional(conn).await?)
    }

    /// The proposal that this owner's key names at a connection.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn find_by_key(
        conn: &mut PgConnection,
        owner: &str,
        connection: &str,
        key: &str,
    ) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(
            Self,
            "select * from proposal
             where on_behalf_of = $1 and connection_id = $2 and idempotency_key = $3",
            owner,
            connection,
            key,
        )
        .fetch_optional(conn)
        .await?)
    }
}

/// A row of `proposal_round`.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the columns are explained in the migration")]
pub struct RoundRow {
    pub proposal_id: String,
    pub round: i32,
    pub cause: String,
    #[serde(serialize_with = "hex")]
    pub target_digest: Vec<u8>,
    #[serde(serialize_with = "hex")]
    pub binding_digest: Vec<u8>,
    #[serde(serialize_with = "micros")]
    pub started_at: DateTime<Utc>,
}

impl Record for RoundRow {
    const TABLE: &'static str = "proposal_round";

    fn key(&self) -> String {
        format!("{}/{}", self.proposal_id, self.round)
    }
}

impl RoundRow {
    /// Adds the row.
    ///
    /// # Errors
    /// If the database cannot be reached or a constraint is broken.
    pub async fn insert(&self, conn: &mut PgConnection) -> Result<()> {
        sqlx::query!(
            "insert into proposal_round (proposal_id, round, cause, target_digest, binding_digest, started_at)
             values ($1, $2, $3, $4, $5, $6)",
            self.proposal_id,
            self.round,
            self.cause,
            self.target_digest,
            self.binding_digest,
            self.started_at,
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    /// The round of a key such as `prp_…/1`.
    pub(super) async fn find(conn: &mut PgConnection, key: &str) -> Result<Option<Self>> {
        let Some((proposal, round)) = key.rsplit_once('/') else {
            return Ok(None);
        };
        let Ok(round) = round.parse::<i32>() else {
            return Ok(None);
        };
        Ok(
            sqlx::query_as!(
                Self,
                "select * from proposal_round where proposal_id = $1 and round = $2",
                proposal,
                round,
            )
            .fetch_optional(conn)
            .await?,
        )
    }

    /// The newest round of a proposal.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn newest(conn: &mut PgConnection, proposal: &str) -> Result<Option<Self>> {
        Ok(sqlx::query_as!(
            Self,
            "select * from proposal_round where proposal_id = $1 order by round desc limit 1",
            proposal,
        )
        .fetch_optional(conn)
        .await?)
    }
}
