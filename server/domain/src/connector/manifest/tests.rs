use serde_json::json;

use super::*;

/// A sound manifest with a bit of everything.
const SOUND: &str = r##"
[connector]
name = "crm"
title = "CRM"
auth = "header:X-Api-Key"
account = { read = "me", pointer = "/id" }

[reads.me]
path = "/me"

[reads.contact]
title = "Read a contact"
path = "/contacts/{id}"
entity = "contact:{id}"
version = "body:/version"
watch = ["/email", ""]
identity = ["/created_at"]
ttl = "2m"

[lists.contacts]
path = "/contacts"
since = "query:_since"
next = { body = "/next", query = "after" }
items = "/items"
key = "/id"
changed = "/changed"
deleted = "/deleted"

[actions.lock]
title = "Lock a contact"
summary = "Lock {id}"
risk = "high"
method = "POST"
path = "/contacts/{id}/lock"
query = ["notify"]
before = "contact"
effects = [{ entity = "contact:{id}", effect = "locked", for = "5m" }]
precondition = "If-Match"
idempotency = { key = { header = "Idempotency-Key", window = "24h" } }
after = "header:ETag"
lookup = { read = "contact", applied_when = "exists" }
returns = ["/id"]
approval = "forbidden"
not_executed = [503]
success = { pointer = "/ok", equals = 1.0, otherwise = "failed" }

[actions.lock.input]
type = "object"
required = ["id", "data"]
properties.id = { "$ref" = "#/$defs/id" }
properties.notify = { type = "boolean", default = true }
properties.data = { type = "number", multipleOf = 0.5, maximum = 1e3 }
"$defs".id = { type = "integer" }

[actions.note]
title = "Add a note"
risk = "low"
method = "PUT"
path = "/notes"
body = "/note"
idempotency = "none"
approval = "automatic"
input = '''
{"type": "object", "required": ["note"], "additionalProperties": false,
 "properties": {"note": {"type": ["string", "null"]}}}
'''
"##;

fn faults(text: &str) -> Vec<String> {
    match Manifest::from_toml(text, "m.toml") {
        Ok(_) => Vec::new(),
        Err(errors) => errors.0.iter().map(ToString::to_string).collect(),
    }
}

/// The sound manifest with one text replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(SOUND.matches(old).count(), 1, "{old}");
    SOUND.replace(old, new)
}

fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).expect(part) + 1
}

#[test]
fn a_sound_manifest_is_read() {
    let manifest = Manifest::from_toml(SOUND, "m.toml").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((manifest.name.as_str(), manifest.title.as_str()), ("crm", "CRM"));
    assert_eq!(manifest.auth, Auth::Header("x-api-key".to_owned()));
    let lock = &manifest.actions["lock"];
    assert_eq!((lock.risk, lock.approval, lock.method), (Risk::High, Approval::Forbidden, Method::Post));
    assert_eq!(lock.path.as_str(), "/contacts/{id}/lock");
    assert_eq!(
        lock.idempotency,
        Idempotency::Key { header: "idempotency-key".to_owned(), window: Duration::from_hours(24) }
    );
    assert_eq!(lock.effects[0].lasts, Some(Duration::from_mins(5)));
    assert_eq!(lock.after, Some(Source::Header("etag".to_owned())));
    assert_eq!(lock.success.as_ref().and_then(|success| success.equals.clone()), Some(json!(1)));
    assert_eq!(lock.input["properties"]["data"]["maximum"], json!(1000));
    let note = &manifest.actions["note"];
    assert_eq!(note.body.as_ref().map(Pointer::as_str), Some("/note"));
    assert_eq!(note.input["properties"]["note"]["type"], json!(["string", "null"]));
    let contact = &manifest.reads["contact"];
    assert_eq!(contact.watch.len(), 2);
    assert_eq!(contact.input["required"], json!(["id"]));
    assert_eq!(
        manifest.lists["contacts"].next,
        Some(Next::Token { body: Pointer::parse("/next").expect("good"), query: "after".to_owned() })
    );
}

