//! The life of a proposal: two axes, and every step from one state to the next.
//!
//! All of it is pure. Who may take a step, and whether a deadline has passed, is
//! asked before; a step that the state does not allow is refused here, whoever
//! takes it.

use serde::{Deserialize, Serialize};

/// Where a proposal stands. Only the combinations of the two axes that can be
/// exist: nothing is executed that was not approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Waits for people.
    Pending,
    /// A person rejected it.
    Rejected,
    /// Its agent or its owner took it back.
    Withdrawn,
    /// Nobody decided in time.
    Expired,
    /// A newer proposal took its place.
    Superseded,
    /// Called off after the approval and before the call.
    Cancelled,
    /// Approved; how far the execution is.
    Approved(Execution),
}

/// The decision axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Waits for people.
    Pending,
    /// Approved.
    Approved,
    /// Rejected.
    Rejected,
    /// Taken back.
    Withdrawn,
    /// Not decided in time.
    Expired,
    /// Replaced by a newer one.
    Superseded,
    /// Called off after the approval.
    Cancelled,
}

/// The execution axis of an approved proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// Waits for an applier and for its turn.
    Waiting,
    /// Claimed; the call is under way.
    Executing,
    /// The provider said that it was done.
    Applied,
    /// The provider refused it for good.
    Failed,
    /// Nobody can say whether it was done.
    Unknown,
    /// Not applied in time.
    Lapsed,
    /// The entity changed since it was looked at.
    Drifted,
    /// Something that it depends on was not done.
    Blocked,
    /// A look or a person found that it was done.
    ConfirmedApplied,
    /// A look or a person found that it was not done.
    ConfirmedNotApplied,
}

/// How one try to execute ended, by what is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeClass {
    /// No byte was sent.
    NotSent,
    /// The provider did not take it up; it may be tried again.
    Refused,
    /// The provider refused it for good.
    Failed,
    /// The provider did it.
    Applied,
    /// It may have been done or not.
    Unknown,
}

/// What a person says of an outcome that is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was done.
    ConfirmedApplied,
    /// It was not done.
    ConfirmedNotApplied,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The requirements are met.
    Approve,
    /// An eligible person rejected.
    Reject,
    /// The agent or its owner took it back.
    Withdraw,
    /// The approve-by time passed.
    Expire,
    /// A newer proposal took its place.
    Supersede,
    /// Called off after the approval.
    Cancel,
    /// The apply-by time passed.
    Lapse,
    /// An applier claimed it.
    Claim,
    /// The claimed try ended so.
    End(OutcomeClass),
    /// An answer came after the try was given up as unknown.
    LateAnswer(OutcomeClass),
    /// A person judged an unknown outcome.
    Judge(Verdict),
}

/// What a lane does after one of its proposals was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Wait until somebody acknowledges.
    Stop,
    /// Go on with the next.
    Continue,
}

/// A step that the state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{step:?} is not possible from {from:?}")]
pub struct StepRefused {
    /// Where the proposal stands.
    pub from: Phase,
    /// What was tried.
    pub step: Step,
}

impl Phase {
    /// Where the proposal stands after `step`.
    ///
    /// # Errors
    /// If the step is not possible from here.
    pub fn after(self, step: Step) -> Result<Self, StepRefused> {
        use Execution as E;
        use OutcomeClass as O;
        Ok(match (self, step) {
            (Self::Pending, Step::Approve) => Self::Approved(E::Waiting),
            (Self::Pending, Step::Reject) => Self::Rejected,
            (Self::Pending, Step::Withdraw) => Self::Withdrawn,
            (Self::Pending, Step::Expire) => Self::Expired,
            (Self::Pending, Step::Supersede) => Self::Superseded,
            (Self::Approved(E::Waiting), Step::Cancel) => Self::Cancelled,
            (Self::Approved(E::Waiting), Step::Lapse) => Self::Approved(E::Lapsed),
            (Self::Approved(E::Waiting), Step::Claim) => Self::Approved(E::Executing),
            (Self::Approved(E::Executing), Step::End(class)) => Self::Approved(match class {
                O::NotSent | O::Refused => E::Waiting,
                O::Failed => E::Failed,
                O::Applied => E::Applied,
                O::Unknown => E::Unknown,
            }),
            // A late answer ends `unknown` only where it is certain.
            (Self::Approved(E::Unknown), Step::LateAnswer(O::Applied)) => Self::Approved(E::Applied),
            (Self::Approved(E::Unknown), Step::LateAnswer(O::Failed)) => Self::Approved(E::Failed),
            (Self::Approved(E::Unknown), Step::Judge(verdict)) => Self::Approved(match verdict {
                Verdict::ConfirmedApplied => E::ConfirmedApplied,
                Verdict::ConfirmedNotApplied => E::ConfirmedNotApplied,
            }),
            (from, step) => return Err(StepRefused { from, step }),
        })
    }

