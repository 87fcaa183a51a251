//! The list of fields that a person sees, built from canonical bytes: on the
//! server to show it, and in the browser to compare with what is shown.
//!
//! Nothing is shortened here; a page may fold a long value, and must be able to
//! give it back whole.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::{self, Limits, StrictError, escape_pointer};
use crate::digest::Digest;

/// One value of a JSON text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// JSON pointer; empty for the whole.
    pub pointer: String,
    /// How many steps the pointer has.
    pub depth: u16,
    /// The last step: a key, or the index of an item. Empty for the whole.
    pub label: String,
    /// What sort of value.
    pub kind: FieldKind,
    /// The exact text of the value: a string without its quotes, a number in
    /// canonical form, `true`, `false` or `null`. Empty for arrays and objects.
    pub text: String,
    /// How many characters the text has.
    pub characters: usize,
    /// How many bytes the text has.
    pub bytes: usize,
}

/// The sort of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// An object with so many members.
    Object(usize),
    /// An array with so many items.
    Array(usize),
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
}

/// A text that names no [`FieldKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such kind of field")]
pub struct FieldKindError;

impl Field {
    /// The field at this place; also for one that is read back from a page.
    #[must_use]
    pub fn new(pointer: String, kind: FieldKind, text: String) -> Self {
        let depth = pointer.bytes().filter(|byte| *byte == b'/').count();
        let label = pointer.rsplit_once('/').map_or("", |(_, last)| last);
        Self {
            depth: u16::try_from(depth).unwrap_or(u16::MAX),
            label: label.replace("~1", "/").replace("~0", "~"),
            kind,
            characters: text.chars().count(),
            bytes: text.len(),
            pointer,
            text,
        }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(members) => write!(f, "object:{members}"),
            Self::Array(items) => write!(f, "array:{items}"),
            Self::String => f.write_str("string"),
            Self::Number => f.write_str("number"),
            Self::Boolean => f.write_str("boolean"),
            Self::Null => f.write_str("null"),
        }
    }
}

impl FromStr for FieldKind {
    type Err = FieldKindError;

    fn from_str(text: &str) -> Result<Self, FieldKindError> {
        let count = |digits: &str| digits.parse().map_err(|_| FieldKindError);
        match text.split_once(':') {
            Some(("object", members)) => count(members).map(Self::Object),
            Some(("array", items)) => count(items).map(Self::Array),
            Some(_) => Err(FieldKindError),
            None => match text {
                "string" => Ok(Self::String),
                "number" => Ok(Self::Number),
                "boolean" => Ok(Self::Boolean),
                "null" => Ok(Self::Null),
                _ => Err(FieldKindError),
            },
        }
    }
}

/// Every value in the text, each before what is inside it, members in the
/// order of the canonical form.
///
/// # Errors
/// If the text is not the strict JSON that [`canonical::parse_strict`] takes.
pub fn fields(canonical: &[u8]) -> Result<Vec<Field>, StrictError> {
    let value = canonical::parse_strict(canonical, Limits::STORED)?;
    let mut fields = Vec::new();
    let mut waiting = vec![(String::new(), &value)];
    while let Some((pointer, value)) = waiting.pop() {
        let (kind, text) = match value {
            Value::Null => (FieldKind::Null, "null".to_owned()),
            Value::Bool(truth) => (FieldKind::Boolean, truth.to_string()),
            Value::Number(number) => (FieldKind::Number, canonical::number_text(number)),
            Value::String(text) => (FieldKind::String, text.clone()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate().rev() {
                    waiting.push((format!("{pointer}/{index}"), item));
                }
                (FieldKind::Array(items.len()), String::new())
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|(a, _), (b, _)| b.encode_utf16().cmp(a.encode_utf16()));
                for (key, member) in &members {
                    waiting.push((format!("{pointer}/{}", escape_pointer(key)), member));
                }
                (FieldKind::Object(members.len()), String::new())
            }
        };
        fields.push(Field::new(pointer, kind, text));
    }
    Ok(fields)
}

