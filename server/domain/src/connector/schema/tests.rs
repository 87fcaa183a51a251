use serde_json::json;

use super::*;

fn contact() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "additionalProperties": false,
        "properties": {
            "name": { "type": "string", "minLength": 1, "maxLength": 10 },
            "kind": { "$ref": "#/$defs/kind" },
            "email": { "type": "string", "format": "email" },
            "address": { "$ref": "#/$defs/address" },
            "tags": { "type": "array", "items": { "type": "object", "properties": { "n": { "default": 1 } } } },
            "size": { "anyOf": [{ "type": "integer" }, { "enum": ["s", "m"] }] }
        },
        "$defs": {
            "kind": { "enum": ["lead", "customer"], "default": "lead" },
            "address": {
                "type": "object",
                "properties": {
                    "country": { "type": "string", "default": "NL" },
                    "next": { "$ref": "#/$defs/address" }
                }
            }
        }
    })
}

fn prepared(input: Value) -> Prepared {
    prepare_input(&contact(), input).expect("valid")
}

#[test]
fn defaults_are_filled_where_properties_and_references_lead() {
    let prepared = prepared(json!({ "name": "Ada", "address": { "next": {} }, "tags": [{}] }));
    assert_eq!(
        prepared.input,
        json!({
            "name": "Ada", "kind": "lead", "tags": [{}],
            "address": { "country": "NL", "next": { "country": "NL" } },
        })
    );
    assert_eq!(prepared.filled, ["/address/country", "/address/next/country", "/kind"]);
}

#[test]
fn what_is_there_stays_as_it_is() {
    let input = json!({ "name": "Ada", "kind": "customer", "address": { "country": "UK" } });
    let prepared = prepared(input.clone());
    assert_eq!(prepared.input, input);
    assert!(prepared.filled.is_empty());
}

#[test]
fn a_default_is_complete_by_itself() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "object", "default": {}, "properties": { "b": { "default": 1 } } } }
    });
    let prepared = prepare_input(&schema, json!({})).expect("valid");
    assert_eq!(prepared.input, json!({ "a": {} }));
    assert_eq!(prepared.filled, ["/a"]);
}

#[test]
fn a_default_that_does_not_fit_is_noticed() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer", "default": "one" } } });
    let violations = prepare_input(&schema, json!({})).expect_err("invalid");
    assert_eq!(violations[0].pointer, "/a");
}

#[test]
fn a_schema_that_refers_to_itself_has_an_end() {
    let schema = json!({ "type": "object", "properties": { "child": { "$ref": "#", "default": {} } } });
    let prepared = prepare_input(&schema, json!({ "child": { "child": {} } })).expect("valid");
    assert_eq!(prepared.filled, ["/child/child/child"]);
}

#[test]
fn violations_name_the_place_and_what_is_expected_and_not_the_value() {
    for (input, pointer, words) in [
        (json!({}), "", "required"),
        (json!({ "name": 7 }), "/name", "string"),
        (json!({ "name": "" }), "/name", "shorter than 1"),
        (json!({ "name": "a".repeat(500) }), "/name", "longer than 10"),
        (json!({ "name": "a", "kind": "secret-value" }), "/kind", "customer"),
        (json!({ "name": "a", "email": "secret-value" }), "/email", "email"),
        (json!({ "name": "a", "nmae": "secret-value" }), "", "nmae"),
        (json!({ "name": "a", "size": "secret-value" }), "/size", "nearest"),
        (json!([]), "", "object"),
        (json!(null), "", "object"),
    ] {
        let violations = prepare_input(&contact(), input.clone()).expect_err("invalid");
        let found =
            violations.iter().find(|violation| violation.pointer == pointer && violation.message.contains(words));
        assert!(found.is_some(), "{input}: {violations:?}");
        let told = violations.iter().map(ToString::to_string).collect::<String>();
        assert!(!told.contains("secret-value"), "{told}");
    }
}

