//! Reads single values of a manifest, and the small tables that hold them.

use super::reader::Table;
use super::{Account, AppliedWhen, Approval, Auth, Effect, EntityTemplate, Idempotency, Lookup, Next, Source, Success};
use crate::connector::path::is_parameter_name;
use crate::connector::pointer::Pointer;

/// A read that could write would go round every approval.
pub(super) fn only_get(table: &Table<'_>) {
    table.parsed("method", |text| {
        if text == "GET" { Ok(()) } else { Err("Reads and lists are made with `GET`; whatever writes is an action.") }
    });
}

pub(super) fn query(table: &Table<'_>) -> Vec<String> {
    table.list("query", |name| {
        if is_query_name(name) {
            Ok(name.to_owned())
        } else {
            Err(format!("`{name}` cannot be a query parameter: use letters, digits, `_`, `-`, `.` and `$`."))
        }
    })
}

fn is_query_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.$".contains(&b))
}

/// The query parameter that takes a cursor.
pub(super) fn since(text: &str) -> Result<String, &'static str> {
    match text.strip_prefix("query:") {
        Some(name) if is_query_name(name) => Ok(name.to_owned()),
        _ => Err("Write the query parameter that takes the cursor, as in `query:_since`."),
    }
}

pub(super) fn auth(text: &str) -> Result<Auth, String> {
    const RULE: &str = "use `none`, `bearer`, `basic` or `header:NAME`.";
    match text {
        "none" => Ok(Auth::None),
        "bearer" => Ok(Auth::Bearer),
        "basic" => Ok(Auth::Basic),
        _ => match text.strip_prefix("header:") {
            Some(name) => free_header(name).map(Auth::Header),
            None => Err(format!("`{text}` is not known: {RULE}")),
        },
    }
}

pub(super) fn approval(text: &str) -> Result<Approval, String> {
    match text {
        "person" => Ok(Approval::Person),
        "automatic" => Ok(Approval::Automatic),
        "forbidden" => Ok(Approval::Forbidden),
        "rule" => Err("`rule` comes with a later version: use `person`, `automatic` or `forbidden`.".to_owned()),
        _ => Err(format!("`{text}` is not known: use `person`, `automatic` or `forbidden`.")),
    }
}

pub(super) fn account(connector: &Table<'_>) -> Option<Account> {
    let table = connector.table("account")?;
    table.require("read", "the read that names the account");
    table.require("pointer", "where in its answer the account is named");
    let account = (table.text("read"), table.pointer("pointer"));
    table.refuse_unknown_keys();
    Some(Account { read: account.0?, pointer: account.1? })
}

/// A text with `{property}` in it.
pub(super) fn entity(text: &str) -> Result<EntityTemplate, String> {
    let mut parameters = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let name = rest[at..].strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = name.filter(|(name, _)| is_parameter_name(name)) else {
            return Err("Braces stand around the name of an input property, as in `contact:{id}`.".to_owned());
        };
        parameters.push(name.to_owned());
        rest = after;
    }
    Ok(EntityTemplate { text: text.to_owned(), parameters })
}

pub(super) fn source(text: &str) -> Result<Source, String> {
    if let Some(name) = text.strip_prefix("header:") {
        return header(name).map(Source::Header);
    }
    if let Some(pointer) = text.strip_prefix("body:") {
        return Ok(Source::Body(Pointer::parse(pointer)?));
    }
    Err("Say where it is, as in `header:ETag` or `body:/version`.".to_owned())
}

fn header(name: &str) -> Result<String, String> {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if (1..=64).contains(&name.len()) && name.bytes().all(token) {
        Ok(name.to_ascii_lowercase())
    } else {
        Err(format!("`{name}` is no name of a header."))
    }
}

/// A header that a manifest may fill.
fn free_header(name: &str) -> Result<String, String> {
    const OURS: [&str; 16] = [
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "if-match",
        "if-none-match",
        "te",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    ];
    let name = header(name)?;
    if OURS.contains(&name.as_str()) || name.starts_with("proxy-") {
        return Err(format!("The header `{name}` is set by the client itself: use another one."));
    }
    Ok(name)
}

pub(super) fn effects(table: &Table<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for item in table.tables("effects") {
        item.require("entity", "what changes, such as `contact:{id}`");
        let entity = item.parsed("entity", entity);
        let effect = item.text("effect");
        let lasts = item.duration("for");
        item.refuse_unknown_keys();
        effects.extend(entity.map(|entity| Effect { entity, effect, lasts }));
    }
    effects
}

