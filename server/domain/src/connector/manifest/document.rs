//! The tree of a manifest with the lines of its keys, from TOML or from JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{Faults, ManifestErrors};
use crate::canonical::{Limits, parse_strict};

/// A manifest is a page or two; nobody needs more.
const MAX_BYTES: usize = 1024 * 1024;

/// A value and the line of its key.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) line: Option<usize>,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Null,
    Boolean(bool),
    Number(Number),
    Text(String),
    Array(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

impl Node {
    /// The value without the lines.
    pub(super) fn to_json(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Boolean(value) => Value::Bool(*value),
            Content::Number(value) => Value::Number(value.clone()),
            Content::Text(value) => Value::String(value.clone()),
            Content::Array(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Content::Table(entries) => {
                Value::Object(entries.iter().map(|(key, node)| (key.clone(), node.to_json())).collect::<Map<_, _>>())
            }
        }
    }

    /// The line of the place that a JSON pointer leads to, or of the last one
    /// on the way that exists.
    pub(super) fn line_at(&self, pointer: &str) -> Option<usize> {
        let mut node = self;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let next = match &node.content {
                Content::Table(entries) => entries.get(&token),
                Content::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node.line
    }
}

/// Reads TOML; schemas that are written as JSON text become part of the tree.
pub(super) fn from_toml(text: &str, file: &str) -> Result<Node, ManifestErrors> {
    if text.len() > MAX_BYTES {
        return Err(ManifestErrors::one(file, "", None, format!("It is larger than {MAX_BYTES} bytes.")));
    }
    let faults = Faults::of(file);
    let lines = Lines::of(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = error.span().map(|span| lines.at(span.start));
        faults.add(String::new(), line, format!("This is not TOML: {}.", error.message().trim_end_matches('.')));
    }
    let mut tree = Convert { lines: &lines, faults: &faults }.table(table.get_ref(), "", Some(1));
    expand_json_schemas(&mut tree, &faults);
    faults.end(Some(tree))
}

/// The tree of a stored manifest, which has no lines.
pub(super) fn from_json(value: &Value) -> Node {
    from_json_at(value, None)
}

fn from_json_at(value: &Value, line: Option<usize>) -> Node {
    let content = match value {
        Value::Null => Content::Null,
        Value::Bool(value) => Content::Boolean(*value),
        Value::Number(value) => Content::Number(value.clone()),
        Value::String(value) => Content::Text(value.clone()),
        Value::Array(items) => Content::Array(items.iter().map(|item| from_json_at(item, line)).collect()),
        Value::Object(entries) => {
            Content::Table(entries.iter().map(|(key, value)| (key.clone(), from_json_at(value, line))).collect())
        }
    };
    Node { line, content }
}

/// `input = '''{ … }'''` is JSON: some schemas are copied, and TOML has no null.
fn expand_json_schemas(tree: &mut Node, faults: &Faults) {
    let Content::Table(sections) = &mut tree.content else { return };
    for kind in ["reads", "actions", "lists"] {
        let Some(Node { content: Content::Table(parts), .. }) = sections.get_mut(kind) else { continue };
        for (name, part) in parts {
            let Content::Table(entries) = &mut part.content else { continue };
            let Some(input) = entries.get_mut("input") else { continue };
            let Content::Text(text) = &input.content else { continue };
            let key = format!("{kind}.{name}.input");
            if !text.trim_start().starts_with('{') {
                faults.add(
                    key,
                    input.line,
                    "A schema is a table or, in quotes, the text of a JSON object. A file beside the manifest is not read.",
                );
                continue;
            }
            match parse_strict(text.as_bytes(), Limits::STORED) {
                Ok(schema) => *input = from_json_at(&schema, input.line),
                Err(error) => faults.add(key, input.line, format!("The text is not JSON: {error}.")),
            }
        }
    }
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&newline| newline < offset) + 1
    }
}

struct Convert<'a> {
    lines: &'a Lines,
    faults: &'a Faults,
}

impl Convert<'_> {
    fn table(&self, table: &DeTable<'_>, key: &str, line: Option<usize>) -> Node {
        let entries = table
            .iter()
            .map(|(name, value)| {
                let name_line = self.lines.at(name.span().start);
                let dotted = dotted(key, name.get_ref());
                (name.get_ref().to_string(), self.value(value, &dotted, Some(name_line)))
            })
            .collect();
        Node { line, content: Content::Table(entries) }
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, key: &str, line: Option<usize>) -> Node {
        let refuse = |message: &str| {
            self.faults.add(key.to_owned(), line, message);
            Content::Null
        };
        let content = match value.get_ref() {
            DeValue::String(text) => Content::Text(text.to_string()),
            DeValue::Boolean(value) => Content::Boolean(*value),
            DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(value) if value.unsigned_abs() < 1 << 53 => Content::Number(value.into()),
                _ => refuse("This integer is beyond 2^53 - 1; JSON readers disagree about such numbers."),
            },
            DeValue::Float(digits) => match digits.as_str().parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) => Content::Number(number),
                None => refuse("This number is not finite; JSON has none of that kind."),
            },
            DeValue::Datetime(_) => refuse("JSON has no dates: write it in quotes."),
            DeValue::Array(items) => Content::Array(
                items
                    .iter()
                    .map(|item| {
                        let line = self.lines.at(item.span().start);
                        self.value(item, key, Some(line))
                    })
                    .collect(),
            ),
            DeValue::Table(table) => return self.table(table, key, line),
        };
        Node { line, content }
    }
}

/// `key.name`, with the name in quotes if it is not bare.
pub(super) fn dotted(key: &str, name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let name = if bare { name.to_owned() } else { format!("{name:?}") };
    if key.is_empty() { name } else { format!("{key}.{name}") }
}
