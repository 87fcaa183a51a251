//! What is hidden in a text, made visible.
//!
//! By allow-list: what is shown plainly is what a reader can see, and everything
//! else in Unicode becomes a mark or is counted. A character that Unicode did
//! not know when the tables were made is marked too. The text itself is never
//! changed: the sources of all segments put together are the text again.
//!
//! 1. `character` says what each character is,
//! 2. this file walks through the text and cuts it into segments,
//! 3. `words` looks for words and addresses that pass for others.

mod character;
mod findings;
mod names;
mod tables;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

use character::{Kind, kind};
pub use findings::Findings;

/// So many spaces in a row push what follows out of sight.
const PADDING_SPACES: usize = 16;
/// So many line breaks in a row do too.
const PADDING_LINES: usize = 8;
/// Letters of the world carry up to two marks; more of them pile up into the
/// lines around.
const MARKS_IN_A_ROW: usize = 2;

/// A text in pieces that can be shown safely, and what was found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revealed {
    /// The pieces, in order.
    pub segments: Vec<Segment>,
    /// What was found.
    pub findings: Findings,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// To be shown as it is.
    Plain(String),
    /// One character that would not be seen, or not as what it is.
    Mark {
        /// Its code point.
        code: u32,
        /// Its name, such as `U+202E right-to-left override`.
        label: String,
    },
    /// Spaces that would not be seen for what they are: odd ones, and ordinary
    /// ones at the ends of a line or more than one at a time.
    Space {
        /// The code point.
        code: u32,
        /// Its name, such as `U+00A0 no-break space`.
        label: String,
        /// How many of it, one after the other.
        count: usize,
    },
    /// A tab, to be shown as a mark and a gap.
    Tab,
    /// A line feed, to be shown as a mark and a line break.
    Newline,
}

impl Segment {
    /// The part of the text that this piece stands for.
    #[must_use]
    pub fn source(&self) -> String {
        let repeat = |code: u32, count| {
            char::from_u32(code).map_or_else(String::new, |character| String::from(character).repeat(count))
        };
        match self {
            Self::Plain(text) => text.clone(),
            Self::Mark { code, .. } => repeat(*code, 1),
            Self::Space { code, count, .. } => repeat(*code, *count),
            Self::Tab => "\t".to_owned(),
            Self::Newline => "\n".to_owned(),
        }
    }
}

impl Revealed {
    /// The text that was revealed, unchanged.
    #[must_use]
    pub fn source(&self) -> String {
        self.segments.iter().map(Segment::source).collect()
    }
}

/// For terminals and files: marks stand in ‹ ›. A text can imitate them, so a
/// page uses the segments instead.
impl fmt::Display for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Plain(text) => f.write_str(text)?,
                Segment::Space { code: 0x20, count, .. } => f.write_str(&" ".repeat(*count))?,
                Segment::Mark { label, .. } | Segment::Space { label, count: 1, .. } => {
                    write!(f, "‹{label}›")?;
                }
                Segment::Space { label, count, .. } => write!(f, "‹{label} × {count}›")?,
                Segment::Tab => f.write_str("‹tab›")?,
                Segment::Newline => f.write_str("\n")?,
            }
        }
        Ok(())
    }
}

/// Makes visible what is hidden in this text.
#[must_use]
pub fn reveal(text: &str) -> Revealed {
    let characters: Vec<char> = text.chars().collect();
    let mut revealer = Revealer::default();
    let mut at = 0;
    while at < characters.len() {
        let run = run_length(&characters[at..]);
        let before = at.checked_sub(1).map(|index| characters[index]);
        let after = characters.get(at + run).copied();
        revealer.take(characters[at], run, before, after);
        at += run;
    }
    revealer.flush();
    let mut findings = revealer.findings;
    words::look_for_imitations(text, &mut findings);
    Revealed { segments: revealer.segments, findings }
}

/// How many characters can be taken together: equal spaces or line breaks.
fn run_length(characters: &[char]) -> usize {
    let first = characters[0];
    if matches!(kind(first), Kind::Space | Kind::OddSpace | Kind::Newline) {
        characters.iter().take_while(|next| **next == first).count()
    } else {
        1
    }
}

#[derive(Default)]
struct Revealer {
    segments: Vec<Segment>,
    findings: Findings,
    /// Plain text that is not a segment yet.
    plain: String,
    /// Marks on the last plain character; `None` if there is none to stand on.
    marks: Option<usize>,
}

impl Revealer {
    /// Takes `run` times this character, which stands between these two.
    fn take(&mut self, character: char, run: usize, before: Option<char>, after: Option<char>) {
        let kind = kind(character);
        if kind != Kind::CombiningMark {
            self.marks = None;
        }
        if character::never_in_nfc(character) || before.is_some_and(|before| character::composes(before, character)) {
            self.findings.not_normalized += 1;
        }
        match kind {
            Kind::Plain => {
                self.plain.push(character);
                self.marks = Some(0);
            }
            Kind::CombiningMark => self.combining_mark(character),
            Kind::Space => self.space(run, before, after),
            Kind::OddSpace => {
                self.findings.odd_spaces += run;
                self.push_space(character, run);
            }
            Kind::Tab => self.push(Segment::Tab),
            Kind::Newline => {
                if run >= PADDING_LINES {
                    self.findings.padding += 1;
                }
                for _ in 0..run {
                    self.push(Segment::Newline);
                }
            }
            Kind::CarriageReturn => {
                // Before a line feed it is how some systems end lines.
                if after != Some('\n') {
                    self.findings.controls += 1;
                }
                self.push_mark(character);
            }
            Kind::Hidden(hidden) => {
                self.findings.count(hidden);
                self.push_mark(character);
            }
        }
    }

    fn combining_mark(&mut self, character: char) {
        self.marks = self.marks.map(|marks| marks + 1);
        match self.marks {
            Some(marks) if marks <= MARKS_IN_A_ROW => self.plain.push(character),
            _ => {
                self.findings.stacked_marks += 1;
                self.push_mark(character);
            }
        }
    }

    fn space(&mut self, run: usize, before: Option<char>, after: Option<char>) {
        if before.is_none() || after.is_none() {
            self.findings.edge_spaces += run;
        }
        if run >= PADDING_SPACES {
            self.findings.padding += 1;
        }
        let beside_text = |neighbour: Option<char>| {
            neighbour.is_some_and(|neighbour| matches!(kind(neighbour), Kind::Plain | Kind::CombiningMark))
        };
        if run == 1 && beside_text(before) && beside_text(after) {
            self.plain.push(' ');
        } else {
            self.push_space(' ', run);
        }
    }

    fn push_mark(&mut self, character: char) {
        self.push(Segment::Mark { code: u32::from(character), label: names::label(character) });
    }

    fn push_space(&mut self, character: char, count: usize) {
        self.push(Segment::Space { code: u32::from(character), label: names::label(character), count });
    }

    fn push(&mut self, segment: Segment) {
        self.flush();
        self.segments.push(segment);
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            let plain = std::mem::take(&mut self.plain);
            self.segments.push(Segment::Plain(plain));
        }
    }
}

#[cfg(test)]
mod tests;
