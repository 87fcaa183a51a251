//! Who acts. Every operation takes one of these and checks it itself.
//!
//! A [`SignedIn`] is made in one place only: where a browser's session is looked
//! up in the database. Deciding takes a `SignedIn`, so that no agent, no command
//! line and no worker can decide: they cannot make the value.

use crate::ids::{AgentId, ConnectionId, PersonId, TokenId};

/// A person in a browser, by a session that was just looked up.
#[derive(Debug, Clone)]
pub struct SignedIn {
    person: Person,
}

/// A person as others see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: PersonId,
    /// The name that they go by.
    pub name: String,
    /// What they sign in with.
    pub login: String,
    /// May administer people, agents and connections.
    pub is_admin: bool,
    /// May read the whole history and every input.
    pub is_auditor: bool,
}

impl SignedIn {
    /// Only the session look-up makes one.
    #[cfg(feature = "db")]
    pub(crate) fn by_session(person: Person) -> Self {
        Self { person }
    }

    /// Who is signed in.
    #[must_use]
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// Their id.
    #[must_use]
    pub fn id(&self) -> &PersonId {
        &self.person.id
    }
}

/// An agent, by a bearer token that was just looked up.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// The token that it came with.
    pub token: TokenId,
    /// On whose behalf it acts.
    pub owner: PersonId,
    /// What the token allows, by connection.
    pub scopes: Vec<Scope>,
}

/// What a token allows at one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The connection.
    pub connection: ConnectionId,
    /// Its name, which its tools carry.
    pub connection_name: String,
    /// Whether reads are allowed.
    pub read: bool,
    /// Whether proposing is allowed.
    pub propose: bool,
    /// Whether applying is allowed.
    pub apply: bool,
}

impl Agent {
    /// The scope at the connection of this name, if there is any.
    #[must_use]
    pub fn scope(&self, connection_name: &str) -> Option<&Scope> {
        self.scopes.iter().find(|scope| scope.connection_name == connection_name)
    }
}

/// Whoever runs the command line on the server's machine. May set up, may not decide.
#[derive(Debug, Clone, Copy)]
pub struct Operator;

/// Who may withdraw, apply or acknowledge: an agent or a person.
#[derive(Debug, Clone, Copy)]
pub enum Actor<'a> {
    /// An agent with its token.
    Agent(&'a Agent),
    /// A person in a browser.
    Person(&'a SignedIn),
}
