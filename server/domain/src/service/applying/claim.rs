//! The claim: what comes next in a lane, and the attempt that is written before
//! the call.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::super::Service;
use super::super::decisions::{Case, ending};
use super::super::locked::Locked;
use super::super::unsound::Unsound;
use super::approval::Approved;
use super::{CALL, LEASE, Stop, StopReason};
use crate::actor::Actor;
use crate::audit::{Entry, EventActor};
use crate::connector::executor::Deadline;
use crate::db;
use crate::db::connections::ConnectionRow;
use crate::db::lanes::Lane;
use crate::db::records::{AttemptRow, Record as _};
use crate::db::states::State;
use crate::error::{Error, Result, not_found};
use crate::ids::{AgentId, AttemptId, ConnectionId, PersonId};
use crate::proposal::{Execution, Phase, Step};
use crate::random;

/// Who applies, owned, so that a call outlives its caller.
#[derive(Debug, Clone)]
pub(super) enum Applier {
    Agent {
        id: AgentId,
        owner: PersonId,
        /// Whether it may read the connection.
        may_read: bool,
    },
    Person(PersonId),
}

impl Applier {
    pub(super) fn of(actor: Actor<'_>, connection: &str) -> Self {
        match actor {
            Actor::Agent(agent) => Self::Agent {
                id: agent.id.clone(),
                owner: agent.owner.clone(),
                may_read: agent.scope(connection).is_some_and(|scope| scope.read),
            },
            Actor::Person(person) => Self::Person(person.id().clone()),
        }
    }

    /// Whether it may be told what the provider answered to a write of this owner.
    pub(super) fn may_see_answer(&self, owner: &str) -> bool {
        match self {
            Self::Agent { owner: own, may_read, .. } => *may_read || own.as_str() == owner,
            // Only the connection's reviewers apply from the page.
            Self::Person(_) => true,
        }
    }

    pub(super) fn event_actor(&self) -> EventActor {
        match self {
            Self::Agent { id, .. } => EventActor::Agent(id.clone()),
            Self::Person(id) => EventActor::Person(id.clone()),
        }
    }
}

/// What one look at a lane came to.
pub(super) enum Next {
    /// Something was tidied up; look again.
    Again,
    /// Nothing can be claimed.
    Stop(Stop),
    /// The attempt is written; make the call.
    Claimed(Box<Claimed>),
}

/// A write whose attempt is committed.
pub(super) struct Claimed {
    pub(super) attempt: AttemptRow,
    /// The owner of the agent that proposed it.
    pub(super) owner: String,
    pub(super) state: State,
    pub(super) approved: Approved,
    pub(super) connection: ConnectionRow,
    pub(super) applier: Applier,
    pub(super) deadline: Deadline,
}

impl Service {
    /// Looks at the first open proposal of a lane, and claims it if it may run.
    pub(super) async fn claim_next(
        &self,
        by: &Applier,
        connection: &ConnectionId,
        lane: &str,
        through: Option<i64>,
    ) -> Result<Next> {
        // Taken before the lease begins, on a clock that counts suspension: the
        // call is never begun later than the lease allows.
        let deadline = Deadline::after(LEASE.saturating_sub(CALL));
        let mut tx = self.pool.begin().await?;
        let row = db::connections::lock_shared(&mut tx, connection).await?.ok_or_else(|| not_found("connection"))?;
        if !row.enabled {
            return Ok(Next::Stop(Stop::because(StopReason::Disabled, None)));
        }
        let held = db::lanes::lock(&mut tx, connection, lane).await?;
        let now = db::now(&mut tx).await?;
        if held.holder.is_some() {
            if !self.recover(&mut tx, connection, lane, &held, now).await? {
                return Ok(Next::Stop(Stop::because(StopReason::Busy, None)));
            }
            tx.commit().await?;
            return Ok(Next::Again);
        }
        let Some(mut state) = db::states::lock_first(&mut tx, connection, lane).await? else {
            return Ok(Next::Stop(Stop::because(StopReason::Done, None)));
        };
        if through.is_some_and(|last| state.sequence > last) {
            return Ok(Next::Stop(Stop::because(StopReason::ReachedThrough, None)));
        }
        if state.first_at.is_none() {
            db::states::note_first(&mut tx, connection, lane, now).await?;
            state.first_at = Some(now);
        }
        let next = match state.phase {
            Phase::Pending if state.approve_by <= now => {
                end_by_clock(&mut tx, state, Step::Expire, now).await?;
                Next::Again
            }
            Phase::Pending => Next::Stop(Stop::because(StopReason::WaitsForPerson, Some(state.proposal))),
            Phase::Approved(Execution::Unknown) => Next::Stop(Stop::because(StopReason::Unknown, Some(state.proposal))),
            phase if phase.ended_undone() => {
                Next::Stop(Stop::because(StopReason::Unacknowledged, Some(state.proposal)))
            }
            Phase::Approved(Execution::Waiting) => {
                self.claim_waiting(&mut tx, by, row, &held, state, deadline, now).await?
            }
            // An open proposal stands nowhere else, unless somebody wrote into the projection.
            _ => self.refuse(&mut tx, &state, "its state is not one that can be open", by, now).await?,
        };
        tx.commit().await?;
        Ok(next)
    }

