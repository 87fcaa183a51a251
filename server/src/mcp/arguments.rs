//! The arguments of a tool: one list gives their schema and checks them, so
//! that what is published is what is enforced.

use std::str::FromStr;

use domain::canonical::escape_pointer;
use domain::error::{Kind, Refusal, Result, invalid_at, not_offered};
use domain::ids::IdError;
use serde_json::{Map, Value, json};

/// One argument that a tool takes.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it must look like.
    pub shape: Shape,
    /// Whether a call without it is refused.
    pub required: bool,
    /// One sentence for the agent.
    pub description: &'static str,
}

/// What an argument must look like.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text of 1 to so many characters.
    Text(usize),
    /// 1 to 64 of `[A-Za-z0-9._:-]`.
    Key,
    /// An id with this prefix.
    Id(&'static str),
    /// An object; what is in it is somebody else's to check.
    Object,
    /// True or false.
    Flag,
    /// An integer from 1 to this.
    Count(u64),
}

/// What a later version brings. Refused by name, so that nobody believes it was heeded.
const NOT_YET: [&str; 5] = ["writes", "depends_on", "based_on", "supersedes", "dry_run"];

/// Arguments that fit their parameters.
#[derive(Debug)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks what was sent.
    ///
    /// # Errors
    /// `argument_unknown`, `not_offered`, `argument_missing`, `argument_invalid`, each with a pointer.
    pub fn read(sent: Map<String, Value>, parameters: &[Parameter]) -> Result<Self> {
        for name in sent.keys() {
            if parameters.iter().any(|parameter| parameter.name == name) {
                continue;
            }
            if NOT_YET.contains(&name.as_str()) {
                return Err(not_offered(&format!("The argument {name}")));
            }
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let shown: String = name.chars().take(64).collect();
            return Err(invalid_at(
                format!("/{}", escape_pointer(&shown)),
                "argument_unknown",
                format!("There is no argument {shown:?}. This tool takes: {known}."),
            ));
        }
        for parameter in parameters {
            match sent.get(parameter.name) {
                Some(value) if !parameter.shape.fits(value) => {
                    return Err(invalid_at(
                        format!("/{}", parameter.name),
                        "argument_invalid",
                        format!("The argument {} must be {}.", parameter.name, parameter.shape.in_words()),
                    ));
                }
                None if parameter.required => {
                    return Err(invalid_at(
                        format!("/{}", parameter.name),
                        "argument_missing",
                        format!("The argument {} is missing: {}", parameter.name, parameter.description),
                    ));
                }
                _ => {}
            }
        }
        Ok(Self(sent))
    }

    /// A text, if it was sent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A text that is required, and therefore there.
    pub fn required_text(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// True only if it was sent and is true.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A number, if it was sent.
    pub fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(self.0.get(name)?.as_u64()?).ok()
    }

    /// An object; empty if it was not sent.
    pub fn take_object(&mut self, name: &str) -> Value {
        self.0.remove(name).unwrap_or_else(|| json!({}))
    }

    /// An id that is required, and therefore there.
    ///
    /// # Errors
    /// `id_malformed` if a character of it is wrong.
    pub fn id<I: FromStr<Err = IdError>>(&self, name: &str) -> Result<I> {
        self.required_text(name).parse().map_err(|error: IdError| {
            Refusal::new(Kind::Invalid, error.code(), format!("{name}: {error}.")).at(format!("/{name}")).into()
        })
    }

    /// An id, if it was sent.
    ///
    /// # Errors
    /// `id_malformed` if a character of it is wrong.
    pub fn optional_id<I: FromStr<Err = IdError>>(&self, name: &str) -> Result<Option<I>> {
        if self.0.contains_key(name) { self.id(name).map(Some) } else { Ok(None) }
    }
}

/// The schema of these parameters.
pub fn schema(parameters: &[Parameter]) -> Map<String, Value> {
    let mut properties = Map::new();
    for parameter in parameters {
        let mut property = parameter.shape.schema();
        property["description"] = parameter.description.into();
        properties.insert(parameter.name.to_owned(), property);
    }
    let required: Vec<&str> =
        parameters.iter().filter(|parameter| parameter.required).map(|parameter| parameter.name).collect();
    let mut schema = super::schema::object(json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    }));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text(max) => value.as_str().is_some_and(|text| (1..=max).contains(&text.chars().count())),
            Self::Key => value.as_str().is_some_and(|text| {
                (1..=64).contains(&text.len())
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
            }),
            // Whether it is a right one, and why not, is said when it is parsed.
            Self::Id(_) => value.is_string(),
            Self::Object => value.is_object(),
            Self::Flag => value.is_boolean(),
            Self::Count(max) => value.as_u64().is_some_and(|count| (1..=max).contains(&count)),
        }
    }

    fn in_words(self) -> String {
        match self {
            Self::Text(max) => format!("a text of 1 to {max} characters"),
            Self::Key => "1 to 64 of the characters A-Z a-z 0-9 . _ : -".to_owned(),
            Self::Id(prefix) => format!("an id that begins with {prefix}_"),
            Self::Object => "an object".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Count(max) => format!("an integer from 1 to {max}"),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text(max) => json!({ "type": "string", "minLength": 1, "maxLength": max }),
            Self::Key => json!({ "type": "string", "pattern": "^[A-Za-z0-9._:-]{1,64}$" }),
            Self::Id(prefix) => json!({ "type": "string", "pattern": format!("^{prefix}_[0-9a-z]{{27}}$") }),
            Self::Object => json!({ "type": "object" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Count(max) => json!({ "type": "integer", "minimum": 1, "maximum": max }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "action", shape: Shape::Text(5), required: true, description: "Which." },
        Parameter { name: "key", shape: Shape::Key, required: false, description: "A key." },
        Parameter { name: "limit", shape: Shape::Count(3), required: false, description: "How many." },
        Parameter { name: "input", shape: Shape::Object, required: false, description: "What." },
    ];

    #[test]
    fn arguments_are_checked() {
        for (sent, expected) in [
            (json!({ "action": "a" }), None),
            (json!({ "action": "a", "key": "k.1:_-", "limit": 3, "input": {} }), None),
            (json!({}), Some(("argument_missing", Some("/action")))),
            (json!({ "action": "" }), Some(("argument_invalid", Some("/action")))),
            (json!({ "action": "äöüäöü" }), Some(("argument_invalid", Some("/action")))),
            (json!({ "action": 1 }), Some(("argument_invalid", Some("/action")))),
            (json!({ "action": "a", "key": "no blanks" }), Some(("argument_invalid", Some("/key")))),
            (json!({ "action": "a", "limit": 0 }), Some(("argument_invalid", Some("/limit")))),
            (json!({ "action": "a", "limit": 4 }), Some(("argument_invalid", Some("/limit")))),
            (json!({ "action": "a", "limit": null }), Some(("argument_invalid", Some("/limit")))),
            (json!({ "action": "a", "input": "{}" }), Some(("argument_invalid", Some("/input")))),
            (json!({ "action": "a", "a/b": 1 }), Some(("argument_unknown", Some("/a~1b")))),
            (json!({ "action": "a", "based_on": [] }), Some(("not_offered", None))),
        ] {
            let refusal = Arguments::read(super::super::schema::object(sent.clone()), PARAMETERS)
                .err()
                .and_then(|error| error.refusal().cloned());
            let found = refusal.as_ref().map(|refusal| (refusal.code, refusal.pointer.as_deref()));
            assert_eq!(found, expected, "{sent}");
        }
    }
}
