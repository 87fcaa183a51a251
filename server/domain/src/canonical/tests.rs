//! The vectors of RFC 8785, what must be refused, and comparison with another
//! parser.

use serde_json::{Value, json};

use super::*;

const ANY: Limits = Limits::STORED;

fn parsed(text: &str) -> Value {
    parse_strict(text.as_bytes(), ANY).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn canonical_text(value: &Value) -> String {
    String::from_utf8(canonical_bytes(value)).unwrap()
}

fn refused(bytes: &[u8]) -> StrictError {
    match parse_strict(bytes, ANY) {
        Err(error) => error,
        Ok(value) => panic!("accepted as {value}"),
    }
}

/// A small generator of well-mixed bits, the same on every run.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64)).unwrap()
    }
}

/// The whole dependency tree decides how `serde_json` reads numbers.
#[test]
fn no_other_crate_changes_how_numbers_are_read() {
    let float: Value = serde_json::from_str("1.0e1").unwrap();
    assert_eq!(float.to_string(), "10.0", "arbitrary_precision must stay off");
    for text in ["2.638344616030823e-256", "1.2345678901234567e-300", "8.41e+21", "0.1"] {
        let read: f64 = serde_json::from_str(text).unwrap();
        let exact: f64 = text.parse().unwrap();
        assert_eq!(read.to_bits(), exact.to_bits(), "float_roundtrip must stay on");
    }
}