#[test]
fn a_stored_manifest_is_read_back_as_it_was() {
    let manifest = Manifest::from_toml(SOUND, "m.toml").expect("sound");
    let bytes = manifest.canonical();
    let back = Manifest::from_canonical(&bytes).expect("stored");
    assert_eq!(back, manifest);
    assert_eq!((back.canonical(), back.digest()), (bytes.clone(), Digest::of(&bytes)));
    // Layout and comments are no part of it.
    let other = format!("# A comment\n{}", SOUND.replace(" = ", "="));
    assert_eq!(Manifest::from_toml(&other, "other.toml").expect("sound").digest(), manifest.digest());
    let changed = Manifest::from_toml(&with("Lock {id}", "Lock it: {id}"), "m.toml").expect("sound");
    assert_ne!(changed.digest(), manifest.digest());
}

#[test]
fn other_bytes_are_not_read_back() {
    let bytes = Manifest::from_toml(SOUND, "m.toml").expect("sound").canonical();
    let spaced = [b" ".as_slice(), &bytes].concat();
    for bad in [b"".as_slice(), b"{}", b"[]", b"{\"a\":1,\"a\":1}", &spaced, &bytes[1..], &bytes[..bytes.len() - 1]] {
        assert!(Manifest::from_canonical(bad).is_err());
    }
}

