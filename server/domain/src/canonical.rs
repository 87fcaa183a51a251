//! JSON that means one thing only: a strict parser for what comes in, and the
//! canonical form of RFC 8785 for what is kept, shown, digested and sent.
//!
//! The parser is written by hand because it must see what a value no longer
//! shows: keys given twice, and how a number was written.
//!
//! A number is judged by its value, not by its form. `1.0` and `1e2` are the
//! integers 1 and 100, and are kept as such, since that is how RFC 8785 writes
//! them. So parsing a canonical form gives back an equal value, and making that
//! canonical gives back the same bytes.

mod number;
mod parser;
mod writer;

use std::fmt;

use serde_json::{Number, Value};

use crate::digest::Digest;

/// How much the parser accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest text, in bytes.
    pub bytes: usize,
    /// How many arrays and objects may be inside one another. A text without
    /// any has depth 0, `[]` has depth 1.
    pub depth: usize,
}

impl Limits {
    /// How deep the input of one action may be.
    pub const INPUT_DEPTH: usize = 64;

    /// The input of one action, by itself.
    pub const INPUT: Self = Self { bytes: 256 * 1024, depth: Self::INPUT_DEPTH };

    /// The body of an MCP message. Around an input it has five levels at most
    /// (`params.arguments.writes[n].input`), and some to spare: the exact limit
    /// of the input is [`too_deep`]'s to check, once it is known where it is.
    pub const BODY: Self = Self { bytes: 256 * 1024, depth: Self::INPUT_DEPTH + 8 };

    /// What was accepted before and comes back from our own records, such as
    /// the content of a proposal: an input, the call made of it, and more.
    pub const STORED: Self = Self { bytes: 16 * 1024 * 1024, depth: Self::INPUT_DEPTH + 32 };

    /// How long the JSON pointers of all values may be together. Whoever lists
    /// fields with their pointers could otherwise be made to write gigabytes by
    /// a long key with a long array under it.
    const fn pointer_bytes(self) -> usize {
        self.bytes.saturating_mul(64)
    }
}

/// Why a text was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct StrictError {
    /// JSON pointer of the place.
    pub pointer: String,
    /// The byte at which it was noticed.
    pub offset: usize,
    /// What is wrong there.
    pub kind: StrictErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictErrorKind {
    /// Not JSON at all; in words.
    NotJson(&'static str),
    /// Something follows after the value.
    TrailingCharacters,
    /// An object has the same key twice.
    DuplicateKey,
    /// A key with a meaning inside the JSON library that would read the
    /// canonical form as something else.
    ReservedKey,
    /// An integer beyond 2^53 - 1.
    IntegerTooLarge,
    /// A decimal that changes when it is read as a double.
    DecimalNotExact {
        /// What it would become.
        nearest: String,
    },
    /// `NaN`, an infinity, or a number too large for a double.
    NotFinite,
    /// A zero with a minus sign.
    NegativeZero,
    /// Half of a UTF-16 surrogate pair.
    LoneSurrogate,
    /// A control character that stands unescaped in a string.
    ControlCharacter(u8),
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// More levels than allowed.
    TooDeep {
        /// The allowed number of levels.
        limit: usize,
    },
    /// More bytes than allowed.
    TooLarge {
        /// The allowed number of bytes.
        limit: usize,
    },
    /// Keys so long, above so many values, that a list of fields would be
    /// out of all proportion.
    KeysTooLong,
}

impl StrictErrorKind {
    /// A stable word for machines.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotJson(_) | Self::TrailingCharacters => "not_json",
            Self::DuplicateKey => "duplicate_key",
            Self::ReservedKey => "reserved_key",
            Self::IntegerTooLarge => "integer_too_large",
            Self::DecimalNotExact { .. } => "decimal_not_exact",
            Self::NotFinite => "number_not_finite",
            Self::NegativeZero => "negative_zero",
            Self::LoneSurrogate => "lone_surrogate",
            Self::ControlCharacter(_) => "control_character",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::TooDeep { .. } => "too_deep",
            Self::TooLarge { .. } => "too_large",
            Self::KeysTooLong => "keys_too_long",
        }
    }
}

