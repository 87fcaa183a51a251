//! Everything that is not a well-formed request is refused with a status, a
//! code and the id, and leaves no trace.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::{HOST, MODERN, TestApp, modern};

struct Row {
    what: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    status: u16,
    code: i64,
    id: Value,
    /// Where the fault lies, if the answer can say.
    pointer: Option<&'static str>,
}

fn row(what: &'static str, body: impl Into<Vec<u8>>, status: u16, code: i64, id: impl Into<Value>) -> Row {
    let headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "crm_propose")];
    Row { what, headers, body: body.into(), status, code, id: id.into(), pointer: None }
}

impl Row {
    fn at(mut self, pointer: &'static str) -> Self {
        self.pointer = Some(pointer);
        self
    }

    /// With another value of a header; `-` takes it away.
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        self
    }
}

/// A proposal whose input is this text.
fn input(text: &str) -> String {
    let body = call(&json!({ "action": "create_contact", "input": "HERE" }));
    body.to_string().replace("\"HERE\"", text)
}

/// A call with these arguments.
fn call(arguments: &Value) -> Value {
    modern(7, "tools/call", json!({ "name": "crm_propose", "arguments": arguments }))
}

/// A well-formed call, changed.
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut body = call(&json!({ "action": "create_contact", "input": { "name": "Ada", "email": "ada@example.org" } }));
    change(&mut body);
    body.to_string()
}

fn without(pointer: &str, name: &str) -> String {
    changed(|body| {
        body.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(name);
    })
}

fn set(pointer: &str, value: Value) -> String {
    changed(|body| {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name.replace("~1", "/")] = value;
    })
}

const VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

