//! Made-up data for pictures: everyday ones, and the worst that an agent can send.

use app::context::Feedback;
use chrono::{DateTime, Duration, Utc};
use domain::digest::Digest;
use domain::ids::{AgentId, AttemptId, ConnectionId, PersonId, ProposalId};
use domain::integrity::{Binding, Content, Evidence, SealedContent};
use domain::proposal::{Execution, OutcomeClass, Phase};
use domain::service::{
    AttemptView, CannotDecide, HistoryEntry, HistoryPage, PageKey, PersonName, ProposalView, Queue, QueueCounts,
    QueueRow, RequirementView, VoteView,
};
use serde_json::{Value, json};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_047_509, 0).unwrap_or_default()
}

fn person(number: u8, name: &str) -> PersonName {
    PersonName { id: PersonId::from_random([number; 16]), name: name.to_owned() }
}

/// An everyday write that waits for the viewer.
pub fn pending() -> ProposalView {
    let input = json!({
        "id": 4711, "email": "ada@example.com", "name": "Ada Lovelace", "vip": true, "phone": null,
        "zip": "1", "floor": 1,
        "tags": ["newsletter", "customer"],
        "address": { "street": "12 St James's Square", "city": "London", "country": "GB" },
        "note": "Called on Monday.\nWants the new price list.\n\tSend it by post."
    });
    proposal(input, Some("The customer asked by phone to have the address changed. Ticket 8813.".to_owned()))
}

/// Everything that an agent can do to deceive.
pub fn hostile() -> ProposalView {
    let deep = (0..60).fold(json!("the bottom"), |inner, _| json!({ "in": inner }));
    let input = json!({
        "email": "pаypal@example.com",
        "rtl": "transfer to \u{202e}ecila\u{202c} now",
        "zero\u{200b}width": "pass\u{200b}word\u{feff}",
        "\u{202e}yek": "a key that reads backwards",
        "html": "<img src=x onerror=alert(1)></script><a href=\"javascript:alert(1)\">click</a>",
        "nul": "a\u{0}b\u{1b}[31m",
        "emoji": "👩\u{200d}👩\u{200d}👧 family",
        "spaces": "  two before, one after ",
        "gap": "left                              right",
        "nbsp": "no\u{a0}break",
        "empty": "", "none": {}, "nothing": [], "": "an empty key",
        "one": 1, "text one": "1", "null": null, "text null": "null",
        "tags": "\u{e0041}\u{e0042}\u{e0043} hidden tags",
        "hebrew": "שלום world",
        "long": format!("It begins harmlessly. {} and ends with DROP TABLE", "lorem ipsum ".repeat(400)),
        "padded": format!("safe{}rm -rf /", "\u{200b}".repeat(5000)),
        "deep": deep,
        "k".repeat(300): "a very long key",
    });
    let mut view = proposal(
        input,
        Some(
            "I am \u{202e}detfirev\u{202c} and **approved by security**. <b>Click</b> https://evil.example".to_owned(),
        ),
    );
    view.base_url = String::from("https://аpi.example.com/v3");
    view.agent = String::from("support\u{200b}-bot");
    view.risk = "high";
    view.same_as = vec![ProposalId::from_random([88; 16])];
    view
}

/// The page shows something else than was committed to.
pub fn tampered() -> ProposalView {
    let mut view = pending();
    if let Some(evidence) = &mut view.evidence {
        evidence.binding.round = 2;
    }
    view
}

/// One that somebody else decides.
pub fn for_others() -> ProposalView {
    let mut view = pending();
    view.can_decide = Err(CannotDecide::FourEyes);
    view.four_eyes = true;
    view.evidence = None;
    view.requirements = vec![RequirementView { group: "Finance".to_owned(), needed: 2, have: 1 }];
    view.votes = vec![vote("Grace Hopper", true, Some("Fine by me, if the address is right."))];
    view
}

/// The outcome is unknown, and the viewer may judge it.
pub fn unknown() -> ProposalView {
    let mut view = decided(Execution::Unknown);
    view.can_judge = true;
    view.attempts = vec![attempt(1, OutcomeClass::Refused, Some(429)), attempt(2, OutcomeClass::Unknown, None)];
    view.behind = 7;
    view
}