/// What is replaced in the sound manifest, by what, and the key and words of the fault.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("auth = \"header:X-Api-Key\"", "auth = \"oauth\"", "connector.auth", "`bearer`"),
    ("auth = \"header:X-Api-Key\"", "auth = \"header:Host\"", "connector.auth", "another one"),
    ("auth = \"header:X-Api-Key\"", "auth = 7", "connector.auth", "text"),
    ("name = \"crm\"", "name = \"My CRM\"", "connector.name", "lower-case"),
    ("name = \"crm\"", "naem = \"crm\"", "connector.naem", "not known"),
    ("title = \"CRM\"", "title = \"\"", "connector.title", "empty"),
    ("title = \"CRM\"", "title = \"a\\nb\"", "connector.title", "line breaks"),
    ("read = \"me\"", "read = \"you\"", "connector.account", "no read"),
    ("read = \"me\"", "read = \"contact\"", "connector.account", "takes parameters"),
    ("[reads.me]", "[reads.Me]", "reads.Me", "lower-case"),
    ("[reads.me]", "[read.me]", "read", "not known"),
    ("ttl = \"2m\"", "ttl = \"soon\"", "reads.contact.ttl", "`5m`"),
    ("ttl = \"2m\"", "method = \"POST\"", "reads.contact.method", "`GET`"),
    ("version = \"body:/version\"", "version = \"ETag\"", "reads.contact.version", "header:ETag"),
    ("watch = [\"/email\", \"\"]", "watch = [\"email\"]", "reads.contact.watch", "begins with"),
    ("watch = [\"/email\", \"\"]", "watch = \"/email\"", "reads.contact.watch", "list"),
    ("entity = \"contact:{id}\"\n", "entity = \"contact:{key}\"\n", "reads.contact.entity", "no property"),
    ("entity = \"contact:{id}\"\n", "entity = \"contact:{id\"\n", "reads.contact.entity", "Braces"),
    ("[lists.contacts]", "[lists.contact]", "lists", "another name"),
    ("since = \"query:_since\"", "since = \"_since\"", "lists.contacts.since", "query:_since"),
    ("next = { body = \"/next\", query = \"after\" }", "next = \"/next\"", "lists.contacts.next", "body:POINTER"),
    ("next = { body = \"/next\", query = \"after\" }", "next = { body = \"/next\" }", "lists.contacts.next", "POINTER"),
    ("items = \"/items\"", "item = \"/items\"", "lists.contacts.items", "missing"),
    ("risk = \"high\"", "risk = \"huge\"", "actions.lock.risk", "`medium`"),
    ("method = \"POST\"", "method = \"GET\"", "actions.lock.method", "`PATCH`"),
    ("path = \"/contacts/{id}/lock\"", "path = \"/contacts/{key}/lock\"", "actions.lock.path", "no property"),
    ("path = \"/contacts/{id}/lock\"", "path = \"/contacts/{notify}\"", "actions.lock.path", "required"),
    ("path = \"/contacts/{id}/lock\"", "path = \"/contacts/{data}\"", "actions.lock.path", "`integer`"),
    ("path = \"/contacts/{id}/lock\"", "path = \"/../{id}\"", "actions.lock.path", "`..`"),
    ("query = [\"notify\"]", "query = [\"notify\", \"notify\"]", "actions.lock.query", "twice"),
    ("query = [\"notify\"]", "query = [\"id\"]", "actions.lock.query", "already"),
    ("query = [\"notify\"]", "query = [\"a b\"]", "actions.lock.query", "letters"),
    ("before = \"contact\"", "before = \"nothing\"", "actions.lock.before", "no sound read"),
    ("precondition = \"If-Match\"", "precondition = \"If-None-Match\"", "actions.lock.precondition", "`If-Match`"),
    ("precondition = \"If-Match\"", "idempotence = 1", "actions.lock.idempotence", "not known"),
    ("version = \"body:/version\"", "", "actions.lock.precondition", "declares `version`"),
    ("window = \"24h\"", "windows = \"24h\"", "actions.lock.idempotency.key.windows", "not known"),
    ("window = \"24h\"", "windows = \"24h\"", "actions.lock.idempotency.key.window", "missing"),
    ("header = \"Idempotency-Key\"", "header = \"Content-Type\"", "actions.lock.idempotency.key.header", "another one"),
    ("idempotency = \"none\"", "idempotency = \"always\"", "actions.note.idempotency", "`natural`"),
    ("idempotency = \"none\"", "idempotency = \"conditional\"", "actions.note.idempotency", "precondition"),
    ("applied_when = \"exists\"", "applied_when = \"done\"", "actions.lock.lookup.applied_when", "`absent`"),
    ("applied_when = \"exists\"", "applied_when = \"equals:/x\"", "actions.lock.lookup", "compared"),
    ("approval = \"forbidden\"", "approval = \"rule\"", "actions.lock.approval", "later version"),
    ("approval = \"forbidden\"", "approval = \"none\"", "actions.lock.approval", "`person`"),
    ("approval = \"forbidden\"", "", "actions.lock.approval", "missing"),
    ("not_executed = [503]", "not_executed = [200]", "actions.lock.not_executed", "400 and 599"),
    ("not_executed = [503]", "not_executed = [503, 503]", "actions.lock.not_executed", "twice"),
    ("equals = 1.0, ", "", "actions.lock.success.otherwise", "`equals`"),
    ("otherwise = \"failed\"", "otherwise = \"refused\"", "actions.lock.success.otherwise", "`failed`"),
    ("summary = \"Lock {id}\"", "summary = \"Lock {who}\"", "actions.lock.summary", "no property"),
    ("effect = \"locked\", for", "until", "actions.lock.effects.until", "not known"),
    ("body = \"/note\"", "body = \"/text\"", "actions.note.body", "no property"),
    ("body = \"/note\"", "body = \"/note\"\nquery = [\"note\"]", "actions.note.query", "`boolean`"),
    ("body = \"/note\"", "body = \"/a/b\"", "actions.note.body", "one property"),
    (
        "type = \"boolean\", default = true",
        "type = \"boolean\", writeOnly = true",
        "actions.lock.input.properties.notify.writeOnly",
        "later version",
    ),
    ("multipleOf = 0.5", "multipleOff = 0.5", "actions.lock.input.properties.data.multipleOff", "not known"),
    ("maximum = 1e3", "maximum = inf", "actions.lock.input.properties.data.maximum", "finite"),
    ("maximum = 1e3", "maximum = 9007199254740993", "actions.lock.input.properties.data.maximum", "2^53"),
    ("maximum = 1e3", "maximum = 1979-05-27", "actions.lock.input.properties.data.maximum", "quotes"),
    ("{ type = \"integer\" }", "{ type = \"intger\" }", "actions.lock.input.$defs", "2020-12"),
    ("\"additionalProperties\": false,", "\"additionalProperties\": true,", "actions.note.input", "sent nowhere"),
    (
        "\"properties\": {\"note\"",
        "\"properties\": {\"more\": {}, \"note\"",
        "actions.note.input.properties.more",
        "sent nowhere",
    ),
    (
        "{\"type\": \"object\", \"required\": [\"note\"]",
        "{\"type\": 1, \"type\": \"object\", \"required\": [\"note\"]",
        "actions.note.input",
        "JSON",
    ),
    ("input = '''\n{", "input = '''\nschema.json {", "actions.note.input", "not read"),
];

