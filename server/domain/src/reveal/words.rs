//! Words and addresses that pass for others: letters of one script among those
//! of another, hosts written wholly in letters that look like Latin ones, and
//! hosts in punycode.
//!
//! This warns and refuses nothing, so it prefers to warn once too often for an
//! address, and not to warn of ordinary prose in any language.

use std::collections::BTreeSet;

use super::character::{Kind, kind};
use super::findings::Findings;
use super::tables::SCRIPTS;

/// Letters that look like Latin ones, in every script that has many of them.
const LIKE_LATIN: &str = "\
АВЕЅІЈКМНОРСТУХҮҺԌԚԜӀаеѕіјкорсухүһԁԛԝӏѵԍьґг\
ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳοανρικυωχγϲϜ\
օսհոցլզքաԛՍՏՕՀԼ\
ᎠᎡᎢᎪᎫᎳᎷᎻᎽᏀᏃᏎᏒᏔᏚᏞᏟᏢᏦᏴᏆᏙᏧᏮ\
ⲟⲣⲥⲭⲏⲓⲕⲧⲩⲞⲢⲤⲬⲎⲒⲔⲦⲨ\
ოყჿ\
ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ\
ᑌᑎᑭᗅᗞᗪᗷᗰᐯᒍᒪᕼᖇ\
𐐄𐐕𐐛𐐠𐐬𐐽𐑈𐓂𐓪𐌀𐌁𐌂𐌄𐌉𐌊𐌌𐌏𐌐𐌗ⵏⵔⵙⵝ";

/// Punctuation that looks like what ends or divides an address.
const LIKE_DELIMITERS: &str = "․。．｡﹒∕⁄⧸／﹨＼∶꞉：ː։׃？＃﹟％＠﹫";

/// Those of them that make an address by themselves.
const LIKE_DOT_OR_AT: &str = "․。．｡﹒＠﹫";

pub(super) fn look_for_imitations(text: &str, findings: &mut Findings) {
    let mut found = Imitations::default();
    for token in text.split(char::is_whitespace) {
        if !token.is_empty() {
            found.token(token);
        }
    }
    findings.mixed_script = found.mixed_script.into_iter().collect();
    findings.look_alikes = found.look_alikes.into_iter().collect();
    findings.punycode = found.punycode.into_iter().collect();
}

#[derive(Default)]
struct Imitations {
    mixed_script: BTreeSet<String>,
    look_alikes: BTreeSet<String>,
    punycode: BTreeSet<String>,
}

impl Imitations {
    fn token(&mut self, token: &str) {
        for word in token.split(|character| !belongs_to_word(character)) {
            if mixes_scripts(word) {
                self.mixed_script.insert(word.to_owned());
            }
        }
        for part in token.split(|character| !belongs_to_address(character)) {
            let part = part.trim_matches(['.', '-']);
            let Some((first, last)) = ends(part) else {
                continue;
            };
            let labels = || part.split(['.', '@']).filter(|label| !label.is_empty());
            if labels().any(is_punycode) {
                self.punycode.insert(part.to_owned());
            }
            // What has no dot or @ or ends in one letter is no address.
            if first.len() == part.len() || last.chars().count() < 2 {
                continue;
            }
            if labels().any(imitates_latin) || part.contains(is_styled_letter) {
                self.look_alikes.insert(part.to_owned());
            }
        }
        if has_false_delimiter(token) {
            self.look_alikes.insert(token.to_owned());
        }
    }
}

/// The first and the last label of something like an address.
fn ends(part: &str) -> Option<(&str, &str)> {
    let first = part.split(['.', '@']).next()?;
    let last = part.rsplit(['.', '@']).next()?;
    (!part.is_empty()).then_some((first, last))
}

fn belongs_to_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(kind(character), Kind::CombiningMark | Kind::Hidden(_))
}

fn belongs_to_address(character: char) -> bool {
    belongs_to_word(character) || matches!(character, '.' | '@' | '-' | '_' | '+')
}

fn is_like_delimiter(character: char) -> bool {
    !character.is_ascii() && LIKE_DELIMITERS.contains(character)
}

/// An address with something in it that looks like a delimiter, between ASCII
/// letters or digits (in Chinese prose these stand beside others).
fn has_false_delimiter(token: &str) -> bool {
    let token = token.trim_matches(|character: char| !character.is_alphanumeric());
    let is_ascii_word = |character: char| character.is_ascii_alphanumeric();
    let has_dot_or_at = token.contains(['.', '@']);
    token.contains(|character: char| character.is_ascii_alphabetic())
        && token.char_indices().any(|(at, character)| {
            is_like_delimiter(character)
                && token[..at].ends_with(is_ascii_word)
                && token[at + character.len_utf8()..].starts_with(is_ascii_word)
                && (has_dot_or_at || LIKE_DOT_OR_AT.contains(character))
        })
}

fn mixes_scripts(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let mut scripts = word.chars().filter_map(script);
    scripts.next().is_some_and(|first| scripts.any(|other| other != first))
}

/// All letters look like Latin ones, and none is.
fn imitates_latin(label: &str) -> bool {
    let mut letters = label.chars().filter(|letter| letter.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(|letter| !letter.is_ascii() && LIKE_LATIN.contains(letter))
}

/// Latin letters and digits in another style, which a browser reads as plain
/// ones: letterlike, enclosed, fullwidth and mathematical.
fn is_styled_letter(character: char) -> bool {
    matches!(character,
        '\u{2100}'..='\u{214F}' | '\u{2460}'..='\u{24FF}' | '\u{FF10}'..='\u{FF5A}'
        | '\u{1D400}'..='\u{1D7FF}' | '\u{1F130}'..='\u{1F189}')
}

fn is_punycode(label: &str) -> bool {
    label.get(..4).is_some_and(|beginning| beginning.eq_ignore_ascii_case("xn--"))
}

fn script(character: char) -> Option<u8> {
    let index = SCRIPTS.partition_point(|(_, last, _)| *last < character);
    let (first, _, script) = SCRIPTS.get(index)?;
    (*first <= character).then_some(*script)
}
