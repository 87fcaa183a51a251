//! What is wrong with a manifest, and where.

use std::cell::RefCell;
use std::fmt;

/// One fault of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError {
    /// The file.
    pub file: String,
    /// The dotted key; empty for the file as a whole.
    pub key: String,
    /// The line, counted from one, where the text has lines.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Every fault of a manifest, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestErrors(pub Vec<ManifestError>);

impl ManifestErrors {
    pub(super) fn one(file: &str, key: &str, line: Option<usize>, message: String) -> Self {
        Self(vec![ManifestError { file: file.to_owned(), key: key.to_owned(), line, message }])
    }
}

impl fmt::Display for ManifestErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ManifestErrors {}

/// Collects faults while a manifest is read, so that all are told at once.
pub(super) struct Faults {
    file: String,
    found: RefCell<Vec<ManifestError>>,
}

impl Faults {
    pub(super) fn of(file: &str) -> Self {
        Self { file: file.to_owned(), found: RefCell::default() }
    }

    pub(super) fn add(&self, key: String, line: Option<usize>, message: impl Into<String>) {
        let error = ManifestError { file: self.file.clone(), key, line, message: message.into() };
        let mut found = self.found.borrow_mut();
        // One cause can be noticed by two checks.
        if !found.contains(&error) {
            found.push(error);
        }
    }

    /// The value if nothing was wrong.
    pub(super) fn end<T>(self, value: Option<T>) -> Result<T, ManifestErrors> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| (a.line, &a.key).cmp(&(b.line, &b.key)));
        match value {
            Some(value) if found.is_empty() => Ok(value),
            _ if found.is_empty() => Err(ManifestErrors::one(&self.file, "", None, "It is not complete.".to_owned())),
            _ => Err(ManifestErrors(found)),
        }
    }
}
