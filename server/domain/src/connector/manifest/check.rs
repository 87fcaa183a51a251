//! What must hold between the parts of a manifest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::reader::Table;
use super::{Account, Action, AppliedWhen, EntityTemplate, List, Read};
use crate::connector::path::PathTemplate;
use crate::connector::pointer::Pointer;
use crate::connector::schema::{check_schema, resolve};

/// What of an input is sent as the body.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// Nothing.
    None,
    /// One property.
    Property(&'a Pointer),
    /// Everything that is no parameter.
    Rest,
}

/// The schema of an input that has only the path's parameters.
pub(super) fn schema_of_parameters(path: &PathTemplate) -> Value {
    let names: Vec<&str> = path.parameters().collect();
    let properties: Map<String, Value> =
        names.iter().map(|&name| (name.to_owned(), json!({ "type": "string", "minLength": 1 }))).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !names.is_empty() {
        schema["required"] = json!(names);
    }
    schema
}

/// Checks an input schema, and that each of its properties is sent somewhere:
/// a person must not approve a value that then goes nowhere.
pub(super) fn input(table: &Table<'_>, schema: &Value, path: &PathTemplate, query: &[String], body: Body<'_>) {
    let faults = check_schema(schema);
    let sound = faults.is_empty();
    for fault in faults {
        table.fault_at("input", &fault.pointer, fault.message);
    }
    if !sound {
        return;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let property = |name: &str| properties.and_then(|properties| properties.get(name));
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();

    for name in path.parameters() {
        match property(name) {
            None => table.fault("path", format!("`{{{name}}}` is no property of `input`: declare it there.")),
            Some(_) if !required.contains(name) => {
                table.fault("path", format!("`{{{name}}}` must be in `required` of `input`."));
            }
            Some(declared) if !has_type(schema, declared, &["string", "integer"]) => {
                table.fault("path", format!("`{{{name}}}` must be of type `string` or `integer` in `input`."));
            }
            Some(_) => {}
        }
    }
    for name in query {
        match property(name) {
            None => table.fault("query", format!("`{name}` is no property of `input`: declare it there.")),
            Some(declared) if !has_type(schema, declared, &["string", "integer", "number", "boolean"]) => table.fault(
                "query",
                format!("`{name}` must be of type `string`, `integer`, `number` or `boolean` in `input`."),
            ),
            Some(_) if path.parameters().any(|parameter| parameter == name) => {
                table.fault("query", format!("`{name}` is already a parameter of the path."));
            }
            Some(_) => {}
        }
    }

    let body_property = match body {
        Body::Property(pointer) => body_property(table, pointer, &property, &required),
        _ => None,
    };
    if matches!(body, Body::Rest) {
        return;
    }
    let is_sent = |name: &str| {
        path.parameters().any(|parameter| parameter == name)
            || query.iter().any(|parameter| parameter == name)
            || body_property.as_deref() == Some(name)
    };
    for name in properties.into_iter().flat_map(Map::keys).filter(|name| !is_sent(name)) {
        table.fault_at(
            "input",
            &format!("/properties/{}", crate::canonical::escape_pointer(name)),
            format!("`{name}` is sent nowhere: use it in `path`, `query` or `body`, or remove it."),
        );
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) || schema.get("patternProperties").is_some() {
        table.fault(
            "input",
            "Other properties would be sent nowhere: set `additionalProperties = false`, without `patternProperties`.",
        );
    }
}

fn body_property<'v>(
    table: &Table<'_>,
    pointer: &Pointer,
    property: &impl Fn(&str) -> Option<&'v Value>,
    required: &BTreeSet<&str>,
) -> Option<String> {
    let Some(name) = pointer.root_property() else {
        table.fault("body", "This names one property of the input, as in `/data`.");
        return None;
    };
    if property(&name).is_none() {
        table.fault("body", format!("`{name}` is no property of `input`: declare it there."));
    } else if !required.contains(name.as_str()) {
        table.fault("body", format!("`{name}` must be in `required` of `input`."));
    }
    Some(name)
}

/// Whether the property has one of these types, and no other.
fn has_type(root: &Value, declared: &Value, types: &[&str]) -> bool {
    let mut schema = declared;
    // Cycles of references were refused before.
    loop {
        if let Some(text) = schema.get("type").and_then(Value::as_str) {
            return types.contains(&text);
        }
        match schema.get("$ref").and_then(Value::as_str).and_then(|reference| resolve(root, reference)) {
            Some(target) => schema = target,
            None => return false,
        }
    }
}

/// Placeholders name properties of the input.
pub(super) fn placeholders(table: &Table<'_>, key: &str, template: Option<&EntityTemplate>, input: &Value) {
    let properties = input.get("properties").and_then(Value::as_object);
    for name in template.into_iter().flat_map(|template| &template.parameters) {
        if !properties.is_some_and(|properties| properties.contains_key(name)) {
            table.fault(key, format!("`{{{name}}}` is no property of `input`."));
        }
    }
}

/// The read that names the account exists.
pub(super) fn account(connector: &Table<'_>, account: Option<&Account>, reads: &BTreeMap<String, Read>) {
    let Some(account) = account else { return };
    match reads.get(&account.read) {
        None => connector.fault("account", format!("There is no read `{}`.", account.read)),
        Some(read) if read.path.parameters().next().is_some() => {
            connector.fault("account", format!("The read `{}` takes parameters; this one cannot.", account.read));
        }
        Some(_) => {}
    }
}

/// Agents name reads and lists in one argument of one tool.
pub(super) fn names_differ(root: &Table<'_>, reads: &BTreeMap<String, Read>, lists: &BTreeMap<String, List>) {
    for name in lists.keys().filter(|name| reads.contains_key(*name)) {
        root.fault("lists", format!("There is also a read `{name}`: give one of them another name."));
    }
}

/// What an action says of reads fits to them.
pub(super) fn names_of_other_parts(
    root: &Table<'_>,
    actions: &BTreeMap<String, Action>,
    reads: &BTreeMap<String, Read>,
) {
    for (name, table) in root.named("actions") {
        let Some(action) = actions.get(&name) else { continue };
        if let Some(before) = &action.before {
            fits(&table, "before", action, before, reads);
        }
        if let Some(lookup) = &action.lookup {
            fits(&table, "lookup", action, &lookup.read, reads);
            if let AppliedWhen::Equals(pointer) = &lookup.applied_when
                && let Some(property) = pointer.as_str().split('/').nth(1)
                && action.input.get("properties").and_then(|properties| properties.get(property)).is_none()
            {
                table.fault("lookup", format!("`{property}` is no property of `input`, so nothing can be compared."));
            }
        }
        if action.precondition.is_some() {
            let version = action.before.as_ref().and_then(|before| reads.get(before)).and_then(|r| r.version.as_ref());
            if version.is_none() {
                table.fault("precondition", "A precondition needs `before`, with a read that declares `version`.");
            }
        }
    }
}

fn fits(table: &Table<'_>, key: &str, action: &Action, name: &str, reads: &BTreeMap<String, Read>) {
    let Some(read) = reads.get(name) else {
        // A read with a fault of its own is missing here too; that fault is told.
        table.fault(key, format!("There is no sound read `{name}`."));
        return;
    };
    let properties = action.input.get("properties");
    let required = read.input.get("required").and_then(Value::as_array);
    for parameter in required.into_iter().flatten().filter_map(Value::as_str) {
        if properties.and_then(|properties| properties.get(parameter)).is_none() {
            table.fault(key, format!("The read `{name}` needs `{parameter}`, which is no property of this action."));
        }
    }
}
