//! What the CRM remembers: contacts, what it received, and what to do wrong next.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::faults::Fault;

/// The CRM's memory. Clones share it.
#[derive(Clone)]
pub struct SandboxState(Arc<Mutex<Inner>>);

pub(super) struct Inner {
    pub(super) token: String,
    pub(super) contacts: BTreeMap<String, Contact>,
    /// Grows with every change and stands for the time, so that two runs are alike.
    pub(super) changes: u64,
    pub(super) last_id: u64,
    /// What was answered under an idempotency key: the body that came, and the new contact.
    pub(super) keys: BTreeMap<String, (Value, String)>,
    received: Vec<Received>,
    faults: VecDeque<Fault>,
    read_faults: VecDeque<Fault>,
    marker: Option<String>,
}

/// One contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contact {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) phone: Option<String>,
    pub(super) status: String,
    pub(super) version: u64,
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
}

/// One call that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The HTTP method.
    pub method: String,
    /// The path and query as they came.
    pub path: String,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
    /// The `If-Match` header.
    pub if_match: Option<String>,
    /// The names of all headers, sorted.
    pub headers: Vec<String>,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
    /// Whether the token was right.
    pub is_authorized: bool,
}

impl Received {
    /// Whether it is no mere read.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.method != "GET" && self.method != "HEAD"
    }
}

impl SandboxState {
    /// An empty CRM behind this bearer token.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            token: token.into(),
            contacts: BTreeMap::new(),
            changes: 0,
            last_id: 0,
            keys: BTreeMap::new(),
            received: Vec::new(),
            faults: VecDeque::new(),
            read_faults: VecDeque::new(),
            marker: None,
        })))
    }

    /// A CRM with a few contacts in it.
    #[must_use]
    pub fn with_examples(token: impl Into<String>) -> Self {
        let state = Self::new(token);
        for (name, email, status) in [
            ("Ada Lovelace", "ada@example.com", "customer"),
            ("Grace Hopper", "grace@example.com", "customer"),
            ("Katherine Johnson", "katherine@example.com", "lead"),
            ("Emmy Noether", "emmy@example.com", "former"),
        ] {
            state.add_contact(name, email, status);
        }
        state
    }

    /// Adds a contact from outside the API and returns its id.
    #[expect(clippy::must_use_candidate, reason = "often only the contact is wanted")]
    pub fn add_contact(&self, name: &str, email: &str, status: &str) -> String {
        let contact = Contact {
            name: name.to_owned(),
            email: email.to_owned(),
            phone: None,
            status: status.to_owned(),
            version: 1,
            created_at: 0,
            updated_at: 0,
        };
        self.lock().insert(contact).0
    }

    /// A contact as the API shows it.
    #[must_use]
    pub fn contact(&self, id: &str) -> Option<Value> {
        self.lock().contacts.get(id).map(|contact| contact.to_json(id))
    }

    /// How many contacts there are.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.lock().contacts.len()
    }

    /// Everything that came in, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.lock().received.clone()
    }

    /// The writes that came in, in order.
    #[must_use]
    pub fn received_writes(&self) -> Vec<Received> {
        self.received().into_iter().filter(Received::is_write).collect()
    }

    /// What goes wrong with the next write that has no fault yet.
    pub fn enqueue_fault(&self, fault: Fault) {
        self.lock().faults.push_back(fault);
    }

    /// What goes wrong with the next read that has no fault yet.
    pub fn enqueue_read_fault(&self, fault: Fault) {
        self.lock().read_faults.push_back(fault);
    }

    /// Puts this text into every body and a header of every answer, so that a
    /// test can look for it where nothing of an answer may be kept.
    pub fn set_marker(&self, marker: Option<&str>) {
        self.lock().marker = marker.map(str::to_owned);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Notes a call and returns the number of calls so far.
    pub(super) fn note(&mut self, received: Received) -> usize {
        self.received.push(received);
        self.received.len()
    }

    pub(super) fn next_fault(&mut self, is_write: bool) -> Option<Fault> {
        if is_write { self.faults.pop_front() } else { self.read_faults.pop_front() }
    }

    pub(super) fn marker(&self) -> Option<String> {
        self.marker.clone()
    }

    /// Takes a new contact in and returns its id and version.
    pub(super) fn insert(&mut self, contact: Contact) -> (String, u64) {
        self.changes += 1;
        self.last_id += 1;
        let id = format!("c{}", self.last_id);
        let contact = Contact { created_at: self.changes, updated_at: self.changes, ..contact };
        let version = contact.version;
        self.contacts.insert(id.clone(), contact);
        (id, version)
    }
}

impl Contact {
    pub(super) fn to_json(&self, id: &str) -> Value {
        let mut value = json!({
            "id": id,
            "name": self.name,
            "email": self.email,
            "status": self.status,
            "version": self.version,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        });
        if let Some(phone) = &self.phone {
            value["phone"] = json!(phone);
        }
        value
    }

    pub(super) fn etag(&self) -> String {
        format!("\"{}\"", self.version)
    }
}