#[test]
fn every_fault_is_told_with_key_and_line() {
    for (old, new, key, words) in FAULTS {
        let text = with(old, new);
        let errors = Manifest::from_toml(&text, "m.toml").expect_err(new);
        let bare = |key: &str| key.replace('"', "");
        let found = errors.0.iter().find(|error| {
            (bare(&error.key) == *key || bare(&error.key).starts_with(&format!("{key}.")))
                && error.message.contains(words)
        });
        let Some(found) = found else { panic!("{old} -> {new}: {errors}") };
        assert!(found.line.is_some() && found.file == "m.toml", "{found}");
    }
}

#[test]
fn the_line_is_that_of_the_key() {
    for (old, new, part) in [
        ("risk = \"high\"", "risk = \"huge\"", "huge"),
        ("multipleOf = 0.5", "multipleOff = 0.5", "multipleOff"),
        ("title = \"CRM\"", "titel = \"CRM\"", "titel"),
        ("[reads.me]", "[reads.Me]", "[reads.Me]"),
    ] {
        let text = with(old, new);
        let lines: Vec<Option<usize>> =
            Manifest::from_toml(&text, "m.toml").expect_err(new).0.iter().map(|error| error.line).collect();
        assert!(lines.contains(&Some(line_of(&text, part))), "{new}: {lines:?}");
    }
    // A key that is missing is missing from its table.
    let text = with("approval = \"forbidden\"\n", "");
    let errors = Manifest::from_toml(&text, "m.toml").expect_err("refused");
    assert_eq!(errors.0[0].line, Some(line_of(&text, "[actions.lock]")), "{errors}");
    assert_eq!(
        errors.to_string(),
        format!(
            "m.toml:{}: actions.lock.approval: This is missing: `person`, `automatic` or `forbidden`.",
            line_of(&text, "[actions.lock]")
        )
    );
}

#[test]
fn all_faults_are_told_at_once() {
    let text = SOUND
        .replace("risk = \"high\"", "risk = \"huge\"")
        .replace("ttl = \"2m\"", "ttl = \"soon\"")
        .replace("auth = \"header:X-Api-Key\"", "auth = \"oauth\"")
        .replace("idempotency = \"none\"", "idempotency = \"always\"");
    let errors = faults(&text);
    for key in ["connector.auth", "reads.contact.ttl", "actions.lock.risk", "actions.note.idempotency"] {
        assert!(errors.iter().any(|error| error.contains(key)), "{key}: {errors:?}");
    }
}

#[test]
fn what_is_no_manifest_at_all() {
    for (text, words) in [
        ("", "connector"),
        ("[connector", "TOML"),
        ("a = 1\na = 2", "TOML"),
        ("connector = 1", "table"),
        ("[connector]\nname = \"a\"\ntitle = \"A\"\nauth = \"none\"", "at least one"),
        ("reads = []", "table"),
        ("actions.x = 1", "table"),
    ] {
        let errors = faults(text);
        assert!(errors.iter().any(|error| error.contains(words)), "{text}: {errors:?}");
    }
    assert!(!faults(&"#".repeat(2 * 1024 * 1024)).is_empty());
    assert!(!faults(&format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000))).is_empty());
}