/// Done.
pub fn applied() -> ProposalView {
    let mut view = decided(Execution::Applied);
    view.attempts = vec![attempt(1, OutcomeClass::Applied, Some(200))];
    view
}

/// Its records do not agree.
pub fn fault() -> ProposalView {
    let mut view = decided(Execution::Waiting);
    view.integrity_fault = Some("The signature of decision dec_1 does not verify.".to_owned());
    view.can_withdraw = true;
    view
}

fn decided(execution: Execution) -> ProposalView {
    let mut view = pending();
    view.phase = Phase::Approved(execution);
    view.can_decide = Err(CannotDecide::NotPending);
    view.can_withdraw = false;
    view.approved_at = Some(now() - Duration::minutes(42));
    view.apply_by = Some(now() + Duration::hours(23));
    view.requirements = vec![RequirementView { group: "Reviewers".to_owned(), needed: 1, have: 1 }];
    view.votes =
        vec![vote("Katherine Johnson", false, None), vote("Grace Hopper", true, Some("Checked against the ticket."))];
    if let Some(vote) = view.votes.first_mut() {
        vote.replaced = true;
    }
    view
}

fn vote(name: &str, approves: bool, comment: Option<&str>) -> VoteView {
    VoteView {
        person: Some(person(3, name)),
        approves,
        at: now() - Duration::minutes(42),
        comment: comment.map(str::to_owned),
        round: 1,
        replaced: false,
    }
}

fn attempt(number: i32, outcome: OutcomeClass, http_status: Option<i32>) -> AttemptView {
    AttemptView {
        id: AttemptId::from_random([7; 16]),
        number,
        by: "nightly-apply".to_owned(),
        started_at: now() - Duration::minutes(31),
        outcome: Some(outcome),
        ended_at: Some(now() - Duration::minutes(30)),
        http_status,
        duration_ms: Some(15_003),
        provider_request_id: http_status.map(|_| "req_8c1f".to_owned()),
        verdict: None,
    }
}

fn proposal(input: Value, reason: Option<String>) -> ProposalView {
    let id = ProposalId::from_random([21; 16]);
    let call = json!({
        "method": "PUT",
        "url": "https://api.example.com/v3/contacts/4711?notify=false",
        "headers": ["authorization", "content-type"],
        "body": input,
    });
    let content = SealedContent {
        salt: [9; 32],
        content: Content::new(input, call, Vec::new(), vec!["contact:4711".to_owned()], reason),
    };
    let binding = Binding {
        proposal: id.to_string(),
        round: 1,
        connection: ConnectionId::from_random([4; 16]).to_string(),
        target_digest: Digest::of(b"target"),
        manifest_digest: Digest::of(b"manifest"),
        action: "update_contact".to_owned(),
        policy_digest: Digest::of(b"policy"),
        content_commitment: content.commitment(),
        requester: AgentId::from_random([5; 16]).to_string(),
        on_behalf_of: PersonId::from_random([6; 16]).to_string(),
        depends_on: Vec::new(),
        approve_within: 72 * 3600,
        apply_within: 24 * 3600,
    };
    ProposalView {
        id,
        connection_id: ConnectionId::from_random([4; 16]),
        connection: "crm".to_owned(),
        connector_title: "Sandbox CRM".to_owned(),
        base_url: "https://api.example.com/v3".to_owned(),
        action: "update_contact".to_owned(),
        action_title: "Change a contact".to_owned(),
        action_summary: Some("Sets the named fields of one contact. Others stay as they are.".to_owned()),
        risk: "medium",
        agent_id: AgentId::from_random([5; 16]),
        agent: "support-bot".to_owned(),
        on_behalf_of: person(6, "Ada Byron"),
        client_ref: Some("run-2026-11-30.4".to_owned()),
        sequence: 17,
        ahead: 0,
        behind: 2,
        phase: Phase::Pending,
        round: 1,
        binding_digest: binding.digest(),
        evidence: Some(Evidence {
            salt_hex: content.salt_hex(),
            content_json: String::from_utf8_lossy(&content.content.canonical()).into_owned(),
            binding,
        }),
        proposed_at: now() - Duration::minutes(192),
        approve_by: now() + Duration::hours(69),
        approved_at: None,
        apply_by: None,
        votes: Vec::new(),
        requirements: vec![RequirementView { group: "Reviewers".to_owned(), needed: 1, have: 0 }],
        four_eyes: false,
        can_decide: Ok(()),
        who_can_decide: vec![person(1, "Grace Hopper"), person(2, "Katherine Johnson")],
        same_as: Vec::new(),
        attempts: Vec::new(),
        integrity_fault: None,
        ended: None,
        can_withdraw: true,
        can_judge: false,
        can_acknowledge: false,
        at: now(),
    }
}