#[test]
fn violations_are_not_endless() {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    let input: Map<String, Value> = (0..5000).map(|n| (format!("{n}{}", "k".repeat(400)), json!("x"))).collect();
    let violations = prepare_input(&schema, Value::Object(input)).expect_err("invalid");
    assert_eq!(violations.len(), MAX_VIOLATIONS + 1);
    let closed = json!({ "type": "object", "additionalProperties": false });
    let input: Map<String, Value> = (0..5000).map(|n| (format!("{n}{}", "k".repeat(400)), json!("x"))).collect();
    let violations = prepare_input(&closed, Value::Object(input)).expect_err("invalid");
    assert!(violations.iter().all(|violation| violation.message.chars().count() <= MAX_MESSAGE + 1));
}

#[test]
fn the_key_of_secrets_is_reserved_at_any_depth() {
    let schema = json!({ "type": "object" });
    let violations = prepare_input(&schema, json!({ "a": [{ "b/c": { "$secret": 1 } }] })).expect_err("invalid");
    assert_eq!(violations[0].pointer, "/a/0/b~1c/$secret");
}

#[test]
fn unsound_schemas_are_refused_with_the_place() {
    for (schema, pointer) in [
        (json!({ "type": "array" }), "/type"),
        (json!({ "type": ["object", "null"] }), "/type"),
        (json!({}), "/type"),
        (json!(true), "/type"),
        (json!({ "type": "object", "requird": ["a"] }), "/requird"),
        (json!({ "type": "object", "required": "a" }), "/required"),
        (json!({ "type": "object", "properties": { "a": { "type": "strnig" } } }), "/properties/a/type"),
        (json!({ "type": "object", "properties": { "a": { "writeOnly": true } } }), "/properties/a/writeOnly"),
        (json!({ "type": "object", "allOf": [{ "items": { "writeOnly": true } }] }), "/allOf/0/items/writeOnly"),
        (json!({ "type": "object", "$ref": "https://example.com/s.json" }), "/$ref"),
        (json!({ "type": "object", "$ref": "other.json#/a" }), "/$ref"),
        (json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/none" } } }), "/properties/a/$ref"),
        (json!({ "type": "object", "properties": { "a": { "$ref": "#/properties/a" } } }), "/properties/a/$ref"),
        (json!({ "type": "object", "$id": "https://example.com" }), "/$id"),
        (json!({ "type": "object", "$dynamicRef": "#a" }), "/$dynamicRef"),
        (json!({ "type": "object", "$schema": "http://json-schema.org/draft-07/schema#" }), "/$schema"),
        (json!({ "type": "object", "definitions": {} }), "/definitions"),
        (json!({ "type": "object", "properties": { "a": { "nullable": true } } }), "/properties/a/nullable"),
        (json!({ "type": "object", "properties": { "a": 7 } }), "/properties/a"),
    ] {
        let faults = check_schema(&schema);
        assert!(faults.iter().any(|fault| fault.pointer == pointer), "{schema}: {faults:?}");
        assert!(compile(&schema).is_err());
    }
}

#[test]
fn what_cannot_be_matched_in_linear_time_or_is_no_format_is_refused() {
    for inside in [json!({ "pattern": "(?=a)b" }), json!({ "pattern": "(" }), json!({ "format": "emial" })] {
        let schema = json!({ "type": "object", "properties": { "a": inside } });
        assert!(!check_schema(&schema).is_empty(), "{schema}");
    }
}

#[test]
fn properties_may_be_called_like_keywords() {
    let schema = json!({
        "type": "object",
        "properties": { "writeOnly": { "type": "boolean" }, "$ref": { "type": "string" }, "definitions": true },
        "x-note": { "writeOnly": true }
    });
    assert_eq!(check_schema(&schema), []);
    let enumerated = json!({ "type": "object", "properties": { "a": { "const": { "requird": true } } } });
    assert_eq!(check_schema(&enumerated), []);
}

#[test]
fn compiled_schemas_are_kept_by_digest() {
    let cache = SchemaCache::default();
    let digest = Digest::of(b"manifest");
    let first = cache.get(digest, "a", &contact()).expect("sound");
    let again = cache.get(digest, "a", &contact()).expect("sound");
    assert!(Arc::ptr_eq(&first, &again));
    let other = cache.get(Digest::of(b"other"), "a", &contact()).expect("sound");
    assert!(!Arc::ptr_eq(&first, &other));
}
