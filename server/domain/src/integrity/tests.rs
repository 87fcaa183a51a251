//! The formulas, computed a second time by other means, and pages that show
//! something else than they should.

use serde_json::json;

use super::*;
use crate::fields::{Field, FieldKind, fields};

fn binding(content_commitment: Digest) -> Binding {
    Binding {
        proposal: "prp_1".to_owned(),
        round: 2,
        connection: "con_1".to_owned(),
        target_digest: Digest::of(b"target"),
        manifest_digest: Digest::of(b"manifest"),
        action: "put_record".to_owned(),
        policy_digest: Digest::of(b"policy"),
        content_commitment,
        requester: "agt_1".to_owned(),
        on_behalf_of: "per_1".to_owned(),
        depends_on: vec!["prp_0".to_owned()],
        approve_within: 259_200,
        apply_within: 86_400,
    }
}

fn sealed() -> SealedContent {
    SealedContent {
        salt: [7; 32],
        content: Content::new(
            json!({"id": "a", "data": {"n": 1.5, "list": [true, null, ""]}}),
            json!({"method": "PUT", "url": "https://example.com/a"}),
            vec![],
            vec!["record:a".to_owned()],
            Some("because".to_owned()),
        ),
    }
}

fn page() -> (Evidence, Displayed) {
    let sealed = sealed();
    let binding = binding(sealed.commitment());
    let displayed = Displayed {
        input_digest: Some(sealed.content.input_digest.grouped()),
        call_digest: Some(sealed.content.call_digest.to_string()),
        content_commitment: Some(sealed.commitment().to_string()),
        binding_digest: Some(binding.digest().grouped()),
        form_digest: Some(binding.digest().to_string()),
        fields: fields(&canonical_bytes(&sealed.content.input)).unwrap(),
        call_fields: Some(fields(&canonical_bytes(&sealed.content.call)).unwrap()),
    };
    (sealed.evidence(binding), displayed)
}

#[test]
fn a_binding_is_read_back_as_written() {
    let binding = binding(sealed().commitment());
    let canonical = String::from_utf8(binding.canonical()).unwrap();
    assert_eq!(Binding::from_canonical(canonical.as_bytes()), Some(binding));
    for other in [
        canonical.replacen('{', "{\"a\":1,", 1),
        canonical.replace("\"round\":2", "\"round\":-2"),
        canonical.replace("\"round\":2,", ""),
        canonical.replace("\"agt_1\"", "1"),
        "[]".to_owned(),
    ] {
        assert_eq!(Binding::from_canonical(other.as_bytes()), None, "{other}");
    }
}

/// Computed with Python's hashlib and json.
#[test]
fn known_answers() {
    assert_eq!(sealed().commitment().to_string(), "8b020575dd26cc0007295e280869a17ae904dc9d9acbd47736a3ba9503e768a7");
    let binding = binding(Digest::of(b"content"));
    assert_eq!(binding.digest().to_string(), "af8cb9f75263a6c0341d1a810be95f9847f417d0cbec029b3adf1aec05144995");
    let statement = DecisionStatement {
        decision: "dec_1".to_owned(),
        proposal: "prp_1".to_owned(),
        round: 2,
        binding_digest: binding.digest(),
        decided_by: DecidedBy::Person("per_1".to_owned()),
        verdict: DecisionVerdict::Approve,
        decided_at: 1_790_000_000_000_001,
        comment_commitment: None,
    };
    assert_eq!(
        Digest::of(&statement.signed_bytes()).to_string(),
        "532366f6382a836e4439d6eb3ec117f460a00044ee1a4837c12cf7e008184198"
    );
    assert_eq!(
        row_digest("proposal", &json!({"id": "prp_1", "sequence": 3})).to_string(),
        "1df2679b54c7910811df7adfc099e35b6abe224eece3e203a8a0c4c2299a6b97"
    );
    assert_eq!(
        event_hash(&Digest::of(b"a"), &Digest::of(b"b")).to_string(),
        "e5a01fee14e0ed5c48714f22180f25ad8365b53f9779f79dc4a3d7e93963f94a"
    );
}