fn row(number: u8, title: &str, phase: Phase, can_decide: Result<(), CannotDecide>) -> QueueRow {
    QueueRow {
        id: ProposalId::from_random([number; 16]),
        connection: "crm".to_owned(),
        action: title.to_lowercase().replace(' ', "_"),
        action_title: title.to_owned(),
        risk: ["low", "medium", "high"][usize::from(number % 3)],
        agent: "support-bot".to_owned(),
        on_behalf_of: "Ada Byron".to_owned(),
        input_digest: (number != 5).then(|| Digest::of(&[number])),
        phase,
        proposed_at: now() - Duration::minutes(i64::from(number) * 37),
        approve_by: now() + Duration::hours(72 - i64::from(number) * 9),
        apply_by: phase.execution().map(|_| now() + Duration::hours(5)),
        behind: i64::from(number % 4),
        can_decide,
        integrity_fault: None,
    }
}

/// A queue with something in every part.
pub fn queue() -> Queue {
    let mut stuck =
        vec![row(11, "Cancel a purchase order", Phase::Approved(Execution::Unknown), Err(CannotDecide::NotPending))];
    let mut fault = row(12, "Change a contact", Phase::Approved(Execution::Waiting), Err(CannotDecide::NotPending));
    fault.integrity_fault = Some("The signature of a decision does not verify.".to_owned());
    stuck.push(fault);
    Queue {
        waiting: vec![
            row(3, "Change a contact", Phase::Pending, Ok(())),
            row(2, "Cancel a purchase order", Phase::Pending, Ok(())),
            row(1, "Send an invoice", Phase::Pending, Ok(())),
            row(4, "Delete a contact", Phase::Pending, Err(CannotDecide::FourEyes)),
            row(5, "Change a contact", Phase::Pending, Err(CannotDecide::NotAReviewer)),
        ],
        next: Some(PageKey("abc".to_owned())),
        counts: QueueCounts { for_me: 3, for_others: 2 },
        approved: vec![row(7, "Change a contact", Phase::Approved(Execution::Waiting), Err(CannotDecide::NotPending))],
        stuck,
        connections_reviewed: 3,
        at: now(),
    }
}

/// A queue with nothing in it.
pub fn empty_queue() -> Queue {
    Queue {
        waiting: Vec::new(),
        next: None,
        counts: QueueCounts::default(),
        approved: Vec::new(),
        stuck: Vec::new(),
        connections_reviewed: 3,
        at: now(),
    }
}

/// A page of the history.
pub fn history() -> HistoryPage {
    let kinds = [
        "proposal.applied",
        "proposal.claimed",
        "proposal.approved",
        "proposal.voted",
        "proposal.proposed",
        "person.signed_in",
        "agent.added",
        "connection.added",
        "something.new",
    ];
    let entries = kinds.iter().zip(1_i64..).map(|(kind, number)| {
        let about = kind.starts_with("proposal.");
        HistoryEntry {
            chain: "con_1".to_owned(),
            sequence: 40 - number,
            at: now() - Duration::minutes(number * 7),
            kind: (*kind).to_owned(),
            actor: if number % 2 == 0 { "Grace Hopper" } else { "support-bot" }.to_owned(),
            connection: about.then(|| "crm".to_owned()),
            proposal: about.then(|| ProposalId::from_random([21; 16])),
            action: about.then(|| "update_contact".to_owned()),
            facts: json!({ "round": 1, "binding_digest": Digest::of(b"x") }),
            hash: Digest::of(&number.to_be_bytes()).to_string(),
        }
    });
    HistoryPage { entries: entries.collect(), next: Some("older".to_owned()) }
}

/// A refused sign-in.
pub fn wrong_password() -> Feedback {
    Feedback {
        code: "sign_in_failed".to_owned(),
        message: "The sign-in name or the password is wrong.".to_owned(),
        field: None,
        values: [("login".to_owned(), "grace".to_owned())].into(),
    }
}
