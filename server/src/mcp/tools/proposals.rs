//! `proposals_get`, `proposals_list`, `proposals_withdraw`: what became of
//! proposals, and taking one back.

use domain::actor::Actor;
use domain::error::Result;
use domain::ids::ProposalId;
use domain::service::{PageKey, ProposalFilter, ProposalSummary};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::{Call, Effect, define, one_proposal};
use crate::mcp::arguments::{Arguments, Parameter, Shape};
use crate::mcp::next::NextAction;
use crate::mcp::reply::{MAX_BYTES, Reply};
use crate::mcp::schema::{object, output};

const PROPOSAL: Parameter = Parameter {
    name: "proposal_id",
    shape: Shape::Id("prp"),
    required: true,
    description: "The id that propose gave.",
};

const GET: &[Parameter] = &[PROPOSAL];

const WITHDRAW: &[Parameter] = &[
    PROPOSAL,
    Parameter {
        name: "reason",
        shape: Shape::Text(2_000),
        required: false,
        description: "Why, for the people who see it in the history.",
    },
];

const LIST: &[Parameter] = &[
    Parameter {
        name: "mine",
        shape: Shape::Flag,
        required: false,
        description: "Only those of this agent; otherwise of every agent of its owner.",
    },
    Parameter { name: "open", shape: Shape::Flag, required: false, description: "Only those that can still change." },
    Parameter {
        name: "connection",
        shape: Shape::Text(41),
        required: false,
        description: "Only those of this connection.",
    },
    Parameter {
        name: "client_ref",
        shape: Shape::Key,
        required: false,
        description: "Only those proposed with this reference.",
    },
    Parameter {
        name: "cursor",
        shape: Shape::Text(500),
        required: false,
        description: "next_cursor of the page before.",
    },
    Parameter {
        name: "limit",
        shape: Shape::Count(50),
        required: false,
        description: "At most so many; 20 if absent.",
    },
];

/// How many are listed if nothing is said.
const PAGE: usize = 20;

/// The three tools; every agent has them.
pub fn definitions() -> Vec<Tool> {
    let mut one = object(one_proposal::properties());
    one.insert("comments".to_owned(), one_proposal::comments());
    let one = output(&one_proposal::STATES, one.into(), &one_proposal::REQUIRED);
    let mut item = object(one_proposal::properties());
    item.extend(object(json!({
        "state": { "enum": one_proposal::STATES },
        "next_action": { "type": "string" },
        "expires_at": { "type": "string", "format": "date-time" },
        "approval_url": { "type": "string", "format": "uri" },
    })));
    let many = output(
        &["listed"],
        json!({
            "proposals": {
                "type": "array",
                "description": "Newest first.",
                "items": { "type": "object", "properties": item, "required": ["proposal_id", "state", "next_action"] },
            },
            "next_cursor": { "type": "string", "description": "There are more: pass it as cursor." },
        }),
        &["proposals"],
    );
    vec![
        define(
            "proposals_get",
            "One proposal".to_owned(),
            "Says where one proposal stands and the one right next step. Keep the proposal_id until that is done."
                .to_owned(),
            GET,
            one.clone(),
            Effect::Reads,
        ),
        define(
            "proposals_list",
            "Proposals".to_owned(),
            "Finds proposals again, also those whose ids were lost: mine, open, by connection or client_ref. \
             Each says its own next step."
                .to_owned(),
            LIST,
            many,
            Effect::Reads,
        ),
        define(
            "proposals_withdraw",
            "Take a proposal back".to_owned(),
            "Takes back a proposal that is not applied yet, also an approved one (then with a reason). \
             Nothing is sent. It cannot be undone: if it is wanted after all, propose again."
                .to_owned(),
            WITHDRAW,
            one,
            Effect::Records,
        ),
    ]
}

/// Says where one proposal stands.
pub async fn get(call: &Call<'_>, arguments: Map<String, Value>) -> Result<Reply> {
    let arguments = Arguments::read(arguments, GET)?;
    let id: ProposalId = arguments.id("proposal_id")?;
    Ok(one_proposal::reply(call, &call.service.proposal(call.agent, &id).await?))
}

/// Takes one back.
pub async fn withdraw(call: &Call<'_>, arguments: Map<String, Value>) -> Result<Reply> {
    let arguments = Arguments::read(arguments, WITHDRAW)?;
    let id: ProposalId = arguments.id("proposal_id")?;
    call.service.withdraw(Actor::Agent(call.agent), &id, arguments.text("reason")).await?;
    Ok(one_proposal::reply(call, &call.service.proposal(call.agent, &id).await?))
}

/// Lists them, newest first.
pub async fn list(call: &Call<'_>, arguments: Map<String, Value>) -> Result<Reply> {
    let arguments = Arguments::read(arguments, LIST)?;
    let mut filter = ProposalFilter {
        connection: arguments.text("connection").map(str::to_owned),
        open: arguments.flag("open"),
        mine: arguments.flag("mine"),
        client_ref: arguments.text("client_ref").map(str::to_owned),
        after: arguments.text("cursor").map(|cursor| PageKey(cursor.to_owned())),
        limit: arguments.count("limit").unwrap_or(PAGE),
    };
    loop {
        let page = call.service.proposals(call.agent, &filter).await?;
        let reply = page_reply(call, &page.proposals, page.next.as_ref());
        // A page that is cut would leave out what its cursor says was shown.
        if reply.bytes() <= MAX_BYTES || page.proposals.len() <= 1 {
            return Ok(reply);
        }
        filter.limit = page.proposals.len() / 2;
    }
}

fn page_reply(call: &Call<'_>, proposals: &[ProposalSummary], next: Option<&PageKey>) -> Reply {
    let items: Vec<Value> = proposals
        .iter()
        .map(|proposal| {
            let mut item = one_proposal::facts(call, proposal);
            item.remove("keep");
            item.insert("state".to_owned(), one_proposal::word(proposal.phase).into());
            item.insert("next_action".to_owned(), one_proposal::next(call, proposal).word().into());
            item.into()
        })
        .collect();
    let keep: Vec<&str> = proposals.iter().map(|proposal| proposal.id.as_str()).collect();
    let more = if next.is_some() { " There are more: pass next_cursor as cursor." } else { "" };
    Reply::new("listed", of_all(call, proposals), format!("{} proposals, newest first.{more}", proposals.len()))
        .with("proposals", items)
        .with("keep", keep)
        .with_some("next_cursor", next.map(|key| key.0.as_str()))
}

/// The step to take first: what the agent can do by itself, then what it can
/// ask somebody for.
fn of_all(call: &Call<'_>, proposals: &[ProposalSummary]) -> NextAction {
    const FIRST: [NextAction; 5] = [
        NextAction::Apply,
        NextAction::ResolveUnknown,
        NextAction::AskAdmin,
        NextAction::SendPersonToApprovalPage,
        NextAction::Wait,
    ];
    let wanted: Vec<NextAction> = proposals.iter().map(|proposal| one_proposal::next(call, proposal)).collect();
    FIRST.into_iter().find(|next| wanted.contains(next)).unwrap_or(NextAction::Done)
}
