//! `countersign connector`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use domain::connector::manifest::Manifest;
use serde_json::json;

use super::answer::Answer;
use super::error::CliError;

/// Manifests of outside systems.
#[derive(Debug, Subcommand)]
pub enum Connector {
    /// Check a manifest; ends with 1 and names file, line and key of each fault.
    Check {
        /// The manifest, in TOML.
        file: PathBuf,
    },
}

impl Connector {
    /// Does it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn run(&self) -> Result<Answer, CliError> {
        match self {
            Self::Check { file } => check(file),
        }
    }
}

fn check(file: &Path) -> Result<Answer, CliError> {
    let name = file.display().to_string();
    let text = read(file)?;
    match Manifest::from_toml(&text, &name) {
        Ok(manifest) => {
            let (reads, lists, actions) = (manifest.reads.len(), manifest.lists.len(), manifest.actions.len());
            let digest = manifest.digest().to_string();
            let text = format!(
                "{name} is good: connector {} with {reads} reads, {lists} lists and {actions} actions.\nDigest {digest}",
                manifest.name
            );
            let json = json!({
                "good": true, "connector": manifest.name, "digest": digest,
                "reads": reads, "lists": lists, "actions": actions, "faults": [],
            });
            Ok(Answer::good(text, json))
        }
        Err(faults) => {
            let lines: Vec<String> = faults.0.iter().map(ToString::to_string).collect();
            let json = json!({
                "good": false,
                "faults": faults.0.iter().map(|fault| json!({
                    "file": fault.file, "line": fault.line, "key": fault.key, "message": fault.message,
                })).collect::<Vec<_>>(),
            });
            Ok(Answer::bad(lines.join("\n"), json))
        }
    }
}

/// A manifest's text.
///
/// # Errors
/// If the file cannot be read.
pub fn read(file: &Path) -> Result<String, CliError> {
    fs::read_to_string(file)
        .map_err(|source| CliError::io(format!("the manifest {} cannot be read", file.display()), source))
}
