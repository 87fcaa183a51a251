//! Attempts that nobody came back from.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::super::Service;
use super::super::locked::Locked;
use super::CALL;
use super::call::outcome_kind;
use super::claim::end_by_clock;
use crate::audit::EventActor;
use crate::db;
use crate::db::lanes::Lane;
use crate::db::records::{AttemptRow, OutcomeRow, Record as _};
use crate::error::{Error, Result};
use crate::ids::{ConnectionId, OutcomeId};
use crate::proposal::{OutcomeClass, Phase, Step};
use crate::random;

impl Service {
    /// Ends what the clock has ended, and resolves attempts that nobody came back
    /// from. Only tidies up: every deadline is judged again where it matters.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn sweep_proposals(&self) -> Result<u64> {
        let mut swept = 0;
        let overdue = {
            let mut conn = self.pool.acquire().await?;
            db::states::overdue(&mut conn).await?
        };
        for (_, id) in overdue {
            let mut tx = self.pool.begin().await?;
            let Some(state) = db::states::lock(&mut tx, &id).await? else {
                continue;
            };
            let now = db::now(&mut tx).await?;
            if state.phase == Phase::Pending && state.approve_by <= now {
                end_by_clock(&mut tx, state, Step::Expire, now).await?;
                tx.commit().await?;
                swept += 1;
            }
        }
        let abandoned = {
            let mut conn = self.pool.acquire().await?;
            db::lanes::abandoned(&mut conn, CALL.as_secs_f64()).await?
        };
        for (connection, lane) in abandoned {
            let connection: ConnectionId = connection.parse().map_err(Error::internal)?;
            let mut tx = self.pool.begin().await?;
            let held = db::lanes::lock(&mut tx, &connection, &lane).await?;
            let now = db::now(&mut tx).await?;
            if self.recover(&mut tx, &connection, &lane, &held, now).await? {
                tx.commit().await?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Frees a lane whose holder is past its lease and one call: its attempt may
    /// have been done or not. `false` if it is too early to say so.
    pub(super) async fn recover(
        &self,
        tx: &mut PgConnection,
        connection: &ConnectionId,
        lane: &str,
        held: &Lane,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let (Some(holder), Some(lease_until)) = (&held.holder, held.lease_until) else {
            return Ok(false);
        };
        if now < lease_until + TimeDelta::from_std(CALL).map_err(Error::internal)? {
            return Ok(false);
        }
        let attempt = AttemptRow::find(tx, holder)
            .await?
            .ok_or_else(|| Error::internal(format!("the attempt {holder} is missing")))?;
        db::lanes::release(tx, connection, lane, held.fence, holder).await?;
        if !OutcomeRow::of_attempt(tx, holder).await?.is_empty() {
            return Ok(true);
        }
        let row = OutcomeRow {
            id: OutcomeId::from_random(random::bytes()).into(),
            attempt_id: attempt.id.clone(),
            source: "recovery".to_owned(),
            class: OutcomeClass::Unknown.word().to_owned(),
            http_status: None,
            duration_ms: None,
            provider_request_id: None,
            after_digest: None,
            ended_at: now,
        };
        row.insert(tx).await?;
        let id = attempt.proposal_id.parse().map_err(Error::internal)?;
        let locked = Locked::open(tx, &id).await?;
        let step = Some(Step::End(OutcomeClass::Unknown));
        let facts = json!({ "attempt": attempt.id, "outcome": OutcomeClass::Unknown, "recovered": true });
        let kind = outcome_kind(OutcomeClass::Unknown);
        locked.take(tx, step, kind, EventActor::Server, facts, vec![row.record_digest()], now).await?;
        Ok(true)
    }
}
