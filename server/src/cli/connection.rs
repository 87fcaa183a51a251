//! `countersign connection`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use domain::actor::Operator;
use domain::connector::shipped;
use domain::policy::Approval;
use domain::proposal::OnFailure;
use domain::service::{NewConnection, Service};
use serde_json::json;

use super::answer::{Answer, table};
use super::duration::Seconds;
use super::error::CliError;
use super::{connector, secret};

/// Accounts at outside systems.
#[derive(Debug, Subcommand)]
pub enum Connection {
    /// Add a connection.
    Add(Box<Add>),
    /// List the connections.
    List,
}

/// A connection to be added.
#[derive(Debug, Args)]
pub struct Add {
    /// Its name: lower-case letters, digits and `_`. Its tools begin with it.
    name: String,
    /// A shipped connector's name, or the file of a manifest.
    #[arg(long, value_name = "NAME|FILE")]
    connector: String,
    /// Where the provider's API begins.
    #[arg(long, value_name = "URL")]
    base_url: String,
    /// The file with the credential, or - for standard input; its first line
    /// counts. For basic authentication it is user:password.
    #[arg(long, value_name = "FILE")]
    credential_file: Option<PathBuf>,
    /// Call this host although its address is private or loopback.
    #[arg(long, value_name = "HOST")]
    allow_host: Option<String>,
    /// How actions are approved; the stricter of this and the manifest holds.
    #[arg(long, value_enum, default_value = "person")]
    approval: ApprovalWord,
    /// How one action is approved, such as `delete_contact=forbidden`. Repeat it
    /// for more actions.
    #[arg(long = "action-approval", value_name = "ACTION=WORD")]
    action_approvals: Vec<ActionApproval>,
    /// The owner of an agent may not decide what it proposes.
    #[arg(long)]
    four_eyes: bool,
    /// What is applied in one sequence.
    #[arg(long, value_enum, default_value = "connection")]
    order: Order,
    /// What happens to the sequence after a write that was not done.
    #[arg(long, value_enum, default_value = "stop")]
    on_failure: OnFailureWord,
    /// The time to decide in. [default: 72h]
    #[arg(long, value_name = "TIME")]
    approve_within: Option<Seconds>,
    /// The time to apply in. [default: 24h]
    #[arg(long, value_name = "TIME")]
    apply_within: Option<Seconds>,
}

/// How something is approved.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ApprovalWord {
    /// By itself, as soon as it is proposed.
    Automatic,
    /// By people.
    Person,
    /// Never.
    Forbidden,
}

/// What is applied in one sequence.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    /// Everything of the connection.
    Connection,
    /// Everything of one agent.
    Agent,
    /// Everything about one entity.
    Entity,
}

/// What happens to a sequence after a write that was not done.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnFailureWord {
    /// It waits until somebody acknowledges.
    Stop,
    /// It goes on.
    Continue,
}

/// How one action is approved.
#[derive(Debug, Clone)]
struct ActionApproval {
    action: String,
    approval: Approval,
}

impl From<ApprovalWord> for Approval {
    fn from(word: ApprovalWord) -> Self {
        match word {
            ApprovalWord::Automatic => Self::Automatic,
            ApprovalWord::Person => Self::Person,
            ApprovalWord::Forbidden => Self::Forbidden,
        }
    }
}

impl FromStr for ActionApproval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || "write it as ACTION=automatic, ACTION=person or ACTION=forbidden".to_owned();
        let (action, word) = text.split_once('=').ok_or_else(malformed)?;
        let word = ApprovalWord::from_str(word, false).map_err(|_| malformed())?;
        Ok(Self { action: action.to_owned(), approval: word.into() })
    }
}

/// The same with everything that is read before the database is opened.
pub enum Prepared<'a> {
    /// Add this one.
    Add(&'a str, Box<NewConnection>),
    /// List.
    List,
}

