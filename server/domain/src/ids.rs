//! Public ids: a prefix that says of what, then 128 random bits and a check
//! character, in the lower-case alphabet of Crockford's base 32.
//!
//! The check character makes the sum of all 27 characters zero, each weighted
//! with its own power of a generator of GF(32), the field of 32 elements. Two
//! different characters differ by a nonzero element, and two different weights
//! too, so that every single wrong character and every exchange of two
//! different characters, adjacent or not, changes the sum and is noticed.
//!
//! Only the lower-case form is accepted: an id has one spelling.
//!
//! Randomness is handed in; nothing here makes any.

use std::fmt;

/// The characters, by their value: no i, l, o and u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Five bits each: 128 bits and two that are zero.
const DATA: usize = 26;

/// Why a text is not an id of the kind that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not an id; in words.
    #[error("this is not an id that Countersign gave: {0}; copy it again, whole")]
    Malformed(&'static str),
    /// An id of something else.
    #[error("this id begins with {found}_, but one with {expected}_ is wanted here")]
    WrongPrefix {
        /// The prefix of what is wanted.
        expected: &'static str,
        /// The prefix that was given.
        found: &'static str,
    },
}

impl IdError {
    /// A stable word for machines.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "id_malformed"
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {
        /// Every prefix there is.
        pub const PREFIXES: &[&str] = &[$($prefix),*];

        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(String);

            impl $name {
                /// What such an id begins with, before the underscore.
                pub const PREFIX: &str = $prefix;

                /// Makes an id of 16 random bytes.
                #[must_use]
                pub fn from_random(bytes: [u8; 16]) -> Self {
                    Self(write($prefix, bytes))
                }

                /// The id as it is shown and stored.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl AsRef<str> for $name {
                fn as_ref(&self) -> &str {
                    &self.0
                }
            }

            impl From<$name> for String {
                fn from(id: $name) -> Self {
                    id.0
                }
            }

            impl std::str::FromStr for $name {
                type Err = IdError;

                fn from_str(text: &str) -> Result<Self, IdError> {
                    check(text, $prefix)?;
                    Ok(Self(text.to_owned()))
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(&self.0)
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    let text = String::deserialize(deserializer)?;
                    text.parse().map_err(serde::de::Error::custom)
                }
            }
        )*
    };
}

ids! {
    /// A proposal.
    ProposalId = "prp";
    /// A decision.
    DecisionId = "dec";
    /// An attempt to execute.
    AttemptId = "att";
    /// How an attempt ended.
    OutcomeId = "out";
    /// A person's word on an outcome that is unknown.
    VerdictId = "vrd";
    /// The end of a proposal by something other than a decision.
    EndingId = "end";
    /// An agent.
    AgentId = "agt";
    /// A token of an agent.
    TokenId = "tok";
    /// A person.
    PersonId = "per";
    /// A connection.
    ConnectionId = "con";
    /// A group of people.
    GroupId = "grp";
    /// A version of a policy.
    PolicyId = "pol";
    /// A working key.
    KeyId = "key";
}

fn write(prefix: &str, bytes: [u8; 16]) -> String {
    let mut bits = u128::from_be_bytes(bytes);
    let mut values = [0_u8; DATA];
    for value in values.iter_mut().rev() {
        *value = (bits & 31) as u8;
        bits >>= 5;
    }
    let mut text = format!("{prefix}_");
    for value in values.into_iter().chain([weighted_sum(&values)]) {
        text.push(char::from(ALPHABET[usize::from(value)]));
    }
    text
}

fn check(text: &str, expected: &'static str) -> Result<(), IdError> {
    let (prefix, rest) = text.split_once('_').ok_or(IdError::Malformed("it has no prefix"))?;
    if prefix != expected {
        return Err(match PREFIXES.iter().find(|known| **known == prefix) {
            Some(found) => IdError::WrongPrefix { expected, found },
            None => IdError::Malformed("its prefix is unknown"),
        });
    }
    if rest.len() != DATA + 1 {
        return Err(IdError::Malformed("its length is wrong"));
    }
    let mut values = [0; DATA + 1];
    for (value, byte) in values.iter_mut().zip(rest.bytes()) {
        *value = value_of(byte).ok_or(IdError::Malformed("a character in it is never used"))?;
    }
    // The first character stands for three bits only.
    if values[0] > 7 {
        return Err(IdError::Malformed("its first character is too high"));
    }
    if weighted_sum(&values[..DATA]) != values[DATA] {
        return Err(IdError::Malformed("a character in it is wrong"));
    }
    Ok(())
}

