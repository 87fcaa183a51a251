//! A locked proposal and the steps that it takes.
//!
//! It knows nothing of policies and decisions: what a clock or a provider's
//! answer does to a proposal is recorded whatever became of the rules.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::audit::{Entry, EventActor, RecordDigest};
use crate::db;
use crate::db::states::State;
use crate::error::{Error, Result, not_found};
use crate::ids::ProposalId;
use crate::proposal::{OnFailure, Phase, Step};

/// A proposal whose state is locked until the transaction ends.
pub(super) struct Locked {
    pub(super) state: State,
    on_failure: OnFailure,
    acknowledged: bool,
}

impl Locked {
    /// Locks the proposal.
    pub(super) async fn open(tx: &mut PgConnection, id: &ProposalId) -> Result<Self> {
        let state = db::states::lock(tx, id).await?.ok_or_else(|| not_found("proposal"))?;
        Self::of(tx, state).await
    }

    /// The same for a proposal whose state was locked, or is only looked at.
    pub(super) async fn of(tx: &mut PgConnection, state: State) -> Result<Self> {
        let connection =
            db::connections::find(tx, state.connection.as_str()).await?.ok_or_else(|| not_found("connection"))?;
        Ok(Self { state, on_failure: connection.on_failure, acknowledged: false })
    }

    /// The same after somebody let its lane go on.
    pub(super) fn acknowledged(self) -> Self {
        Self { acknowledged: true, ..self }
    }

    /// Takes a step (or none) and records it: state, turn in the lane, event.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the event")]
    pub(super) async fn take(
        &self,
        tx: &mut PgConnection,
        step: Option<Step>,
        kind: &'static str,
        actor: EventActor,
        mut facts: Value,
        records: Vec<RecordDigest>,
        now: DateTime<Utc>,
    ) -> Result<Phase> {
        let old = &self.state;
        let phase = match step {
            Some(step) => old.phase.after(step).map_err(Error::internal)?,
            None => old.phase,
        };
        let mut new = State { phase, ..old.clone() };
        if step == Some(Step::Approve) {
            new.approved_at = Some(now);
        }
        if new.closed_at.is_none() && phase.is_closed(self.on_failure, self.acknowledged) {
            new.closed_at = Some(now);
        }
        if matches!(step, Some(Step::Claim)) {
            new.integrity_fault = None;
        }
        db::states::save(tx, old, &new).await?;
        if new.closed_at.is_some() {
            db::states::note_first(tx, &old.connection, &old.lane, now).await?;
        }
        facts["decision"] = json!(phase.decision());
        facts["execution"] = json!(phase.execution());
        let entry = Entry::of_proposal(&old.connection, &old.proposal, kind, actor, facts, records);
        db::audit::append(tx, now, &entry).await?;
        Ok(phase)
    }
}
