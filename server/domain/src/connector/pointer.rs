//! JSON pointers (RFC 6901), checked once.

use std::fmt;

use serde_json::Value;

/// A well-formed JSON pointer: empty, or `/` and tokens with `~0` and `~1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// Reads a pointer.
    ///
    /// # Errors
    /// With what is wrong about it, in one sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err("A JSON pointer begins with `/`, as in `/data/id`.");
        }
        let escapes_are_whole = text.split('~').skip(1).all(|rest| rest.starts_with('0') || rest.starts_with('1'));
        if !escapes_are_whole {
            return Err("In a JSON pointer `~` is written `~0` and `/` in a name `~1`.");
        }
        Ok(Self(text.to_owned()))
    }

    /// The pointer as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value at this place, if there is one.
    #[must_use]
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.pointer(&self.0)
    }

    /// The name, if the pointer goes to a property of the root.
    #[must_use]
    pub fn root_property(&self) -> Option<String> {
        let token = self.0.strip_prefix('/')?;
        (!token.contains('/')).then(|| token.replace("~1", "/").replace("~0", "~"))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_pointers_are_read() {
        for good in ["", "/", "/a", "/a/0/b", "/a~1b~0c"] {
            assert_eq!(Pointer::parse(good).map(|p| p.to_string()).as_deref(), Ok(good));
        }
        for bad in ["a", "a/b", "#/a", "/a~", "/a~2"] {
            assert!(Pointer::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_root_property_is_one_token() {
        let of = |text: &str| Pointer::parse(text).ok().and_then(|p| p.root_property());
        assert_eq!(of("/data").as_deref(), Some("data"));
        assert_eq!(of("/a~1b").as_deref(), Some("a/b"));
        assert_eq!(of("/data/id"), None);
        assert_eq!(of(""), None);
    }
}
