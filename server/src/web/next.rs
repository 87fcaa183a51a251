//! Where to go after signing in. The address comes from whoever made the link,
//! so only pages of this server are accepted.

/// The page, if it is one of this server.
///
/// A browser drops tabs and line ends from an address and takes a backslash for
/// a slash, so that both could make another host of what looks like a path.
#[must_use]
pub fn local_page(next: &str) -> Option<&str> {
    let local = next.starts_with('/')
        && !next.starts_with("//")
        && next.len() <= 2000
        && !next.contains('\\')
        && next.chars().all(|c| c.is_ascii() && !c.is_ascii_control() && c != ' ');
    local.then_some(next)
}

/// The sign-in page that leads back to `page`.
#[must_use]
pub fn sign_in_and_back_to(page: &str) -> String {
    match local_page(page) {
        Some("/") | None => "/sign-in".to_owned(),
        Some(page) => {
            let next: String = url::form_urlencoded::byte_serialize(page.as_bytes()).collect();
            format!("/sign-in?next={next}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_server_are_accepted() {
        for good in ["/", "/proposals/prp_0", "/history?connection=crm&before=x", "/a//b", "/a?b=//c", "/%2F%2Fevil"] {
            assert_eq!(local_page(good), Some(good));
        }
        let long = format!("/{}", "a".repeat(2000));
        for bad in [
            "",
            "proposals",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil.example",
            "/a\r\nSet-Cookie: b=c",
            " /a",
            "/a b",
            "/\u{e9}",
            "/\u{0}",
            &long,
        ] {
            assert_eq!(local_page(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_way_back_is_kept() {
        assert_eq!(sign_in_and_back_to("/"), "/sign-in");
        assert_eq!(sign_in_and_back_to("//evil.example"), "/sign-in");
        assert_eq!(sign_in_and_back_to("/history?a=b&c=d"), "/sign-in?next=%2Fhistory%3Fa%3Db%26c%3Dd");
    }
}
