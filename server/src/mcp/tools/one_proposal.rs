//! How a proposal is told to an agent, in whatever reply it stands.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::proposal::{Execution, Phase};
use domain::service::ProposalSummary;
use serde_json::{Map, Value, json};

use super::Call;
use crate::mcp::next::{NextAction, Standing, next_action};
use crate::mcp::reply::Reply;
use crate::mcp::schema::{object, text, time};

/// Every word for where a proposal stands.
pub const STATES: [&str; 16] = [
    "pending",
    "rejected",
    "withdrawn",
    "expired",
    "superseded",
    "cancelled",
    "approved",
    "executing",
    "applied",
    "failed",
    "unknown",
    "lapsed",
    "drifted",
    "blocked",
    "confirmed_applied",
    "confirmed_not_applied",
];

/// The reply about one proposal.
pub fn reply(call: &Call<'_>, proposal: &ProposalSummary) -> Reply {
    let next = next(call, proposal);
    let mut reply = Reply::new(word(proposal.phase), next, line(call, proposal, next)).with_all(facts(call, proposal));
    // Newest first: what does not fit is cut at the end.
    let comments: Vec<Value> = proposal
        .comments
        .iter()
        .rev()
        .map(|(by, approves, comment)| json!({ "by": by, "approves": approves, "comment": comment }))
        .collect();
    reply = reply.with("comments", comments);
    if let Some(fault) = &proposal.integrity_fault {
        reply = reply.warn(format!("The records of this proposal do not agree, so that it is not applied: {fault}"));
    }
    if next == NextAction::Wait {
        reply = reply.with("retry_after_ms", 2_000);
    }
    reply
}

/// The facts of one proposal but its comments: also what stands in a list.
pub fn facts(call: &Call<'_>, proposal: &ProposalSummary) -> Map<String, Value> {
    let next = next(call, proposal);
    let mut facts = object(json!({
        "proposal_id": proposal.id.as_str(),
        "connection": proposal.connection,
        "action": proposal.action,
        "sequence": proposal.sequence,
        "decision": proposal.phase.decision().word(),
        "input_digest": proposal.input_digest.map(|digest| digest.to_string()),
        "binding_digest": proposal.binding_digest.to_string(),
        "agent": proposal.agent,
        "on_behalf_of": proposal.on_behalf_of,
        "proposed_at": instant(proposal.proposed_at),
        "stops_lane": proposal.stops_lane,
        "keep": [proposal.id.as_str()],
    }));
    let mut also = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name.to_owned(), value.into());
        }
    };
    also("execution", proposal.phase.execution().map(|execution| execution.word().to_owned()));
    also("expires_at", expires_at(proposal).map(instant));
    also("client_ref", proposal.client_ref.clone());
    also("approval_url", next.waits_for_person().then(|| call.page(&proposal.id)));
    facts
}

/// The schemas of these facts.
pub fn properties() -> Value {
    json!({
        "proposal_id": text(),
        "connection": text(),
        "action": text(),
        "sequence": { "type": "integer" },
        "decision": text(),
        "execution": text(),
        "input_digest": { "type": ["string", "null"], "description": "What people compare. Null if the sealed input was changed." },
        "binding_digest": { "type": "string", "description": "What decisions are bound to." },
        "agent": text(),
        "on_behalf_of": text(),
        "proposed_at": time("When it was proposed."),
        "stops_lane": { "type": "boolean", "description": "Later writes wait until a person acknowledges this one." },
        "client_ref": text(),
    })
}

/// What every reply about one proposal has.
pub const REQUIRED: [&str; 11] = [
    "proposal_id",
    "connection",
    "action",
    "sequence",
    "decision",
    "input_digest",
    "binding_digest",
    "agent",
    "on_behalf_of",
    "proposed_at",
    "keep",
];

/// The schema of the comments.
pub fn comments() -> Value {
    json!({
        "type": "array",
        "description": "What reviewers wrote, newest first.",
        "items": {
            "type": "object",
            "properties": { "by": text(), "approves": { "type": "boolean" }, "comment": text() },
            "required": ["by", "approves", "comment"],
        },
    })
}

