//! Both generations of the protocol on one endpoint.

use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{MODERN, TestApp, contact};

fn legacy(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params }).to_string()
}

fn hello(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

#[sqlx::test(migrations = "../migrations")]
async fn discover_says_what_is_served(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let answer = app.ask(&app.token, "server/discover", json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let result = &answer.json()["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!([MODERN, "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert!(result["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(result["cacheScope"], "private");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "countersign");
    assert!(result["instructions"].as_str().unwrap().contains("no tool here approves"));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_legacy_client_is_served(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
    ] {
        let answer = app.post(&app.token, &[], legacy("initialize", &hello(asked))).await;
        assert_eq!(answer.status, 200, "{asked}: {}", answer.body);
        let reply = answer.json();
        assert_eq!(reply["id"], "a");
        assert_eq!(reply["result"]["protocolVersion"], given, "{asked}");
        assert_eq!(reply["result"]["serverInfo"]["name"], "countersign");
        assert!(reply["result"]["instructions"].is_string());
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    let version = [("mcp-protocol-version", "2025-11-25")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let answer = app.post(&app.token, &version, ready).await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));

    for headers in [&version[..], &[], &[("accept", "*/*")], &[("accept", "-")]] {
        let answer = app.post(&app.token, headers, legacy("ping", &json!({}))).await;
        assert_eq!((answer.status, &answer.json()["result"]), (200, &json!({})), "{headers:?}");
    }
    let listed = app.post(&app.token, &version, legacy("tools/list", &json!({}))).await.json();
    assert!(!listed["result"]["tools"].as_array().unwrap().is_empty());
    for key in ["resultType", "ttlMs", "cacheScope", "_meta"] {
        assert!(listed["result"].get(key).is_none(), "{key}");
    }
    let arguments = json!({ "action": "create_contact", "input": contact("Ada") });
    let call = legacy("tools/call", &json!({ "name": "crm_propose", "arguments": arguments }));
    let called = app.post(&app.token, &version, call).await.json();
    assert_eq!(called["result"]["structuredContent"]["state"], "pending", "{called}");
    assert!(called["result"].get("resultType").is_none());

    let unknown = app.post(&app.token, &version, legacy("tools/destroy", &json!({}))).await;
    assert_eq!((unknown.status, unknown.code()), (200, Some(-32601)));
    let incomplete = app.post(&app.token, &[], legacy("initialize", &json!({ "protocolVersion": "2025-11-25" }))).await;
    assert_eq!((incomplete.status, incomplete.code()), (400, Some(-32602)));
}

#[sqlx::test(migrations = "../migrations")]
async fn what_is_proposed_is_what_was_sent(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    // In any order of keys, with any blanks, escaped or not, it is one input.
    let mut digests = Vec::new();
    for input in [
        r#"{"name":"Zo\u00eb","email":"zoe@example.org"}"#,
        "{ \"email\" : \"zoe@example.org\",\n \"name\" : \"Zoë\" }",
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"crm_propose","arguments":{{"action":"create_contact","input":{input}}}}}}}"#
        );
        let reply = app.post(&app.token, &[], body).await.json();
        digests.push(reply["result"]["structuredContent"]["input_digest"].as_str().unwrap().to_owned());
    }
    assert_eq!(digests[0], digests[1]);
    let expected =
        domain::canonical::digest_json(&json!({ "name": "Zoë", "email": "zoe@example.org", "status": "lead" }));
    assert_eq!(digests[0], expected.to_string());
}
