//! How a long text is folded: a head to see at once, and the rest.

use domain::reveal::Segment;

use crate::words;

/// A text with more characters than this is folded.
const CHARACTERS: usize = 600;
/// A text with more lines than this is folded.
const LINES: usize = 20;
/// How much of a folded text is seen at once.
const HEAD_CHARACTERS: usize = 280;
const HEAD_LINES: usize = 8;

/// A text in one piece, or in two.
pub(super) enum Folded {
    /// Short enough.
    Whole(Vec<Segment>),
    /// Too long to be seen at once.
    Parts {
        /// What is seen at once.
        head: Vec<Segment>,
        /// Everything after it.
        rest: Vec<Segment>,
        /// How much that is, exactly.
        summary: String,
    },
}

/// Folds a text of these segments, if it is long.
pub(super) fn fold(segments: Vec<Segment>) -> Folded {
    let characters = segments.iter().map(length).sum();
    let lines = segments.iter().filter(|segment| **segment == Segment::Newline).count() + 1;
    if characters <= CHARACTERS && lines <= LINES {
        return Folded::Whole(segments);
    }
    let (head, rest) = split(segments);
    let remaining: usize = rest.iter().map(length).sum();
    let mut summary =
        format!("{} more of {}", words::thousands(remaining), words::count(characters, "character", "characters"));
    if lines > 1 {
        summary = format!("{summary} in {} lines", words::thousands(lines));
    }
    match rest.iter().filter(|segment| is_hidden(segment)).map(length).sum() {
        0 => {}
        hidden => {
            summary = format!("{summary}, {} with hidden characters", words::thousands(hidden));
        }
    }
    Folded::Parts { head, rest, summary }
}

fn split(segments: Vec<Segment>) -> (Vec<Segment>, Vec<Segment>) {
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    let (mut characters, mut lines) = (HEAD_CHARACTERS, HEAD_LINES);
    for segment in segments {
        if characters == 0 || lines == 0 {
            rest.push(segment);
            continue;
        }
        let length = length(&segment);
        match segment {
            Segment::Plain(text) if length > characters => {
                let at = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
                let at = between_words(&text, at);
                rest.push(Segment::Plain(text[at..].to_owned()));
                head.push(Segment::Plain(text[..at].to_owned()));
                characters = 0;
            }
            segment => {
                lines -= usize::from(segment == Segment::Newline);
                characters = characters.saturating_sub(length);
                head.push(segment);
            }
        }
    }
    (head, rest)
}

/// The end of the last word before `at`, if it is near: a word that is cut in
/// two reads like another.
fn between_words(text: &str, at: usize) -> usize {
    text[..at].rfind(' ').map(|space| space + 1).filter(|space| at - space < 40).unwrap_or(at)
}

fn length(segment: &Segment) -> usize {
    match segment {
        Segment::Plain(text) => text.chars().count(),
        Segment::Mark { .. } | Segment::Tab | Segment::Newline => 1,
        Segment::Space { count, .. } => *count,
    }
}

fn is_hidden(segment: &Segment) -> bool {
    match segment {
        Segment::Mark { .. } => true,
        Segment::Space { code, .. } => *code != 0x20,
        Segment::Plain(_) | Segment::Tab | Segment::Newline => false,
    }
}
