//! The tools, one file per family. Each reads its arguments, calls one
//! operation of the service, and says where that leaves the agent.

mod actions;
mod apply;
mod one_proposal;
mod proposals;
mod propose;
mod read;

use std::time::Duration;

use domain::actor::{Agent, Scope};
use domain::error::Result;
use domain::service::Service;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use super::arguments::{Parameter, schema};
use super::next::NextAction;
use super::reply::Reply;

/// One tool. Those of a connection carry its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolName<'a> {
    /// `{connection}_actions`
    Actions(&'a str),
    /// `{connection}_read`
    Read(&'a str),
    /// `{connection}_propose`
    Propose(&'a str),
    /// `{connection}_apply`
    Apply(&'a str),
    /// `proposals_get`
    ProposalsGet,
    /// `proposals_list`
    ProposalsList,
    /// `proposals_withdraw`
    ProposalsWithdraw,
}

/// Whether a token may use a tool.
#[derive(Debug, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Granted,
    /// It has some scope at that connection, but not this one.
    ScopeMissing(String),
    /// It has none there, and does not learn whether there is such a connection.
    Hidden,
}

/// One call of a tool.
pub struct Call<'a> {
    /// The operations.
    pub service: &'a Service,
    /// Who calls.
    pub agent: &'a Agent,
    /// What the addresses of pages begin with.
    pub public_url: &'a str,
    /// The request as rmcp knows it; it says when the client goes away.
    pub request: &'a RequestContext<RoleServer>,
}

impl<'a> ToolName<'a> {
    /// The tool of this name, whether or not there is such a connection.
    pub fn parse(name: &'a str) -> Option<Self> {
        match name {
            "proposals_get" => return Some(Self::ProposalsGet),
            "proposals_list" => return Some(Self::ProposalsList),
            "proposals_withdraw" => return Some(Self::ProposalsWithdraw),
            _ => {}
        }
        // The last part decides, so that a connection may be called `crm_read`.
        let (connection, kind) = name.rsplit_once('_')?;
        match kind {
            "actions" => Some(Self::Actions(connection)),
            "read" => Some(Self::Read(connection)),
            "propose" => Some(Self::Propose(connection)),
            "apply" => Some(Self::Apply(connection)),
            _ => None,
        }
    }

    /// Whether this agent's token may use it.
    pub fn access(self, agent: &Agent) -> Access {
        let (connection, word, granted): (_, _, fn(&Scope) -> bool) = match self {
            Self::ProposalsGet | Self::ProposalsList | Self::ProposalsWithdraw => return Access::Granted,
            Self::Actions(connection) => (connection, "read", |_| true),
            Self::Read(connection) => (connection, "read", |scope| scope.read),
            Self::Propose(connection) => (connection, "propose", |scope| scope.propose),
            Self::Apply(connection) => (connection, "apply", |scope| scope.apply),
        };
        match agent.scope(connection) {
            None => Access::Hidden,
            Some(scope) if granted(scope) => Access::Granted,
            Some(_) => Access::ScopeMissing(format!("{connection}:{word}")),
        }
    }

    /// The word for calling it again, after a call that was wrong.
    pub fn again(self) -> NextAction {
        match self {
            Self::Propose(_) => NextAction::ProposeAgain,
            Self::Apply(_) => NextAction::Apply,
            _ => NextAction::Done,
        }
    }

    /// How long it may take. Apply makes calls to providers, several in a row.
    pub fn answers_within(self) -> Duration {
        match self {
            Self::Apply(_) => Duration::from_secs(55),
            _ => Duration::from_secs(25),
        }
    }
}

impl Call<'_> {
    /// The page of a proposal.
    pub fn page(&self, proposal: impl std::fmt::Display) -> String {
        format!("{}/proposals/{proposal}", self.public_url)
    }
}

