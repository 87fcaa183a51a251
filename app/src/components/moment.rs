//! Points in time: absolute in UTC from the server, refined in the browser to
//! the reader's zone and language.

use chrono::{DateTime, SecondsFormat, Utc};
use leptos::prelude::*;

use crate::words;

/// A point in time, absolute.
#[component]
pub fn At(
    /// When.
    at: DateTime<Utc>,
) -> impl IntoView {
    view! { <time datetime=machine(at) data-local="">{absolute(at)}</time> }
}

/// How long ago something was, and when exactly.
#[component]
pub fn Since(
    /// When it was.
    at: DateTime<Utc>,
    /// When the page was read from the database.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <span class="moment">
            <span data-since=at.timestamp_millis() data-now=now.timestamp_millis()>
                {words::ago((now - at).num_seconds())}
            </span>
            <At at />
        </span>
    }
    .into_any()
}

/// How long until a deadline, and when exactly it is.
#[component]
pub fn Until(
    /// The deadline.
    at: DateTime<Utc>,
    /// When the page was read from the database.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <span class="moment">
            <span data-until=at.timestamp_millis() data-now=now.timestamp_millis()>
                {words::until((at - now).num_seconds())}
            </span>
            <At at />
        </span>
    }
    .into_any()
}

fn machine(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// `2026-11-30 14:05:09 UTC`.
#[must_use]
pub fn absolute(at: DateTime<Utc>) -> String {
    let text = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("{} UTC", text.trim_end_matches('Z').replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_given_in_utc() {
        let at = DateTime::from_timestamp_millis(1_796_047_509_123).unwrap();
        assert_eq!(absolute(at), "2026-11-30 14:05:09 UTC");
        assert_eq!(machine(at), "2026-11-30T14:05:09.123Z");
    }
}