impl Connection {
    /// Reads the files.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn prepared(&self) -> Result<Prepared<'_>, CliError> {
        Ok(match self {
            Self::Add(add) => Prepared::Add(&add.name, Box::new(add.read()?)),
            Self::List => Prepared::List,
        })
    }
}

impl Prepared<'_> {
    /// Does it.
    ///
    /// # Errors
    /// If the operation refuses.
    pub async fn run(self, service: &Service) -> Result<Answer, CliError> {
        match self {
            Self::Add(name, new) => {
                let id = service.add_connection(&Operator, *new).await?;
                Ok(Answer::good(format!("Added {name} ({id})."), json!({ "id": id, "name": name })))
            }
            Self::List => list(service).await,
        }
    }
}

impl Add {
    fn read(&self) -> Result<NewConnection, CliError> {
        let mut actions = BTreeMap::new();
        for one in &self.action_approvals {
            if actions.insert(one.action.clone(), one.approval).is_some() {
                return Err(CliError::Usage(format!("--action-approval names {} twice", one.action)));
            }
        }
        Ok(NewConnection {
            name: self.name.clone(),
            manifest: self.manifest()?,
            base_url: self.base_url.clone(),
            credential: self.credential_file.as_deref().map(secret::from_file).transpose()?,
            allowed_host: self.allow_host.clone(),
            lane_order: match self.order {
                Order::Connection => "connection",
                Order::Agent => "agent",
                Order::Entity => "entity",
            }
            .to_owned(),
            on_failure: match self.on_failure {
                OnFailureWord::Stop => OnFailure::Stop,
                OnFailureWord::Continue => OnFailure::Continue,
            },
            approval: self.approval.into(),
            action_approval: actions,
            four_eyes: self.four_eyes,
            approve_within: self.approve_within.map(|time| time.0),
            apply_within: self.apply_within.map(|time| time.0),
        })
    }

    /// The manifest's text, and the file's name for its faults.
    fn manifest(&self) -> Result<(String, String), CliError> {
        if let Some((file, text)) = shipped::manifest(&self.connector) {
            return Ok((text.to_owned(), file.to_owned()));
        }
        let file = Path::new(&self.connector);
        if file.extension().is_none() && !file.exists() {
            let names = shipped::MANIFESTS.map(|(file, _)| file.trim_end_matches(".toml")).join(", ");
            return Err(CliError::Usage(format!(
                "there is no connector {}; shipped are {names}, or name the file of a manifest",
                self.connector
            )));
        }
        Ok((connector::read(file)?, self.connector.clone()))
    }
}

async fn list(service: &Service) -> Result<Answer, CliError> {
    let connections = service.connections(&Operator).await?;
    let rows: Vec<Vec<String>> = connections
        .iter()
        .map(|connection| {
            let state = if connection.enabled { "enabled" } else { "disabled" };
            vec![
                connection.name.clone(),
                connection.title.clone(),
                connection.base_url.clone(),
                state.to_owned(),
                connection.id.to_string(),
            ]
        })
        .collect();
    let json: Vec<_> = connections
        .iter()
        .map(|connection| {
            json!({
                "id": connection.id,
                "name": connection.name,
                "title": connection.title,
                "base_url": connection.base_url,
                "enabled": connection.enabled,
                "manifest_digest": connection.manifest.digest().to_string(),
            })
        })
        .collect();
    let head = ["NAME", "CONNECTOR", "BASE URL", "STATE", "ID"];
    Ok(Answer::good(table(&head, &rows), json!({ "connections": json })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_approved_by_a_known_word_only() {
        let one = "delete_contact=forbidden".parse::<ActionApproval>().unwrap();
        assert_eq!((one.action.as_str(), one.approval), ("delete_contact", Approval::Forbidden));
        for bad in ["delete_contact", "delete_contact=", "delete_contact=Person", "x=rule"] {
            assert!(bad.parse::<ActionApproval>().is_err(), "{bad}");
        }
    }
}