    /// The decision axis.
    #[must_use]
    pub fn decision(self) -> Decision {
        match self {
            Self::Pending => Decision::Pending,
            Self::Rejected => Decision::Rejected,
            Self::Withdrawn => Decision::Withdrawn,
            Self::Expired => Decision::Expired,
            Self::Superseded => Decision::Superseded,
            Self::Cancelled => Decision::Cancelled,
            Self::Approved(_) => Decision::Approved,
        }
    }

    /// The execution axis, once approved.
    #[must_use]
    pub fn execution(self) -> Option<Execution> {
        match self {
            Self::Approved(execution) => Some(execution),
            _ => None,
        }
    }

    /// The phase of two axes, if they fit together.
    #[must_use]
    pub fn of(decision: Decision, execution: Option<Execution>) -> Option<Self> {
        Some(match (decision, execution) {
            (Decision::Approved, Some(execution)) => Self::Approved(execution),
            (Decision::Pending, None) => Self::Pending,
            (Decision::Rejected, None) => Self::Rejected,
            (Decision::Withdrawn, None) => Self::Withdrawn,
            (Decision::Expired, None) => Self::Expired,
            (Decision::Superseded, None) => Self::Superseded,
            (Decision::Cancelled, None) => Self::Cancelled,
            _ => return None,
        })
    }

    /// Whether its lane may move past it.
    #[must_use]
    pub fn is_closed(self, on_failure: OnFailure, acknowledged: bool) -> bool {
        match self {
            Self::Pending => false,
            Self::Approved(execution) => match execution {
                Execution::Waiting | Execution::Executing | Execution::Unknown => false,
                Execution::Applied | Execution::ConfirmedApplied => true,
                _ => acknowledged || on_failure == OnFailure::Continue,
            },
            _ => true,
        }
    }

    /// Whether it was approved and ended without being done, so that its lane
    /// stops until somebody acknowledges it.
    #[must_use]
    pub fn ended_undone(self) -> bool {
        matches!(
            self,
            Self::Approved(
                Execution::Failed
                    | Execution::Lapsed
                    | Execution::Drifted
                    | Execution::Blocked
                    | Execution::ConfirmedNotApplied
            )
        )
    }
}

