//! Agents, their tokens and scopes.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Inconsistent;
use crate::actor::{Agent, Scope};
use crate::error::Result;
use crate::ids::{AgentId, ConnectionId, PersonId, TokenId};

/// Adds an agent; `false` if the name is taken.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert(
    conn: &mut PgConnection,
    id: &AgentId,
    name: &str,
    owner: &PersonId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = sqlx::query!(
        "insert into agent (id, name, owner_id, created_at)
         values ($1, $2, $3, $4)
         on conflict (name) do nothing",
        id.as_str(),
        name,
        owner.as_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Adds a token.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert_token(
    conn: &mut PgConnection,
    id: &TokenId,
    agent: &AgentId,
    token_hash: &[u8],
    now: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<()> {
    sqlx::query!(
        "insert into agent_token (id, agent_id, token_hash, created_at, expires_at)
         values ($1, $2, $3, $4, $5)",
        id.as_str(),
        agent.as_str(),
        token_hash,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Grants a scope.
///
/// # Errors
/// If the database cannot be reached.
pub async fn insert_scope(conn: &mut PgConnection, token: &TokenId, scope: &Scope) -> Result<()> {
    sqlx::query!(
        "insert into token_scope (token_id, connection_id, can_read, can_propose, can_apply)
         values ($1, $2, $3, $4, $5)",
        token.as_str(),
        scope.connection.as_str(),
        scope.read,
        scope.propose,
        scope.apply,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The agent that this token stands for now, with its scopes: one statement for
/// every call of every agent.
///
/// # Errors
/// If the database cannot be reached.
pub async fn find_by_token(conn: &mut PgConnection, token_hash: &[u8]) -> Result<Option<Agent>> {
    let rows = sqlx::query!(
        r#"select agent.id as agent_id, agent.name, agent.owner_id, agent_token.id as token_id,
                  token_scope.connection_id as "connection_id?", connection.name as "connection_name?",
                  token_scope.can_read as "can_read?", token_scope.can_propose as "can_propose?",
                  token_scope.can_apply as "can_apply?"
           from agent_token
           join agent on agent.id = agent_token.agent_id
           join person on person.id = agent.owner_id
           left join token_scope on token_scope.token_id = agent_token.id
           left join connection on connection.id = token_scope.connection_id
           where agent_token.token_hash = $1
             and agent_token.revoked_at is null
             and (agent_token.expires_at is null or agent_token.expires_at > app_now())
             and agent.revoked_at is null
             and person.disabled_at is null
           order by connection.name"#,
        token_hash,
    )
    .fetch_all(conn)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let mut agent = Agent {
        id: AgentId::from_str(&first.agent_id).map_err(|_| Inconsistent::error("agent", &first.agent_id, "id"))?,
        name: first.name.clone(),
        token: TokenId::from_str(&first.token_id)
            .map_err(|_| Inconsistent::error("agent_token", &first.token_id, "id"))?,
        owner: super::people::person_id(&first.owner_id)?,
        scopes: Vec::new(),
    };
    for row in &rows {
        if let (Some(connection), Some(name)) = (&row.connection_id, &row.connection_name) {
            agent.scopes.push(Scope {
                connection: ConnectionId::from_str(connection)
                    .map_err(|_| Inconsistent::error("connection", connection, "id"))?,
                connection_name: name.clone(),
                read: row.can_read.unwrap_or(false),
                propose: row.can_propose.unwrap_or(false),
                apply: row.can_apply.unwrap_or(false),
            });
        }
    }
    Ok(Some(agent))
}

/// An agent in a list.
pub struct AgentRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its owner.
    pub owner_id: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Every agent, by name.
///
/// # Errors
/// If the database cannot be reached.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<AgentRow>> {
    Ok(sqlx::query_as!(AgentRow, "select id, name, owner_id, created_at, revoked_at from agent order by name")
        .fetch_all(conn)
        .await?)
}

/// Names by id.
///
/// # Errors
/// If the database cannot be reached.
pub async fn names(conn: &mut PgConnection, agents: &[String]) -> Result<std::collections::BTreeMap<String, String>> {
    Ok(sqlx::query!("select id, name from agent where id = any($1)", agents)
        .fetch_all(conn)
        .await?
        .into_iter()
        .map(|row| (row.id, row.name))
        .collect())
}