#[test]
fn signed_bytes_are_what_serde_would_write() {
    for (decided_by, json) in [
        (DecidedBy::Person("per_1".to_owned()), r#"{"person":"per_1"}"#),
        (DecidedBy::Rule("automatic".to_owned()), r#"{"rule":"automatic"}"#),
    ] {
        let statement = DecisionStatement {
            decision: "dec_1".to_owned(),
            proposal: "prp_1".to_owned(),
            round: 1,
            binding_digest: Digest::of(b""),
            decided_by,
            verdict: DecisionVerdict::Reject,
            decided_at: 0,
            comment_commitment: Some(Digest::of(b"comment")),
        };
        let value = serde_json::to_value(&statement).unwrap();
        assert_eq!(value["decided_by"].to_string(), json);
        let bytes = statement.signed_bytes();
        let (name, canonical) = bytes.split_at(24);
        assert_eq!(name, b"countersign/decision/v1\0");
        assert_eq!(canonical, canonical_bytes(&value));
        assert_eq!(serde_json::from_value::<DecisionStatement>(value).unwrap(), statement);
    }
}

#[test]
fn every_member_of_a_binding_counts() {
    let first = serde_json::to_value(binding(Digest::of(b"content"))).unwrap();
    let digest = |value: &Value| serde_json::from_value::<Binding>(value.clone()).unwrap().digest();
    let members = first.as_object().unwrap();
    assert_eq!(members.len(), 13);
    for (key, member) in members {
        let mut other = first.clone();
        other[key] = match member {
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            Value::Array(_) => json!([]),
            _ if key.ends_with("digest") || key.ends_with("commitment") => json!(Digest::of(b"x")),
            _ => json!("x"),
        };
        assert_ne!(digest(&other), digest(&first), "{key}");
    }
}

#[test]
fn content_comes_back_as_it_was_sealed() {
    let sealed = sealed();
    let bytes = sealed.to_bytes();
    assert_eq!(SealedContent::from_bytes(&bytes).unwrap(), sealed);
    let canonical = sealed.content.canonical();
    assert_eq!(canonical, canonical_bytes(&serde_json::to_value(&sealed.content).unwrap()));

    let spaced = [b" ".as_slice(), &canonical].concat();
    assert_eq!(Content::from_canonical(&spaced), Err(ContentError::NotCanonical));
    for other in [b"{}".as_slice(), b"[]", b"1"] {
        assert_eq!(Content::from_canonical(other), Err(ContentError::Members));
    }
    let mut more = serde_json::to_value(&sealed.content).unwrap();
    more["more"] = json!(1);
    assert_eq!(Content::from_canonical(&canonical_bytes(&more)), Err(ContentError::Members));
    assert!(matches!(Content::from_canonical(b"{"), Err(ContentError::Json(_))));
    assert_eq!(SealedContent::from_bytes(&bytes[..31]), Err(ContentError::Members));
}

#[test]
fn an_honest_page_passes() {
    let (evidence, displayed) = page();
    let report = check(&evidence, &displayed);
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(report.checks.len(), 8);
    assert_eq!(report.binding_digest, evidence.binding.digest());
    assert_eq!(report.checks[3].detail, "All 8 fields are as displayed.");
    // What the page does not display cannot be compared.
    let displayed =
        Displayed { call_digest: None, content_commitment: None, form_digest: None, call_fields: None, ..displayed };
    let report = check(&evidence, &displayed);
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(report.checks.len(), 6);
}

#[test]
fn a_page_that_shows_something_else_fails() {
    type Change = fn(&mut Evidence, &mut Displayed);
    let cases: &[(CheckName, Change)] = &[
        (CheckName::Input, |_, page| {
            page.input_digest = Some(Digest::of(b"x").to_string());
        }),
        (CheckName::Input, |_, page| {
            page.input_digest = None;
        }),
        (CheckName::Call, |_, page| {
            page.call_digest = Some(Digest::of(b"x").to_string());
        }),
        (CheckName::Commitment, |_, page| {
            page.content_commitment = Some("0".repeat(64));
        }),
        (CheckName::Commitment, |evidence, _| {
            evidence.salt_hex = "08".repeat(32);
        }),
        (CheckName::Commitment, |evidence, _| {
            evidence.salt_hex = "07".repeat(31);
        }),
        (CheckName::Commitment, |evidence, _| {
            evidence.content_json = evidence.content_json.replace("because", "why not");
        }),
        (CheckName::Content, |evidence, _| {
            evidence.content_json.push(' ');
        }),
        (CheckName::Content, |evidence, _| {
            evidence.content_json = evidence.content_json.replace("1.5", "1.50");
        }),
        (CheckName::Input, |evidence, _| {
            evidence.content_json = evidence.content_json.replace("1.5", "1.6");
        }),
        (CheckName::Call, |evidence, _| {
            evidence.content_json = evidence.content_json.replace("example.com", "example.org");
        }),
        (CheckName::Binding, |evidence, _| {
            evidence.binding.action = "delete".to_owned();
        }),
        (CheckName::Binding, |evidence, _| evidence.binding.round = 3),
        (CheckName::Binding, |_, page| {
            page.binding_digest = Some("f".repeat(63));
        }),
        (CheckName::Binding, |_, page| page.binding_digest = None),
        (CheckName::Form, |_, page| {
            page.form_digest = Some("f".repeat(64));
        }),
        (CheckName::Fields, |_, page| {
            page.fields[3].text = String::new();
        }),
        (CheckName::Fields, |_, page| {
            page.fields[3].kind = FieldKind::String;
        }),
        (CheckName::Fields, |_, page| page.fields.swap(4, 5)),
        (CheckName::Fields, |_, page| drop(page.fields.pop())),
        (CheckName::Fields, |_, page| page.fields.clear()),
        (CheckName::Fields, |_, page| {
            page.fields.push(Field::new("/x".to_owned(), FieldKind::Null, "null".to_owned()));
        }),
        (CheckName::CallFields, |_, page| {
            page.call_fields = Some(Vec::new());
        }),
    ];
    for (index, (name, change)) in cases.iter().enumerate() {
        let (mut evidence, mut displayed) = page();
        change(&mut evidence, &mut displayed);
        let report = check(&evidence, &displayed);
        let failure = report.first_failure().map(|check| check.name);
        assert_eq!(failure, Some(*name), "case {index}: {report:?}");
        assert!(!report.is_ok());
    }
}