/// The stable words of these enums: one list for the database, replies and pages.
macro_rules! words {
    ($type:ty { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable machine word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of a word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(Decision {
    Pending => "pending", Approved => "approved", Rejected => "rejected", Withdrawn => "withdrawn",
    Expired => "expired", Superseded => "superseded", Cancelled => "cancelled",
});
words!(Execution {
    Waiting => "waiting", Executing => "executing", Applied => "applied", Failed => "failed",
    Unknown => "unknown", Lapsed => "lapsed", Drifted => "drifted", Blocked => "blocked",
    ConfirmedApplied => "confirmed_applied", ConfirmedNotApplied => "confirmed_not_applied",
});
words!(OutcomeClass {
    NotSent => "not_sent", Refused => "refused", Failed => "failed", Applied => "applied",
    Unknown => "unknown",
});
words!(Verdict { ConfirmedApplied => "confirmed_applied", ConfirmedNotApplied => "confirmed_not_applied" });
words!(OnFailure { Stop => "stop", Continue => "continue" });

#[cfg(test)]
mod tests {
    use super::*;

    fn phases() -> Vec<Phase> {
        Decision::ALL
            .iter()
            .flat_map(|&decision| {
                std::iter::once(None)
                    .chain(Execution::ALL.iter().copied().map(Some))
                    .filter_map(move |execution| Phase::of(decision, execution))
            })
            .collect()
    }

    fn steps() -> Vec<Step> {
        let mut steps = vec![
            Step::Approve,
            Step::Reject,
            Step::Withdraw,
            Step::Expire,
            Step::Supersede,
            Step::Cancel,
            Step::Lapse,
            Step::Claim,
        ];
        steps.extend(OutcomeClass::ALL.iter().copied().map(Step::End));
        steps.extend(OutcomeClass::ALL.iter().copied().map(Step::LateAnswer));
        steps.extend(Verdict::ALL.iter().copied().map(Step::Judge));
        steps
    }

    /// Every step that is possible; the test below holds every other pair to be refused.
    const POSSIBLE: &[(Phase, Step, Phase)] = {
        use Execution as E;
        use OutcomeClass as O;
        use Phase::{Approved, Pending};
        &[
            (Pending, Step::Approve, Approved(E::Waiting)),
            (Pending, Step::Reject, Phase::Rejected),
            (Pending, Step::Withdraw, Phase::Withdrawn),
            (Pending, Step::Expire, Phase::Expired),
            (Pending, Step::Supersede, Phase::Superseded),
            (Approved(E::Waiting), Step::Cancel, Phase::Cancelled),
            (Approved(E::Waiting), Step::Lapse, Approved(E::Lapsed)),
            (Approved(E::Waiting), Step::Claim, Approved(E::Executing)),
            (Approved(E::Executing), Step::End(O::NotSent), Approved(E::Waiting)),
            (Approved(E::Executing), Step::End(O::Refused), Approved(E::Waiting)),
            (Approved(E::Executing), Step::End(O::Failed), Approved(E::Failed)),
            (Approved(E::Executing), Step::End(O::Applied), Approved(E::Applied)),
            (Approved(E::Executing), Step::End(O::Unknown), Approved(E::Unknown)),
            (Approved(E::Unknown), Step::LateAnswer(O::Applied), Approved(E::Applied)),
            (Approved(E::Unknown), Step::LateAnswer(O::Failed), Approved(E::Failed)),
            (Approved(E::Unknown), Step::Judge(Verdict::ConfirmedApplied), Approved(E::ConfirmedApplied)),
            (Approved(E::Unknown), Step::Judge(Verdict::ConfirmedNotApplied), Approved(E::ConfirmedNotApplied)),
        ]
    };

    #[test]
    fn every_step_from_every_phase_is_possible_or_refused() {
        assert_eq!(phases().len(), 6 + Execution::ALL.len());
        for from in phases() {
            for step in steps() {
                let expected = POSSIBLE.iter().find(|row| row.0 == from && row.1 == step).map(|row| row.2);
                assert_eq!(from.after(step).ok(), expected, "{from:?} × {step:?}");
            }
        }
    }

    #[test]
    fn a_lane_moves_past_what_has_ended_and_stops_at_the_rest() {
        for phase in phases() {
            let stops_always = matches!(
                phase,
                Phase::Pending | Phase::Approved(Execution::Waiting | Execution::Executing | Execution::Unknown)
            );
            for acknowledged in [false, true] {
                for on_failure in [OnFailure::Stop, OnFailure::Continue] {
                    let expected =
                        !stops_always && (!phase.ended_undone() || acknowledged || on_failure == OnFailure::Continue);
                    assert_eq!(phase.is_closed(on_failure, acknowledged), expected, "{phase:?}");
                }
            }
        }
    }

    #[test]
    fn every_word_is_read_back() {
        for phase in phases() {
            assert_eq!(Decision::from_word(phase.decision().word()), Some(phase.decision()));
        }
        for &execution in Execution::ALL {
            assert_eq!(Execution::from_word(execution.word()), Some(execution));
        }
        assert_eq!(Decision::from_word("Approved"), None);
    }
}
