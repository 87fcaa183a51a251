//! Lengths of time as people write them.

use std::fmt;
use std::str::FromStr;

/// A length of time: `90s`, `45m`, `24h`, `3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub u64);

/// A text that is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedDuration;

impl fmt::Display for MalformedDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write a number and one of s, m, h, d, such as 24h")
    }
}

impl std::error::Error for MalformedDuration {}

impl FromStr for Seconds {
    type Err = MalformedDuration;

    fn from_str(text: &str) -> Result<Self, MalformedDuration> {
        let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or(MalformedDuration)?;
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return Err(MalformedDuration),
        };
        let number: u64 = number.parse().map_err(|_| MalformedDuration)?;
        let total = number.checked_mul(seconds).filter(|total| *total > 0 && *total <= 10 * 366 * 24 * 60 * 60);
        total.map(Self).ok_or(MalformedDuration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        for (text, seconds) in [("90s", 90), ("45m", 2700), ("24h", 86_400), ("3d", 259_200)] {
            assert_eq!(text.parse(), Ok(Seconds(seconds)));
        }
        for text in ["", "h", "24", "0h", "-1h", "1.5h", "24 h", "99999999999999999999d", "99999d", "1ä"] {
            assert_eq!(text.parse::<Seconds>(), Err(MalformedDuration), "{text}");
        }
    }
}