/// One digest for a whole list: of place, kind and text of each field, in
/// order. Two lists with one digest show the same.
#[must_use]
pub fn digest_of_fields(fields: &[Field]) -> Digest {
    let mut bytes = b"countersign/fields/v1\0".to_vec();
    for field in fields {
        // Lengths first, so that no text can imitate the end of another.
        for part in [&field.pointer, &field.kind.to_string(), &field.text] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
    }
    Digest::of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical_bytes;
    use serde_json::json;

    fn listed(value: &Value) -> Vec<(String, String, String, String)> {
        fields(&canonical_bytes(value))
            .unwrap()
            .into_iter()
            .map(|field| (field.pointer, field.label, field.kind.to_string(), field.text))
            .collect()
    }

    #[test]
    fn every_kind_is_told_apart() {
        let value = json!({
            "five": 5, "text five": "5", "null": null, "text null": "null", "no": false,
            "empty": "", "list": [], "object": {}, "price": 19.90, "a/b~c": [{"": " "}],
        });
        let expected = [
            ("", "", "object:10", ""),
            ("/a~1b~0c", "a/b~c", "array:1", ""),
            ("/a~1b~0c/0", "0", "object:1", ""),
            ("/a~1b~0c/0/", "", "string", " "),
            ("/empty", "empty", "string", ""),
            ("/five", "five", "number", "5"),
            ("/list", "list", "array:0", ""),
            ("/no", "no", "boolean", "false"),
            ("/null", "null", "null", "null"),
            ("/object", "object", "object:0", ""),
            ("/price", "price", "number", "19.9"),
            ("/text five", "text five", "string", "5"),
            ("/text null", "text null", "string", "null"),
        ]
        .map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned()));
        assert_eq!(listed(&value), expected);
    }

    #[test]
    fn a_value_alone_is_one_field() {
        let only = fields(b"\"h\xC3\xA9\"").unwrap();
        assert_eq!(only.len(), 1);
        assert_eq!((only[0].depth, only[0].characters, only[0].bytes), (0, 2, 3));
    }

    #[test]
    fn members_stand_in_utf16_order() {
        // U+FB33 comes after U+1F600 there, though its bytes are smaller.
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2});
        let pointers: Vec<_> = listed(&value).into_iter().map(|field| field.0).collect();
        assert_eq!(pointers, ["", "/\u{1f600}", "/\u{fb33}"]);
    }

    #[test]
    fn kinds_are_read_back_as_written() {
        for kind in [
            FieldKind::Object(0),
            FieldKind::Array(17),
            FieldKind::String,
            FieldKind::Number,
            FieldKind::Boolean,
            FieldKind::Null,
        ] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for text in ["", "object", "array:", "array:-1", "string:1", "text"] {
            assert_eq!(text.parse::<FieldKind>(), Err(FieldKindError), "{text}");
        }
    }

    #[test]
    fn a_list_read_back_from_a_page_has_the_same_digest() {
        let shown = fields(&canonical_bytes(&json!({"a": [1, "1", null]}))).unwrap();
        let read_back: Vec<_> =
            shown.iter().map(|field| Field::new(field.pointer.clone(), field.kind, field.text.clone())).collect();
        assert_eq!(read_back, shown);
        assert_eq!(digest_of_fields(&read_back), digest_of_fields(&shown));
    }

    #[test]
    fn whatever_is_shown_differently_has_another_digest() {
        let lists = [
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": null}),
            json!({"a": "null"}),
            json!({"a": {}}),
            json!({"a": []}),
            json!({"a": ""}),
            json!({"b": 1}),
            json!({"a": 1, "b": ""}),
            json!(["ab", "c"]),
            json!(["a", "bc"]),
            json!(["c", "ab"]),
        ];
        let digests: std::collections::HashSet<_> =
            lists.iter().map(|value| digest_of_fields(&fields(&canonical_bytes(value)).unwrap())).collect();
        assert_eq!(digests.len(), lists.len());
    }

    #[test]
    fn deep_long_and_many_are_no_trouble() {
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        assert_eq!(fields(deep.as_bytes()).unwrap().len(), 61);
        let long = format!("\"{}\"", "x".repeat(200_000));
        assert_eq!(fields(long.as_bytes()).unwrap()[0].text.len(), 200_000);
        let many = format!("[{}0]", "0,".repeat(120_000));
        assert_eq!(fields(many.as_bytes()).unwrap().len(), 120_002);
    }
}
