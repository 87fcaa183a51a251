use std::time::Duration;

use serde_json::json;

use super::*;
use crate::connector::executor::{Answer, LostReason, NotSentReason};
use crate::connector::manifest::Manifest;

const TEXT: &str = r#"
[connector]
name = "t"
title = "T"
auth = "none"

[actions.plain]
title = "Plain"
risk = "low"
method = "POST"
path = "/x"
idempotency = "none"
approval = "person"
returns = ["/id", "/data/version", "/big", "/missing"]
input = { type = "object" }

[actions.careful]
title = "With conditions"
risk = "low"
method = "POST"
path = "/x"
idempotency = "none"
approval = "person"
not_executed = [503, 423]
success = { pointer = "/ok", equals = true }
input = { type = "object" }

[actions.strict]
title = "With an answer that refuses"
risk = "low"
method = "POST"
path = "/x"
idempotency = "none"
approval = "person"
success = { pointer = "/ok", equals = true, otherwise = "failed" }
input = { type = "object" }

[actions.named]
title = "With an id that must come back"
risk = "low"
method = "POST"
path = "/x"
idempotency = "none"
approval = "person"
success = { pointer = "/id" }
input = { type = "object" }
"#;

fn manifest() -> Manifest {
    Manifest::from_toml(TEXT, "t.toml").expect("sound")
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
    Reply::Answered(Answer {
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: body.as_bytes().to_vec(),
        truncated: false,
        duration: Duration::from_millis(3),
    })
}

fn lost(reason: LostReason, status: Option<u16>) -> Reply {
    Reply::Lost { reason, status, duration: Duration::from_secs(15) }
}

