//! Every way in, against every kind of actor: who gets something decided.
//!
//! The table names every route that the router has. A route that is missing from
//! it fails the test, and so does one that is no longer there; a new route that
//! decides must be written down here as one that does.

use axum::http::Method;
use clap::CommandFactory as _;
use domain::proposal::Phase;
use serde_json::json;
use server::cli::Cli;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{Actor, Anonymous, Browser, TestApp, World};

/// Whether a route decides when the right person asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decides {
    Never,
    ForReviewers,
}

use Decides::{ForReviewers, Never};

const TABLE: &[(&str, &str, Decides)] = &[
    ("POST", "/proposals/{id}/decision", ForReviewers),
    ("POST", "/proposals/{id}/withdrawal", Never),
    ("POST", "/proposals/{id}/outcome", Never),
    ("POST", "/proposals/{id}/acknowledgement", Never),
    ("POST", "/setup", Never),
    ("POST", "/sign-in", Never),
    ("POST", "/sign-out", Never),
    ("POST", "/mcp", Never),
    ("GET", "/", Never),
    ("GET", "/setup", Never),
    ("GET", "/sign-in", Never),
    ("GET", "/proposals/{id}", Never),
    ("GET", "/history", Never),
    ("GET", "/pkg/{*path}", Never),
    ("GET", "/healthz", Never),
    ("GET", "/readyz", Never),
];

/// Every tool that an agent with all scopes sees. None of them decides.
const TOOLS: &[&str] =
    &["notes_actions", "notes_apply", "notes_propose", "proposals_get", "proposals_list", "proposals_withdraw"];

/// Every command, and none of them decides.
const COMMANDS: &[&str] = &[
    "agent add",
    "agent list",
    "audit verify",
    "connection add",
    "connection list",
    "connector check",
    "demo",
    "person add",
    "person list",
    "serve",
    "setup-link",
];

/// Every kind of actor. Only the last may decide what the agent proposed.
const PEOPLE: &[(&str, &str)] = &[
    ("auditor", "aude"),
    ("admin", "adam"),
    ("reviewer of another group", "otto"),
    ("owner under four eyes", "olaf"),
    ("reviewer", "rita"),
];

#[test]
fn every_route_is_in_the_table() {
    let mut there: Vec<(String, String)> =
        server::web::routes().into_iter().map(|(method, path)| (method.to_string(), path)).collect();
    let mut written: Vec<(String, String)> =
        TABLE.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
    there.sort();
    there.dedup();
    written.sort();
    assert_eq!(there, written, "write every route down in TABLE, with whether it decides");
}

#[test]
fn every_command_is_known_and_none_decides() {
    let mut commands = Vec::new();
    for command in Cli::command().get_subcommands() {
        let below: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        if below.is_empty() {
            commands.push(command.get_name().to_owned());
        }
        commands.extend(below.iter().map(|below| format!("{} {below}", command.get_name())));
    }
    commands.sort();
    assert_eq!(commands, COMMANDS, "write every command down in COMMANDS; none may decide");
}

#[sqlx::test(migrations = "../migrations")]
async fn only_a_reviewer_in_a_browser_decides(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    for (method, route, decides) in TABLE {
        let anonymous = Anonymous(&app);
        check(&world, &anonymous, "anonymous", method, route, false).await;
        check(&world, &world.agent, "agent", method, route, false).await;
        for (kind, login) in PEOPLE {
            // A session of its own each, for signing out is one of the routes.
            let browser = Browser::signed_in(&app, login).await;
            let may = *decides == ForReviewers && *kind == "reviewer";
            check(&world, &browser, kind, method, route, may).await;
        }
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn no_tool_decides(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let world = World::new(&app).await;
    let listed = world.agent.ask("tools/list", json!({})).await;
    let tools: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(tools, TOOLS, "write every tool down in TOOLS; none may decide");

    let invented = ["proposals_decide", "proposals_approve", "notes_decide", "notes_approve", "decide", "approve"];
    for tool in tools.iter().chain(&invented) {
        let proposal = world.proposal(tool).await;
        let digest = proposal.binding_digest.to_string();
        let decision = json!({ "verdict": "approve", "binding_digest": digest });
        let id = proposal.id.as_str();
        for arguments in [
            json!({ "id": id, "proposal": id }),
            json!({ "id": id }),
            json!({ "proposal": id }),
            json!({ "through": id }),
            json!({}),
        ] {
            for extra in [json!({}), decision.clone(), json!({ "approve": true, "decision": decision })] {
                let mut arguments = arguments.clone();
                arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
                world.agent.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            }
        }
        let phase = world.phase(&proposal).await;
        assert!(matches!(phase, Phase::Pending | Phase::Withdrawn), "{tool}: {phase:?}");
    }
    for method in ["proposals/decide", "decide", "approve"] {
        let answer = world.agent.ask(method, json!({})).await;
        assert!(answer["error"].is_object(), "{method}: {answer}");
    }
}

/// Sends everything that a decision could be made of, and looks at what became
/// of the proposal.
async fn check(world: &World<'_>, actor: &dyn Actor, kind: &str, method: &str, route: &str, may: bool) {
    let proposal = world.proposal(&format!("{method} {route} {kind}")).await;
    let path = route.replace("{id}", proposal.id.as_str()).replace("{*path}", "countersign.css");
    let digest = proposal.binding_digest.to_string();
    let fields =
        [("verdict", "approve"), ("binding_digest", &*digest), ("proposal", proposal.id.as_str()), ("note", "x")];
    if method == Method::GET.as_str() {
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        actor.get(&format!("{path}?{query}")).await;
    } else {
        actor.post(&path, &fields).await;
    }
    let phase = world.phase(&proposal).await;
    let decided = !matches!(phase, Phase::Pending | Phase::Withdrawn);
    assert_eq!(decided, may, "{kind} with {method} {route}: {phase:?}");
}
