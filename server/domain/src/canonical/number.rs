//! What a number token is worth, exactly.

use serde_json::Number;

use super::StrictErrorKind;

/// The largest integer up to which a double holds every integer.
const LARGEST_INTEGER: u64 = 9_007_199_254_740_991;

/// The value of a token that has the grammar of a JSON number, if it is one
/// that every reader reads alike.
pub(super) fn read(token: &str) -> Result<Number, StrictErrorKind> {
    let (negative, unsigned) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let written = Decimal::read(unsigned);
    if written.is_zero() {
        return if negative { Err(StrictErrorKind::NegativeZero) } else { Ok(Number::from(0_u8)) };
    }
    let double: f64 = token.parse().map_err(|_| StrictErrorKind::NotJson("this is not a number"))?;
    if !double.is_finite() {
        return Err(StrictErrorKind::NotFinite);
    }
    if written.is_integer() {
        let magnitude = written
            .to_integer()
            .filter(|magnitude| *magnitude <= LARGEST_INTEGER)
            .and_then(|magnitude| i64::try_from(magnitude).ok())
            .ok_or(StrictErrorKind::IntegerTooLarge)?;
        return Ok(Number::from(if negative { -magnitude } else { magnitude }));
    }
    // RFC 8785 writes the shortest decimal that reads as the same double. Where
    // two are equally near, `format!` would choose the other one at times.
    let number = Number::from_f64(double).ok_or(StrictErrorKind::NotFinite)?;
    let nearest = super::number_text(&number);
    if Decimal::read(nearest.trim_start_matches('-')) == written {
        Ok(number)
    } else {
        Err(StrictErrorKind::DecimalNotExact { nearest })
    }
}

/// 0.DIGITS × 10^exponent, without zeros at either end of the digits, so that
/// equal values have equal fields.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn read(unsigned: &str) -> Self {
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let Some(first) = digits.iter().position(|digit| *digit != b'0') else {
            return Self { digits: Vec::new(), exponent: 0 };
        };
        let end = digits.iter().rposition(|digit| *digit != b'0').map_or(first, |last| last + 1);
        Self { digits: digits[first..end].to_vec(), exponent: exponent + length(whole.len()) - length(first) }
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn is_integer(&self) -> bool {
        length(self.digits.len()) <= self.exponent
    }

    /// `None` if it has more than 18 digits.
    fn to_integer(&self) -> Option<u64> {
        let places = usize::try_from(self.exponent).ok().filter(|n| *n <= 18)?;
        let digits = self.digits.iter().copied().chain(std::iter::repeat(b'0'));
        Some(digits.take(places).fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
    }
}

/// An exponent; beyond a thousand million it makes no difference any more,
/// since no text is long enough to outweigh it.
fn read_exponent(text: &str) -> i64 {
    const FAR: i64 = 1_000_000_000;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = digits.bytes().fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(FAR));
    sign * magnitude
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX / 4)
}