    #[expect(clippy::too_many_arguments, reason = "all of it was found under the locks that are held")]
    async fn claim_waiting(
        &self,
        tx: &mut PgConnection,
        by: &Applier,
        connection: ConnectionRow,
        held: &Lane,
        state: State,
        deadline: Deadline,
        now: DateTime<Utc>,
    ) -> Result<Next> {
        let locked = Locked::of(tx, state.clone()).await?;
        let case = match Case::of(tx, locked, &[]).await {
            Ok(case) => case,
            Err(error) => {
                let fault = Unsound::found_by(error)?;
                return self.refuse(tx, &state, &fault, by, now).await;
            }
        };
        let approved = match self.derive_approval(tx, &case, &connection).await? {
            Ok(approved) => approved,
            Err(fault) => return self.refuse(tx, &state, &fault, by, now).await,
        };
        let judged = State { approved_at: Some(approved.at), ..state.clone() };
        if judged.apply_by(case.row.apply_within).is_none_or(|apply_by| apply_by <= now) {
            end_by_clock(tx, state, Step::Lapse, now).await?;
            return Ok(Next::Again);
        }
        let number =
            AttemptRow::of_proposal(tx, state.proposal.as_str()).await?.last().map_or(1, |last| last.number + 1);
        let (agent_id, person_id) = match by {
            Applier::Agent { id, .. } => (Some(id.as_str().to_owned()), None),
            Applier::Person(id) => (None, Some(id.as_str().to_owned())),
        };
        let lease_until = now + TimeDelta::from_std(LEASE).map_err(Error::internal)?;
        let attempt = AttemptRow {
            id: AttemptId::from_random(random::bytes()).into(),
            proposal_id: case.row.id.clone(),
            number,
            connection_id: case.row.connection_id.clone(),
            lane: state.lane.clone(),
            fence: held.fence + 1,
            binding_digest: case.round.binding_digest.clone(),
            idempotency_key: self.provider_key(&case.row.id),
            agent_id,
            person_id,
            before_digest: None,
            started_at: now,
            lease_until,
        };
        attempt.insert(tx).await?;
        db::lanes::take(tx, &connection.id, &state.lane, attempt.fence, &attempt.id, lease_until).await?;
        let facts = json!({ "attempt": attempt.id, "number": number, "fence": attempt.fence });
        let records = vec![attempt.record_digest()];
        let phase =
            case.locked.take(tx, Some(Step::Claim), "proposal.claimed", by.event_actor(), facts, records, now).await?;
        Ok(Next::Claimed(Box::new(Claimed {
            attempt,
            owner: case.row.on_behalf_of,
            state: State { phase, ..state },
            approved,
            connection,
            applier: by.clone(),
            deadline,
        })))
    }

    /// Refuses a proposal whose records do not agree: says so once in the
    /// history, sends nothing, and changes neither axis.
    async fn refuse(
        &self,
        tx: &mut PgConnection,
        state: &State,
        fault: &str,
        by: &Applier,
        now: DateTime<Utc>,
    ) -> Result<Next> {
        if state.integrity_fault.as_deref() != Some(fault) {
            let new = State { integrity_fault: Some(fault.to_owned()), ..state.clone() };
            db::states::save(tx, state, &new).await?;
            let entry = Entry::of_proposal(
                &state.connection,
                &state.proposal,
                "proposal.integrity_fault",
                by.event_actor(),
                json!({ "fault": fault }),
                Vec::new(),
            );
            db::audit::append(tx, now, &entry).await?;
        }
        let mut stop = Stop::because(StopReason::IntegrityFault, Some(state.proposal.clone()));
        stop.message = format!("{} What was found: {fault}.", stop.message);
        Ok(Next::Stop(stop))
    }

    /// The key that goes with every try of a proposal: the same for ever, and not
    /// to be guessed from its id.
    fn provider_key(&self, proposal: &str) -> String {
        crate::audit::hex(&self.vault.fingerprint("provider_key", &[proposal.as_bytes()])[..16])
    }
}

/// Ends a proposal whose time has passed.
pub(in crate::service) async fn end_by_clock(
    tx: &mut PgConnection,
    state: State,
    step: Step,
    now: DateTime<Utc>,
) -> Result<()> {
    let (cause, kind) = match step {
        Step::Expire => ("expired", "proposal.expired"),
        _ => ("lapsed", "proposal.lapsed"),
    };
    let row = ending(&state.proposal, cause, None, None, now);
    row.insert(tx).await?;
    let locked = Locked::of(tx, state).await?;
    locked.take(tx, Some(step), kind, EventActor::Clock, json!({}), vec![row.record_digest()], now).await?;
    Ok(())
}
