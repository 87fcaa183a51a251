use serde_json::json;

use super::*;

const TEXT: &str = r#"
[connector]
name = "t"
title = "T"
auth = "basic"

[reads.thing]
path = "/things/{id}"
query = ["fields"]
input = { type = "object", required = ["id"], additionalProperties = false, properties = { id = { type = "string" }, fields = { type = "string" } } }

[lists.things]
path = "/things/"
query = ["limit", "all"]
items = ""
key = "/id"
input = { type = "object", additionalProperties = false, properties = { limit = { type = "integer" }, all = { type = "boolean" } } }

[actions.put]
title = "Put"
risk = "low"
method = "PUT"
path = "/boxes/{box}/things/{number}"
body = "/data"
query = ["notify"]
idempotency = { key = { header = "Idempotency-Key", window = "24h" } }
approval = "person"

[actions.put.input]
type = "object"
required = ["box", "number", "data"]
additionalProperties = false
properties.box = { type = "string" }
properties.number = { type = "integer" }
properties.notify = { type = "boolean" }
properties.data = true

[actions.rest]
title = "Rest"
risk = "low"
method = "POST"
path = "/boxes/{box}/things"
idempotency = "none"
approval = "person"
input = { type = "object", required = ["box"], properties = { box = { type = "string" }, name = { type = "string" } } }

[actions.archive]
title = "Archive"
risk = "low"
method = "POST"
path = "/things/{id}/archive"
idempotency = "natural"
approval = "person"
input = { type = "object", required = ["id"], additionalProperties = false, properties = { id = { type = "string" } } }

[actions.delete]
title = "Delete"
risk = "high"
method = "DELETE"
path = "/things/{id}"
idempotency = "natural"
approval = "person"
input = { type = "object", required = ["id"], additionalProperties = false, properties = { id = { type = "string" } } }
"#;

