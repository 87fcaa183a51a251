//! The canonical form of RFC 8785, written straight from a value.
//!
//! By hand, because it also runs in the browser: a serde serializer, and the
//! parser that the usual one needs to read its own keys again, would be most of
//! what a page loads. The tests hold it against `serde_json_canonicalizer`.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Appends the canonical form.
pub(super) fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(key, text);
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
    }
}

/// Every number is a double there, written as ECMAScript does.
pub(super) fn write_number(number: &Number, text: &mut String) {
    // A number that is not a double at all cannot be made with our features of
    // serde_json; `null` would be what ECMAScript writes.
    match number.as_f64().filter(|double| double.is_finite()) {
        Some(double) => text.push_str(ryu_js::Buffer::new().format_finite(double)),
        None => text.push_str("null"),
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            // Writing to a string does not fail.
            '\0'..='\u{1f}' => drop(write!(text, "\\u{:04x}", u32::from(character))),
            _ => text.push(character),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn agrees(value: &Value) {
        let mut text = String::new();
        write(value, &mut text);
        assert_eq!(text, serde_json_canonicalizer::to_string(value).unwrap());
    }

    #[test]
    fn it_agrees_with_another_implementation() {
        let controls: String = ('\0'..='\u{ff}').collect();
        agrees(&json!({
            "": null, "b": [true, false, {}, []], "a": {"z": 1, "y": [[[{"x": -0.5}]]]},
            "controls": controls, "\u{fb33}": 1, "\u{1f600}": 2, "\u{20ac}": "€ 👩\u{200d}👧", "\r\n\"\\/": "\u{7f}\u{2028}",
            "numbers": [0, 1, -1, 9_007_199_254_740_991_i64, i64::MIN, u64::MAX, 0.1, 1e21, 1e-7, 123_456_789.125,
                        5e-324, f64::MAX, -333_333_333.333_333_3, 1e23, 1e22, 4.5, 100.0],
        }));
    }

    #[test]
    fn numbers_of_every_size_agree() {
        // Doubles from all over, by a fixed multiplicative sequence of bits.
        let mut bits: u64 = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let double = f64::from_bits(bits);
            if double.is_finite() {
                agrees(&json!(double));
            }
        }
    }

    #[test]
    fn keys_of_every_kind_stand_in_the_same_order() {
        let keys = [
            "a",
            "B",
            "é",
            "e\u{301}",
            "\u{e000}",
            "\u{10000}",
            "\u{ffff}",
            "\u{10ffff}",
            "\"",
            "\\",
            "\n",
            " ",
            "aa",
            "a\u{0}",
        ];
        agrees(&Value::Object(keys.iter().map(|key| ((*key).to_owned(), json!(1))).collect()));
    }
}
