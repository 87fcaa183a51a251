//! The strict JSON parser. It keeps its own stack, so that no text, however
//! nested, can exhaust the thread's (which is small in a browser).

use serde_json::{Map, Value};

use super::{Limits, StrictError, StrictErrorKind, escape_pointer, number};

type Result<T> = std::result::Result<T, StrictError>;

/// Keys with this beginning mean something inside `serde_json`: an object with
/// one of them would be read as whatever its value says.
const RESERVED: &str = "$serde_json::private::";

pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: Limits,
    /// The way to the value being read.
    path: Vec<Step>,
    /// The length of that way as a JSON pointer.
    path_bytes: usize,
    /// The same, summed over all values read so far.
    pointer_bytes: usize,
}

enum Step {
    Key(String),
    Index(usize),
}

/// An array or object whose end was not reached yet.
enum Open {
    Array(Vec<Value>),
    Object(Map<String, Value>),
}

impl<'a> Parser<'a> {
    pub(super) fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self { bytes, at: 0, limits, path: Vec::new(), path_bytes: 0, pointer_bytes: 0 }
    }

    pub(super) fn document(mut self) -> Result<Value> {
        if self.bytes.len() > self.limits.bytes {
            let limit = self.limits.bytes;
            return Err(self.error_at(limit, StrictErrorKind::TooLarge { limit }));
        }
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(self.not_json("it begins with a byte order mark; leave that out"));
        }
        let mut open = Vec::new();
        loop {
            let Some(mut value) = self.begin_value(&mut open)? else {
                continue;
            };
            // The value is complete: put it where it belongs, and close what
            // ends with it.
            loop {
                match open.pop() {
                    None => return self.end(value),
                    Some(Open::Array(mut items)) => {
                        items.push(value);
                        self.leave();
                        if self.more(b']')? {
                            self.enter(Step::Index(items.len()));
                            open.push(Open::Array(items));
                            break;
                        }
                        value = Value::Array(items);
                    }
                    Some(Open::Object(mut members)) => {
                        if let Some(Step::Key(key)) = self.leave() {
                            members.insert(key, value);
                        }
                        if self.more(b'}')? {
                            self.key(&members)?;
                            open.push(Open::Object(members));
                            break;
                        }
                        value = Value::Object(members);
                    }
                }
            }
        }
    }

    /// Reads a value that is complete in itself, or opens an array or object
    /// and stops before its first value.
    fn begin_value(&mut self, open: &mut Vec<Open>) -> Result<Option<Value>> {
        self.skip_space();
        self.pointer_bytes = self.pointer_bytes.saturating_add(self.path_bytes);
        if self.pointer_bytes > self.limits.pointer_bytes() {
            return Err(self.error(StrictErrorKind::KeysTooLong));
        }
        let first = self.peek();
        if matches!(first, Some(b'[' | b'{')) && open.len() >= self.limits.depth {
            let limit = self.limits.depth;
            return Err(self.error(StrictErrorKind::TooDeep { limit }));
        }
        match first {
            Some(b'[') => {
                self.at += 1;
                self.skip_space();
                if self.skip(b']') {
                    return Ok(Some(Value::Array(Vec::new())));
                }
                self.enter(Step::Index(0));
                open.push(Open::Array(Vec::new()));
                Ok(None)
            }
            Some(b'{') => {
                self.at += 1;
                self.skip_space();
                if self.skip(b'}') {
                    return Ok(Some(Value::Object(Map::new())));
                }
                let members = Map::new();
                self.key(&members)?;
                open.push(Open::Object(members));
                Ok(None)
            }
            Some(b'"') => self.string().map(|text| Some(Value::String(text))),
            Some(b'-' | b'0'..=b'9') => self.number().map(Some),
            _ => self.word().map(Some),
        }
    }

    fn end(mut self, value: Value) -> Result<Value> {
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.error(StrictErrorKind::TrailingCharacters));
        }
        Ok(value)
    }

    /// After a value in an array or object: does another one follow?
    fn more(&mut self, close: u8) -> Result<bool> {
        self.skip_space();
        if self.skip(b',') {
            Ok(true)
        } else if self.skip(close) {
            Ok(false)
        } else if self.peek().is_none() {
            Err(self.not_json("it ends in the middle"))
        } else if close == b']' {
            Err(self.not_json("a comma or ] is missing"))
        } else {
            Err(self.not_json("a comma or } is missing"))
        }
    }

    /// Reads a key and its colon, and goes to its value.
    fn key(&mut self, members: &Map<String, Value>) -> Result<()> {
        self.skip_space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'}') => return Err(self.not_json("a comma stands before }; leave it out")),
            None => return Err(self.not_json("it ends in the middle")),
            Some(_) => return Err(self.not_json("a key must be a string in double quotes")),
        }
        let key = self.string()?;
        let known = members.contains_key(&key);
        let reserved = key.starts_with(RESERVED);
        self.enter(Step::Key(key));
        if known {
            return Err(self.error_at(start, StrictErrorKind::DuplicateKey));
        }
        if reserved {
            return Err(self.error_at(start, StrictErrorKind::ReservedKey));
        }
        self.skip_space();
        if !self.skip(b':') {
            return Err(self.not_json("a colon is missing after the key"));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            match std::str::from_utf8(&self.bytes[start..self.at]) {
                Ok(run) => text.push_str(run),
                Err(bad) => {
                    let offset = start + bad.valid_up_to();
                    return Err(self.error_at(offset, StrictErrorKind::InvalidUtf8));
                }
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(control) => {
                    return Err(self.error(StrictErrorKind::ControlCharacter(control)));
                }
                None => return Err(self.not_json("a string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode_escape(start),
            _ => {
                let kind = StrictErrorKind::NotJson("this escape does not exist");
                Err(self.error_at(start, kind))
            }
        }
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char> {
        let first = self.four_digits()?;
        let code = if (0xD800..0xDC00).contains(&first) {
            if !self.bytes[self.at..].starts_with(b"\\u") {
                return Err(self.error_at(start, StrictErrorKind::LoneSurrogate));
            }
            self.at += 2;
            let second = self.four_digits()?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(self.error_at(start, StrictErrorKind::LoneSurrogate));
            }
            0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        } else {
            first
        };
        // What is left over is a second half without its first.
        char::from_u32(code).ok_or_else(|| self.error_at(start, StrictErrorKind::LoneSurrogate))
    }

    fn four_digits(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.not_json("\\u needs four hexadecimal digits"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        self.skip(b'-');
        if self.bytes[self.at..].starts_with(b"Infinity") {
            return Err(self.error_at(start, StrictErrorKind::NotFinite));
        }
        if self.skip(b'0') {
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.not_json("a number must not begin with 0"));
            }
        } else {
            self.digits("a minus sign needs a number after it")?;
        }
        if self.skip(b'.') {
            self.digits("a decimal point needs digits after it")?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            if !self.skip(b'-') {
                self.skip(b'+');
            }
            self.digits("an exponent needs digits")?;
        }
        let token = String::from_utf8_lossy(&self.bytes[start..self.at]);
        number::read(&token).map(Value::Number).map_err(|kind| self.error_at(start, kind))
    }

    fn digits(&mut self, missing: &'static str) -> Result<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.not_json(missing));
        }
        Ok(())
    }

    fn word(&mut self) -> Result<Value> {
        const WORDS: [(&str, Value); 3] =
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        let rest = &self.bytes[self.at..];
        for (word, value) in WORDS {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        if rest.starts_with(b"NaN") || rest.starts_with(b"Infinity") {
            return Err(self.error(StrictErrorKind::NotFinite));
        }
        Err(self.not_json(if rest.is_empty() {
            "it ends where a value should stand"
        } else {
            "a value should stand here"
        }))
    }

    fn enter(&mut self, step: Step) {
        self.path_bytes += step.pointer_length();
        self.path.push(step);
    }

    fn leave(&mut self) -> Option<Step> {
        let step = self.path.pop()?;
        self.path_bytes -= step.pointer_length();
        Some(step)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn not_json(&self, why: &'static str) -> StrictError {
        self.error(StrictErrorKind::NotJson(why))
    }

    fn error(&self, kind: StrictErrorKind) -> StrictError {
        self.error_at(self.at, kind)
    }

    fn error_at(&self, offset: usize, kind: StrictErrorKind) -> StrictError {
        let mut pointer = String::with_capacity(self.path_bytes);
        for step in &self.path {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&escape_pointer(key)),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        StrictError { pointer, offset, kind }
    }
}

impl Step {
    /// How long it is in a JSON pointer, with its slash.
    fn pointer_length(&self) -> usize {
        match self {
            Self::Key(key) => {
                let escaped = key.bytes().filter(|byte| matches!(byte, b'~' | b'/'));
                1 + key.len() + escaped.count()
            }
            Self::Index(index) => 2 + index.checked_ilog10().unwrap_or(0) as usize,
        }
    }
}
