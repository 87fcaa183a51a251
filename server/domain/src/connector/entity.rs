//! Which entities a write touches, by name.

use serde_json::Value;

use super::manifest::{Action, EntityTemplate};
use super::path::encode;

impl Action {
    /// The entities that its effects name for this input, such as `contact:42`.
    #[must_use]
    pub fn entities(&self, input: &Value) -> Vec<String> {
        self.effects.iter().map(|effect| effect.entity.name(input)).collect()
    }
}

impl EntityTemplate {
    /// The name with the properties of this input in it, percent-encoded so that
    /// two inputs never make one name.
    #[must_use]
    pub fn name(&self, input: &Value) -> String {
        self.parameters.iter().fold(self.text.clone(), |name, parameter| {
            let value = match &input[parameter] {
                Value::String(text) => encode(text),
                other => encode(&other.to_string()),
            };
            name.replace(&format!("{{{parameter}}}"), &value)
        })
    }
}