/// Calls a tool.
pub async fn call(call: &Call<'_>, tool: ToolName<'_>, arguments: Map<String, Value>) -> Result<Reply> {
    match tool {
        ToolName::Actions(connection) => actions::call(call, connection, arguments).await,
        ToolName::Read(connection) => read::call(call, connection, arguments).await,
        ToolName::Propose(connection) => propose::call(call, connection, arguments).await,
        ToolName::Apply(connection) => apply::call(call, connection, arguments).await,
        ToolName::ProposalsGet => proposals::get(call, arguments).await,
        ToolName::ProposalsList => proposals::list(call, arguments).await,
        ToolName::ProposalsWithdraw => proposals::withdraw(call, arguments).await,
    }
}

/// The tools that an agent may use, by name.
pub async fn list(service: &Service, agent: &Agent) -> Result<Vec<Tool>> {
    let mut tools = proposals::definitions();
    for connection in service.connections_of(agent).await? {
        let Some(scope) = agent.scope(&connection.name) else { continue };
        let (actions, reads) = service.actions(agent, &connection.name).await?;
        tools.push(actions::definition(&connection));
        if scope.read && !reads.is_empty() {
            tools.push(read::definition(&connection, &reads));
        }
        if scope.propose {
            tools.push(propose::definition(&connection, &actions));
        }
        if scope.apply {
            tools.push(apply::definition(&connection));
        }
    }
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(tools)
}

/// What a tool does to the world. Hosts ask their user by these hints, and
/// those that are left out stand for the worst.
#[derive(Debug, Clone, Copy)]
enum Effect {
    /// Reads our records.
    Reads,
    /// Reads at the provider.
    ReadsOutside,
    /// Changes our records.
    Records,
    /// Writes at the provider.
    WritesOutside,
}

fn define(
    name: impl Into<String>,
    title: String,
    description: String,
    parameters: &[Parameter],
    output: std::sync::Arc<JsonObject>,
    effect: Effect,
) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(matches!(effect, Effect::Reads | Effect::ReadsOutside))
        .destructive(matches!(effect, Effect::WritesOutside))
        // Each approved write is made once, however often apply is called; an
        // equal proposal is not made twice either.
        .idempotent(true)
        .open_world(matches!(effect, Effect::ReadsOutside | Effect::WritesOutside));
    Tool::new(name.into(), description, std::sync::Arc::new(schema(parameters)))
        .with_title(title)
        .with_raw_output_schema(output)
        .with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{AgentId, ConnectionId, PersonId, TokenId};

    #[test]
    fn names_are_told_apart_by_their_end() {
        for (name, expected) in [
            ("crm_read", Some(ToolName::Read("crm"))),
            ("crm_read_read", Some(ToolName::Read("crm_read"))),
            ("my_crm_apply", Some(ToolName::Apply("my_crm"))),
            ("crm_approve", None),
            ("crm", None),
            ("proposals_get", Some(ToolName::ProposalsGet)),
            ("proposals_approve", None),
        ] {
            assert_eq!(ToolName::parse(name), expected, "{name}");
        }
    }

    #[test]
    fn a_scope_opens_its_own_tool_only() {
        let agent = Agent {
            id: AgentId::from_random([1; 16]),
            name: "agent".to_owned(),
            token: TokenId::from_random([2; 16]),
            owner: PersonId::from_random([3; 16]),
            scopes: vec![Scope {
                connection: ConnectionId::from_random([4; 16]),
                connection_name: "crm".to_owned(),
                read: true,
                propose: false,
                apply: false,
            }],
        };
        for (tool, expected) in [
            (ToolName::Actions("crm"), Access::Granted),
            (ToolName::Read("crm"), Access::Granted),
            (ToolName::Propose("crm"), Access::ScopeMissing("crm:propose".to_owned())),
            (ToolName::Apply("crm"), Access::ScopeMissing("crm:apply".to_owned())),
            (ToolName::Apply("erp"), Access::Hidden),
            (ToolName::ProposalsList, Access::Granted),
        ] {
            assert_eq!(tool.access(&agent), expected, "{tool:?}");
        }
    }
}