fn manifest() -> Manifest {
    Manifest::from_toml(TEXT, "t.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

fn call(action: &str, base: &str, input: &Value) -> Result<Call, CallError> {
    let manifest = manifest();
    build_call(&manifest, &manifest.actions[action], &Url::parse(base).expect(base), input)
}

const BASE: &str = "https://api.example.com/v1";

#[test]
fn a_call_has_all_that_is_sent() {
    let input = json!({ "box": "a b/ä", "number": 7, "notify": true, "data": { "x": 1 } });
    let call = call("put", BASE, &input).expect("a call");
    assert_eq!(call.method, Method::Put);
    assert_eq!(call.url, "https://api.example.com/v1/boxes/a%20b%2F%C3%A4/things/7?notify=true");
    assert_eq!(
        call.headers,
        ["accept", "accept-encoding", "authorization", "content-type", "idempotency-key", "user-agent"]
    );
    assert_eq!(call.body, Some(json!({ "x": 1 })));
    assert_eq!(
        String::from_utf8(call.canonical()).expect("text"),
        concat!(
            r#"{"body":{"x":1},"headers":["accept","accept-encoding","authorization","content-type","#,
            r#""idempotency-key","user-agent"],"method":"PUT","#,
            r#""url":"https://api.example.com/v1/boxes/a%20b%2F%C3%A4/things/7?notify=true"}"#
        )
    );
    assert_eq!(call.body_bytes().as_deref(), Some(br#"{"x":1}"#.as_slice()));
}

#[test]
fn a_call_is_read_back_as_it_was() {
    for data in [json!({ "x": 1 }), json!(null), json!("text"), json!([1.5])] {
        let input = json!({ "box": "b", "number": 7, "data": data });
        let call = call("put", BASE, &input).expect("a call");
        let back: Call = serde_json::from_slice(&call.canonical()).expect("a call");
        assert_eq!(back, call);
        assert_eq!(back.digest(), call.digest());
    }
    let delete = call("delete", BASE, &json!({ "id": "x" })).expect("a call");
    assert_eq!(delete.body, None);
    assert_eq!(serde_json::from_slice::<Call>(&delete.canonical()).expect("a call"), delete);
}

#[test]
fn what_is_no_parameter_is_the_body() {
    let with = call("rest", BASE, &json!({ "box": "b", "name": "n", "more": [1] })).expect("a call");
    assert_eq!(with.body, Some(json!({ "name": "n", "more": [1] })));
    let empty = call("rest", BASE, &json!({ "box": "b" })).expect("a call");
    assert_eq!(empty.body, Some(json!({})));
    let archive = call("archive", BASE, &json!({ "id": "b" })).expect("a call");
    assert_eq!(archive.body, None);
    assert!(!archive.headers.contains(&"content-type".to_owned()));
}

#[test]
fn the_base_keeps_its_path_and_port() {
    for (base, url) in [
        ("https://api.example.com", "https://api.example.com/things/x"),
        ("https://api.example.com/", "https://api.example.com/things/x"),
        ("https://api.example.com/v1/", "https://api.example.com/v1/things/x"),
        ("http://127.0.0.1:8888/v1", "http://127.0.0.1:8888/v1/things/x"),
        ("http://[::1]:80/a/b", "http://[::1]/a/b/things/x"),
        ("https://EXAMPLE.com:443", "https://example.com/things/x"),
    ] {
        assert_eq!(call("delete", base, &json!({ "id": "x" })).expect(base).url, url);
    }
}

#[test]
fn what_could_lead_elsewhere_is_refused() {
    for id in [json!(""), json!("."), json!(".."), json!("%2e%2e"), json!("a\r\nb"), json!("a%0ab"), json!("../x")] {
        let error = call("delete", BASE, &json!({ "id": id })).expect_err("refused");
        assert_eq!(error.pointer, "/id", "{id}");
    }
    for id in [json!(1.5), json!(true), json!(null), json!(["a"]), json!({})] {
        assert_eq!(call("delete", BASE, &json!({ "id": id })).expect_err("refused").pointer, "/id");
    }
    assert!(call("delete", BASE, &json!({ "id": "x".repeat(9000) })).is_err());
    assert!(call("delete", BASE, &json!({})).is_err());
    assert!(call("put", BASE, &json!({ "box": "b", "number": 1 })).is_err());
    for base in
        ["https://user:pass@example.com", "https://example.com/?a=b", "https://example.com/#a", "ftp://example.com"]
    {
        assert!(call("delete", base, &json!({ "id": "x" })).is_err(), "{base}");
        assert!(parse_base_url(base).is_err(), "{base}");
    }
    for text in ["", "example.com", "https://", "file:///etc/passwd", "data:text/plain,x"] {
        assert!(parse_base_url(text).is_err(), "{text}");
    }
}

#[test]
fn integers_are_written_plainly() {
    for (number, text) in
        [(json!(0), "0"), (json!(-5), "-5"), (json!(9_007_199_254_740_991_i64), "9007199254740991"), (json!(7.0), "7")]
    {
        let input = json!({ "box": "b", "number": number, "data": 1 });
        assert!(call("put", BASE, &input).expect("a call").url.ends_with(&format!("/things/{text}")));
    }
}

#[test]
fn reads_and_lists_are_made_the_same_way() {
    let manifest = manifest();
    let base = parse_base_url(BASE).expect("good");
    let read = build_read(&manifest, &manifest.reads["thing"], &base, &json!({ "id": "x", "fields": "a,b&c" }));
    let read = read.expect("a call");
    assert_eq!((read.method, read.url.as_str()), (Method::Get, "https://api.example.com/v1/things/x?fields=a%2Cb%26c"));
    assert_eq!(read.headers, ["accept", "accept-encoding", "authorization", "user-agent"]);
    let list = build_list(&manifest, &manifest.lists["things"], &base, &json!({ "limit": 5, "all": false }));
    assert_eq!(list.expect("a call").url, "https://api.example.com/v1/things/?limit=5&all=false");
}
