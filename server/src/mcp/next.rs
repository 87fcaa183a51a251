//! The one right next step, of every state that a reply can be about.

use domain::error::{Kind, Refusal};
use domain::proposal::{Execution, Phase};
use domain::service::StopReason;

/// What an agent should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NextAction {
    /// Give a person the address of the page; the agent can do nothing itself.
    SendPersonToApprovalPage,
    /// Ask again later.
    Wait,
    /// Call the connection's apply.
    Apply,
    /// Call apply once more: there is more than one call may do.
    ApplyMore,
    /// Propose, corrected or again.
    ProposeAgain,
    /// Nobody knows whether it was done: a person must look and say so.
    ResolveUnknown,
    /// Only an admin can mend it.
    AskAdmin,
    /// Nothing is left to do.
    Done,
}

/// What beside the phase decides about the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// The records of the proposal do not agree.
    pub integrity_fault: bool,
    /// Its lane waits until a person acknowledges it.
    pub stops_lane: bool,
    /// The token that asks may apply at this connection.
    pub may_apply: bool,
}

/// The next step for one proposal.
#[must_use]
pub fn next_action(phase: Phase, standing: Standing) -> NextAction {
    use NextAction as N;
    if standing.integrity_fault && matches!(phase, Phase::Pending | Phase::Approved(Execution::Waiting)) {
        return N::AskAdmin;
    }
    match phase {
        Phase::Pending => N::SendPersonToApprovalPage,
        // A person's no is an answer. What they wrote may ask for another
        // proposal, but a machine must not read a no as "try again".
        Phase::Rejected | Phase::Withdrawn | Phase::Superseded | Phase::Cancelled => N::Done,
        Phase::Expired => N::ProposeAgain,
        Phase::Approved(execution) => match execution {
            Execution::Waiting if standing.may_apply => N::Apply,
            // Another agent may apply it, or a person from the page.
            Execution::Waiting => N::SendPersonToApprovalPage,
            Execution::Executing => N::Wait,
            Execution::Applied | Execution::ConfirmedApplied => N::Done,
            Execution::Unknown => N::ResolveUnknown,
            Execution::Failed
            | Execution::Lapsed
            | Execution::Drifted
            | Execution::Blocked
            | Execution::ConfirmedNotApplied => {
                if standing.stops_lane {
                    N::SendPersonToApprovalPage
                } else {
                    N::ProposeAgain
                }
            }
        },
    }
}

/// The next step after apply stopped.
#[must_use]
pub fn after_stop(reason: StopReason) -> NextAction {
    use NextAction as N;
    match reason {
        StopReason::Done | StopReason::ReachedThrough => N::Done,
        StopReason::WaitsForPerson | StopReason::Unacknowledged => N::SendPersonToApprovalPage,
        StopReason::Unknown => N::ResolveUnknown,
        StopReason::Busy | StopReason::ProviderUnavailable => N::Wait,
        StopReason::CredentialRefused | StopReason::IntegrityFault | StopReason::Disabled => N::AskAdmin,
        StopReason::Budget | StopReason::Cancelled => N::ApplyMore,
    }
}

/// The next step after a refusal. `again` is what the refused tool is called
/// by, where there is a word for it: a call that was wrong can be made right.
#[must_use]
pub fn after_refusal(refusal: &Refusal, again: NextAction) -> NextAction {
    match (refusal.kind, refusal.code) {
        (_, "connection_disabled") | (Kind::Forbidden, _) => NextAction::AskAdmin,
        (Kind::Limited | Kind::Unavailable, _) => NextAction::Wait,
        (Kind::NotFound | Kind::Invalid | Kind::Conflict | Kind::NotOffered, _) => again,
    }
}

impl NextAction {
    /// Every value.
    pub const ALL: [Self; 8] = [
        Self::SendPersonToApprovalPage,
        Self::Wait,
        Self::Apply,
        Self::ApplyMore,
        Self::ProposeAgain,
        Self::ResolveUnknown,
        Self::AskAdmin,
        Self::Done,
    ];

