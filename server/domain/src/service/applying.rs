//! Apply: the approved writes of a connection, in order, each exactly once.
//!
//! 1. Claim (`claim`): one transaction under the lane's lock looks at the first
//!    open proposal, derives its approval anew from the signed decisions
//!    (`approval`), and writes the attempt before anything is sent.
//! 2. Call (`call`): the one call, with no lock and no transaction held.
//! 3. Record (`call`): one transaction writes how it ended. Who finds an attempt
//!    without an outcome after its lease ends it as unknown (`recovery`).
//!
//! Two appliers or ten, on one server or several: the lane's lock, its lease and
//! the attempt's unique fence let one of them call.

mod approval;
mod call;
mod claim;
mod recovery;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::Service;
use super::connections::scope_missing;
use crate::actor::Actor;
use crate::db;
use crate::error::{Error, Result, not_found};
use crate::ids::ProposalId;
use crate::proposal::OutcomeClass;
use claim::Next;

/// How long an applier holds a lane for one call.
const LEASE: Duration = Duration::from_mins(1);
/// How long one call may take. Nobody ends an attempt of somebody else before
/// its lease and one such call have passed.
const CALL: Duration = Duration::from_secs(15);

/// How much one call of apply may do.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// At most so many writes.
    pub writes: usize,
    /// Nothing is claimed after so long.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { writes: 25, time: Duration::from_secs(20) }
    }
}

/// What one call of apply did, and where it stopped.
#[derive(Debug, Clone)]
pub struct ApplyReport {
    /// In order of the lane: every write whose call was made by this call.
    pub writes: Vec<AppliedWrite>,
    /// Where and why it stopped.
    pub stopped: Stop,
    /// When nothing was claimed: what was done last in the lanes, so that a repeat can say what happened (id and outcome, at most 5, newest first).
    pub already: Vec<(ProposalId, String)>,
}

/// One write whose call was made.
#[derive(Debug, Clone)]
pub struct AppliedWrite {
    /// The proposal.
    pub proposal: ProposalId,
    /// Its action.
    pub action: String,
    /// How the try ended.
    pub outcome: OutcomeClass,
    /// The provider's status.
    pub http_status: Option<u16>,
    /// The fields that the manifest returns, by pointer. Given once, never stored.
    pub returns: Vec<(String, Value)>,
    /// A bounded excerpt of the provider's message of a failure. Given once, never stored.
    pub provider_message: Option<String>,
}

/// Where apply stopped.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// At which proposal, where there is one.
    pub proposal: Option<ProposalId>,
    /// When a repeat makes sense.
    pub retry_after_ms: Option<u64>,
    /// What a person or an agent should know, in one sentence.
    pub message: String,
}

/// Why apply stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing is left that could be applied.
    Done,
    /// `through` was reached.
    ReachedThrough,
    /// The next one waits for a person.
    WaitsForPerson,
    /// The next one's outcome is unknown.
    Unknown,
    /// One was not done, and the connection stops until somebody acknowledges it.
    Unacknowledged,
    /// Another applier is at work.
    Busy,
    /// The provider asked to come later, or could not be reached.
    ProviderUnavailable,
    /// The provider refused the credential.
    CredentialRefused,
    /// The records of the next one do not agree; nothing was sent.
    IntegrityFault,
    /// The connection is disabled.
    Disabled,
    /// The budget of one call is spent.
    Budget,
    /// The client went away; nothing more was claimed.
    Cancelled,
}

