//! Counts and spans of time in words: the same on the server and in the browser.

/// A number with its thousands apart: `1,234,567`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of a thing: `1 field`, `1,200 fields`.
#[must_use]
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// A count that a database gave: never negative.
#[must_use]
pub fn size(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// A span in at most two units: `45 s`, `3 h 12 min`, `2 d 5 h`.
#[must_use]
pub fn span(seconds: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let seconds = seconds.max(0);
    let first = UNITS.iter().position(|(length, _)| seconds >= *length).unwrap_or(3);
    let (length, unit) = UNITS[first];
    let whole = format!("{} {unit}", seconds / length);
    // Seconds beside minutes would only flicker.
    match UNITS.get(first + 1) {
        Some((smaller, unit)) if *smaller > 1 && seconds % length >= *smaller => {
            format!("{whole} {} {unit}", seconds % length / smaller)
        }
        _ => whole,
    }
}

/// How long ago: `just now`, `3 h 12 min ago`.
#[must_use]
pub fn ago(seconds: i64) -> String {
    if seconds < 5 { "just now".to_owned() } else { format!("{} ago", span(seconds)) }
}

/// How long until: `in 2 d 5 h`, or how long since it passed.
#[must_use]
pub fn until(seconds: i64) -> String {
    if seconds > 0 { format!("in {}", span(seconds)) } else { format!("passed {}", ago(-seconds)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let expected = [(0, "0"), (999, "999"), (1000, "1,000"), (200_000, "200,000"), (1_234_567, "1,234,567")];
        for (number, text) in expected {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(count(1, "field", "fields"), "1 field");
        assert_eq!(count(0, "field", "fields"), "0 fields");
        assert_eq!(size(-1), 0);
    }

    #[test]
    fn spans_have_at_most_two_units() {
        let expected = [
            (-3, "0 s"),
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min"),
            (3_599, "59 min"),
            (3_600, "1 h"),
            (11_520, "3 h 12 min"),
            (86_400, "1 d"),
            (86_460, "1 d"),
            (190_800, "2 d 5 h"),
        ];
        for (seconds, text) in expected {
            assert_eq!(span(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn past_and_future_are_said() {
        assert_eq!(ago(2), "just now");
        assert_eq!(ago(60), "1 min ago");
        assert_eq!(until(60), "in 1 min");
        assert_eq!(until(0), "passed just now");
        assert_eq!(until(-7200), "passed 2 h ago");
    }
}