/// The stable word for where it stands.
pub fn word(phase: Phase) -> &'static str {
    match phase.execution() {
        // Approved and not tried yet: the other axis has a word for it, but
        // this is the one that people use.
        Some(Execution::Waiting) => "approved",
        Some(execution) => execution.word(),
        None => phase.decision().word(),
    }
}

/// The next step for this proposal and this token.
pub fn next(call: &Call<'_>, proposal: &ProposalSummary) -> NextAction {
    next_action(
        proposal.phase,
        Standing {
            integrity_fault: proposal.integrity_fault.is_some(),
            stops_lane: proposal.stops_lane,
            may_apply: call.agent.scope(&proposal.connection).is_some_and(|scope| scope.apply),
        },
    )
}

/// A point in time as it stands in replies.
pub fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Until when the next step is possible.
fn expires_at(proposal: &ProposalSummary) -> Option<DateTime<Utc>> {
    match proposal.phase {
        Phase::Pending => Some(proposal.approve_by),
        Phase::Approved(Execution::Waiting) => proposal.apply_by,
        _ => None,
    }
}

fn line(call: &Call<'_>, proposal: &ProposalSummary, next: NextAction) -> String {
    let ProposalSummary { id, connection, .. } = proposal;
    let page = call.page(id);
    let stopped = next == NextAction::SendPersonToApprovalPage;
    match proposal.phase {
        _ if next == NextAction::AskAdmin => format!("{id} is not applied: its records do not agree. Tell an admin."),
        Phase::Pending => {
            format!("{id} waits for a person. Send them to {page} and call {connection}_apply once it is approved.")
        }
        Phase::Rejected => {
            format!("{id} was rejected by a person. Propose again only if what they wrote in comments asks for it.")
        }
        Phase::Withdrawn => format!("{id} was taken back. Nothing was sent."),
        Phase::Expired => format!("{id} was not decided in time and is void. Propose again if it is still wanted."),
        Phase::Superseded => format!("{id} was replaced by a newer proposal. Nothing was sent."),
        Phase::Cancelled => format!("{id} was called off before it was applied. Nothing was sent."),
        Phase::Approved(execution) => match execution {
            Execution::Waiting if stopped => format!(
                "{id} is approved, but this token may not apply. \
                 Another agent of the connection can, or a person at {page}."
            ),
            Execution::Waiting => format!("{id} is approved and not applied yet. Call {connection}_apply."),
            Execution::Executing => format!("{id} is being applied. Ask again in a moment."),
            Execution::Applied | Execution::ConfirmedApplied => format!("{id} was applied."),
            Execution::Unknown => format!(
                "Nobody knows whether {id} was done. Do not propose it again: \
                 send a person to {page} to look and to say so."
            ),
            _ if stopped => format!(
                "{id} was not done ({}). Later writes wait: send a person to {page} to acknowledge it.",
                execution.word()
            ),
            Execution::Failed => {
                format!("{id} was refused by the provider. Propose a corrected write if it is still wanted.")
            }
            Execution::Lapsed => {
                format!("{id} was not applied in time and is void. Propose again if it is still wanted.")
            }
            Execution::Drifted => {
                format!("{id} was not done: what it changes has changed since. Read again, then propose again.")
            }
            Execution::Blocked => {
                format!("{id} was not done: something that it depends on was not. Propose again if it is still wanted.")
            }
            Execution::ConfirmedNotApplied => {
                format!("{id} was not done, as a person found. Propose again if it is still wanted.")
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::proposal::Decision;

    #[test]
    fn every_phase_has_a_word_of_the_list() {
        let phases = Decision::ALL
            .iter()
            .flat_map(|&decision| {
                let executions = Execution::ALL.iter().map(|&execution| Some(execution)).chain([None]);
                executions.filter_map(move |execution| Phase::of(decision, execution))
            })
            .map(word);
        let words: std::collections::BTreeSet<_> = phases.collect();
        assert_eq!(words, STATES.into_iter().collect());
    }
}
