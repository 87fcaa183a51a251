//! What happens when the server itself fails, or the client goes away.

use std::time::Duration;

use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::TestApp;

#[sqlx::test(migrations = "../migrations")]
async fn a_panic_is_answered(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let read = app.tool(&app.token, "crm_read", json!({ "read": "contact", "input": { "id": "panic" } }));
    let answer = tokio::time::timeout(Duration::from_secs(5), read).await.expect("no call hangs");
    answer.assert("refused", "ask_admin").assert_refused("internal");
    assert!(!answer.body.to_string().contains("the client of"));
    // The server goes on.
    app.tool(&app.token, "crm_actions", json!({})).await.assert("listed", "done");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_write_under_way_is_finished_when_the_client_goes(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let first = app.propose_approved("Ada slow").await;
    let second = app.propose_approved("Bea slow").await;
    let gone = app.ask(&app.token, "tools/call", json!({ "name": "crm_apply", "arguments": {} }));
    tokio::time::timeout(Duration::from_millis(150), gone).await.expect_err("the client does not wait");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let state = async |answer: &crate::support::ToolAnswer| {
        let id = answer.text("proposal_id");
        app.tool(&app.token, "proposals_get", json!({ "proposal_id": id })).await.text("state").to_owned()
    };
    assert_eq!(state(&first).await, "applied");
    assert_eq!(state(&second).await, "approved", "nothing more is claimed");
    assert_eq!(app.provider.writes().len(), 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn two_appliers_make_one_call(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    app.propose_approved("Ada slow").await;
    let apply = || app.tool(&app.token, "crm_apply", json!({}));
    let (one, other) = tokio::join!(apply(), apply());
    assert_eq!(app.provider.writes().len(), 1, "{one:?} {other:?}");
    let busy = if one.body["writes"] == json!([]) { &one } else { &other };
    if busy.text("state") == "busy" {
        assert_eq!(busy.text("next_action"), "wait");
        assert!(busy.body["retry_after_ms"].as_u64().unwrap() > 0);
    }
}