fn json_that_means_two_things() -> Vec<Row> {
    let deep = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let mut not_utf8 = input("{\"name\":\"?\"}").into_bytes();
    let place = not_utf8.iter().position(|byte| *byte == b'?').unwrap();
    not_utf8[place] = 0xff;
    vec![
        row("not JSON", "{\"jsonrpc\":", 400, -32700, Value::Null),
        row("empty", "", 400, -32700, Value::Null),
        row("not UTF-8", not_utf8, 400, -32700, 7),
        row("a key twice", input(r#"{"name":"Ada","name":"Eve"}"#), 400, -32700, 7).at("/params/arguments/input/name"),
        row("the id twice", r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, 400, -32700, Value::Null),
        row("2^53 + 1", input(r#"{"name":9007199254740993}"#), 400, -32700, 7).at("/params/arguments/input/name"),
        row("10^30", input(r#"{"name":1000000000000000000000000000000}"#), 400, -32700, 7),
        row("1e400", input(r#"{"name":1e400}"#), 400, -32700, 7),
        row("a decimal between doubles", input(r#"{"name":1.00000000000000011}"#), 400, -32700, 7)
            .at("/params/arguments/input/name"),
        row("minus zero", input(r#"{"name":-0}"#), 400, -32700, 7),
        row("minus zero as a decimal", input(r#"{"name":-0.0}"#), 400, -32700, 7),
        row("NaN", input(r#"{"name":NaN}"#), 400, -32700, Value::Null),
        row("half of a surrogate pair", input(r#"{"name":"\ud800"}"#), 400, -32700, 7),
        row("a raw control character", input("{\"name\":\"a\u{1}b\"}"), 400, -32700, Value::Null),
        row("depth 70", input(&deep(70)), 400, -32700, 7),
        row("depth 10000", input(&deep(10_000)), 400, -32700, 7),
        row("something after it", format!("{} x", input("{}")), 400, -32700, Value::Null),
        row("300 KiB", input(&format!("{{\"name\":\"{}\"}}", "x".repeat(300 * 1024))), 413, -32600, Value::Null),
    ]
}

fn envelopes() -> Vec<Row> {
    vec![
        row("a batch", format!("[{}]", changed(|_| ())), 400, -32600, Value::Null),
        row("a scalar", "42", 400, -32600, Value::Null),
        row("null", "null", 400, -32600, Value::Null),
        row("no jsonrpc", without("", "jsonrpc"), 400, -32600, 7).at("/jsonrpc"),
        row("jsonrpc 1.0", set("/jsonrpc", json!("1.0")), 400, -32600, 7),
        row("id null", set("/id", Value::Null), 400, -32600, Value::Null).at("/id"),
        row("id a fraction", set("/id", json!(1.5)), 400, -32600, Value::Null),
        row("id an object", set("/id", json!({})), 400, -32600, Value::Null),
        row("method a number", set("/method", json!(1)), 400, -32600, 7).at("/method"),
        row("no method", without("", "method"), 400, -32600, 7),
        row("a response", r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, 400, -32600, 7),
        row("a result beside a method", set("/result", json!({})), 400, -32600, 7),
        row("params an array", set("/params", json!([])), 400, -32602, 7).at("/params"),
        row("_meta a text", set("/params/_meta", json!("x")), 400, -32602, 7).at("/params/_meta"),
        row("no name", without("/params", "name"), 400, -32602, 7).at("/params/name"),
        row("name a number", set("/params/name", json!(1)), 400, -32602, 7),
        row("arguments a text", set("/params/arguments", json!("{}")), 400, -32602, 7).at("/params/arguments"),
        row("arguments an array", set("/params/arguments", json!([])), 400, -32602, 7),
        row("requestState a number", set("/params/requestState", json!(1)), 400, -32602, 7),
        row("inputResponses an array", set("/params/inputResponses", json!([])), 400, -32602, 7),
        row("progressToken an object", set("/params/_meta/progressToken", json!({})), 400, -32602, 7),
        row("cursor a number", modern(7, "tools/list", json!({ "cursor": 5 })).to_string(), 400, -32602, 7)
            .with("mcp-method", "tools/list")
            .with("mcp-name", "-")
            .at("/params/cursor"),
        row(
            "a cursor that was never given",
            modern(7, "tools/list", json!({ "cursor": "x" })).to_string(),
            200,
            -32602,
            7,
        )
        .with("mcp-method", "tools/list")
        .with("mcp-name", "-"),
        row("a form", "name=crm_propose", 415, -32600, Value::Null)
            .with("content-type", "application/x-www-form-urlencoded"),
        row("no content type", changed(|_| ()), 415, -32600, Value::Null).with("content-type", "-"),
    ]
}

fn eras() -> Vec<Row> {
    let unknown = |method: &str| modern(7, method, json!({})).to_string();
    vec![
        row("no version header", changed(|_| ()), 400, -32020, 7).with("mcp-protocol-version", "-"),
        row("header and body differ", changed(|_| ()), 400, -32020, 7).with("mcp-protocol-version", "2025-11-25"),
        row("body and header differ", set(VERSION, json!("2025-11-25")), 400, -32020, 7),
        row("unknown version in both", set(VERSION, json!("1900-01-01")), 400, -32022, 7)
            .with("mcp-protocol-version", "1900-01-01"),
        row("v999 in both, no Mcp-Method", set(VERSION, json!("v999")), 400, -32022, 7)
            .with("mcp-protocol-version", "v999")
            .with("mcp-method", "-"),
        row("unknown version in the header only", without("/params", "_meta"), 400, -32022, 7)
            .with("mcp-protocol-version", "1900-01-01"),
        row("a version too old", without("/params", "_meta"), 400, -32022, 7)
            .with("mcp-protocol-version", "2024-11-05"),
        row("no _meta", without("/params", "_meta"), 400, -32602, 7),
        row("version a number", set(VERSION, json!(1)), 400, -32602, 7),
        row("no capabilities", without("/params/_meta", "io.modelcontextprotocol/clientCapabilities"), 400, -32602, 7),
        row(
            "capabilities misshapen",
            set("/params/_meta/io.modelcontextprotocol~1clientCapabilities", json!({ "elicitation": { "url": true } })),
            400,
            -32602,
            7,
        ),
        row("clientInfo a text", set("/params/_meta/io.modelcontextprotocol~1clientInfo", json!("me")), 400, -32602, 7),
        row("no Mcp-Method", changed(|_| ()), 400, -32020, 7).with("mcp-method", "-"),
        row("wrong Mcp-Method", changed(|_| ()), 400, -32020, 7).with("mcp-method", "tools/list"),
        row("Mcp-Method in capitals", changed(|_| ()), 400, -32020, 7).with("mcp-method", "TOOLS/CALL"),
        row("no Mcp-Name", changed(|_| ()), 400, -32020, 7).with("mcp-name", "-"),
        row("wrong Mcp-Name", changed(|_| ()), 400, -32020, 7).with("mcp-name", "crm_apply"),
        row("Mcp-Name in broken Base64", changed(|_| ()), 400, -32020, 7).with("mcp-name", "=?base64?%%%?="),
        row("unknown method", unknown("tools/destroy"), 404, -32601, 7)
            .with("mcp-method", "tools/destroy")
            .with("mcp-name", "-"),
        row("removed method", unknown("ping"), 404, -32601, 7).with("mcp-method", "ping").with("mcp-name", "-"),
        row("resources", unknown("resources/list"), 404, -32601, 7)
            .with("mcp-method", "resources/list")
            .with("mcp-name", "-"),
        row("tasks", unknown("tasks/list"), 404, -32601, 7).with("mcp-method", "tasks/list").with("mcp-name", "-"),
        row("initialize without a version", unknown("initialize"), 404, -32601, 7)
            .with("mcp-method", "initialize")
            .with("mcp-name", "-"),
        row("unknown tool", set("/params/name", json!("crm_approve")), 200, -32602, 7).with("mcp-name", "crm_approve"),
        row("a tool of another connection", set("/params/name", json!("erp_apply")), 200, -32602, 7)
            .with("mcp-name", "erp_apply"),
    ]
}

fn doors() -> Vec<Row> {
    vec![
        row("evil Origin", changed(|_| ()), 403, -32600, Value::Null).with("origin", "https://evil.example"),
        row("Origin null", changed(|_| ()), 403, -32600, Value::Null).with("origin", "null"),
        row("evil Host", changed(|_| ()), 403, -32600, Value::Null).with("host", "evil.example"),
        row("no Host", changed(|_| ()), 403, -32600, Value::Null).with("host", "-"),
        row("evil Origin without a token", changed(|_| ()), 403, -32600, Value::Null)
            .with("origin", "https://evil.example")
            .with("authorization", "-"),
        row("no token", changed(|_| ()), 401, -32600, Value::Null).with("authorization", "-"),
        row("no token and no JSON", "x", 401, -32600, Value::Null).with("authorization", "-"),
        row("wrong token", changed(|_| ()), 401, -32600, Value::Null).with("authorization", "Bearer cst_wrong"),
        row("another scheme", changed(|_| ()), 401, -32600, Value::Null).with("authorization", "Basic cml0YTpyaXRh"),
        row("an empty token", changed(|_| ()), 401, -32600, Value::Null).with("authorization", "Bearer "),
    ]
}

#[sqlx::test(migrations = "../migrations")]
async fn every_malformed_request_is_refused(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let rows = [json_that_means_two_things(), envelopes(), eras(), doors()].into_iter().flatten();
    for Row { what, headers, body, status, code, id, pointer } in rows {
        let answer = app.post(&app.token, &headers, body).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{what}");
        let reply = answer.json();
        assert_eq!(reply["error"]["code"], code, "{what}: {reply}");
        assert_eq!(reply["id"], id, "{what}: {reply}");
        assert_eq!(reply["jsonrpc"], "2.0", "{what}");
        if let Some(pointer) = pointer {
            assert_eq!(reply["error"]["data"]["pointer"], pointer, "{what}: {reply}");
        }
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge.is_some_and(|challenge| challenge.starts_with("Bearer ")), status == 401, "{what}");
        if code == -32022 {
            assert!(reply["error"]["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)), "{what}");
            assert!(reply["error"]["data"]["requested"].is_string(), "{what}");
        }
    }
    assert_eq!(app.count_proposals().await, 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn other_methods_are_refused(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS] {
        let request = Request::builder().method(&method).uri("/mcp").header("host", HOST);
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
        assert_eq!(answer.code(), Some(-32600), "{method}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn an_input_deeper_than_64_is_refused_by_the_tool(options: PgPoolOptions, connect: PgConnectOptions) {
    let app = TestApp::new(options, connect).await;
    let deep = (0..65).fold(json!({}), |inside, _| json!({ "a": inside }));
    let answer = app.tool(&app.token, "crm_propose", json!({ "action": "create_contact", "input": deep })).await;
    answer.assert_refused("too_deep");
    assert!(answer.text("pointer").starts_with("/input/a/a"));
}