/// RFC 8785, appendix B.
#[test]
fn numbers_are_written_as_in_the_rfc() {
    let cases = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
        (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xC340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
        (0x44B5_2D02_C7E1_4AF6, "1e+23"),
        (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
        (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
        (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
        (0x444B_1AE4_D6E2_EF50, "1e+21"),
        (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
        (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"),
        (0x41B3_DE43_5555_5554, "333333333.33333325"),
        (0x41B3_DE43_5555_5555, "333333333.3333333"),
        (0x41B3_DE43_5555_5556, "333333333.3333334"),
        (0x41B3_DE43_5555_5557, "333333333.33333343"),
        (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
        (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ];
    for (bits, text) in cases {
        assert_eq!(canonical_text(&json!(f64::from_bits(bits))), text);
    }
}

/// RFC 8785, sections 3.2.2 to 3.2.4, and the files of its reference
/// implementation, through the lenient parser: some of them hold numbers that
/// we refuse.
#[test]
fn texts_are_written_as_in_the_rfc() {
    let cases = [
        (
            r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
                "literals": [null, true, false]}"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        ),
        (
            r#"{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
                "\u00f6": "Latin Small Letter O With Diaeresis", "</script>": "Browser Challenge"}"#,
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"</script>\":\"Browser Challenge\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        ),
        (r#"[56, {"d": true, "10": null, "1": [ ]}]"#, r#"[56,{"1":[],"10":null,"d":true}]"#),
        (r#"{"peach": 1, "péché": 2, "pêche": 3, "sin": 4}"#, r#"{"peach":1,"péché":2,"pêche":3,"sin":4}"#),
        (
            r#"{"1": {"f": {"f": "hi", "F": 5}, "\n": 56.0}, "10": { }, "": "empty", "a": { },
                "111": [{"e": "yes", "E": "no"}], "A": { }}"#,
            r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
        ),
        // Text is not normalised.
        ("[\"A\\u030a\"]", "[\"A\u{30a}\"]"),
    ];
    for (text, canonical) in cases {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(canonical_text(&value), canonical);
    }
}

#[test]
fn what_is_accepted_becomes_canonical() {
    let cases = [
        (" [ ] ", "[]"),
        ("{\n\t\"b\" : 1 ,\r\n \"a\": {} }", r#"{"a":{},"b":1}"#),
        ("1.0", "1"),
        ("1e2", "100"),
        ("-1.50E+1", "-15"),
        ("100000e-5", "1"),
        ("0.10", "0.1"),
        ("1E-7", "1e-7"),
        ("0e999999999999999999999", "0"),
        ("0.000", "0"),
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991.000", "-9007199254740991"),
        ("90071992547409910e-1", "9007199254740991"),
        ("5e-324", "5e-324"),
        ("4503599627370495.5", "4503599627370495.5"),
        // Exactly between two shortest decimals.
        ("1424953923781206.2", "1424953923781206.2"),
        ("1.7976931348623157e-300", "1.7976931348623157e-300"),
        (r#""\ud83d\ude00 \/ \u00e9\u0000""#, "\"😀 / é\\u0000\""),
        ("\"\u{7f}\u{80}\u{ffff}\"", "\"\u{7f}\u{80}\u{ffff}\""),
        ("true", "true"),
        (" null", "null"),
    ];
    for (text, canonical) in cases {
        let value = parsed(text);
        assert_eq!(canonical_text(&value), canonical, "{text}");
        assert_eq!(parsed(canonical), value, "{text}");
    }
    assert_eq!(digest_json(&parsed("[ 1.0 ]")), Digest::of(b"[1]"));
}

/// Text, where the error is, and which.
const REFUSED: &[(&[u8], &str, &str)] = &[
    // Keys.
    (br#"{"a":1,"a":1}"#, "/a", "duplicate_key"),
    (br#"{"x":[0,{"a":1,"\u0061":2}]}"#, "/x/1/a", "duplicate_key"),
    (br#"{"a/b":{"~":1,"~":1}}"#, "/a~1b/~0", "duplicate_key"),
    (br#"{"":{"":1,"":1}}"#, "//", "duplicate_key"),
    (br#"{"i":{"$serde_json::private::RawValue":"[]"}}"#, "/i/$serde_json::private::RawValue", "reserved_key"),
    (br#"{"$serde_json::private::Number":"1"}"#, "/$serde_json::private::Number", "reserved_key"),
    // Numbers.
    (b"9007199254740992", "", "integer_too_large"),
    (b"[-9007199254740992]", "/0", "integer_too_large"),
    (b"9007199254740993.0", "", "integer_too_large"),
    (b"18446744073709551616", "", "integer_too_large"),
    (b"1e16", "", "integer_too_large"),
    (b"1e300", "", "integer_too_large"),
    (b"0.1e300", "", "integer_too_large"),
    (b"1e309", "", "number_not_finite"),
    (b"1e99999999999999999999", "", "number_not_finite"),
    (br#"{"a":NaN}"#, "/a", "number_not_finite"),
    (b"[1,-Infinity]", "/1", "number_not_finite"),
    (b"Infinity", "", "number_not_finite"),
    (b"0.1000000000000000055511151231257827", "", "decimal_not_exact"),
    (b"333333333.33333329", "", "decimal_not_exact"),
    (b"9007199254740990.7", "", "decimal_not_exact"),
    (b"3.141592653589793238", "", "decimal_not_exact"),
    (b"1e-400", "", "decimal_not_exact"),
    (b"-1e-400", "", "decimal_not_exact"),
    (b"4.9e-324", "", "decimal_not_exact"),
    (b"1e-99999999999999999999", "", "decimal_not_exact"),
    (b"-0", "", "negative_zero"),
    (b"[0,-0.00e5]", "/1", "negative_zero"),
    // Text.
    (br#""\ud800""#, "", "lone_surrogate"),
    (br#""\udc00""#, "", "lone_surrogate"),
    (br#"["\ud800\ud800"]"#, "/0", "lone_surrogate"),
    (br#""\ud83dx\ude00""#, "", "lone_surrogate"),
    (br#""\ude00\ud83d""#, "", "lone_surrogate"),
    (br#"{"\ud800":1}"#, "", "lone_surrogate"),
    (b"\"a\nb\"", "", "control_character"),
    (b"[\"\0\"]", "/0", "control_character"),
    (b"\"\x1f\"", "", "control_character"),
    (b"\"\xff\"", "", "invalid_utf8"),
    (b"[\"\xc0\x80\"]", "/0", "invalid_utf8"),
    (b"\"\xed\xa0\x80\"", "", "invalid_utf8"),
    (b"\"\xe2\x82", "", "invalid_utf8"),
    // No JSON.
    (b"", "", "not_json"),
    (b"  ", "", "not_json"),
    (b"\xEF\xBB\xBF1", "", "not_json"),
    (b"[1,]", "/1", "not_json"),
    (b"[,1]", "/0", "not_json"),
    (b"[1 2]", "", "not_json"),
    (b"[1}", "", "not_json"),
    (b"[1", "", "not_json"),
    (b"[", "/0", "not_json"),
    (b"]", "", "not_json"),
    (b"{", "", "not_json"),
    (br#"{"a":1,}"#, "", "not_json"),
    (br#"{"a" 1}"#, "/a", "not_json"),
    (br#"{"a":}"#, "/a", "not_json"),
    (br#"{"a":1 "b":2}"#, "", "not_json"),
    (br"{a:1}", "", "not_json"),
    (br"{'a':1}", "", "not_json"),
    (br#""abc"#, "", "not_json"),
    (br#""\x41""#, "", "not_json"),
    (br#""\u12g4""#, "", "not_json"),
    (br#""\u+123""#, "", "not_json"),
    (b"\"\\", "", "not_json"),
    (b"01", "", "not_json"),
    (b"-", "", "not_json"),
    (b"+1", "", "not_json"),
    (b".5", "", "not_json"),
    (b"1.", "", "not_json"),
    (b"1.e5", "", "not_json"),
    (b"1e", "", "not_json"),
    (b"1e+", "", "not_json"),
    (b"0x10", "", "not_json"),
    (b"1_000", "", "not_json"),
    (b"tru", "", "not_json"),
    (b"True", "", "not_json"),
    (b"nulll", "", "not_json"),
    (b"1 2", "", "not_json"),
    (b"{}{}", "", "not_json"),
    (b"// no\n1", "", "not_json"),
    (b"1\0", "", "not_json"),
    (b"\x0b1", "", "not_json"),
];

#[test]
fn what_two_readers_could_read_differently_is_refused() {
    for (bytes, pointer, code) in REFUSED {
        let error = refused(bytes);
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((error.pointer.as_str(), error.kind.code()), (*pointer, *code), "{text}");
        assert!(error.offset <= bytes.len(), "{text}");
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let cases: &[(&[u8], &str)] = &[
        (br#"{"a":1,"a":2}"#, "At /a (byte 7): the object has this key already; give each key once."),
        (
            br#"{"price":19.900000000000000001}"#,
            "At /price (byte 9): the number has more digits than a double keeps and would become \
             19.9; send that, or a string if the action takes one.",
        ),
        (b"[1,]", "At /1 (byte 3): this is not JSON: a value should stand here."),
        (b"1 1", "At the top level (byte 2): something follows after the value; send one JSON value and no more."),
    ];
    for (bytes, message) in cases {
        assert_eq!(refused(bytes).to_string(), *message);
    }
    let long = format!("{{\"{}\":-0}}", "é".repeat(5000));
    assert!(refused(long.as_bytes()).to_string().len() < 600);
}

#[test]
fn limits_hold_exactly() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let limits = Limits { bytes: 100, depth: 4 };
    assert!(parse_strict(nested(4).as_bytes(), limits).is_ok());
    let error = parse_strict(nested(5).as_bytes(), limits).unwrap_err();
    assert_eq!(error.pointer, "/0/0/0/0");
    assert_eq!(error.kind, StrictErrorKind::TooDeep { limit: 4 });

    let full = format!("\"{}\"", "x".repeat(98));
    assert!(parse_strict(full.as_bytes(), limits).is_ok());
    let error = parse_strict(format!("{full} ").as_bytes(), limits).unwrap_err();
    assert_eq!(error.kind, StrictErrorKind::TooLarge { limit: 100 });
}

#[test]
fn an_input_has_its_own_depth_inside_an_envelope() {
    let input = format!("{}{}", "[".repeat(64), "]".repeat(64));
    let body = format!(r#"{{"params":{{"arguments":{{"writes":[{{"input":{input}}}]}}}}}}"#);
    let body = parse_strict(body.as_bytes(), Limits::BODY).unwrap();
    let input = body.pointer("/params/arguments/writes/0/input").unwrap();
    assert_eq!(too_deep(input, Limits::INPUT_DEPTH), None);
    assert_eq!(too_deep(input, 2), Some("/0/0".to_owned()));
    assert_eq!(too_deep(&json!({"a/b": [1, {}, [[]]]}), 3), Some("/a~1b/2/0".to_owned()));
    assert_eq!(too_deep(&json!(1), 0), None);
    assert_eq!(too_deep(&json!([]), 0), Some(String::new()));
}

/// However deep, neither this parser nor its errors use the thread's stack.
#[test]
fn nesting_without_end_is_only_an_error() {
    for opening in ["[", "{\"a\":", "[{\"a\":"] {
        let text = opening.repeat(500_000);
        assert_eq!(refused(text.as_bytes()).kind.code(), "too_deep");
    }
}

#[test]
fn long_keys_above_many_values_are_refused() {
    let many = format!("[{}0]", "0,".repeat(60_000));
    let text = format!("{{\"{}\":{many}}}", "k".repeat(100_000));
    let error = parse_strict(text.as_bytes(), Limits::BODY).unwrap_err();
    assert_eq!(error.kind, StrictErrorKind::KeysTooLong);
    assert!(parse_strict(format!("{{\"k\":{many}}}").as_bytes(), Limits::BODY).is_ok());
}

#[test]
fn every_double_that_is_no_integer_survives() {
    let mut bits = Bits(1);
    let mut seen = 0;
    while seen < 20_000 {
        let double = f64::from_bits(bits.next());
        if !double.is_finite() || double.fract() == 0.0 {
            continue;
        }
        seen += 1;
        let text = canonical_text(&json!(double));
        let value = parsed(&text);
        assert_eq!(value.as_f64().map(f64::to_bits), Some(double.to_bits()), "{text}");
        assert_eq!(canonical_text(&value), text);
        // One digit more than needed says something else.
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let point = if mantissa.contains('.') { "" } else { "." };
        let longer = format!("{mantissa}{point}0000000000000000001e{exponent}");
        assert_eq!(refused(longer.as_bytes()).kind.code(), "decimal_not_exact", "{longer}");
        let padded = format!("{mantissa}{point}000e{exponent}");
        assert_eq!(parsed(&padded), value);
    }
}

fn any_value(bits: &mut Bits, depth: usize) -> Value {
    const TEXTS: [&str; 10] = ["", "a", "A", "é", "\u{301}", "\u{fb33}", "😀", "\"\\/", "\n\u{0}", "10"];
    match bits.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(bits.below(2) == 1),
        2 => json!(i64::try_from(bits.next() >> 11).unwrap() - (1 << 52)),
        3 => {
            let double = f64::from_bits(bits.next());
            json!(if double.is_finite() && double.fract() != 0.0 { double } else { 0.5 })
        }
        4 => json!(TEXTS[bits.below(10)]),
        5 => (0..bits.below(5)).map(|_| any_value(bits, depth - 1)).collect(),
        _ => (0..bits.below(5))
            .map(|_| {
                let key = format!("{}{}", TEXTS[bits.below(10)], TEXTS[bits.below(10)]);
                (key, any_value(bits, depth - 1))
            })
            .collect(),
    }
}

#[test]
fn any_value_is_the_same_after_any_number_of_rounds() {
    let mut bits = Bits(2);
    for _ in 0..5_000 {
        let value = any_value(&mut bits, 4);
        let canonical = canonical_bytes(&value);
        let again = parse_strict(&canonical, ANY).unwrap();
        assert_eq!(again, value);
        assert_eq!(canonical_bytes(&again), canonical);
        let pretty = serde_json::to_vec_pretty(&value).unwrap();
        assert_eq!(canonical_bytes(&parse_strict(&pretty, ANY).unwrap()), canonical);
    }
}

/// Damaged texts never panic, and what is still accepted means the same to
/// `serde_json`.
#[test]
fn damaged_texts_mean_the_same_to_another_parser() {
    const BYTES: &[u8] = b"{}[]\",:\\u0d81eE+-.tfn /\xc3\xa9\x00";
    let mut bits = Bits(3);
    let mut accepted = 0;
    for _ in 0..30_000 {
        let mut text = canonical_bytes(&any_value(&mut bits, 3));
        for _ in 0..=bits.below(2) {
            let at = bits.below(text.len());
            let byte = BYTES[bits.below(BYTES.len())];
            match bits.below(3) {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ if text.len() > 1 => drop(text.remove(at)),
                _ => {}
            }
        }
        if let Ok(value) = parse_strict(&text, ANY) {
            accepted += 1;
            let other: Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(canonical_bytes(&other), canonical_bytes(&value));
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}
