//! What makes a new server worth looking at: an agent and a few proposals that
//! wait for a decision. They are made when the first person is there, because an
//! agent acts on somebody's behalf.

use std::io::{self, Write};
use std::time::Duration;

use domain::actor::{Agent, Operator};
use domain::error::{Result, not_found};
use domain::service::{GrantedScope, NewAgent, NewProposal, Service};
use serde_json::{Value, json};

use super::sandbox::CONNECTION;
use crate::cli::agent::claude_command;
use crate::config::PublicUrl;
use crate::shutdown::Shutdown;

/// The agent's name.
const AGENT: &str = "demo";
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Makes them once, in the background.
pub fn start(service: Service, public_url: PublicUrl, shutdown: Shutdown) {
    tokio::spawn(async move {
        tokio::select! {
            () = shutdown.wait() => {}
            made = make(&service, &public_url) => {
                if let Err(error) = made {
                    tracing::warn!(%error, "the examples were not made");
                }
            }
        }
    });
}

async fn make(service: &Service, public_url: &PublicUrl) -> Result<()> {
    let agents = service.agents(&Operator).await?;
    if agents.iter().any(|agent| agent.name == AGENT) {
        return Ok(());
    }
    let owner_login = loop {
        if let Some((person, _)) = service.people(&Operator).await?.into_iter().next() {
            break person.login;
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    };
    let scope = GrantedScope { connection: CONNECTION.to_owned(), read: true, propose: true, apply: true };
    let new = NewAgent { name: AGENT.to_owned(), owner_login, scopes: vec![scope], expires_at: None };
    let secret = service.add_agent(&Operator, new).await?.secret;
    let agent: Agent = service.agent_by_token(&secret).await?.ok_or_else(|| not_found("agent"))?;
    for (action, input, reason) in examples() {
        let new = NewProposal {
            action: action.to_owned(),
            input,
            reason: Some(reason.to_owned()),
            idempotency_key: None,
            client_ref: None,
        };
        service.propose(&agent, CONNECTION, new).await?;
    }
    let command = claude_command(&public_url.page("/mcp"), &secret);
    let text = format!("The agent {AGENT} has proposed a few writes. To work as it from Claude Code:\n  {command}\n");
    // A server whose output nobody reads serves all the same.
    let _unread = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}

fn examples() -> [(&'static str, Value, &'static str); 3] {
    [
        (
            "create_contact",
            json!({ "name": "Dorothy Vaughan", "email": "dorothy@example.com", "status": "lead" }),
            "She wrote to us through the form on the web site and asked for an offer.",
        ),
        (
            "update_contact",
            json!({ "id": "c1", "changes": { "phone": "+44 20 7946 0018" } }),
            "The number is in the footer of her last e-mail.",
        ),
        (
            "delete_contact",
            json!({ "id": "c4" }),
            "Has been a former customer for three years; the retention policy asks to delete.",
        ),
    ]
}
