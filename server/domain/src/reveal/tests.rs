//! Hostile and ordinary texts.

use super::*;

/// Text, how it is shown in a terminal, and the summary.
const HOSTILE: &[(&str, &str, &str)] = &[
    // Reordering.
    ("invoice\u{202E}fdp.exe", "invoice‹U+202E right-to-left override›fdp.exe", "1 bidirectional override"),
    (
        "/*\u{2067} } \u{2066}if (admin)\u{2069}",
        "/*‹U+2067 right-to-left isolate› } ‹U+2066 left-to-right isolate›if (admin)\
         ‹U+2069 pop directional isolate›",
        "3 bidirectional overrides",
    ),
    (
        "a\u{202D}b\u{202C}\u{200B}",
        "a‹U+202D left-to-right override›b‹U+202C pop directional formatting›\
         ‹U+200B zero-width space›",
        "2 bidirectional overrides, 1 zero-width character",
    ),
    (
        "1\u{200F}2\u{200E}3\u{61C}",
        "1‹U+200F right-to-left mark›2‹U+200E left-to-right mark›3‹U+061C Arabic letter mark›",
        "3 direction marks",
    ),
    // Nothing to see.
    ("pay\u{200B}ee", "pay‹U+200B zero-width space›ee", "1 zero-width character"),
    ("\u{FEFF}100", "‹U+FEFF zero-width no-break space (byte order mark)›100", "1 zero-width character"),
    (
        "a\u{2060}b\u{200D}c\u{200C}d\u{180E}e",
        "a‹U+2060 word joiner›b‹U+200D zero-width joiner›c‹U+200C zero-width non-joiner›d\
         ‹U+180E Mongolian vowel separator›e",
        "4 zero-width characters",
    ),
    ("10\u{2062}00", "10‹U+2062 invisible times›00", "1 invisible character"),
    ("a\u{AD}b", "a‹U+00AD soft hyphen›b", "1 invisible character"),
    (
        "a\u{34F}\u{115F}\u{1160}\u{3164}\u{FFA0}",
        "a‹U+034F combining grapheme joiner›‹U+115F Hangul choseong filler›\
         ‹U+1160 Hangul jungseong filler›‹U+3164 Hangul filler›‹U+FFA0 halfwidth Hangul filler›",
        "5 invisible characters",
    ),
    (
        "ok\u{E0001}\u{E0068}\u{E0069}\u{E007F}",
        "ok‹U+E0001 tag character›‹U+E0068 tag h›‹U+E0069 tag i›‹U+E007F tag character›",
        "4 hidden tag characters",
    ),
    (
        "a\u{FE0F}\u{E0100}\u{180B}",
        "a‹U+FE0F variation selector 16›‹U+E0100 variation selector 17›\
         ‹U+180B variation selector›",
        "3 variation selectors",
    ),
    ("a\u{E0FFF}\u{2065}", "a‹U+E0FFF invisible character›‹U+2065 invisible character›", "2 invisible characters"),
    (
        "\u{FFFC}\u{1D159}",
        "‹U+FFFC object replacement character›‹U+1D159 invisible character›",
        "2 invisible characters",
    ),
    // Controls and line ends.
    ("rm\u{1B}[2K\u{8}\u{0}", "rm‹U+001B escape›[2K‹U+0008 backspace›‹U+0000 null›", "3 control characters"),
    ("good\rbad", "good‹U+000D carriage return›bad", "1 control character"),
    ("a\u{85}b\u{9B}c", "a‹U+0085 next line›b‹U+009B control sequence introducer›c", "2 control characters"),
    ("a\u{2028}b\u{2029}", "a‹U+2028 line separator›b‹U+2029 paragraph separator›", "2 line separators"),
    // Characters that are none, or anybody's.
    ("\u{FFF9}a\u{FFFB}", "‹U+FFF9 format character›a‹U+FFFB format character›", "2 format characters"),
    ("\u{600}1", "‹U+0600 format character›1", "1 format character"),
    (
        "\u{E000}\u{F8FF}\u{10FFFD}",
        "‹U+E000 private-use character›‹U+F8FF private-use character›\
         ‹U+10FFFD private-use character›",
        "3 private-use characters",
    ),
    (
        "\u{378}\u{FFFF}\u{1FFFE}\u{FDD0}",
        "‹U+0378 unassigned code point›‹U+FFFF unassigned code point›\
         ‹U+1FFFE unassigned code point›‹U+FDD0 unassigned code point›",
        "4 unassigned code points",
    ),
    // Blanks.
    ("1\u{A0}000", "1‹U+00A0 no-break space›000", "1 odd space"),
    (
        "a\u{3000}\u{3000}b\u{2009}c\u{202F}d\u{2800}",
        "a‹U+3000 ideographic space × 2›b‹U+2009 thin space›c‹U+202F narrow no-break space›d\
         ‹U+2800 braille blank›",
        "5 odd spaces",
    ),
    (" admin ", " admin ", "2 spaces at the ends"),
    ("   ", "   ", "3 spaces at the ends"),
    (
        "safe                                            --force",
        "safe                                            --force",
        "1 long run of blanks",
    ),
    ("a\n\n\n\n\n\n\n\n\nb", "a\n\n\n\n\n\n\n\n\nb", "1 long run of blanks"),
    // Marks.
    (
        "Z\u{301}\u{310}\u{311}\u{312}",
        "Z\u{301}\u{310}‹U+0311 combining mark›‹U+0312 combining mark›",
        "2 stacked marks, 1 place not in normal form C",
    ),
    ("\u{323}x", "‹U+0323 combining mark›x", "1 stacked mark"),
    ("a\u{200B}\u{323}", "a‹U+200B zero-width space›‹U+0323 combining mark›", "1 zero-width character, 1 stacked mark"),
    ("9\u{336}9", "9‹U+0336 overlay mark›9", "1 overlay mark"),
    // Spelled otherwise than it looks.
    ("cafe\u{301}", "cafe\u{301}", "1 place not in normal form C"),
    ("\u{212B} \u{212A}", "\u{212B} \u{212A}", "2 places not in normal form C"),
    ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", "1 place not in normal form C"),
    // Imitations.
    ("p\u{430}yment", "p\u{430}yment", "1 word of mixed scripts"),
    ("acct_\u{41E}1B", "acct_\u{41E}1B", "1 word of mixed scripts"),
    ("p\u{200B}\u{430}y", "p‹U+200B zero-width space›\u{430}y", "1 zero-width character, 1 word of mixed scripts"),
    (
        "mail bob@\u{430}\u{440}\u{440}\u{4CF}\u{435}.com now",
        "mail bob@\u{430}\u{440}\u{440}\u{4CF}\u{435}.com now",
        "1 look-alike address",
    ),
    ("\u{441}\u{435}\u{43E}@example.com", "\u{441}\u{435}\u{43E}@example.com", "1 look-alike address"),
    ("https://www.ex\u{1D41A}mple.com/", "https://www.ex\u{1D41A}mple.com/", "1 look-alike address"),
    ("https://bank.com\u{2044}login.evil.org", "https://bank.com\u{2044}login.evil.org", "1 look-alike address"),
    ("bank\u{FF0E}com", "bank\u{FF0E}com", "1 look-alike address"),
    ("see XN--80AK6AA92E.com", "see XN--80AK6AA92E.com", "1 punycode host"),
    ("a\u{3BD}\u{3BF}, \u{570}ost", "a\u{3BD}\u{3BF}, \u{570}ost", "2 words of mixed scripts"),
];