#[test]
fn every_kind_of_reply_ends_as_what_is_certain() {
    use OutcomeClass::{Applied, Failed, NotSent, Refused, Unknown};
    let manifest = manifest();
    let rows: Vec<(&str, Reply, OutcomeClass)> = vec![
        ("plain", Reply::NotSent(NotSentReason::Dns), NotSent),
        ("plain", Reply::NotSent(NotSentReason::Connect), NotSent),
        ("plain", Reply::NotSent(NotSentReason::AddressRefused), NotSent),
        ("plain", Reply::NotSent(NotSentReason::Tls), NotSent),
        ("plain", Reply::NotSent(NotSentReason::Deadline), NotSent),
        ("plain", Reply::NotSent(NotSentReason::Invalid), NotSent),
        ("plain", lost(LostReason::Timeout, None), Unknown),
        ("plain", lost(LostReason::Reset, None), Unknown),
        ("plain", lost(LostReason::Malformed, None), Unknown),
        // The head of an answer without its end proves nothing.
        ("plain", lost(LostReason::Timeout, Some(200)), Unknown),
        ("plain", lost(LostReason::Reset, Some(400)), Unknown),
        ("plain", lost(LostReason::Reset, Some(429)), Unknown),
        ("plain", answer(100, &[], ""), Unknown),
        ("plain", answer(101, &[], ""), Unknown),
        ("plain", answer(103, &[], ""), Unknown),
        ("plain", answer(200, &[], "{}"), Applied),
        ("plain", answer(200, &[], ""), Applied),
        ("plain", answer(200, &[], "no JSON"), Applied),
        ("plain", answer(201, &[], "{}"), Applied),
        ("plain", answer(202, &[], "{}"), Unknown),
        ("plain", answer(203, &[], "{}"), Applied),
        ("plain", answer(204, &[], ""), Applied),
        ("plain", answer(206, &[], "{}"), Applied),
        ("plain", answer(226, &[], "{}"), Applied),
        ("plain", answer(300, &[], ""), Unknown),
        ("plain", answer(301, &[], ""), Unknown),
        ("plain", answer(302, &[], ""), Unknown),
        ("plain", answer(303, &[], ""), Unknown),
        ("plain", answer(304, &[], ""), Unknown),
        ("plain", answer(307, &[], ""), Unknown),
        ("plain", answer(308, &[], ""), Unknown),
        ("plain", answer(400, &[], "{}"), Failed),
        ("plain", answer(401, &[], "{}"), Refused),
        ("plain", answer(402, &[], "{}"), Failed),
        ("plain", answer(403, &[], "{}"), Failed),
        ("plain", answer(404, &[], "{}"), Failed),
        ("plain", answer(405, &[], "{}"), Failed),
        ("plain", answer(408, &[], "{}"), Unknown),
        ("plain", answer(409, &[], "{}"), Failed),
        ("plain", answer(410, &[], "{}"), Failed),
        ("plain", answer(412, &[], "{}"), Failed),
        ("plain", answer(413, &[], "{}"), Failed),
        ("plain", answer(422, &[], "{}"), Failed),
        ("plain", answer(423, &[], "{}"), Failed),
        ("plain", answer(425, &[], "{}"), Failed),
        ("plain", answer(429, &[], "{}"), Refused),
        ("plain", answer(499, &[], "{}"), Failed),
        ("plain", answer(500, &[], "{}"), Unknown),
        ("plain", answer(501, &[], "{}"), Unknown),
        ("plain", answer(502, &[], "{}"), Unknown),
        ("plain", answer(503, &[("retry-after", "1")], "{}"), Unknown),
        ("plain", answer(504, &[], "{}"), Unknown),
        ("plain", answer(599, &[], "{}"), Unknown),
        ("plain", answer(600, &[], "{}"), Unknown),
        ("plain", answer(999, &[], "{}"), Unknown),
        ("careful", answer(503, &[], "{}"), Refused),
        ("careful", answer(423, &[], "{}"), Refused),
        ("careful", answer(500, &[], r#"{"ok":true}"#), Unknown),
        ("careful", answer(200, &[], r#"{"ok":true}"#), Applied),
        ("careful", answer(200, &[], r#"{"ok":false}"#), Unknown),
        ("careful", answer(200, &[], r#"{"ok":"true"}"#), Unknown),
        ("careful", answer(200, &[], "{}"), Unknown),
        ("careful", answer(200, &[], "no JSON"), Unknown),
        ("careful", answer(204, &[], ""), Unknown),
        ("careful", answer(202, &[], r#"{"ok":true}"#), Unknown),
        ("careful", answer(400, &[], r#"{"ok":true}"#), Failed),
        ("strict", answer(200, &[], r#"{"ok":true}"#), Applied),
        ("strict", answer(200, &[], r#"{"ok":false}"#), Failed),
        ("strict", answer(200, &[], "{}"), Unknown),
        ("strict", answer(200, &[], "no JSON"), Unknown),
        ("named", answer(201, &[], r#"{"id":7}"#), Applied),
        ("named", answer(201, &[], "{}"), Unknown),
    ];
    assert!(rows.len() >= 40);
    for (action, reply, outcome) in rows {
        assert_eq!(classify(&manifest.actions[action], &ReplyFacts::of(&reply)), outcome, "{action} {reply:?}");
    }
}

#[test]
fn on_a_repeat_some_refusals_prove_nothing() {
    use OutcomeClass::{Applied, Failed, Refused, Unknown};
    let manifest = manifest();
    for (status, outcome) in [
        (200, Applied),
        (400, Failed),
        (401, Refused),
        (404, Unknown),
        (409, Unknown),
        (412, Unknown),
        (422, Failed),
        (429, Refused),
        (500, Unknown),
    ] {
        let facts = ReplyFacts::of(&answer(status, &[], "")).of_a_repeat();
        assert_eq!(classify(&manifest.actions["plain"], &facts), outcome, "{status}");
    }
}

#[test]
fn a_body_that_was_cut_meets_no_condition() {
    let Reply::Answered(whole) = answer(200, &[], r#"{"ok":true}"#) else { unreachable!() };
    let cut = Reply::Answered(Answer { truncated: true, ..whole });
    let manifest = manifest();
    assert_eq!(classify(&manifest.actions["careful"], &ReplyFacts::of(&cut)), OutcomeClass::Unknown);
    assert_eq!(classify(&manifest.actions["plain"], &ReplyFacts::of(&cut)), OutcomeClass::Applied);
}

#[test]
fn when_to_come_again() {
    let of = |headers: &[(&str, &str)]| retry_after_ms(&answer(429, headers, ""));
    assert_eq!(of(&[("retry-after", "7")]), Some(7000));
    assert_eq!(of(&[("retry-after", "0")]), Some(0));
    assert_eq!(of(&[("retry-after", "99999999999999999999999")]), Some(86_400_000));
    let now = ("date", "Wed, 21 Oct 2015 07:28:00 GMT");
    assert_eq!(of(&[("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"), now]), Some(30_000));
    assert_eq!(of(&[("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT"), now]), Some(0));
    for nonsense in ["", "soon", "-1", "1.5", "1e3"] {
        assert_eq!(of(&[("retry-after", nonsense), now]), None, "{nonsense}");
    }
    assert_eq!(of(&[("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT")]), None);
    assert_eq!(of(&[]), None);
    assert_eq!(retry_after_ms(&lost(LostReason::Timeout, Some(429))), None);
}

#[test]
fn an_id_is_kept_only_if_it_is_harmless() {
    let of = |name: &str, value: &str| request_id(&answer(200, &[(name, value)], ""));
    assert_eq!(of("x-request-id", "req_1.A:b-9").as_deref(), Some("req_1.A:b-9"));
    assert_eq!(of("cf-ray", "8a1-FRA").as_deref(), Some("8a1-FRA"));
    assert_eq!(of("x-request-id", &"a".repeat(64)).map(|id| id.len()), Some(64));
    for odd in ["", "a b", "me@example.com", "a/b", "ä", "<b>", &"a".repeat(65)] {
        assert_eq!(of("x-request-id", odd), None, "{odd}");
    }
    assert_eq!(of("x-customer", "abc"), None);
}

#[test]
fn only_what_is_declared_is_returned_and_not_without_end() {
    let manifest = manifest();
    let action = &manifest.actions["plain"];
    let of = |body: serde_json::Value| returns(action, &ReplyFacts::of(&answer(200, &[], &body.to_string())));
    assert_eq!(
        of(json!({ "id": 1, "data": { "version": "v" }, "secret": 2 })),
        [("/id".to_owned(), json!(1)), ("/data/version".to_owned(), json!("v"))]
    );
    assert_eq!(of(json!({ "id": 1, "big": "x".repeat(9000) })), [("/id".to_owned(), json!(1))]);
    assert_eq!(of(json!([1])), []);
}

#[test]
fn what_a_provider_says_about_a_failure() {
    let of = |headers: &[(&str, &str)], body: &str| excerpt(&answer(400, headers, body));
    for (body, expected) in [
        (r#"{"message":"No such list."}"#, "No such list."),
        (r#"{"code":7,"error":{"type":"x","message":"Nope"}}"#, "Nope"),
        (r#"{"errors":[{"detail":"Bad email"}]}"#, "Bad email"),
        (r#"["first", "second"]"#, "first"),
        ("{\"message\":\"two\\nlines\\u0007 \\u001b[31mred\"}", "two lines [31mred"),
        ("plain words", "plain words"),
    ] {
        assert_eq!(of(&[], body).as_deref(), Some(expected), "{body}");
    }
    for nothing in [r#"{"id":1}"#, "", "   ", r#"{"message":"  "}"#] {
        assert_eq!(of(&[], nothing), None, "{nothing}");
    }
    assert_eq!(of(&[("content-type", "text/html")], "<html>502</html>"), None);
    let long = of(&[], &json!({ "message": "ä".repeat(5000) }).to_string()).expect("a message");
    assert_eq!(long.chars().count(), 300);
    assert!(long.ends_with('…'));
    let fits = of(&[], &json!({ "message": "ä".repeat(300) }).to_string()).expect("a message");
    assert!(fits.chars().count() == 300 && !fits.ends_with('…'));
}

#[test]
fn nothing_of_an_answer_is_printed() {
    let reply = answer(200, &[("x-name", "Ada Lovelace")], r#"{"name":"Ada Lovelace"}"#);
    assert!(!format!("{reply:?}").contains("Ada"));
}
