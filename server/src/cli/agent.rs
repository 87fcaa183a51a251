//! `countersign agent`.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, Subcommand};
use domain::actor::Operator;
use domain::error::Error;
use domain::service::{GrantedScope, NewAgent, Service};
use serde_json::json;

use super::answer::{Answer, table};
use super::duration::Seconds;
use super::error::CliError;
use crate::config::Config;
use crate::database::Database;

/// Agents and their tokens.
#[derive(Debug, Subcommand)]
pub enum Agent {
    /// Add an agent and show its token, this once.
    Add(Add),
    /// List the agents.
    List,
}

/// An agent to be added.
#[derive(Debug, Args)]
pub struct Add {
    /// Its name: lower-case letters, digits, `-` and `_`.
    name: String,
    /// The login of the person on whose behalf it acts.
    #[arg(long, value_name = "LOGIN")]
    owner: String,
    /// What it may do at a connection, such as crm=read,propose,apply. Repeat it
    /// for more connections.
    #[arg(long = "scope", value_name = "CONNECTION=WORDS", required = true)]
    scopes: Vec<Scope>,
    /// When its token ends, such as 90d. [default: never]
    #[arg(long, value_name = "TIME")]
    expires_in: Option<Seconds>,
}

/// What is granted at one connection.
#[derive(Debug, Clone)]
struct Scope(GrantedScope);

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || "write it as CONNECTION=read,propose,apply".to_owned();
        let (connection, words) = text.split_once('=').ok_or_else(malformed)?;
        let mut scope = GrantedScope { connection: connection.to_owned(), read: false, propose: false, apply: false };
        for word in words.split(',') {
            match word {
                "read" => scope.read = true,
                "propose" => scope.propose = true,
                "apply" => scope.apply = true,
                _ => return Err(malformed()),
            }
        }
        Ok(Self(scope))
    }
}

impl Agent {
    /// Does it.
    ///
    /// # Errors
    /// If the operation refuses.
    pub async fn run(&self, database: &Database, config: &Config) -> Result<Answer, CliError> {
        match self {
            Self::Add(add) => add.run(database, config).await,
            Self::List => list(&database.service).await,
        }
    }
}

impl Add {
    async fn run(&self, database: &Database, config: &Config) -> Result<Answer, CliError> {
        let expires_at = match self.expires_in {
            Some(time) => Some(after(database, time).await?),
            None => None,
        };
        let new = NewAgent {
            name: self.name.clone(),
            owner_login: self.owner.clone(),
            scopes: self.scopes.iter().map(|scope| scope.0.clone()).collect(),
            expires_at,
        };
        let made = database.service.add_agent(&Operator, new).await?;
        let command = claude_command(&config.public_url(config.listen).page("/mcp"), &made.secret);
        let text = format!(
            "Added {} ({}). Its token is shown this once:\n\n{}\n\nFor Claude Code:\n\n{command}",
            self.name, made.agent, made.secret
        );
        let json = json!({
            "agent": made.agent,
            "token": made.token,
            "secret": made.secret,
            "expires_at": expires_at,
            "command": command,
        });
        Ok(Answer::good(text, json))
    }
}

/// The line that makes the server known to Claude Code.
#[must_use]
pub fn claude_command(endpoint: &str, secret: &str) -> String {
    format!("claude mcp add --transport http countersign {endpoint} --header \"Authorization: Bearer {secret}\"")
}

/// By the database's clock, which is the one that judges it.
async fn after(database: &Database, time: Seconds) -> Result<DateTime<Utc>, CliError> {
    let mut conn = database.pool.acquire().await.map_err(Error::from)?;
    let now = domain::db::now(&mut conn).await?;
    let delta = i64::try_from(time.0).ok().and_then(TimeDelta::try_seconds);
    let ends = delta.and_then(|delta| now.checked_add_signed(delta));
    ends.ok_or_else(|| CliError::Usage("that is too far away".to_owned()))
}

async fn list(service: &Service) -> Result<Answer, CliError> {
    let agents = service.agents(&Operator).await?;
    let rows: Vec<Vec<String>> = agents
        .iter()
        .map(|agent| {
            let state = if agent.revoked_at.is_some() { "revoked" } else { "enabled" };
            vec![agent.name.clone(), agent.owner.to_string(), state.to_owned(), agent.id.to_string()]
        })
        .collect();
    let json: Vec<_> = agents
        .iter()
        .map(|agent| {
            json!({
                "id": agent.id,
                "name": agent.name,
                "owner": agent.owner,
                "created_at": agent.created_at,
                "revoked_at": agent.revoked_at,
            })
        })
        .collect();
    Ok(Answer::good(table(&["NAME", "OWNER", "STATE", "ID"], &rows), json!({ "agents": json })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_name_what_is_granted() {
        let scope = "crm=read,apply".parse::<Scope>().unwrap().0;
        assert_eq!((scope.connection.as_str(), scope.read, scope.propose, scope.apply), ("crm", true, false, true));
        for bad in ["crm", "crm=", "crm=decide", "crm=read,", "crm=all"] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }
}