fn value_of(byte: u8) -> Option<u8> {
    let position = ALPHABET.iter().position(|known| *known == byte)?;
    u8::try_from(position).ok()
}

/// The sum in which the last value has the weight of the generator and every
/// one before it the next power of it. The check character has weight one.
fn weighted_sum(values: &[u8]) -> u8 {
    values.iter().fold(0, |sum, value| times_generator(sum ^ value))
}

/// Multiplies by x in GF(2)[x] / (x⁵ + x² + 1), where x generates all 31
/// nonzero elements.
const fn times_generator(value: u8) -> u8 {
    let doubled = value << 1;
    if doubled & 32 == 0 { doubled } else { doubled ^ 0b10_0101 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SAMPLES: [[u8; 16]; 4] = [
        [0; 16],
        [255; 16],
        *b"0123456789abcdef",
        [0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15, 0xf3, 0x9c, 0xc0, 0x60, 0x5c, 0xed, 0xc8, 0x34],
    ];

    #[test]
    fn the_spelling_is_fixed() {
        let id = ProposalId::from_random(SAMPLES[3]);
        assert_eq!(id.as_str().len(), 31);
        assert_eq!(id.to_string().parse::<ProposalId>().unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<ProposalId>(&json).unwrap(), id);
        assert_eq!(ProposalId::from_random([0; 16]).as_str(), "prp_000000000000000000000000000");
    }

    #[test]
    fn all_128_bits_are_kept() {
        let mut seen = HashSet::new();
        for bit in 0..128 {
            let id = ProposalId::from_random((1_u128 << bit).to_be_bytes());
            assert!(seen.insert(id.as_str()[..30].to_owned()), "bit {bit}");
        }
    }

    #[test]
    fn every_wrong_character_is_noticed() {
        for sample in SAMPLES {
            let id = ProposalId::from_random(sample).to_string();
            for position in 0..id.len() {
                for other in (0x20..0x7f).map(char::from) {
                    let mut wrong = id.clone();
                    wrong.replace_range(position..=position, &other.to_string());
                    assert_eq!(wrong.parse::<ProposalId>().is_ok(), wrong == id, "{wrong}");
                }
            }
        }
    }

    #[test]
    fn every_exchange_of_two_characters_is_noticed() {
        for sample in SAMPLES {
            let id = ProposalId::from_random(sample).to_string();
            for first in 0..id.len() {
                for second in first + 1..id.len() {
                    let mut bytes = id.clone().into_bytes();
                    bytes.swap(first, second);
                    let wrong = String::from_utf8(bytes).unwrap();
                    assert_eq!(wrong.parse::<ProposalId>().is_ok(), wrong == id, "{wrong}");
                }
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = ProposalId::from_random(SAMPLES[2]).to_string();
        let cases = [
            (String::new(), "it has no prefix"),
            ("prp".to_owned(), "it has no prefix"),
            (format!("xyz{}", &good[3..]), "its prefix is unknown"),
            (format!("PRP{}", &good[3..]), "its prefix is unknown"),
            (good[..30].to_owned(), "its length is wrong"),
            (format!("{good}0"), "its length is wrong"),
            (format!(" {good}"), "its prefix is unknown"),
            (format!("{good}\n"), "its length is wrong"),
            (good.replace('4', "é"), "its length is wrong"),
            (good.to_uppercase().replace("PRP", "prp"), "a character in it is never used"),
            (good.replacen("_1", "_9", 1), "its first character is too high"),
        ];
        for (text, why) in cases {
            let error = text.parse::<ProposalId>().unwrap_err();
            assert_eq!(error, IdError::Malformed(why), "{text}");
            assert_eq!(error.code(), "id_malformed");
        }
    }

    #[test]
    fn an_id_of_something_else_is_named() {
        let decision = DecisionId::from_random(SAMPLES[2]).to_string();
        assert_eq!(
            decision.parse::<ProposalId>().unwrap_err().to_string(),
            "this id begins with dec_, but one with prp_ is wanted here"
        );
    }

    #[test]
    fn prefixes_differ() {
        let distinct: HashSet<_> = PREFIXES.iter().collect();
        assert_eq!(distinct.len(), PREFIXES.len());
        assert!(PREFIXES.iter().all(|prefix| prefix.len() == 3));
    }
}
