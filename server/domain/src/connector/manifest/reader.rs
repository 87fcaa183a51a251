//! Reads the tables of a manifest, notes every fault, and knows which keys were
//! asked for, so that the others can be refused.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::document::{Content, Node, dotted};
use super::fault::Faults;
use crate::connector::pointer::Pointer;

/// Longer texts belong into documentation.
const MAX_TEXT: usize = 2000;

/// One table of a manifest.
pub(super) struct Table<'a> {
    entries: &'a BTreeMap<String, Node>,
    key: String,
    line: Option<usize>,
    faults: &'a Faults,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Table<'a> {
    /// Reads `node` as the table `key`.
    pub(super) fn of(node: &'a Node, key: String, faults: &'a Faults) -> Option<Self> {
        let Content::Table(entries) = &node.content else {
            faults.add(key, node.line, "This must be a table.");
            return None;
        };
        Some(Self { entries, key, line: node.line, faults, known: RefCell::default() })
    }

    /// Notes a fault of one key, or of a place inside it.
    pub(super) fn fault(&self, key: &str, message: impl Into<String>) {
        let line = self.entries.get(key).map_or(self.line, |node| node.line);
        self.faults.add(dotted(&self.key, key), line, message);
    }

    /// Notes a fault at a JSON pointer inside one key.
    pub(super) fn fault_at(&self, key: &str, pointer: &str, message: impl Into<String>) {
        let line = self.entries.get(key).map_or(self.line, |node| node.line_at(pointer));
        let full = pointer
            .split('/')
            .skip(1)
            .fold(dotted(&self.key, key), |key, token| dotted(&key, &token.replace("~1", "/").replace("~0", "~")));
        self.faults.add(full, line, message);
    }

    /// Notes a fault of the table itself.
    pub(super) fn fault_here(&self, message: impl Into<String>) {
        self.faults.add(self.key.clone(), self.line, message);
    }

    /// The node of a key, which is thereby known.
    pub(super) fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.known.borrow_mut().insert(key);
        self.entries.get(key)
    }

    /// Whether a key is there; does not make it known.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Whether the key holds a table; does not make it known.
    pub(super) fn is_table(&self, key: &str) -> bool {
        matches!(self.entries.get(key), Some(Node { content: Content::Table(_), .. }))
    }

    /// Notes a fault if the key is missing.
    pub(super) fn require(&self, key: &str, hint: &str) {
        if !self.has(key) {
            self.fault(key, format!("This is missing: {hint}."));
        }
    }

    /// A text that is not empty.
    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        let node = self.get(key)?;
        self.text_of(key, node).map(str::to_owned)
    }

    fn text_of(&self, key: &str, node: &'a Node) -> Option<&'a str> {
        match &node.content {
            Content::Text(text) if text.trim().is_empty() => self.fault(key, "This must not be empty."),
            Content::Text(text) if text.chars().count() > MAX_TEXT => {
                self.fault(key, format!("This is longer than {MAX_TEXT} characters."));
            }
            Content::Text(text) if text.chars().any(char::is_control) => {
                self.fault(key, "This must not hold line breaks or control characters.");
            }
            Content::Text(text) => return Some(text),
            _ => self.fault(key, "This must be a text in quotes."),
        }
        None
    }

    /// A text that `parse` understands.
    pub(super) fn parsed<T, E: Into<String>>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(key)?;
        parse(&text).map_err(|error| self.fault(key, error)).ok()
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        self.parsed(key, |text| {
            words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                format!("`{text}` is not known: use {}.", words.join(", "))
            })
        })
    }

    /// A JSON pointer.
    pub(super) fn pointer(&self, key: &'static str) -> Option<Pointer> {
        // The empty pointer, which means the whole, is an empty text.
        if let Some(Node { content: Content::Text(text), .. }) = self.get(key)
            && text.is_empty()
        {
            return Pointer::parse("").ok();
        }
        self.parsed(key, Pointer::parse)
    }

    /// A list of texts that `parse` understands; nothing twice.
    pub(super) fn list<T: PartialEq, E: Into<String>>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<T> {
        let texts = self.items(key).iter().filter_map(|node| self.text_of(key, node)).collect();
        self.each_once(key, texts, parse)
    }

    /// A list of JSON pointers; nothing twice.
    pub(super) fn pointers(&self, key: &'static str) -> Vec<Pointer> {
        let texts = self.items(key).iter().filter_map(|node| match &node.content {
            // The pointer to the whole.
            Content::Text(text) if text.is_empty() => Some(""),
            _ => self.text_of(key, node),
        });
        self.each_once(key, texts.collect(), Pointer::parse)
    }

    fn each_once<T: PartialEq, E: Into<String>>(
        &self,
        key: &str,
        texts: Vec<&str>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<T> {
        let mut values = Vec::new();
        for text in texts {
            match parse(text) {
                Ok(value) if values.contains(&value) => self.fault(key, format!("`{text}` stands here twice.")),
                Ok(value) => values.push(value),
                Err(error) => self.fault(key, error),
            }
        }
        values
    }

    /// The items of an array; none if the key is missing.
    pub(super) fn items(&self, key: &'static str) -> &'a [Node] {
        match self.get(key).map(|node| &node.content) {
            None => &[],
            Some(Content::Array(items)) => items,
            Some(_) => {
                self.fault(key, "This must be a list in square brackets.");
                &[]
            }
        }
    }

    /// The tables of an array.
    pub(super) fn tables(&self, key: &'static str) -> Vec<Self> {
        self.items(key).iter().filter_map(|node| Self::of(node, dotted(&self.key, key), self.faults)).collect()
    }

    /// A table inside.
    pub(super) fn table(&self, key: &'static str) -> Option<Self> {
        Self::of(self.get(key)?, dotted(&self.key, key), self.faults)
    }

    /// Tables by name.
    pub(super) fn named(&self, key: &'static str) -> Vec<(String, Self)> {
        let Some(outer) = self.table(key) else { return Vec::new() };
        let mut tables = Vec::new();
        for (name, node) in outer.entries {
            if !is_name(name) {
                outer.fault(name, NAME_RULE);
            }
            if let Some(table) = Self::of(node, dotted(&outer.key, name), self.faults) {
                tables.push((name.clone(), table));
            }
        }
        tables
    }

    /// Any JSON value.
    pub(super) fn json(&self, key: &'static str) -> Option<Value> {
        self.get(key).map(Node::to_json)
    }

    /// A span of time, such as `30s`, `5m`, `24h` or `7d`.
    pub(super) fn duration(&self, key: &'static str) -> Option<Duration> {
        self.parsed(key, parse_duration)
    }

    /// Refuses every key that nobody asked for.
    pub(super) fn refuse_unknown_keys(&self) {
        let known = self.known.borrow();
        for key in self.entries.keys().filter(|key| !known.contains(key.as_str())) {
            let words: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
            self.fault(key, format!("This key is not known; the keys here are {}.", words.join(", ")));
        }
    }
}

/// What names of connectors, reads, actions and lists look like.
pub(super) const NAME_RULE: &str = "A name begins with a lower-case letter and has at most 41 of `a-z`, `0-9` and `_`.";

/// Whether it is such a name.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= 41
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    const RULE: &str = "A span of time is a number with `s`, `m`, `h` or `d`, as in `5m`; at most 366 days.";
    let unit = text.chars().last().ok_or(RULE)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86400,
        _ => return Err(RULE),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RULE);
    }
    digits
        .parse::<u64>()
        .ok()
        .and_then(|count| count.checked_mul(seconds))
        .filter(|total| (1..=366 * 86400).contains(total))
        .map(Duration::from_secs)
        .ok_or(RULE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time() {
        assert_eq!(parse_duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("24h"), Ok(Duration::from_hours(24)));
        for bad in ["", "5", "m", "-5m", "5 m", "0s", "1.5h", "5w", "999999999999999999d", "5µ"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
