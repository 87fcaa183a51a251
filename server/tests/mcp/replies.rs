//! What the tools say in every state that can be reached. Each reply is checked
//! against its published schema where it is asked for.

use domain::policy::Approval;
use domain::service::DecisionVerdict;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{TestApp, contact};

#[sqlx::test(migrations = "../migrations")]
async fn from_propose_to_applied(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let arguments = json!({
        "action": "create_contact", "input": contact("Ada"), "reason": "She asked for it.", "client_ref": "run-1",
    });
    let proposed = app.tool(&app.token, "crm_propose", arguments.clone()).await;
    proposed.assert("pending", "send_person_to_approval_page");
    let id = proposed.text("proposal_id").to_owned();
    assert_eq!(proposed.text("approval_url"), format!("https://countersign.example/proposals/{id}"));
    assert!(proposed.line.contains(proposed.text("approval_url")));
    assert_eq!(proposed.body["keep"], json!([id]));
    assert_eq!(proposed.body["existing"], false);
    assert_eq!(proposed.body["filled_defaults"], json!(["/status"]));
    assert_eq!(proposed.text("input_digest").len(), 64);
    assert!(proposed.text("expires_at") > proposed.text("proposed_at"));

    let again = app.tool(&app.token, "crm_propose", arguments).await;
    assert_eq!((again.text("proposal_id"), &again.body["existing"]), (&*id, &json!(true)));

    let waits = app.tool(&app.token, "crm_apply", json!({})).await;
    waits.assert("waits_for_person", "send_person_to_approval_page");
    assert_eq!(waits.body["stopped_at"]["proposal_id"], id);
    assert_eq!(waits.text("approval_url"), proposed.text("approval_url"));
    assert_eq!(app.provider.writes().len(), 0);

    app.decide(&proposed, DecisionVerdict::Approve, Some("Fine.")).await;
    let approved = app.tool(&app.token, "proposals_get", json!({ "proposal_id": id })).await;
    approved.assert("approved", "apply");
    assert_eq!((approved.text("decision"), approved.text("execution")), ("approved", "waiting"));
    assert_eq!(approved.body["comments"][0]["comment"], "Fine.");

    let applied = app.tool(&app.token, "crm_apply", json!({ "through": id })).await;
    applied.assert("done", "done");
    assert_eq!(applied.body["writes"][0]["proposal_id"], id);
    assert_eq!(applied.body["writes"][0]["outcome"], "applied");
    assert_eq!(applied.body["writes"][0]["returns"], json!({ "/id": "c1", "/version": 1 }));

    let repeated = app.tool(&app.token, "crm_apply", json!({})).await;
    repeated.assert("done", "done");
    assert_eq!(repeated.body["already_done"], json!([{ "proposal_id": id, "outcome": "applied" }]));
    app.tool(&app.token, "proposals_get", json!({ "proposal_id": id })).await.assert("applied", "done");
    assert_eq!(app.provider.writes().len(), 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_ends_without_a_write(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let get = async |id: &str| app.tool(&app.token, "proposals_get", json!({ "proposal_id": id })).await;

    let rejected = app.propose("Ada").await;
    app.decide(&rejected, DecisionVerdict::Reject, Some("Not her.")).await;
    let answer = get(rejected.text("proposal_id")).await;
    answer.assert("rejected", "done");
    assert_eq!(answer.body["comments"], json!([{ "by": "rita", "approves": false, "comment": "Not her." }]));
    assert!(answer.body.get("approval_url").is_none());

    let withdrawn = app.propose("Bea").await;
    let arguments = json!({ "proposal_id": withdrawn.text("proposal_id"), "reason": "A mistake." });
    app.tool(&app.token, "proposals_withdraw", arguments.clone()).await.assert("withdrawn", "done");
    app.tool(&app.token, "proposals_withdraw", arguments).await.assert("refused", "done");

    let cancelled = app.propose_approved("Cleo").await;
    let arguments = json!({ "proposal_id": cancelled.text("proposal_id"), "reason": "Too late." });
    app.tool(&app.token, "proposals_withdraw", arguments).await.assert("cancelled", "done");

    let expired = app.propose("Dora").await;
    app.arrange("update proposal_state set approve_by = now() - interval '1 second' where decision = 'pending'").await;
    app.service.sweep_proposals().await.unwrap();
    get(expired.text("proposal_id")).await.assert("expired", "propose_again");
    assert_eq!(app.provider.writes().len(), 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_the_provider_refuses(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let first = app.propose_approved("Ada refused").await;
    let second = app.propose_approved("Bea").await;
    let applied = app.tool(&app.token, "crm_apply", json!({})).await;
    applied.assert("unacknowledged", "send_person_to_approval_page");
    assert_eq!(applied.body["writes"][0]["outcome"], "failed");
    assert_eq!(applied.body["writes"][0]["http_status"], 422);
    assert_eq!(applied.body["warnings"].as_array().unwrap().len(), 1);
    let failed = app.tool(&app.token, "proposals_get", json!({ "proposal_id": first.text("proposal_id") })).await;
    failed.assert("failed", "send_person_to_approval_page");
    assert_eq!(failed.body["stops_lane"], true);
    assert!(failed.text("approval_url").ends_with(first.text("proposal_id")));
    let waiting = app.tool(&app.token, "proposals_get", json!({ "proposal_id": second.text("proposal_id") })).await;
    waiting.assert("approved", "apply");
}

#[sqlx::test(migrations = "../migrations")]
async fn what_nobody_knows(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    // Without a declared idempotency nothing may be repeated after a lost answer.
    let new = json!({ "action": "update_contact", "input": { "id": "lost", "changes": { "name": "Ada" } } });
    let proposed = app.tool(&app.token, "crm_propose", new).await;
    app.decide(&proposed, DecisionVerdict::Approve, None).await;
    let applied = app.tool(&app.token, "crm_apply", json!({})).await;
    applied.assert("unknown", "resolve_unknown");
    assert_eq!(applied.body["stopped_at"]["proposal_id"], proposed.text("proposal_id"));
    let now = app.tool(&app.token, "proposals_get", json!({ "proposal_id": proposed.text("proposal_id") })).await;
    now.assert("unknown", "resolve_unknown");
    assert!(now.text("approval_url").ends_with(proposed.text("proposal_id")));
}

#[sqlx::test(migrations = "../migrations")]
async fn who_may_not_apply_is_told_who_can(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let proposer = app.add_agent("proposer", &[("crm", "p")]).await;
    let arguments = json!({ "action": "create_contact", "input": contact("Ada") });
    let proposed = app.tool(&proposer, "crm_propose", arguments).await;
    app.decide(&proposed, DecisionVerdict::Approve, None).await;
    let answer = app.tool(&proposer, "proposals_get", json!({ "proposal_id": proposed.text("proposal_id") })).await;
    answer.assert("approved", "send_person_to_approval_page");
    assert!(answer.line.contains("may not apply"));
    app.tool(&app.token, "crm_apply", json!({})).await.assert("done", "done");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_credential_that_is_refused_is_for_the_admin(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    app.propose_approved("Ada unauthorized").await;
    app.tool(&app.token, "crm_apply", json!({})).await.assert("credential_refused", "ask_admin");
    app.arrange("update connection set enabled = false").await;
    app.tool(&app.token, "crm_apply", json!({})).await.assert("disabled", "ask_admin");
    let arguments = json!({ "action": "create_contact", "input": contact("Bea") });
    let refused = app.tool(&app.token, "crm_propose", arguments).await;
    refused.assert("refused", "ask_admin").assert_refused("connection_disabled");
}

#[sqlx::test(migrations = "../migrations")]
async fn automatic_needs_nobody(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    app.add_connection("lab", Approval::Automatic).await;
    let token = app.add_agent("free", &[("lab", "rpa")]).await;
    let arguments = json!({ "action": "create_contact", "input": contact("Ada") });
    let proposed = app.tool(&token, "lab_propose", arguments).await;
    proposed.assert("approved", "apply");
    assert!(proposed.body.get("approval_url").is_none());
    app.tool(&token, "lab_apply", json!({})).await.assert("done", "done");
}

#[sqlx::test(migrations = "../migrations")]
async fn refusals_say_where_and_what_next(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let good = contact("Ada");
    let id = app.propose("Ada").await.text("proposal_id").to_owned();
    let wrong_character = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    let propose = "crm_propose";
    for (tool, arguments, code, pointer, next) in [
        (propose, json!({ "action": "create_contact" }), "argument_missing", Some("/input"), "propose_again"),
        (
            propose,
            json!({ "action": "create_contact", "input": [] }),
            "argument_invalid",
            Some("/input"),
            "propose_again",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": good, "urgent": true }),
            "argument_unknown",
            Some("/urgent"),
            "propose_again",
        ),
        (propose, json!({ "writes": [] }), "not_offered", None, "propose_again"),
        (
            propose,
            json!({ "action": "create_contact", "input": good, "depends_on": [id] }),
            "not_offered",
            None,
            "propose_again",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": good, "based_on": [] }),
            "not_offered",
            None,
            "propose_again",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": good, "supersedes": id }),
            "not_offered",
            None,
            "propose_again",
        ),
        (propose, json!({ "action": "nothing", "input": {} }), "action_unknown", Some("/action"), "propose_again"),
        (
            propose,
            json!({ "action": "delete_contact", "input": { "id": "1" } }),
            "forbidden_by_policy",
            None,
            "ask_admin",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": { "name": 1, "email": "a@example.org" } }),
            "input_invalid",
            Some("/input/name"),
            "propose_again",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": { "name": { "$secret": {} } } }),
            "secret_placeholder",
            Some("/input/name/$secret"),
            "propose_again",
        ),
        (
            propose,
            json!({ "action": "create_contact", "input": good, "idempotency_key": "no blanks" }),
            "argument_invalid",
            Some("/idempotency_key"),
            "propose_again",
        ),
        ("crm_read", json!({ "read": "nothing" }), "read_unknown", Some("/read"), "done"),
        ("crm_read", json!({ "read": "contact", "input": {} }), "input_invalid", Some("/input"), "done"),
        ("crm_apply", json!({ "through": wrong_character }), "id_malformed", Some("/through"), "apply"),
        ("crm_apply", json!({ "dry_run": true }), "not_offered", None, "apply"),
        ("proposals_get", json!({}), "argument_missing", Some("/proposal_id"), "done"),
        ("proposals_get", json!({ "proposal_id": wrong_character }), "id_malformed", Some("/proposal_id"), "done"),
        (
            "proposals_get",
            json!({ "proposal_id": domain::ids::ProposalId::from_random([9; 16]) }),
            "not_found",
            None,
            "done",
        ),
        (
            "proposals_get",
            json!({ "proposal_id": domain::ids::AgentId::from_random([9; 16]) }),
            "id_malformed",
            Some("/proposal_id"),
            "done",
        ),
        ("proposals_list", json!({ "limit": 1000 }), "argument_invalid", Some("/limit"), "done"),
        ("proposals_list", json!({ "cursor": "made up" }), "cursor_malformed", None, "done"),
    ] {
        let answer = app.tool(&app.token, tool, arguments.clone()).await;
        answer.assert("refused", next).assert_refused(code);
        assert_eq!(answer.body.get("pointer").and_then(Value::as_str), pointer, "{tool} {arguments}: {}", answer.body);
    }
    let keyed = |name: &str| json!({ "action": "create_contact", "input": contact(name), "idempotency_key": "k1" });
    app.tool(&app.token, propose, keyed("Bea")).await.assert("pending", "send_person_to_approval_page");
    app.tool(&app.token, propose, keyed("Cleo")).await.assert_refused("idempotency_conflict");
}

#[sqlx::test(migrations = "../migrations")]
async fn lost_ids_are_found_again(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let other = app.add_agent("other", &[("crm", "rpa")]).await;
    let mut ids = Vec::new();
    for number in 0..45 {
        let arguments = json!({
            "action": "create_contact",
            "input": contact(&format!("Ada {number}")),
            "client_ref": format!("run-{}", number % 2),
        });
        ids.push(app.tool(&app.token, "crm_propose", arguments).await.text("proposal_id").to_owned());
    }
    ids.reverse();
    // However many fit in a reply, following the cursor brings all of them, once.
    let mut found = Vec::new();
    let mut arguments = json!({ "limit": 50 });
    loop {
        let page = app.tool(&app.token, "proposals_list", arguments.clone()).await;
        page.assert("listed", "send_person_to_approval_page");
        assert!(page.body.get("truncated").is_none());
        for item in page.body["proposals"].as_array().unwrap() {
            assert_eq!(
                (&item["state"], &item["next_action"]),
                (&json!("pending"), &json!("send_person_to_approval_page"))
            );
            assert!(item["approval_url"].is_string());
            found.push(item["proposal_id"].as_str().unwrap().to_owned());
        }
        match page.body.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(found, ids);

    let count = async |token: &str, arguments: Value| {
        let page = app.tool(token, "proposals_list", arguments).await;
        page.body["proposals"].as_array().unwrap().len()
    };
    assert_eq!(count(&app.token, json!({ "client_ref": "run-1", "limit": 10 })).await, 10);
    assert_eq!(count(&app.token, json!({ "client_ref": "run-7" })).await, 0);
    assert_eq!(count(&app.token, json!({ "connection": "crm", "limit": 3 })).await, 3);
    assert_eq!(count(&app.token, json!({ "connection": "erp" })).await, 0);
    // Of the same owner: seen by both, `mine` only by its own agent.
    assert_eq!(count(&other, json!({ "limit": 5 })).await, 5);
    assert_eq!(count(&other, json!({ "mine": true })).await, 0);
    app.arrange("update proposal_state set approve_by = now() - interval '1 second'").await;
    app.service.sweep_proposals().await.unwrap();
    assert_eq!(count(&app.token, json!({ "open": true })).await, 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn reads_are_handed_on_and_bounded(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let read =
        async |id: &str| app.tool(&app.token, "crm_read", json!({ "read": "contact", "input": { "id": id } })).await;
    let one = read("c1").await;
    one.assert("read", "done");
    assert_eq!(one.body["body"]["name"], "Ada");
    assert_eq!(one.body["http_status"], 200);
    read("missing").await.assert("provider_refused", "done");
    let huge = read("huge").await;
    huge.assert("read", "done");
    assert_eq!(huge.body["truncated"], true);
    read("lost").await.assert("refused", "wait").assert_refused("provider_unavailable");
}
