//! What a single character is to a reader.

use super::tables::{COMPOSES, FORMAT, IGNORABLE, MARKS, NEVER_NFC, Range, UNASSIGNED};

/// What a character is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Seen as what it is.
    Plain,
    /// Stands on the character before.
    CombiningMark,
    /// U+0020.
    Space,
    /// Looks like a space, and is another character.
    OddSpace,
    Tab,
    Newline,
    CarriageReturn,
    /// Not seen at all, or seen as something else.
    Hidden(Hidden),
}

/// Why a character is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    BidiOverride,
    DirectionMark,
    ZeroWidth,
    Tag,
    VariationSelector,
    Invisible,
    Control,
    LineSeparator,
    Format,
    PrivateUse,
    Unassigned,
    Overlay,
}

pub(super) fn kind(character: char) -> Kind {
    match character {
        ' ' => Kind::Space,
        '\t' => Kind::Tab,
        '\n' => Kind::Newline,
        '\r' => Kind::CarriageReturn,
        '!'..='~' => Kind::Plain,
        // U+2800 is the braille pattern without dots.
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{2800}' | '\u{3000}' => {
            Kind::OddSpace
        }
        _ => match hidden(character) {
            Some(hidden) => Kind::Hidden(hidden),
            None if contains(MARKS, character) => Kind::CombiningMark,
            None => Kind::Plain,
        },
    }
}

fn hidden(character: char) -> Option<Hidden> {
    Some(match character {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Hidden::BidiOverride,
        '\u{61C}' | '\u{200E}' | '\u{200F}' => Hidden::DirectionMark,
        '\u{180E}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' => Hidden::ZeroWidth,
        '\u{E0000}'..='\u{E007F}' => Hidden::Tag,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
            Hidden::VariationSelector
        }
        '\u{2028}' | '\u{2029}' => Hidden::LineSeparator,
        // Strike out or frame the character before, or stand for nothing: a
        // filler, a blank note head, blank hieroglyphs, an object left out.
        '\u{334}'..='\u{338}'
        | '\u{20D2}'
        | '\u{20D3}'
        | '\u{20D8}'..='\u{20DA}'
        | '\u{20DD}'..='\u{20E0}'
        | '\u{20E2}'..='\u{20E6}'
        | '\u{20EA}'
        | '\u{20EB}' => Hidden::Overlay,
        '\u{FFFC}' | '\u{13441}' | '\u{13442}' | '\u{16FE4}' | '\u{1D159}' => Hidden::Invisible,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}' => Hidden::PrivateUse,
        _ if character.is_control() => Hidden::Control,
        _ if contains(IGNORABLE, character) => Hidden::Invisible,
        _ if contains(FORMAT, character) => Hidden::Format,
        _ if contains(UNASSIGNED, character) => Hidden::Unassigned,
        _ => return None,
    })
}

/// Whether normal form C replaces this character by others.
pub(super) fn never_in_nfc(character: char) -> bool {
    character >= '\u{340}' && contains(NEVER_NFC, character)
}

/// Whether normal form C makes one character of these two. Knows ASCII letters
/// with a mark, and Hangul: what decomposed text holds in practice.
pub(super) fn composes(base: char, mark: char) -> bool {
    match base {
        'A'..='Z' | 'a'..='z' => {
            COMPOSES.binary_search_by_key(&mark, |(mark, _)| *mark).is_ok_and(|index| COMPOSES[index].1.contains(base))
        }
        '\u{1100}'..='\u{1112}' => ('\u{1161}'..='\u{1175}').contains(&mark),
        _ => false,
    }
}

fn contains(ranges: &[Range], character: char) -> bool {
    ranges
        .binary_search_by(|(first, last)| {
            if *last < character {
                std::cmp::Ordering::Less
            } else if *first > character {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}