pub(super) fn idempotency(table: &Table<'_>) -> Option<Idempotency> {
    const WORDS: [(&str, Word); 3] =
        [("none", Word::None), ("natural", Word::Natural), ("conditional", Word::Conditional)];
    #[derive(Clone, Copy)]
    enum Word {
        None,
        Natural,
        Conditional,
    }
    if !table.is_table("idempotency") {
        return Some(match table.choice("idempotency", &WORDS)? {
            Word::None => Idempotency::None,
            Word::Natural => Idempotency::Natural,
            Word::Conditional => Idempotency::Conditional,
        });
    }
    let outer = table.table("idempotency")?;
    outer.require("key", "a table with `header` and `window`");
    let key = outer.table("key");
    outer.refuse_unknown_keys();
    let key = key?;
    key.require("header", "the header that carries the key");
    key.require("window", "for how long the provider remembers a key, such as `24h`");
    let header = key.parsed("header", free_header);
    let window = key.duration("window");
    key.refuse_unknown_keys();
    Some(Idempotency::Key { header: header?, window: window? })
}

pub(super) fn lookup(table: &Table<'_>) -> Option<Lookup> {
    table.require("read", "the read that shows whether the write was done");
    table.require("applied_when", "`equals:POINTER`, `exists` or `absent`");
    let read = table.text("read");
    let applied_when = table.parsed("applied_when", |text| match text {
        "exists" => Ok(AppliedWhen::Exists),
        "absent" => Ok(AppliedWhen::Absent),
        _ => match text.strip_prefix("equals:") {
            Some(pointer) => Pointer::parse(pointer).map(AppliedWhen::Equals).map_err(str::to_owned),
            None => Err(format!("`{text}` is not known: use `equals:POINTER`, `exists` or `absent`.")),
        },
    });
    table.refuse_unknown_keys();
    Some(Lookup { read: read?, applied_when: applied_when? })
}

pub(super) fn success(table: &Table<'_>) -> Option<Success> {
    table.require("pointer", "where in the answer to look");
    let pointer = table.pointer("pointer");
    let equals = table.json("equals");
    let otherwise_failed = table.choice("otherwise", &[("unknown", false), ("failed", true)]).unwrap_or(false);
    table.refuse_unknown_keys();
    if otherwise_failed && equals.is_none() {
        table.fault("otherwise", "`failed` needs `equals`: a value that is only missing proves nothing.");
    }
    Some(Success { pointer: pointer?, equals, otherwise_failed })
}

pub(super) fn statuses(table: &Table<'_>) -> Vec<u16> {
    let mut statuses = Vec::new();
    for node in table.items("not_executed") {
        match node.to_json().as_u64().and_then(|status| u16::try_from(status).ok()) {
            Some(status @ 400..=599) if !statuses.contains(&status) => statuses.push(status),
            Some(400..=599) => table.fault("not_executed", "A status stands here twice."),
            _ => table.fault(
                "not_executed",
                "A status by which the provider says that it did nothing is between 400 and 599.",
            ),
        }
    }
    statuses
}

pub(super) fn next(table: &Table<'_>) -> Option<Next> {
    const RULE: &str =
        "Use `header:NAME`, `body:POINTER`, `{ body = POINTER, query = NAME }` or `{ offset = { query = NAME } }`.";
    if !table.is_table("next") {
        return table.parsed("next", |text| match source(text) {
            Ok(Source::Header(name)) => Ok(Next::Header(name)),
            Ok(Source::Body(pointer)) => Ok(Next::Body(pointer)),
            Err(_) => Err(RULE),
        });
    }
    let outer = table.table("next")?;
    let parameter = |table: &Table<'_>| {
        table.parsed("query", |name| {
            if is_query_name(name) { Ok(name.to_owned()) } else { Err("This is no name of a query parameter.") }
        })
    };
    let (body, query) = (outer.pointer("body"), parameter(&outer));
    let offset = outer.table("offset");
    outer.refuse_unknown_keys();
    match (body, query, offset) {
        (Some(body), Some(query), None) => Some(Next::Token { body, query }),
        (None, None, Some(offset)) => {
            offset.require("query", "the query parameter that takes the offset");
            let query = parameter(&offset);
            offset.refuse_unknown_keys();
            Some(Next::Offset { query: query? })
        }
        _ => {
            outer.fault_here(RULE);
            None
        }
    }
}
