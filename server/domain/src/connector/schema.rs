//! JSON Schema 2020-12: compiled, applied to inputs, defaults filled in.
//!
//! 1. The input is validated.
//! 2. Defaults are filled in, only where `properties` and local `$ref` lead.
//! 3. It is validated again. Nothing touches it after that.

mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use crate::canonical::escape_pointer;
use crate::digest::Digest;

pub use rules::{SchemaFault, check_schema, resolve};

/// More places than these are not told at once.
const MAX_VIOLATIONS: usize = 20;
/// Longer messages are cut.
const MAX_MESSAGE: usize = 300;
/// How many compiled schemas are kept.
const MAX_CACHED: usize = 512;
/// A key with this name stands for a secret in canonical inputs.
const SECRET_KEY: &str = "$secret";

/// An input that may be digested, shown and sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The input with its defaults.
    pub input: Value,
    /// JSON pointers of what was filled in.
    pub filled: Vec<String>,
}

/// What does not hold, and where.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// JSON pointer of the place in the input.
    pub pointer: String,
    /// What is expected there. Never holds the value itself.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the input" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

/// A schema that is ready to be applied.
pub struct CompiledSchema {
    schema: Value,
    validator: Validator,
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// Compiles a schema that [`check_schema`] accepts.
///
/// # Errors
/// If it does not accept it.
pub fn compile(schema: &Value) -> Result<CompiledSchema, Vec<SchemaFault>> {
    let faults = check_schema(schema);
    if !faults.is_empty() {
        return Err(faults);
    }
    let validator = build(schema).map_err(|error| vec![schema_fault(&error)])?;
    Ok(CompiledSchema { schema: schema.clone(), validator })
}

/// Validates an input, fills in defaults and validates again.
///
/// # Errors
/// With the places that do not hold and what is expected there.
pub fn prepare_input(schema: &Value, input: Value) -> Result<Prepared, Vec<Violation>> {
    match compile(schema) {
        Ok(compiled) => compiled.prepare(input),
        Err(_) => Err(vec![Violation {
            pointer: String::new(),
            message: "The schema of this action cannot be used; its manifest must be replaced.".to_owned(),
        }]),
    }
}

impl CompiledSchema {
    /// Validates an input, fills in defaults and validates again.
    ///
    /// # Errors
    /// With the places that do not hold and what is expected there.
    pub fn prepare(&self, mut input: Value) -> Result<Prepared, Vec<Violation>> {
        if let Some(pointer) = find_secret_key(&input, "") {
            return Err(vec![Violation { pointer, message: format!("The key `{SECRET_KEY}` is reserved.") }]);
        }
        self.validate(&input)?;
        let mut filled = Vec::new();
        fill(&self.schema, &self.schema, &mut input, "", &mut filled);
        if !filled.is_empty() {
            filled.sort();
            self.validate(&input)?;
        }
        Ok(Prepared { input, filled })
    }

    fn validate(&self, input: &Value) -> Result<(), Vec<Violation>> {
        if self.validator.is_valid(input) {
            return Ok(());
        }
        let mut violations: Vec<Violation> =
            self.validator.iter_errors(input).take(MAX_VIOLATIONS + 1).map(|error| violation(&error)).collect();
        if violations.len() > MAX_VIOLATIONS {
            violations.truncate(MAX_VIOLATIONS);
            violations.push(Violation {
                pointer: String::new(),
                message: format!("There are more places; these are the first {MAX_VIOLATIONS}."),
            });
        }
        Err(violations)
    }
}

/// Compiled schemas by manifest and part. What a digest names never changes,
/// so an entry never becomes wrong.
#[derive(Debug, Default)]
pub struct SchemaCache(Mutex<BTreeMap<(Digest, String), Arc<CompiledSchema>>>);

impl SchemaCache {
    /// The compiled schema of one action, read or list.
    ///
    /// # Errors
    /// If the schema is not accepted.
    pub fn get(&self, manifest: Digest, part: &str, schema: &Value) -> Result<Arc<CompiledSchema>, Vec<SchemaFault>> {
        let key = (manifest, part.to_owned());
        if let Some(found) = self.entries().get(&key) {
            return Ok(Arc::clone(found));
        }
        let compiled = Arc::new(compile(schema)?);
        let mut entries = self.entries();
        if entries.len() >= MAX_CACHED {
            entries.clear();
        }
        entries.insert(key, Arc::clone(&compiled));
        Ok(compiled)
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, BTreeMap<(Digest, String), Arc<CompiledSchema>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn build(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        // Whoever writes `format` expects it to be checked.
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        // Linear in the input: agents choose what is matched.
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
}

fn schema_fault(error: &ValidationError<'_>) -> SchemaFault {
    SchemaFault {
        pointer: error.instance_path().as_str().to_owned(),
        message: format!("This is not JSON Schema 2020-12: {}.", cut(&error.masked_with("this value").to_string())),
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    let mut message = error.masked_with("the value").to_string();
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } = error.kind()
        && let Some(nearest) = context.iter().filter(|errors| !errors.is_empty()).min_by_key(|errors| errors.len())
    {
        // "Not valid under any" helps nobody; the nearest alternative does.
        let hints: Vec<String> = nearest.iter().take(3).map(|error| violation(error).to_string()).collect();
        message = format!("{message}; the nearest one misses: {}", hints.join("; "));
    }
    Violation { pointer: error.instance_path().as_str().to_owned(), message: cut(&message) }
}

fn cut(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message.to_owned(),
    }
}

fn find_secret_key(value: &Value, pointer: &str) -> Option<String> {
    match value {
        Value::Object(entries) => entries.iter().find_map(|(key, value)| {
            let inside = format!("{pointer}/{}", escape_pointer(key));
            if key == SECRET_KEY { Some(inside) } else { find_secret_key(value, &inside) }
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| find_secret_key(item, &format!("{pointer}/{index}")))
        }
        _ => None,
    }
}

/// Descends with the value, so it ends even where a schema refers to itself.
fn fill(root: &Value, schema: &Value, value: &mut Value, pointer: &str, filled: &mut Vec<String>) {
    let Value::Object(members) = value else { return };
    let mut added = BTreeSet::new();
    for declared in with_referred(root, schema) {
        for (name, inner) in declared.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = format!("{pointer}/{}", escape_pointer(name));
            match members.get_mut(name) {
                // A default is complete by itself; what it leaves out stays out.
                Some(_) if added.contains(name) => {}
                Some(member) => fill(root, inner, member, &place, filled),
                None => {
                    if let Some(default) = with_referred(root, inner).into_iter().find_map(|s| s.get("default")) {
                        members.insert(name.clone(), default.clone());
                        added.insert(name.clone());
                        filled.push(place);
                    }
                }
            }
        }
    }
}

/// The schema and those that its `$ref` leads to, one after the other.
fn with_referred<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
    let mut chain = Vec::new();
    let mut next = Some(schema);
    while let Some(Value::Object(schema)) = next {
        chain.push(schema);
        next = schema.get("$ref").and_then(Value::as_str).and_then(|reference| resolve(root, reference));
    }
    chain
}

#[cfg(test)]
mod tests;
