//! `countersign person`.

use clap::{Args, Subcommand};
use domain::actor::Operator;
use domain::service::{NewPerson, Roles, Service};
use serde_json::json;

use super::answer::{Answer, table};
use super::error::CliError;
use super::secret;

/// People who sign in.
#[derive(Debug, Subcommand)]
pub enum Person {
    /// Add a person. The password is asked for, or read from standard input.
    Add(Add),
    /// List the people.
    List,
}

/// A person to be added.
#[derive(Debug, Args)]
pub struct Add {
    /// What they sign in with, such as an e-mail address.
    login: String,
    /// The name that others see. [default: the login]
    #[arg(long)]
    name: Option<String>,
    /// May decide: becomes a member of the group of reviewers.
    #[arg(long)]
    reviewer: bool,
    /// May set up people, agents and connections; may not decide by that.
    #[arg(long)]
    admin: bool,
    /// May read the whole history and every input.
    #[arg(long)]
    auditor: bool,
}

/// The same with everything that is read before the database is opened.
pub enum Prepared<'a> {
    /// Add this one, with this password.
    Add(&'a Add, String),
    /// List.
    List,
}

impl Person {
    /// Reads what comes from standard input.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn prepared(&self) -> Result<Prepared<'_>, CliError> {
        Ok(match self {
            Self::Add(add) => Prepared::Add(add, secret::new_password()?),
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
            Self::Add(add, password) => add_person(service, add, password).await,
            Self::List => list(service).await,
        }
    }
}

async fn add_person(service: &Service, add: &Add, password: String) -> Result<Answer, CliError> {
    let name = add.name.clone().unwrap_or_else(|| add.login.clone());
    let new = NewPerson { login: add.login.clone(), name, password };
    let roles = Roles { reviewer: add.reviewer, admin: add.admin, auditor: add.auditor };
    let id = service.add_person(&Operator, new, roles).await?;
    Ok(Answer::good(format!("Added {} ({id}).", add.login), json!({ "id": id, "login": add.login })))
}

async fn list(service: &Service) -> Result<Answer, CliError> {
    let people = service.people(&Operator).await?;
    let rows: Vec<Vec<String>> = people
        .iter()
        .map(|(person, disabled_at)| {
            let roles = [(person.is_admin, "admin"), (person.is_auditor, "auditor")];
            let roles: Vec<&str> = roles.iter().filter(|(has, _)| *has).map(|(_, role)| *role).collect();
            let state = if disabled_at.is_some() { "disabled" } else { "enabled" };
            vec![person.login.clone(), person.name.clone(), roles.join(","), state.to_owned(), person.id.to_string()]
        })
        .collect();
    let json: Vec<_> = people
        .iter()
        .map(|(person, disabled_at)| {
            json!({
                "id": person.id,
                "login": person.login,
                "name": person.name,
                "admin": person.is_admin,
                "auditor": person.is_auditor,
                "disabled_at": disabled_at,
            })
        })
        .collect();
    Ok(Answer::good(table(&["LOGIN", "NAME", "ROLES", "STATE", "ID"], &rows), json!({ "people": json })))
}