    /// The stable machine word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SendPersonToApprovalPage => "send_person_to_approval_page",
            Self::Wait => "wait",
            Self::Apply => "apply",
            Self::ApplyMore => "apply_more",
            Self::ProposeAgain => "propose_again",
            Self::ResolveUnknown => "resolve_unknown",
            Self::AskAdmin => "ask_admin",
            Self::Done => "done",
        }
    }

    /// Whether a person must be told the address of the proposal's page.
    #[must_use]
    pub fn waits_for_person(self) -> bool {
        matches!(self, Self::SendPersonToApprovalPage | Self::ResolveUnknown | Self::AskAdmin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NextAction as N;

    const PLAIN: Standing = Standing { integrity_fault: false, stops_lane: false, may_apply: true };

    #[test]
    fn every_phase_has_one_next_step() {
        let mut seen = 0;
        for (phase, plain, lane_stopped, fault, may_not_apply) in [
            (
                Phase::Pending,
                N::SendPersonToApprovalPage,
                N::SendPersonToApprovalPage,
                N::AskAdmin,
                N::SendPersonToApprovalPage,
            ),
            (Phase::Rejected, N::Done, N::Done, N::Done, N::Done),
            (Phase::Withdrawn, N::Done, N::Done, N::Done, N::Done),
            (Phase::Expired, N::ProposeAgain, N::ProposeAgain, N::ProposeAgain, N::ProposeAgain),
            (Phase::Superseded, N::Done, N::Done, N::Done, N::Done),
            (Phase::Cancelled, N::Done, N::Done, N::Done, N::Done),
            (Phase::Approved(Execution::Waiting), N::Apply, N::Apply, N::AskAdmin, N::SendPersonToApprovalPage),
            (Phase::Approved(Execution::Executing), N::Wait, N::Wait, N::Wait, N::Wait),
            (Phase::Approved(Execution::Applied), N::Done, N::Done, N::Done, N::Done),
            (
                Phase::Approved(Execution::Failed),
                N::ProposeAgain,
                N::SendPersonToApprovalPage,
                N::ProposeAgain,
                N::ProposeAgain,
            ),
            (
                Phase::Approved(Execution::Unknown),
                N::ResolveUnknown,
                N::ResolveUnknown,
                N::ResolveUnknown,
                N::ResolveUnknown,
            ),
            (
                Phase::Approved(Execution::Lapsed),
                N::ProposeAgain,
                N::SendPersonToApprovalPage,
                N::ProposeAgain,
                N::ProposeAgain,
            ),
            (
                Phase::Approved(Execution::Drifted),
                N::ProposeAgain,
                N::SendPersonToApprovalPage,
                N::ProposeAgain,
                N::ProposeAgain,
            ),
            (
                Phase::Approved(Execution::Blocked),
                N::ProposeAgain,
                N::SendPersonToApprovalPage,
                N::ProposeAgain,
                N::ProposeAgain,
            ),
            (Phase::Approved(Execution::ConfirmedApplied), N::Done, N::Done, N::Done, N::Done),
            (
                Phase::Approved(Execution::ConfirmedNotApplied),
                N::ProposeAgain,
                N::SendPersonToApprovalPage,
                N::ProposeAgain,
                N::ProposeAgain,
            ),
        ] {
            let stopped = Standing { stops_lane: true, ..PLAIN };
            let faulty = Standing { integrity_fault: true, ..PLAIN };
            let unable = Standing { may_apply: false, ..PLAIN };
            assert_eq!(next_action(phase, PLAIN), plain, "{phase:?}");
            assert_eq!(next_action(phase, stopped), lane_stopped, "{phase:?} stops its lane");
            assert_eq!(next_action(phase, faulty), fault, "{phase:?} with a fault");
            assert_eq!(next_action(phase, unable), may_not_apply, "{phase:?} without the scope");
            seen += 1;
        }
        let undecided = domain::proposal::Decision::ALL.len() - 1;
        assert_eq!(seen, undecided + Execution::ALL.len(), "a phase is missing in the table");
    }

    #[test]
    fn words_are_distinct() {
        let words: std::collections::BTreeSet<_> = NextAction::ALL.iter().map(|next| next.word()).collect();
        assert_eq!(words.len(), NextAction::ALL.len());
    }

    #[test]
    fn a_refusal_says_who_can_mend_it() {
        for (kind, code, expected) in [
            (Kind::Invalid, "input_invalid", N::ProposeAgain),
            (Kind::NotOffered, "not_offered", N::ProposeAgain),
            (Kind::Conflict, "idempotency_conflict", N::ProposeAgain),
            (Kind::Conflict, "connection_disabled", N::AskAdmin),
            (Kind::Limited, "queue_full", N::Wait),
            (Kind::Unavailable, "provider_unavailable", N::Wait),
            (Kind::Forbidden, "forbidden_by_policy", N::AskAdmin),
        ] {
            assert_eq!(after_refusal(&Refusal::new(kind, code, ""), N::ProposeAgain), expected, "{code}");
        }
    }
}