impl fmt::Display for StrictErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "this is not JSON: {why}"),
            Self::TrailingCharacters => {
                f.write_str("something follows after the value; send one JSON value and no more")
            }
            Self::DuplicateKey => f.write_str("the object has this key already; give each key once"),
            Self::ReservedKey => f.write_str("this key is reserved; use another name"),
            Self::IntegerTooLarge => f.write_str(
                "the integer is beyond 9007199254740991 and would not stay exact; \
                 send it as a string if the action takes one",
            ),
            Self::DecimalNotExact { nearest } => write!(
                f,
                "the number has more digits than a double keeps and would become {nearest}; \
                 send that, or a string if the action takes one"
            ),
            Self::NotFinite => f.write_str("JSON numbers are finite; leave the value out or send null"),
            Self::NegativeZero => f.write_str("zero has no sign here; send 0"),
            Self::LoneSurrogate => {
                f.write_str("half of a surrogate pair is not a character; send both halves or neither")
            }
            Self::ControlCharacter(code) => {
                write!(f, "a control character in a string must be written \\u{code:04x}")
            }
            Self::InvalidUtf8 => f.write_str("the bytes here are not UTF-8; encode the text again"),
            Self::TooDeep { limit } => {
                write!(f, "more than {limit} levels of arrays and objects; nest less")
            }
            Self::TooLarge { limit } => {
                write!(f, "more than {limit} bytes; send less at a time")
            }
            Self::KeysTooLong => f.write_str(
                "the keys above these values are too long for so many values; \
                 shorten the keys or send less at a time",
            ),
        }
    }
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A pointer can be as long as the text; a message should not.
        const SHOWN: usize = 200;
        f.write_str("At ")?;
        if self.pointer.is_empty() {
            f.write_str("the top level")?;
        } else if let Some((end, _)) = self.pointer.char_indices().nth(SHOWN) {
            write!(f, "{}… (shortened)", &self.pointer[..end])?;
        } else {
            f.write_str(&self.pointer)?;
        }
        write!(f, " (byte {}): {}.", self.offset, self.kind)
    }
}

/// Reads one JSON value, and refuses whatever two readers could read
/// differently.
///
/// # Errors
/// Names the place and what is wrong there.
pub fn parse_strict(bytes: &[u8], limits: Limits) -> Result<Value, StrictError> {
    parser::Parser::new(bytes, limits).document()
}

/// The canonical form of RFC 8785.
#[must_use]
pub fn canonical_bytes(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    writer::write(value, &mut text);
    text.into_bytes()
}

/// The digest of the canonical form.
#[must_use]
pub fn digest_json(value: &Value) -> Digest {
    Digest::of(&canonical_bytes(value))
}

/// A number as RFC 8785 writes it.
#[must_use]
pub fn number_text(number: &Number) -> String {
    let mut text = String::new();
    writer::write_number(number, &mut text);
    text
}

/// The pointer, from `value` on, of the first array or object that is more than
/// `limit` levels deep.
#[must_use]
pub fn too_deep(value: &Value, limit: usize) -> Option<String> {
    let mut waiting = vec![(String::new(), 1, value)];
    while let Some((pointer, level, value)) = waiting.pop() {
        let children: Vec<(String, &Value)> = match value {
            Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
            Value::Object(members) => members.iter().map(|(key, member)| (escape_pointer(key), member)).collect(),
            _ => continue,
        };
        if level > limit {
            return Some(pointer);
        }
        for (step, child) in children.into_iter().rev() {
            if child.is_array() || child.is_object() {
                waiting.push((format!("{pointer}/{step}"), level + 1, child));
            }
        }
    }
    None
}

/// One step of a JSON pointer (RFC 6901).
#[must_use]
pub fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