impl Service {
    /// Applies the approved writes of a connection in order, each exactly once.
    ///
    /// A call that is under way is finished and recorded even if the caller is
    /// dropped; `cancelled` keeps it from claiming more.
    ///
    /// # Errors
    /// `not_found` for the connection or `through`, `scope_missing`.
    pub async fn apply(
        &self,
        by: Actor<'_>,
        connection: &str,
        through: Option<&ProposalId>,
        budget: Budget,
        cancelled: Arc<AtomicBool>,
    ) -> Result<ApplyReport> {
        let begun = Instant::now();
        let mut conn = self.pool.acquire().await?;
        let row = db::connections::find_by_name(&mut conn, connection).await?.ok_or_else(|| not_found("connection"))?;
        self.may_apply(&mut conn, by, &row).await?;
        let last = match through {
            None => None,
            Some(id) => Some(
                db::states::find(&mut conn, id)
                    .await?
                    .filter(|state| state.connection == row.id)
                    .ok_or_else(|| not_found("proposal"))?,
            ),
        };
        let lanes = match &last {
            Some(state) => vec![state.lane.clone()],
            None => db::states::open_lanes(&mut conn, &row.id).await?,
        };
        drop(conn);

        let applier = claim::Applier::of(by, &row.name);
        let mut writes = Vec::new();
        let mut stopped: Option<Stop> = None;
        'lanes: for lane in &lanes {
            loop {
                let spent = writes.len() >= budget.writes || begun.elapsed() >= budget.time;
                if cancelled.load(Ordering::Relaxed) || spent {
                    let reason = if spent { StopReason::Budget } else { StopReason::Cancelled };
                    stopped = Some(Stop::because(reason, None));
                    break 'lanes;
                }
                match self.claim_next(&applier, &row.id, lane, last.as_ref().map(|state| state.sequence)).await? {
                    Next::Again => {}
                    Next::Stop(stop) => {
                        // Of several lanes the first that waits for something says why.
                        if stop.reason.waits() || stopped.is_none() {
                            stopped = stopped.filter(|before| before.reason.waits()).or(Some(stop));
                        }
                        break;
                    }
                    Next::Claimed(claimed) => {
                        let service = self.clone();
                        let under_way = self.calls.clone().read_owned().await;
                        let recorded = tokio::spawn(async move {
                            let recorded = service.call_and_record(*claimed).await;
                            drop(under_way);
                            recorded
                        });
                        let (write, stop) = recorded.await.map_err(Error::internal)??;
                        writes.push(write);
                        if let Some(stop) = stop {
                            stopped = Some(stop);
                            break;
                        }
                    }
                }
            }
        }
        let stopped = stopped.unwrap_or_else(|| Stop::because(StopReason::Done, None));
        let already = if writes.is_empty() { self.done_last(&row.id, last.as_ref()).await? } else { Vec::new() };
        Ok(ApplyReport { writes, stopped, already })
    }

    /// Agents with the apply scope, and reviewers of the connection.
    async fn may_apply(
        &self,
        conn: &mut sqlx::PgConnection,
        by: Actor<'_>,
        connection: &db::connections::ConnectionRow,
    ) -> Result<()> {
        match by {
            Actor::Agent(agent) => match agent.scope(&connection.name) {
                Some(scope) if scope.apply => Ok(()),
                Some(_) => Err(scope_missing("apply", &connection.name)),
                None => Err(not_found("connection")),
            },
            Actor::Person(person) => {
                let reviewed = db::connections::reviewed_by(conn, person.id().as_str()).await?;
                if reviewed.iter().any(|id| id == connection.id.as_str()) {
                    Ok(())
                } else {
                    Err(not_found("connection"))
                }
            }
        }
    }

    /// What was done before, for a call that had nothing to do.
    async fn done_last(
        &self,
        connection: &crate::ids::ConnectionId,
        through: Option<&db::states::State>,
    ) -> Result<Vec<(ProposalId, String)>> {
        let mut conn = self.pool.acquire().await?;
        let mut done = db::states::closed_last(&mut conn, connection, 5).await?;
        if let Some(through) = through.filter(|state| state.closed_at.is_some()) {
            done.retain(|(id, _)| *id != through.proposal);
            done.insert(0, (through.proposal.clone(), through.phase));
            done.truncate(5);
        }
        Ok(done
            .into_iter()
            .map(|(id, phase)| {
                let word = phase.execution().map_or_else(|| phase.decision().word(), crate::proposal::Execution::word);
                (id, word.to_owned())
            })
            .collect())
    }
}

impl Stop {
    /// A stop with the sentence that belongs to its reason.
    fn because(reason: StopReason, proposal: Option<ProposalId>) -> Self {
        Self { reason, proposal, retry_after_ms: reason.retry_after_ms(), message: reason.sentence().to_owned() }
    }
}

impl StopReason {
    /// The stable machine word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::ReachedThrough => "reached_through",
            Self::WaitsForPerson => "waits_for_person",
            Self::Unknown => "unknown",
            Self::Unacknowledged => "unacknowledged",
            Self::Busy => "busy",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::CredentialRefused => "credential_refused",
            Self::IntegrityFault => "integrity_fault",
            Self::Disabled => "disabled",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Done => "Nothing is left to apply.",
            Self::ReachedThrough => "Everything up to the proposal that you named was looked at.",
            Self::WaitsForPerson => "The next proposal waits for a person. Send one to its page.",
            Self::Unknown => "Nobody can say whether the next proposal was done. A reviewer must say so on its page.",
            Self::Unacknowledged => {
                "A proposal was not done, and this connection stops until somebody acknowledges it on its page."
            }
            Self::Busy => "Another applier is at work here. Come back shortly.",
            Self::ProviderUnavailable => "The provider did not take the write up. It was not done; come back later.",
            Self::CredentialRefused => "The provider refused the connection's credential. Ask an admin to mend it.",
            Self::IntegrityFault => "The records of the next proposal do not agree. Nothing was sent; ask an admin.",
            Self::Disabled => "This connection is disabled. Ask an admin.",
            Self::Budget => "This call did its share. Apply again for the rest.",
            Self::Cancelled => "The caller went away. Nothing more was claimed.",
        }
    }

    fn retry_after_ms(self) -> Option<u64> {
        match self {
            Self::Busy => Some(1_000),
            Self::ProviderUnavailable => Some(30_000),
            Self::Budget => Some(0),
            _ => None,
        }
    }

    /// Whether something other than the end was met.
    fn waits(self) -> bool {
        !matches!(self, Self::Done | Self::ReachedThrough)
    }
}
