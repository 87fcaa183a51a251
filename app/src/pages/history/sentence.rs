//! What happened, in words.

/// Beginnings of kinds, and what a person calls them.
pub(super) const GROUPS: &[(&str, &str)] = &[
    ("proposal.", "Proposals"),
    ("connection.", "Connections"),
    ("agent.", "Agents"),
    ("person.", "People"),
    ("setup.", "Set-up"),
];

/// What the actor did, to stand between their name and the action. A kind that
/// has no words yet is shown as it is.
pub(super) fn of(kind: &str) -> String {
    let words = match kind {
        "agent.added" => "added an agent",
        "connection.added" => "added the connection",
        "key.created" => "made a key",
        "person.added" => "added a person",
        "person.signed_in" => "signed in",
        "proposal.acknowledged" => "acknowledged the end of",
        "proposal.applied" => "applied",
        "proposal.approved" => "approved",
        "proposal.cancelled" => "called off",
        "proposal.claimed" => "began the call for",
        "proposal.expired" => "ended the time to decide",
        "proposal.failed" => "was refused for good by the provider:",
        "proposal.integrity_fault" => "found records that do not agree, and sent nothing of",
        "proposal.judged" => "judged the unknown outcome of",
        "proposal.lapsed" => "ended the time to apply",
        "proposal.late_answer" => "recorded a late answer for",
        "proposal.not_sent" => "could not send",
        "proposal.proposed" => "proposed",
        "proposal.refused" => "was refused for now by the provider:",
        "proposal.rejected" => "rejected",
        "proposal.unknown" => "got no certain answer for",
        "proposal.voted" => "voted on",
        "proposal.withdrawn" => "withdrew",
        "setup.link_issued" => "issued a set-up link",
        _ => return format!("recorded {kind}:"),
    };
    words.to_owned()
}