/// What people write every day, in which nothing is to be found.
const ORDINARY: &[&str] = &[
    "",
    "Renewal for Q3, 12 seats at €19.90 (20 % off) — see PO-1142/b.",
    "one\ntwo\n  indented\n\tand tabbed\n",
    "Windows\r\nlines\r\n",
    "two  spaces.  After a stop.",
    "Größe, naïve café, Łódź, İstanbul, smørrebrød",
    "Добрый день, т.е. привет. Я тут",
    "Καλημέρα κόσμε",
    "日本語のテキスト、全角。邮箱：foo@example.com",
    "iPhone手机 T恤 한국어 텍스트",
    "مرحبا بالعالم",
    "שָׁלוֹם עולם",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลกที่นี่",
    "👍 🎉 ✓ → ½ × ∑ ≠ 5 µm",
    "bob@example.com, https://example.com:8080/a?b=c#d",
    "münchen.de пример.рф",
    "10∕12 km∕h.",
    "\u{FFFD} stands for what was lost",
    "-- rm -rf / && echo 'x' | sh; <script>alert(1)</script>",
];

#[test]
fn hostile_texts() {
    for (text, shown, summary) in HOSTILE {
        let revealed = reveal(text);
        assert_eq!(revealed.to_string(), *shown, "{}", text.escape_unicode());
        assert_eq!(revealed.findings.summary(), *summary, "{}", text.escape_unicode());
        assert!(!revealed.findings.is_clean());
        assert_eq!(revealed.source(), *text);
    }
}

