//! Which token may do what, and what the others are told.

use chrono::TimeDelta;
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{HOST, MODERN, TestApp, contact, modern};

#[sqlx::test(migrations = "../migrations")]
async fn a_missing_scope_is_named(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let reader = app.add_agent("reader", &[("crm", "r")]).await;
    for (tool, scope) in [("crm_propose", "crm:propose"), ("crm_apply", "crm:apply")] {
        let answer = app.ask(&reader, "tools/call", json!({ "name": tool, "arguments": {} })).await;
        assert_eq!(answer.status, 403, "{tool}: {}", answer.body);
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(challenge.starts_with("Bearer "), "{challenge}");
        assert!(challenge.contains("error=\"insufficient_scope\""), "{challenge}");
        assert!(challenge.contains(&format!("scope=\"{scope}\"")), "{challenge}");
        assert_eq!((answer.code(), answer.json()["id"].as_i64()), (Some(-32600), Some(7)));
    }
    // In the legacy era the body alone says which tool it is.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "crm_apply" } });
    assert_eq!(app.post(&reader, &[], body.to_string()).await.status, 403);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_token_that_ended_opens_nothing(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let short = app.add_agent_until("short", &[("crm", "r")], Some(TimeDelta::milliseconds(40))).await;
    assert_eq!(app.ask(&short, "tools/list", json!({})).await.status, 200);
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    let answer = app.ask(&short, "tools/list", json!({})).await;
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));

    app.arrange("update agent set revoked_at = now() where name = 'scribe'").await;
    assert_eq!(app.ask(&app.token, "tools/list", json!({})).await.status, 401);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_token_in_the_address_is_none(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let request = axum::http::Request::post(format!("/mcp?access_token={}", app.token))
        .header("host", HOST)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/list");
    let answer = app.send(request.body(modern(1, "tools/list", json!({})).to_string().into()).unwrap()).await;
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer "));
}

#[sqlx::test(migrations = "../migrations")]
async fn two_authorization_headers_are_none(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let bearer = format!("Bearer {}", app.token);
    let headers = [("authorization", &*bearer), ("authorization", "Bearer cst_other")];
    let answer = app.post("", &headers, modern(1, "tools/list", json!({})).to_string()).await;
    assert_eq!(answer.status, 401);
}

#[sqlx::test(migrations = "../migrations")]
async fn allowed_origins_pass(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    for (host, origin) in [(HOST, "https://countersign.example"), ("localhost:3000", "http://localhost:3000")] {
        let headers =
            [("host", host), ("origin", origin), ("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
        let answer = app.post(&app.token, &headers, modern(1, "tools/list", json!({})).to_string()).await;
        assert_eq!(answer.status, 200, "{origin}: {}", answer.body);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn strangers_see_nothing(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    app.add_connection("erp", domain::policy::Approval::Person).await;
    let proposed = app.propose("Ada").await;
    let id = proposed.text("proposal_id");
    // Of another owner, and with no scope to read here.
    let new = domain::service::NewPerson {
        login: "olaf".to_owned(),
        name: "Olaf".to_owned(),
        password: "correct horse battery".to_owned(),
    };
    app.service.add_person(&domain::actor::Operator, new, domain::service::Roles::default()).await.unwrap();
    let new = domain::service::NewAgent {
        name: "stranger".to_owned(),
        owner_login: "olaf".to_owned(),
        scopes: vec![domain::service::GrantedScope {
            connection: "erp".to_owned(),
            read: true,
            propose: true,
            apply: true,
        }],
        expires_at: None,
    };
    let stranger = app.service.add_agent(&domain::actor::Operator, new).await.unwrap().secret;
    app.tool(&stranger, "proposals_get", json!({ "proposal_id": id })).await.assert_refused("not_found");
    app.tool(&stranger, "proposals_withdraw", json!({ "proposal_id": id })).await.assert_refused("not_found");
    let list = app.tool(&stranger, "proposals_list", json!({})).await;
    assert_eq!(list.body["proposals"], json!([]));
    // A token for one connection does not learn that there is another.
    let answer = app.ask(&stranger, "tools/call", json!({ "name": "crm_apply", "arguments": {} })).await;
    assert_eq!((answer.status, answer.code()), (200, Some(-32602)));
    let other =
        app.tool(&stranger, "erp_propose", json!({ "action": "create_contact", "input": contact("Ada") })).await;
    assert_ne!(other.text("proposal_id"), id);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_loop_is_slowed_down(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let other = app.add_agent("other", &[("crm", "r")]).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let mut slowed = None;
    for _ in 0..2_000 {
        let answer = app.post(&app.token, &[], ping.clone()).await;
        if answer.status != 200 {
            slowed = Some(answer);
            break;
        }
    }
    let slowed = slowed.unwrap();
    assert_eq!((slowed.status, slowed.header("retry-after")), (429, Some("1")));
    assert_eq!(slowed.code(), Some(-32600));
    assert_eq!(app.post(&other, &[], ping).await.status, 200, "it is counted for each token");
}

#[sqlx::test(migrations = "../migrations")]
async fn no_tool_decides(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    for tool in app.tools(&app.token).await {
        let name = tool["name"].as_str().unwrap();
        for word in ["approve", "reject", "decide", "confirm", "acknowledge", "judge"] {
            assert!(!name.contains(word), "{name}");
        }
    }
    let proposed = app.propose("Ada").await;
    for name in ["crm_approve", "proposals_approve", "proposals_decide", "crm_decide"] {
        let answer = app.ask(&app.token, "tools/call", json!({ "name": name, "arguments": {} })).await;
        assert_eq!(answer.code(), Some(-32602), "{name}");
    }
    let state = app.tool(&app.token, "proposals_get", json!({ "proposal_id": proposed.text("proposal_id") })).await;
    state.assert("pending", "send_person_to_approval_page");
}
