//! What `tools/list` publishes.

use domain::policy::Approval;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::TestApp;

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn tools_follow_the_token(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    app.add_connection("erp", Approval::Person).await;
    let always = ["proposals_get", "proposals_list", "proposals_withdraw"];
    for (agent, scopes, expected) in [
        ("reads", vec![("crm", "r")], vec!["crm_actions", "crm_read"]),
        ("proposes", vec![("crm", "p")], vec!["crm_actions", "crm_propose"]),
        ("applies", vec![("crm", "a")], vec!["crm_actions", "crm_apply"]),
        (
            "both",
            vec![("crm", "rp"), ("erp", "a")],
            vec!["crm_actions", "crm_propose", "crm_read", "erp_actions", "erp_apply"],
        ),
    ] {
        let token = app.add_agent(agent, &scopes).await;
        let tools = app.tools(&token).await;
        let expected: Vec<&str> = expected.into_iter().chain(always).collect();
        assert_eq!(names(&tools), expected, "{agent}");
        assert_eq!(tools, app.tools(&token).await, "the same again");
    }
    let listed = app.ask(&app.token, "tools/list", json!({})).await.json();
    assert_eq!(listed["result"]["cacheScope"], "private");
    assert!(listed["result"]["ttlMs"].as_u64().unwrap() <= 60_000);
    assert_eq!(listed["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "countersign");
}

#[sqlx::test(migrations = "../migrations")]
async fn every_tool_is_fully_described(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let tools = app.tools(&app.token).await;
    assert_eq!(tools.len(), 7);
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(!tool["title"].as_str().unwrap().is_empty(), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!((20..600).contains(&description.len()), "{name}: {}", description.len());
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}: {schema}");
            assert!(jsonschema::meta::is_valid(&tool[schema]), "{name}: {schema}");
        }
        // Several hosts drop a tool with one of these at the root of its input.
        for keyword in ["oneOf", "anyOf", "allOf", "if", "not", "$ref"] {
            assert!(tool["inputSchema"].get(keyword).is_none(), "{name}: {keyword}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
    }
    let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
    assert!(bytes < 24 * 1024, "one connection takes {bytes} bytes of every context");

    let hints = |name: &str| &tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"];
    assert_eq!(hints("crm_read")["readOnlyHint"], true);
    assert_eq!(hints("crm_propose")["destructiveHint"], false);
    assert_eq!(hints("crm_apply")["destructiveHint"], true);
    assert_eq!(hints("crm_apply")["openWorldHint"], true);
}

#[sqlx::test(migrations = "../migrations")]
async fn propose_carries_the_actions(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let tools = app.tools(&app.token).await;
    let propose = &tools.iter().find(|tool| tool["name"] == "crm_propose").unwrap()["inputSchema"];
    // `delete_contact` is forbidden by the policy.
    assert_eq!(propose["properties"]["action"]["enum"], json!(["create_contact", "update_contact"]));
    let titles: Vec<&Value> =
        propose["properties"]["input"]["anyOf"].as_array().unwrap().iter().map(|schema| &schema["title"]).collect();
    assert_eq!(titles, ["create_contact", "update_contact"]);
    let validator = jsonschema::draft202012::new(propose).unwrap();
    for (arguments, fits) in [
        (json!({ "action": "create_contact", "input": { "name": "Ada", "email": "a@example.org" } }), true),
        (json!({ "action": "create_contact", "input": { "name": 1 } }), false),
        (json!({ "action": "delete_contact", "input": { "id": "1" } }), false),
        (json!({ "action": "create_contact", "input": { "name": "Ada", "email": "a@example.org" }, "more": 1 }), false),
        (json!({ "action": "create_contact" }), false),
    ] {
        assert_eq!(validator.is_valid(&arguments), fits, "{arguments}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn actions_are_listed_and_described(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let listed = app.tool(&app.token, "crm_actions", json!({})).await;
    listed.assert("listed", "done");
    assert_eq!(listed.body["actions"].as_array().unwrap().len(), 3);
    assert_eq!(listed.body["actions"][1]["approval"], "forbidden");
    assert!(listed.body["actions"][0].get("input_schema").is_none());
    let described = app.tool(&app.token, "crm_actions", json!({ "action": "create_contact" })).await;
    described.assert("described", "done");
    assert_eq!(described.body["actions"][0]["input_schema"]["required"], json!(["name", "email"]));
    assert_eq!(described.body["reads"], json!([]));
    let described = app.tool(&app.token, "crm_actions", json!({ "read": "contact" })).await;
    assert_eq!(described.body["reads"][0]["input_schema"]["required"], json!(["id"]));
    app.tool(&app.token, "crm_actions", json!({ "action": "nothing" })).await.assert_refused("action_unknown");
    app.tool(&app.token, "crm_actions", json!({ "read": "nothing" })).await.assert_refused("read_unknown");
}
