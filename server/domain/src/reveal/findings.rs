//! What was found in a text, counted and in words.

use serde::{Deserialize, Serialize};

use super::character::Hidden;

/// What was found in a text, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Characters that reorder what is shown.
    pub bidi_overrides: usize,
    /// Marks that steer the direction of what is beside them.
    pub direction_marks: usize,
    /// Characters without width.
    pub zero_width: usize,
    /// Tag characters: invisible copies of ASCII.
    pub tags: usize,
    /// Variation selectors.
    pub variation_selectors: usize,
    /// Other characters that show nothing.
    pub invisible: usize,
    /// Control characters, apart from tab and line ends.
    pub controls: usize,
    /// Line and paragraph separators.
    pub line_separators: usize,
    /// Other characters that only direct others.
    pub formats: usize,
    /// Private-use characters, which look as every font likes.
    pub private_use: usize,
    /// Code points without a character.
    pub unassigned: usize,
    /// Marks that strike out or frame the character before.
    pub overlays: usize,
    /// Spaces other than U+0020.
    pub odd_spaces: usize,
    /// Spaces at either end of the text.
    pub edge_spaces: usize,
    /// Runs of spaces or line breaks that push text out of sight.
    pub padding: usize,
    /// Combining marks with nothing to stand on, or on more than two others.
    pub stacked_marks: usize,
    /// Places that are not in normal form C, as far as known here.
    pub not_normalized: usize,
    /// Words that mix scripts whose letters look alike.
    pub mixed_script: Vec<String>,
    /// Hosts and e-mail addresses that pass for others.
    pub look_alikes: Vec<String>,
    /// Hosts with a part in punycode.
    pub punycode: Vec<String>,
}

impl Findings {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts().iter().all(|(count, ..)| *count == 0)
    }

    /// In words, such as `2 bidirectional overrides, 1 zero-width character`.
    /// Empty if nothing was found.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for (count, one, many) in self.counts() {
            match count {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                _ => parts.push(format!("{count} {many}")),
            }
        }
        parts.join(", ")
    }

    pub(super) fn count(&mut self, hidden: Hidden) {
        let counter = match hidden {
            Hidden::BidiOverride => &mut self.bidi_overrides,
            Hidden::DirectionMark => &mut self.direction_marks,
            Hidden::ZeroWidth => &mut self.zero_width,
            Hidden::Tag => &mut self.tags,
            Hidden::VariationSelector => &mut self.variation_selectors,
            Hidden::Invisible => &mut self.invisible,
            Hidden::Control => &mut self.controls,
            Hidden::LineSeparator => &mut self.line_separators,
            Hidden::Format => &mut self.formats,
            Hidden::PrivateUse => &mut self.private_use,
            Hidden::Unassigned => &mut self.unassigned,
            Hidden::Overlay => &mut self.overlays,
        };
        *counter += 1;
    }

    /// Every count with its name, the most deceptive first.
    fn counts(&self) -> [(usize, &'static str, &'static str); 20] {
        // Destructured, so that a new field cannot be forgotten here.
        let Self {
            bidi_overrides,
            direction_marks,
            zero_width,
            tags,
            variation_selectors,
            invisible,
            controls,
            line_separators,
            formats,
            private_use,
            unassigned,
            overlays,
            odd_spaces,
            edge_spaces,
            padding,
            stacked_marks,
            not_normalized,
            mixed_script,
            look_alikes,
            punycode,
        } = self;
        [
            (*bidi_overrides, "bidirectional override", "bidirectional overrides"),
            (*direction_marks, "direction mark", "direction marks"),
            (*zero_width, "zero-width character", "zero-width characters"),
            (*tags, "hidden tag character", "hidden tag characters"),
            (*invisible, "invisible character", "invisible characters"),
            (*variation_selectors, "variation selector", "variation selectors"),
            (*controls, "control character", "control characters"),
            (*line_separators, "line separator", "line separators"),
            (*formats, "format character", "format characters"),
            (*private_use, "private-use character", "private-use characters"),
            (*unassigned, "unassigned code point", "unassigned code points"),
            (*overlays, "overlay mark", "overlay marks"),
            (*stacked_marks, "stacked mark", "stacked marks"),
            (look_alikes.len(), "look-alike address", "look-alike addresses"),
            (mixed_script.len(), "word of mixed scripts", "words of mixed scripts"),
            (punycode.len(), "punycode host", "punycode hosts"),
            (*odd_spaces, "odd space", "odd spaces"),
            (*edge_spaces, "space at an end", "spaces at the ends"),
            (*padding, "long run of blanks", "long runs of blanks"),
            (*not_normalized, "place not in normal form C", "places not in normal form C"),
        ]
    }
}