#[test]
fn ordinary_texts() {
    for text in ORDINARY {
        let revealed = reveal(text);
        assert_eq!(revealed.findings.summary(), "", "{text}");
        assert!(revealed.findings.is_clean());
        assert_eq!(revealed.source(), *text);
    }
}

/// By the properties of the standard library, which come from elsewhere.
#[test]
fn no_character_is_shown_plainly_that_std_calls_blank_or_control() {
    // What lies between is unassigned, and private after it.
    for character in ('\0'..='\u{3FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
        let revealed = reveal(&format!("a{character}b"));
        assert_eq!(revealed.source(), format!("a{character}b"));
        let plain = matches!(revealed.segments.as_slice(), [Segment::Plain(_)]);
        if character != ' ' && (character.is_whitespace() || character.is_control()) {
            assert!(!plain, "{}", character.escape_unicode());
        }
        // What std has a name or a letter for is no hole in our tables.
        if character.is_alphanumeric() && !plain {
            let hidden = matches!(kind(character), Kind::Hidden(character::Hidden::Invisible));
            assert!(hidden, "{}", character.escape_unicode());
        }
    }
}

#[test]
fn the_words_that_were_found_are_named() {
    let findings = reveal("p\u{430}y p\u{430}y bob@\u{441}\u{43E}.com xn--p1ai.example").findings;
    assert_eq!(findings.mixed_script, ["p\u{430}y"]);
    assert_eq!(findings.look_alikes, ["bob@\u{441}\u{43E}.com"]);
    assert_eq!(findings.punycode, ["xn--p1ai.example"]);
}

#[test]
fn blanks_inside_a_line_are_counted_where_they_stand() {
    let space = |count| Segment::Space { code: 0x20, label: "U+0020 space".to_owned(), count };
    let plain = |text: &str| Segment::Plain(text.to_owned());
    assert_eq!(
        reveal("a b  c \n d\te").segments,
        [
            plain("a b"),
            space(2),
            plain("c"),
            space(1),
            Segment::Newline,
            space(1),
            plain("d"),
            Segment::Tab,
            plain("e"),
        ]
    );
}

#[test]
fn tables_are_in_order() {
    use super::tables::{COMPOSES, FORMAT, IGNORABLE, MARKS, NEVER_NFC, SCRIPTS, UNASSIGNED};
    for table in [UNASSIGNED, FORMAT, IGNORABLE, MARKS, NEVER_NFC] {
        assert!(table.iter().all(|(first, last)| first <= last));
        assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }
    assert!(SCRIPTS.windows(2).all(|pair| pair[0].1 < pair[1].0));
    assert!(COMPOSES.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn long_hostile_texts_take_no_long_time() {
    for text in [
        "\u{200B}".repeat(80_000),
        "\u{301}".repeat(80_000),
        " ".repeat(250_000),
        "p\u{430} ".repeat(60_000),
        ".@".repeat(100_000),
        "\u{2044}a".repeat(60_000),
        "p\u{430}x.\u{43E}\u{43E} ".repeat(30_000),
        (0..30_000_u32)
            .flat_map(|n| [char::from_u32(0x4E00 + n % 20_000), Some('\u{430}'), Some('x'), Some(' ')])
            .flatten()
            .collect(),
    ] {
        assert_eq!(reveal(&text).source(), text);
    }
}
