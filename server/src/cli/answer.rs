//! What a command says, to people and to machines.

use std::io::{self, Write};

use serde_json::Value;

/// What a command says at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// For people; lines without the last line end.
    pub text: String,
    /// For machines.
    pub json: Value,
    /// Whether all is well; else the command ends with 1.
    pub good: bool,
}

impl Answer {
    /// Something that went well.
    #[must_use]
    pub fn good(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json, good: true }
    }

    /// Something that was found to be wrong.
    #[must_use]
    pub fn bad(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json, good: false }
    }

    /// Writes it to standard output.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub fn write(&self, as_json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if as_json {
            writeln!(out, "{}", self.json)
        } else if self.text.is_empty() {
            Ok(())
        } else {
            writeln!(out, "{}", self.text)
        }
    }
}

/// Rows under a head, in columns as wide as they need.
#[must_use]
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let head_line = line(head);
    let lines = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    std::iter::once(head_line).chain(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let rows = [vec!["crm".to_owned(), "on".to_owned()], vec!["warehouse".to_owned(), "off".to_owned()]];
        assert_eq!(table(&["NAME", "STATE"], &rows), "NAME       STATE\ncrm        on\nwarehouse  off");
    }
}
