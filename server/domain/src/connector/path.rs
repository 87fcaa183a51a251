//! Paths with parameters, and how a value becomes one segment of a URL.

use std::fmt;

/// A path such as `/contacts/{id}`. A parameter is always a whole segment, so
/// that a value can never reach beyond its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTemplate {
    text: String,
    segments: Vec<Segment>,
}

/// One segment of a [`PathTemplate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Sent as it stands.
    Literal(String),
    /// The value of this input property.
    Parameter(String),
}

impl PathTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// With what is wrong and what to do, in one or two sentences.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err("A path begins with `/`.".to_owned());
        };
        let mut segments = Vec::new();
        let mut pieces = rest.split('/').peekable();
        while let Some(piece) = pieces.next() {
            // A slash at the end is an empty last segment; some providers want it.
            if piece.is_empty() && pieces.peek().is_some() {
                return Err("A path has no empty segment: remove the double `/`.".to_owned());
            }
            segments.push(segment(piece)?);
        }
        let template = Self { text: text.to_owned(), segments };
        let mut seen = std::collections::BTreeSet::new();
        if let Some(twice) = template.parameters().find(|name| !seen.insert(*name)) {
            return Err(format!("The parameter `{{{twice}}}` stands twice in the path."));
        }
        Ok(template)
    }

    /// The template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The segments in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The names of the parameters in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Parameter(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }
}

impl fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn segment(piece: &str) -> Result<Segment, String> {
    if let Some(name) = piece.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        if is_parameter_name(name) {
            return Ok(Segment::Parameter(name.to_owned()));
        }
        return Err(format!("`{{{name}}}` is no parameter: use letters, digits and `_`."));
    }
    if piece == "." || piece == ".." {
        return Err("A path has no `.` or `..` segment.".to_owned());
    }
    let literal = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(c);
    if let Some(odd) = piece.chars().find(|&c| !literal(c)) {
        return Err(format!(
            "`{}` cannot stand in a segment of a path. A parameter is a whole segment, as in `/contacts/{{id}}`; \
             query parameters go into `query`.",
            odd.escape_debug()
        ));
    }
    Ok(Segment::Literal(piece.to_owned()))
}

/// Whether an input property of this name can be a parameter.
#[must_use]
pub fn is_parameter_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 64
}

/// The value as one segment: everything but unreserved characters is encoded.
///
/// # Errors
/// If the value would be no segment, or could become something else at a
/// provider that decodes once more than it should.
pub fn encode_segment(value: &str) -> Result<String, &'static str> {
    if value.is_empty() {
        return Err("is empty; a path segment needs at least one character");
    }
    let mut layer = value.as_bytes().to_vec();
    loop {
        if layer.iter().any(u8::is_ascii_control) {
            return Err("holds a control character (such as CR or LF, perhaps encoded), which cannot stand in a path");
        }
        // `a/b` is one encoded segment; `../b` would climb where `%2F` is decoded early.
        if layer.split(|&b| b == b'/' || b == b'\\').any(|part| part == b"." || part == b"..") {
            return Err("holds a `.` or `..` segment, which cannot stand in a path");
        }
        let decoded = decode(&layer);
        if decoded == layer {
            return Ok(encode(value));
        }
        layer = decoded;
    }
}

/// Percent-encodes everything but unreserved characters.
#[must_use]
pub fn encode(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            for nibble in [byte >> 4, byte & 15] {
                encoded.push(char::from(b"0123456789ABCDEF"[usize::from(nibble)]));
            }
            let at = encoded.len() - 2;
            encoded.insert(at, '%');
        }
    }
    encoded
}

/// Decodes each `%XX` once. It only ever shortens, so repeating it ends.
fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                decoded.push(nibble(*high) << 4 | nibble(*low));
                rest = after;
            }
            _ => {
                decoded.push(first);
                rest = tail;
            }
        }
    }
    decoded
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_literals_and_whole_segment_parameters() {
        let template = PathTemplate::parse("/buckets/{bucket}/records/{id}").expect("good");
        assert_eq!(template.parameters().collect::<Vec<_>>(), ["bucket", "id"]);
        assert!(PathTemplate::parse("/contacts/").is_ok());
        for bad in [
            "contacts",
            "/a//b",
            "/a/../b",
            "/./a",
            "/a?b=c",
            "/a#b",
            "/a/{id}.json",
            "/a/x{id}",
            "/a/{}",
            "/a/{i d}",
            "/a/{id}/{id}",
            "/a b",
            "/%2e",
            "/ä",
            "/a\\b",
            "",
        ] {
            assert!(PathTemplate::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_value_stays_one_segment() {
        for (value, segment) in [
            ("a", "a"),
            ("a b", "a%20b"),
            ("a/b", "a%2Fb"),
            ("ä€", "%C3%A4%E2%82%AC"),
            ("me@example.com", "me%40example.com"),
            ("50%", "50%25"),
            ("a?b#c", "a%3Fb%23c"),
            ("...", "..."),
            (".a", ".a"),
            ("%41", "%2541"),
        ] {
            assert_eq!(encode_segment(value).as_deref(), Ok(segment), "{value}");
        }
    }

    #[test]
    fn what_could_leave_its_segment_is_refused() {
        for value in [
            "",
            ".",
            "..",
            "%2e",
            "%2E%2e",
            ".%2e",
            "%252e%252e",
            "../x",
            "x/..",
            "a/../b",
            "..\\x",
            "%2e%2e%2fx",
            "a\rb",
            "a\nb",
            "a%0db",
            "a%0Ab",
            "a%250ab",
            "a\0b",
            "\u{7f}",
        ] {
            assert!(encode_segment(value).is_err(), "{value:?}");
        }
    }
}
