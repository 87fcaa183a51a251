//! Addresses of our own pages.

/// A text as it stands in a query string.
pub(crate) fn component(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// A path with a query of these pairs; pairs without a value are left out.
pub(crate) fn with_query(path: &str, pairs: &[(&str, Option<&str>)]) -> String {
    let query: Vec<_> = pairs
        .iter()
        .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
        .map(|(name, value)| format!("{name}={}", component(value)))
        .collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_addresses_is_escaped() {
        assert_eq!(component("a b&c=d/é"), "a%20b%26c%3Dd%2F%C3%A9");
        assert_eq!(with_query("/history", &[("kind", None), ("connection", Some(""))]), "/history");
        assert_eq!(
            with_query("/history", &[("kind", Some("a.")), ("before", Some("1:2"))]),
            "/history?kind=a.&before=1%3A2"
        );
    }
}
