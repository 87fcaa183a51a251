//! The names on marks.

use super::character::{Hidden, Kind, kind};

/// The code point and its name, such as `U+202E right-to-left override`.
pub(super) fn label(character: char) -> String {
    let code = u32::from(character);
    let name = match character {
        // Tags repeat ASCII, so the hidden message can be read.
        '\u{E0020}'..='\u{E007E}' => {
            let shown = char::from_u32(code - 0xE_0000).unwrap_or(' ');
            return format!("U+{code:04X} tag {shown}");
        }
        '\u{FE00}'..='\u{FE0F}' => {
            return format!("U+{code:04X} variation selector {}", code - 0xFE00 + 1);
        }
        '\u{E0100}'..='\u{E01EF}' => {
            return format!("U+{code:04X} variation selector {}", code - 0xE_0100 + 17);
        }
        _ => known(character).unwrap_or_else(|| general(character)),
    };
    format!("U+{code:04X} {name}")
}

fn known(character: char) -> Option<&'static str> {
    Some(match character {
        '\0' => "null",
        '\u{7}' => "bell",
        '\u{8}' => "backspace",
        '\t' => "tab",
        '\n' => "line feed",
        '\u{B}' => "vertical tab",
        '\u{C}' => "form feed",
        '\r' => "carriage return",
        '\u{1B}' => "escape",
        ' ' => "space",
        '\u{7F}' => "delete",
        '\u{85}' => "next line",
        '\u{9B}' => "control sequence introducer",
        '\u{A0}' => "no-break space",
        '\u{AD}' => "soft hyphen",
        '\u{34F}' => "combining grapheme joiner",
        '\u{61C}' => "Arabic letter mark",
        '\u{115F}' => "Hangul choseong filler",
        '\u{1160}' => "Hangul jungseong filler",
        '\u{1680}' => "Ogham space mark",
        '\u{180E}' => "Mongolian vowel separator",
        '\u{2000}' => "en quad",
        '\u{2001}' => "em quad",
        '\u{2002}' => "en space",
        '\u{2003}' => "em space",
        '\u{2004}' => "three-per-em space",
        '\u{2005}' => "four-per-em space",
        '\u{2006}' => "six-per-em space",
        '\u{2007}' => "figure space",
        '\u{2008}' => "punctuation space",
        '\u{2009}' => "thin space",
        '\u{200A}' => "hair space",
        '\u{200B}' => "zero-width space",
        '\u{200C}' => "zero-width non-joiner",
        '\u{200D}' => "zero-width joiner",
        '\u{200E}' => "left-to-right mark",
        '\u{200F}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202A}' => "left-to-right embedding",
        '\u{202B}' => "right-to-left embedding",
        '\u{202C}' => "pop directional formatting",
        '\u{202D}' => "left-to-right override",
        '\u{202E}' => "right-to-left override",
        '\u{202F}' => "narrow no-break space",
        '\u{205F}' => "medium mathematical space",
        '\u{2060}' => "word joiner",
        '\u{2061}' => "function application",
        '\u{2062}' => "invisible times",
        '\u{2063}' => "invisible separator",
        '\u{2064}' => "invisible plus",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{2800}' => "braille blank",
        '\u{3000}' => "ideographic space",
        '\u{3164}' => "Hangul filler",
        '\u{FEFF}' => "zero-width no-break space (byte order mark)",
        '\u{FFA0}' => "halfwidth Hangul filler",
        '\u{FFFC}' => "object replacement character",
        _ => return None,
    })
}

fn general(character: char) -> &'static str {
    match kind(character) {
        Kind::Hidden(hidden) => match hidden {
            Hidden::BidiOverride => "bidirectional override",
            Hidden::DirectionMark => "direction mark",
            Hidden::ZeroWidth => "zero-width character",
            Hidden::Tag => "tag character",
            Hidden::VariationSelector => "variation selector",
            Hidden::Invisible => "invisible character",
            Hidden::Control => "control character",
            Hidden::LineSeparator => "line separator",
            Hidden::Format => "format character",
            Hidden::PrivateUse => "private-use character",
            Hidden::Unassigned => "unassigned code point",
            Hidden::Overlay => "overlay mark",
        },
        Kind::CombiningMark => "combining mark",
        Kind::OddSpace => "space",
        Kind::Plain | Kind::Space | Kind::Tab | Kind::Newline | Kind::CarriageReturn => "character",
    }
}
