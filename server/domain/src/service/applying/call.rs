//! The one call, and the record of how it ended.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::super::Service;
use super::super::locked::Locked;
use super::claim::Claimed;
use super::{AppliedWrite, CALL, Stop, StopReason};
use crate::connector::executor::{Outgoing, Reply};
use crate::connector::manifest::{Action, Idempotency};
use crate::connector::outcome::{ReplyFacts, classify, excerpt, request_id, retry_after_ms, returns};
use crate::db;
use crate::db::records::{OutcomeRow, Record as _, VerdictRow};
use crate::error::Result;
use crate::ids::{OutcomeId, ProposalId};
use crate::proposal::{Execution, OutcomeClass, Phase, Step};
use crate::random;

/// What is kept of a reply.
struct Facts {
    class: OutcomeClass,
    http_status: Option<u16>,
    duration: Option<Duration>,
    request_id: Option<String>,
    retry_after_ms: Option<u64>,
}

impl Facts {
    fn of(action: &Action, reply: &Reply, answered: &ReplyFacts) -> Self {
        Self {
            class: classify(action, answered),
            http_status: reply.status(),
            duration: reply.duration(),
            request_id: request_id(reply),
            retry_after_ms: retry_after_ms(reply),
        }
    }
}

/// How often the record of an outcome is tried while the database is away.
const RECORD_TRIES: u32 = 8;

impl Service {
    /// Makes the call of a claimed write and records how it ended.
    pub(super) async fn call_and_record(&self, claimed: Claimed) -> Result<(AppliedWrite, Option<Stop>)> {
        let action = claimed.approved.action()?;
        let reply = self
            .executor
            .send(Outgoing {
                call: &claimed.approved.call,
                body: claimed.approved.body.as_deref(),
                auth: &claimed.approved.manifest.auth,
                credential: claimed.approved.credential.as_ref(),
                idempotency_key: match &action.idempotency {
                    Idempotency::Key { header, .. } => {
                        Some((header.as_str(), claimed.attempt.idempotency_key.as_str()))
                    }
                    _ => None,
                },
                allowed_host: claimed.connection.allowed_host.as_deref(),
                timeout: CALL,
                deadline: Some(claimed.deadline),
                template: action.path.as_str(),
            })
            .await;
        let answered = ReplyFacts::of(&reply);
        let facts = Facts::of(action, &reply, &answered);
        let phase = self.record_outcome_surely(&claimed, &facts).await?;

        let proposal: ProposalId = claimed.state.proposal.clone();
        let applied = facts.class == OutcomeClass::Applied;
        let may_see = claimed.applier.may_see_answer(&claimed.owner);
        let write = AppliedWrite {
            proposal: proposal.clone(),
            action: claimed.approved.action.clone(),
            outcome: facts.class,
            http_status: facts.http_status,
            returns: if applied && may_see { returns(action, &answered) } else { Vec::new() },
            provider_message: if !applied && may_see { excerpt(&reply) } else { None },
        };
        let stop = stop_after(phase, &facts, &proposal);
        Ok((write, stop))
    }

    /// The call was made: its outcome is recorded even if the database is away
    /// for a moment. If it stays away, the attempt is found without an outcome
    /// and ends as unknown.
    async fn record_outcome_surely(&self, claimed: &Claimed, facts: &Facts) -> Result<Phase> {
        let mut pause = Duration::from_millis(100);
        for _ in 1..RECORD_TRIES {
            match self.record_outcome(claimed, facts).await {
                Ok(phase) => return Ok(phase),
                Err(error) => tracing::warn!(
                    attempt = claimed.attempt.id,
                    code = error.code(),
                    "an outcome could not be recorded; trying again"
                ),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.record_outcome(claimed, facts).await
    }

    async fn record_outcome(&self, claimed: &Claimed, facts: &Facts) -> Result<Phase> {
        let attempt = &claimed.attempt;
        let mut tx = self.pool.begin().await?;
        db::lanes::lock(&mut tx, &claimed.connection.id, &attempt.lane).await?;
        let locked = Locked::open(&mut tx, &claimed.state.proposal).await?;
        let now = db::now(&mut tx).await?;
        let before = OutcomeRow::of_attempt(&mut tx, &attempt.id).await?;
        if before.iter().any(|outcome| outcome.source != "recovery") {
            // The try before this one had been committed after all.
            return Ok(locked.state.phase);
        }
        let late = !before.is_empty();
        let row = outcome_row(&attempt.id, if late { "late" } else { "reply" }, facts, now);
        row.insert(&mut tx).await?;
        db::lanes::release(&mut tx, &claimed.connection.id, &attempt.lane, attempt.fence, &attempt.id).await?;
        let judged = late
            && VerdictRow::of_proposal(&mut tx, claimed.state.proposal.as_str())
                .await?
                .iter()
                .any(|verdict| verdict.attempt_id == attempt.id);
        let step = if !late {
            Some(Step::End(facts.class))
        } else if judged {
            None
        } else {
            Some(Step::LateAnswer(facts.class)).filter(|step| locked.state.phase.after(*step).is_ok())
        };
        let kind = if late { "proposal.late_answer" } else { outcome_kind(facts.class) };
        let said = json!({
            "attempt": attempt.id, "outcome": facts.class, "http_status": facts.http_status,
        });
        let actor = claimed.applier.event_actor();
        let phase = locked.take(&mut tx, step, kind, actor, said, vec![row.record_digest()], now).await?;
        tx.commit().await?;
        Ok(phase)
    }
}

fn outcome_row(attempt: &str, source: &str, facts: &Facts, now: DateTime<Utc>) -> OutcomeRow {
    OutcomeRow {
        id: OutcomeId::from_random(random::bytes()).into(),
        attempt_id: attempt.to_owned(),
        source: source.to_owned(),
        class: facts.class.word().to_owned(),
        http_status: facts.http_status.map(i32::from),
        duration_ms: facts.duration.and_then(|duration| i64::try_from(duration.as_millis()).ok()),
        provider_request_id: facts.request_id.clone(),
        after_digest: None,
        ended_at: now,
    }
}

pub(super) fn outcome_kind(class: OutcomeClass) -> &'static str {
    match class {
        OutcomeClass::NotSent => "proposal.not_sent",
        OutcomeClass::Refused => "proposal.refused",
        OutcomeClass::Failed => "proposal.failed",
        OutcomeClass::Applied => "proposal.applied",
        OutcomeClass::Unknown => "proposal.unknown",
    }
}

/// Whether apply goes on after this write.
fn stop_after(phase: Phase, facts: &Facts, proposal: &ProposalId) -> Option<Stop> {
    let stop = |reason| Some(Stop::because(reason, Some(proposal.clone())));
    match facts.class {
        OutcomeClass::NotSent | OutcomeClass::Refused if facts.http_status == Some(401) => {
            stop(StopReason::CredentialRefused)
        }
        OutcomeClass::NotSent | OutcomeClass::Refused => stop(StopReason::ProviderUnavailable).map(|mut stop| {
            stop.retry_after_ms = facts.retry_after_ms.or(stop.retry_after_ms);
            stop
        }),
        OutcomeClass::Unknown if phase == Phase::Approved(Execution::Unknown) => stop(StopReason::Unknown),
        // The next look at the lane says whether a failure stops it.
        _ => None,
    }
}
