//! Agents and their tokens.

use chrono::{DateTime, Utc};

use std::str::FromStr as _;

use serde_json::json;

use super::Service;
use super::people::secret;
use crate::actor::{Agent, Operator, Scope};
use crate::audit::{Entry, EventActor};
use crate::db;
use crate::digest::Digest;
use crate::error::{Error, Result, conflict, invalid, not_found};
use crate::ids::{AgentId, PersonId, TokenId};
use crate::random;

/// What a token begins with, so that a leaked one is recognised.
const TOKEN_PREFIX: &str = "cst_";

/// An agent to be made, with its first token.
#[derive(Debug, Clone)]
pub struct NewAgent {
    /// `^[a-z][a-z0-9_-]{0,62}$`, unique.
    pub name: String,
    /// The sign-in name of the person on whose behalf it acts.
    pub owner_login: String,
    /// What its token allows; at least one.
    pub scopes: Vec<GrantedScope>,
    /// When its token ends; never, if absent.
    pub expires_at: Option<DateTime<Utc>>,
}

/// What is granted at one connection.
#[derive(Debug, Clone)]
pub struct GrantedScope {
    /// The connection's name.
    pub connection: String,
    /// Whether reads are allowed.
    pub read: bool,
    /// Whether proposing is allowed.
    pub propose: bool,
    /// Whether applying is allowed.
    pub apply: bool,
}

/// A token that was just made. The secret is shown once and never stored.
pub struct NewToken {
    /// The agent.
    pub agent: AgentId,
    /// The token's id.
    pub token: TokenId,
    /// `cst_` and 52 characters; goes into `Authorization: Bearer`.
    pub secret: String,
}

/// One agent in a list.
#[derive(Debug, Clone)]
pub struct AgentSummary {
    /// Its id.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// On whose behalf it acts.
    pub owner: PersonId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl Service {
    /// Makes an agent and its first token.
    ///
    /// # Errors
    /// `agent_name_taken`, `agent_name_malformed`, `scope_empty`; `not_found` for the owner or a connection.
    pub async fn add_agent(&self, _by: &Operator, new: NewAgent) -> Result<NewToken> {
        if !is_agent_name(&new.name) {
            return Err(invalid(
                "agent_name_malformed",
                "An agent's name begins with a small letter, has only small letters, digits, - and _, and at most 63 characters.",
            ));
        }
        if new.scopes.is_empty() || new.scopes.iter().any(|scope| !(scope.read || scope.propose || scope.apply)) {
            return Err(invalid("scope_empty", "Say at which connection the agent may read, propose or apply."));
        }
        let mut tx = self.pool.begin().await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        let now = db::now(&mut tx).await?;
        let owner = db::people::find_by_login(&mut tx, &new.owner_login)
            .await?
            .filter(|row| row.disabled_at.is_none())
            .ok_or_else(|| not_found("person"))?
            .person;
        let agent = AgentId::from_random(random::bytes());
        let token = TokenId::from_random(random::bytes());
        if !db::agents::insert(&mut tx, &agent, &new.name, &owner.id, now).await? {
            return Err(conflict("agent_name_taken", "There is an agent of this name already. Choose another."));
        }
        let secret = format!("{TOKEN_PREFIX}{}", secret());
        let hash = Digest::of(secret.as_bytes());
        db::agents::insert_token(&mut tx, &token, &agent, hash.as_bytes(), now, new.expires_at).await?;
        let mut scopes = Vec::new();
        for scope in &new.scopes {
            let connection = db::connections::find_by_name(&mut tx, &scope.connection)
                .await?
                .ok_or_else(|| not_found("connection"))?;
            let scope = Scope {
                connection: connection.id,
                connection_name: connection.name,
                read: scope.read,
                propose: scope.propose,
                apply: scope.apply,
            };
            db::agents::insert_scope(&mut tx, &token, &scope).await?;
            scopes.push(json!({
                "connection": scope.connection, "read": scope.read, "propose": scope.propose, "apply": scope.apply,
            }));
        }
        let facts = json!({
            "agent": agent, "owner": owner.id, "token": token, "scopes": scopes,
            "expires_at": new.expires_at.map(|at| at.timestamp_micros()),
        });
        db::audit::append(&mut tx, now, &Entry::administration("agent.added", EventActor::Operator, facts)).await?;
        tx.commit().await?;
        Ok(NewToken { agent, token, secret })
    }

    /// Every agent, by name.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn agents(&self, _by: &Operator) -> Result<Vec<AgentSummary>> {
        let mut conn = self.pool.acquire().await?;
        db::agents::all(&mut conn)
            .await?
            .into_iter()
            .map(|row| {
                Ok(AgentSummary {
                    id: AgentId::from_str(&row.id).map_err(Error::internal)?,
                    name: row.name,
                    owner: PersonId::from_str(&row.owner_id).map_err(Error::internal)?,
                    created_at: row.created_at,
                    revoked_at: row.revoked_at,
                })
            })
            .collect()
    }

    /// The agent that a bearer token stands for; `None` if there is none, or it
    /// was revoked, or it expired, or its owner was disabled.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn agent_by_token(&self, secret: &str) -> Result<Option<Agent>> {
        if !secret.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        let mut conn = self.pool.acquire().await?;
        db::agents::find_by_token(&mut conn, Digest::of(secret.as_bytes()).as_bytes()).await
    }
}

fn is_agent_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && name.len() <= 63
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}
