//! Which schemas a manifest may have.
//!
//! More is asked than of JSON Schema: a keyword that is not known is refused,
//! because a misspelt one would weaken the schema without a word.

use serde_json::{Map, Value};

use super::{build, schema_fault};
use crate::canonical::escape_pointer;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// More steps of references from one place are a circle.
const MAX_STEPS: usize = 64;

/// What is wrong with a schema, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer of the place in the schema.
    pub pointer: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// Everything that keeps this from being the schema of an input.
#[must_use]
pub fn check_schema(schema: &Value) -> Vec<SchemaFault> {
    let mut check = Check { root: schema, faults: Vec::new() };
    match schema.get("type") {
        Some(Value::String(text)) if text == "object" => {}
        _ => check.fault("/type", "An input is an object: the schema needs `type = \"object\"`."),
    }
    check.schema(schema, "");
    if check.faults.is_empty()
        && let Err(error) = build(schema)
    {
        check.faults.push(schema_fault(&error));
    }
    check.faults
}

/// The schema that a local reference such as `#/$defs/name` leads to.
#[must_use]
pub fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// What stands behind a keyword.
enum Inside {
    Schema,
    Schemas,
    NamedSchemas,
    Plain,
}

fn inside(keyword: &str) -> Option<Inside> {
    Some(match keyword {
        "additionalProperties"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Inside::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Inside::Schemas,
        "properties" | "patternProperties" | "$defs" | "dependentSchemas" => Inside::NamedSchemas,
        "type" | "enum" | "const" | "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum"
        | "maxLength" | "minLength" | "pattern" | "maxItems" | "minItems" | "uniqueItems" | "maxContains"
        | "minContains" | "maxProperties" | "minProperties" | "required" | "dependentRequired" | "format"
        | "contentEncoding" | "contentMediaType" | "title" | "description" | "default" | "examples" | "deprecated"
        | "readOnly" | "writeOnly" | "$comment" | "$ref" | "$schema" => Inside::Plain,
        _ if keyword.starts_with("x-") => Inside::Plain,
        _ => return None,
    })
}

struct Check<'s> {
    root: &'s Value,
    faults: Vec<SchemaFault>,
}

impl<'s> Check<'s> {
    fn fault(&mut self, pointer: &str, message: impl Into<String>) {
        self.faults.push(SchemaFault { pointer: pointer.to_owned(), message: message.into() });
    }

    fn schema(&mut self, schema: &'s Value, pointer: &str) {
        let keywords = match schema {
            Value::Bool(_) => return,
            Value::Object(keywords) => keywords,
            _ => return self.fault(pointer, "A schema is a table, or `true` or `false`."),
        };
        for (keyword, value) in keywords {
            let place = format!("{pointer}/{}", escape_pointer(keyword));
            match inside(keyword) {
                None => self.fault(&place, unknown_keyword(keyword)),
                Some(Inside::Schema) => self.schema(value, &place),
                Some(Inside::Schemas) => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.schema(item, &format!("{place}/{index}"));
                    }
                }
                Some(Inside::NamedSchemas) => {
                    for (name, item) in value.as_object().into_iter().flatten() {
                        self.schema(item, &format!("{place}/{}", escape_pointer(name)));
                    }
                }
                Some(Inside::Plain) => self.plain(keyword, value, &place),
            }
        }
        self.no_circle(keywords, pointer);
    }

    fn plain(&mut self, keyword: &str, value: &'s Value, place: &str) {
        match (keyword, value) {
            ("writeOnly", Value::Bool(true)) => self.fault(
                place,
                "Secrets in inputs come with a later version: take this property out, or put it into the credential.",
            ),
            ("$schema", value) if value != DIALECT => {
                self.fault(place, format!("Schemas are of JSON Schema 2020-12: write `{DIALECT}` or leave it out."));
            }
            ("$schema", _) if place != "/$schema" => self.fault(place, "`$schema` stands at the root only."),
            ("$ref", Value::String(reference)) if !reference.starts_with('#') => {
                self.fault(place, "Only references inside the schema are followed, such as `#/$defs/name`.");
            }
            ("$ref", Value::String(reference)) if resolve(self.root, reference).is_none() => {
                self.fault(place, "There is nothing at this place. References look like `#/$defs/name`.");
            }
            _ => {}
        }
    }

    /// A schema that is only a reference to itself has no end and no meaning.
    fn no_circle(&mut self, keywords: &'s Map<String, Value>, pointer: &str) {
        let mut schema = keywords;
        for _ in 0..MAX_STEPS {
            let target = schema.get("$ref").and_then(Value::as_str).and_then(|text| resolve(self.root, text));
            match target {
                Some(Value::Object(next)) => schema = next,
                _ => return,
            }
        }
        self.fault(&format!("{pointer}/$ref"), "These references go round in a circle.");
    }
}

fn unknown_keyword(keyword: &str) -> String {
    match keyword {
        "definitions" => "In JSON Schema 2020-12 this is `$defs`.".to_owned(),
        "dependencies" => "In JSON Schema 2020-12 this is `dependentRequired` or `dependentSchemas`.".to_owned(),
        "nullable" => "This is not JSON Schema: write `type = [\"string\", \"null\"]`.".to_owned(),
        "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef" | "$recursiveAnchor" | "$vocabulary" => {
            format!("`{keyword}` is not offered: use `$ref` with places such as `#/$defs/name`.")
        }
        _ => format!("The keyword `{keyword}` is not known. Notes of your own begin with `x-`."),
    }
}
