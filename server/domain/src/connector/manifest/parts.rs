//! Makes the parts of a manifest of its tables.

use std::collections::BTreeMap;

use super::document::Node;
use super::fault::{Faults, ManifestErrors};
use super::reader::{NAME_RULE, Table, is_name};
use super::{Action, Idempotency, List, Manifest, Method, Precondition, Read, Risk};
use super::{check, values};
use crate::connector::path::PathTemplate;

/// Reads a whole manifest.
pub(super) fn manifest(document: &Node, file: &str) -> Result<Manifest, ManifestErrors> {
    let faults = Faults::of(file);
    let value = Table::of(document, String::new(), &faults).and_then(|root| whole(&root, document));
    faults.end(value)
}

fn whole(root: &Table<'_>, document: &Node) -> Option<Manifest> {
    root.require("connector", "a table with `name`, `title` and `auth`");
    let connector = root.table("connector");
    let reads = by_name(root, "reads", read);
    let actions = by_name(root, "actions", action);
    let lists = by_name(root, "lists", list);
    root.refuse_unknown_keys();
    check::names_of_other_parts(root, &actions, &reads);
    check::names_differ(root, &reads, &lists);
    if reads.is_empty() && actions.is_empty() && lists.is_empty() {
        root.fault_here("A connector has at least one read, action or list.");
    }
    let connector = connector?;
    connector.require("name", "what it is called in files and records");
    connector.require("title", "what it is called on pages");
    connector.require("auth", "`none`, `bearer`, `basic` or `header:NAME`");
    let name = connector.parsed("name", |text| if is_name(text) { Ok(text.to_owned()) } else { Err(NAME_RULE) });
    let title = connector.text("title");
    let auth = connector.parsed("auth", values::auth);
    let account = values::account(&connector);
    connector.refuse_unknown_keys();
    check::account(&connector, account.as_ref(), &reads);
    Some(Manifest {
        name: name?,
        title: title?,
        auth: auth?,
        account,
        reads,
        actions,
        lists,
        document: document.to_json(),
    })
}

fn by_name<T>(root: &Table<'_>, kind: &'static str, part: fn(&str, &Table<'_>) -> Option<T>) -> BTreeMap<String, T> {
    root.named(kind).into_iter().filter_map(|(name, table)| part(&name, &table).map(|part| (name, part))).collect()
}

fn read(name: &str, table: &Table<'_>) -> Option<Read> {
    table.require("path", "where it reads, such as `/contacts/{id}`");
    values::only_get(table);
    let title = table.text("title").unwrap_or_else(|| name.to_owned());
    let path = table.parsed("path", PathTemplate::parse);
    let query = values::query(table);
    let input = table.json("input").or_else(|| path.as_ref().map(check::schema_of_parameters));
    let entity = table.parsed("entity", values::entity);
    let version = table.parsed("version", values::source);
    let watch = table.pointers("watch");
    let identity = table.pointers("identity");
    let ttl = table.duration("ttl");
    if watch.len() > 16 {
        table.fault("watch", "At most 16 pointers can be watched.");
    }
    table.refuse_unknown_keys();
    let (path, input) = (path?, input?);
    check::input(table, &input, &path, &query, check::Body::None);
    check::placeholders(table, "entity", entity.as_ref(), &input);
    Some(Read { name: name.to_owned(), title, path, query, input, entity, version, watch, identity, ttl })
}

fn action(name: &str, table: &Table<'_>) -> Option<Action> {
    table.require("title", "what it is called on pages");
    table.require("risk", "`low`, `medium` or `high`");
    table.require("method", "`POST`, `PUT`, `PATCH` or `DELETE`");
    table.require("path", "where it writes, such as `/contacts/{id}`");
    table.require("input", "the JSON Schema of what an agent proposes");
    table.require("idempotency", "`none`, `natural`, `conditional` or `{ key = { header, window } }`");
    table.require("approval", "`person`, `automatic` or `forbidden`");
    let title = table.text("title");
    let summary = table.text("summary");
    let risk = table.choice("risk", &[("low", Risk::Low), ("medium", Risk::Medium), ("high", Risk::High)]);
    let method = table.choice(
        "method",
        &[("POST", Method::Post), ("PUT", Method::Put), ("PATCH", Method::Patch), ("DELETE", Method::Delete)],
    );
    let path = table.parsed("path", PathTemplate::parse);
    let body = table.pointer("body");
    let query = values::query(table);
    let input = table.json("input");
    let before = table.text("before");
    let effects = values::effects(table);
    let precondition = table.choice(
        "precondition",
        &[("If-Match", Precondition::IfMatch), ("If-Unmodified-Since", Precondition::IfUnmodifiedSince)],
    );
    let idempotency = values::idempotency(table);
    let after = table.parsed("after", values::source);
    let lookup = table.table("lookup").and_then(|table| values::lookup(&table));
    let returns = table.pointers("returns");
    let approval = table.parsed("approval", values::approval);
    let not_executed = values::statuses(table);
    let success = table.table("success").and_then(|table| values::success(&table));
    table.refuse_unknown_keys();
    if idempotency == Some(Idempotency::Conditional) && precondition.is_none() {
        table.fault(
            "idempotency",
            "`conditional` rests on a precondition: declare `precondition`, or use another word.",
        );
    }
    let (method, path, input) = (method?, path?, input?);
    let sent = match &body {
        Some(pointer) => check::Body::Property(pointer),
        None if method.has_body() => check::Body::Rest,
        None => check::Body::None,
    };
    check::input(table, &input, &path, &query, sent);
    for effect in &effects {
        check::placeholders(table, "effects", Some(&effect.entity), &input);
    }
    if let Some(summary) = &summary {
        match values::entity(summary) {
            Ok(template) => check::placeholders(table, "summary", Some(&template), &input),
            Err(error) => table.fault("summary", error),
        }
    }
    Some(Action {
        name: name.to_owned(),
        title: title?,
        summary,
        risk: risk?,
        method,
        path,
        body,
        query,
        input,
        before,
        effects,
        precondition,
        idempotency: idempotency?,
        after,
        lookup,
        returns,
        approval: approval?,
        not_executed,
        success,
    })
}

fn list(name: &str, table: &Table<'_>) -> Option<List> {
    table.require("path", "where it reads, such as `/contacts`");
    table.require("items", "where in the answer the records are, such as `/data`");
    table.require("key", "where in a record its key is, such as `/id`");
    values::only_get(table);
    let title = table.text("title").unwrap_or_else(|| name.to_owned());
    let path = table.parsed("path", PathTemplate::parse);
    let query = values::query(table);
    let input = table.json("input").or_else(|| path.as_ref().map(check::schema_of_parameters));
    let since = table.parsed("since", values::since);
    let next = values::next(table);
    let items = table.pointer("items");
    let key = table.pointer("key");
    let changed = table.pointer("changed");
    let deleted = table.pointer("deleted");
    table.refuse_unknown_keys();
    let (path, input) = (path?, input?);
    check::input(table, &input, &path, &query, check::Body::None);
    Some(List {
        name: name.to_owned(),
        title,
        path,
        query,
        input,
        since,
        next,
        items: items?,
        key: key?,
        changed,
        deleted,
    })
}
