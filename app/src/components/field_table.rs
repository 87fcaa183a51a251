//! The fields of a JSON value, one to a row, each with its key, its type and
//! its whole value.
//!
//! The browser reads this table back and compares it with the canonical bytes:
//! `data-depth` and `data-kind` of a row, and the exact text of its key and of
//! its value. What only explains is marked `data-not-text`.

use domain::fields::{Field, FieldKind};
use leptos::prelude::*;

use crate::components::revealed::{Block, Line, Quoted};
use crate::words;

/// The deepest level that is still moved to the right.
const INDENTED: u16 = 6;
/// Longer places than this are not repeated in an attribute.
const POINTER: usize = 200;

/// All fields, in the order of the canonical form.
#[component]
pub fn FieldTable(
    /// The fields.
    fields: Vec<Field>,
    /// What they are called in the check that the browser makes.
    shown: &'static str,
    /// What they are the fields of.
    caption: &'static str,
) -> impl IntoView {
    let items = item_flags(&fields);
    let rows: Vec<_> =
        fields.into_iter().zip(items).map(|(field, is_item)| view! { <Row field is_item whole=caption /> }).collect();
    view! {
        <table class="fields" data-fields=shown>
            <caption class="sr-only">{caption}</caption>
            <colgroup><col /><col /></colgroup>
            <thead class="sr-only">
                <tr><th scope="col">"Field"</th><th scope="col">"Value, and its type"</th></tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// Whether each field is an item of a list: the key `"0"` of an object must not
/// look like the first item of one.
fn item_flags(fields: &[Field]) -> Vec<bool> {
    let mut parents: Vec<FieldKind> = Vec::new();
    fields
        .iter()
        .map(|field| {
            parents.truncate(usize::from(field.depth));
            let is_item = matches!(parents.last(), Some(FieldKind::Array(_)));
            parents.push(field.kind);
            is_item
        })
        .collect()
}

#[component]
fn Row(field: Field, is_item: bool, whole: &'static str) -> impl IntoView {
    let indent = format!("depth-{}", field.depth.min(INDENTED));
    let pointer = (field.pointer.len() <= POINTER).then(|| field.pointer.clone());
    view! {
        <tr data-depth=field.depth data-kind=field.kind.to_string() data-pointer=pointer>
            <th scope="row" class=indent>
                {(field.depth > INDENTED)
                    .then(|| view! { <span class="level" data-not-text="">{format!("level {}", field.depth)}</span> })}
                <span data-key=""><Key label=field.label depth=field.depth is_item whole /></span>
            </th>
            <td>
                <div class="cell">
                    <Value kind=field.kind text=field.text />
                    <span class="kind">{kind_word(field.kind, field.characters)}</span>
                </div>
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn Key(label: String, depth: u16, is_item: bool, whole: &'static str) -> impl IntoView {
    match (depth, is_item, label.is_empty()) {
        (0, ..) => view! { <span class="whole" data-not-text="">{whole}</span> }.into_any(),
        (_, true, _) => view! {
            <span class="item"><span data-not-text="">"item "</span><Line text=label /></span>
        }
        .into_any(),
        (_, false, true) => view! { <span class="mark soft" data-not-text="">"‹empty key›"</span> }.into_any(),
        (_, false, false) => view! { <Block text=label /> }.into_any(),
    }
}

#[component]
fn Value(kind: FieldKind, text: String) -> impl IntoView {
    match kind {
        FieldKind::String => view! { <div class="string" data-value=""><Quoted text /></div> }.into_any(),
        FieldKind::Number => view! { <span class="number" data-value="">{text}</span> }.into_any(),
        FieldKind::Boolean | FieldKind::Null => view! { <span class="keyword" data-value="">{text}</span> }.into_any(),
        FieldKind::Object(members) => view! { <span class="quiet">{members_word(members)}</span> }.into_any(),
        FieldKind::Array(items) => view! { <span class="quiet">{items_word(items)}</span> }.into_any(),
    }
}

fn members_word(members: usize) -> String {
    if members == 0 { "{ } no fields".to_owned() } else { words::count(members, "field", "fields") }
}

fn items_word(items: usize) -> String {
    if items == 0 { "[ ] no items".to_owned() } else { words::count(items, "item", "items") }
}

fn kind_word(kind: FieldKind, characters: usize) -> String {
    match kind {
        FieldKind::Object(_) => "object".to_owned(),
        FieldKind::Array(_) => "list".to_owned(),
        FieldKind::String if characters == 0 => "text, empty".to_owned(),
        FieldKind::String => "text".to_owned(),
        FieldKind::Number => "number".to_owned(),
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Null => "no value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::canonical::canonical_bytes;
    use domain::fields::fields;
    use serde_json::{Value, json};

    use super::*;

    fn table(value: &Value) -> String {
        let fields = fields(&canonical_bytes(value)).unwrap();
        Owner::new().with(|| view! { <FieldTable fields shown="input" caption="The whole input" /> }.to_html())
    }

    fn row(html: &str, pointer: &str) -> String {
        let rows = html.split("<tr ").find(|row| row.contains(&format!("data-pointer=\"{pointer}\"")));
        rows.unwrap_or_else(|| panic!("{pointer} is not in {html}")).to_owned()
    }

    #[test]
    fn values_that_look_alike_differ_in_text() {
        let html = table(&json!({
            "a": 1, "b": "1", "c": null, "d": "null", "e": true, "f": "true", "g": "", "h": {}, "i": [],
        }));
        let expected = [
            ("/a", ">1<", "number"),
            ("/b", "&quot;", "text"),
            ("/c", ">null<", "no value"),
            ("/d", "&quot;", "text"),
            ("/e", ">true<", "true or false"),
            ("/f", "&quot;", "text"),
            ("/g", "&quot;", "text, empty"),
            ("/h", "{ } no fields", "object"),
            ("/i", "[ ] no items", "list"),
        ];
        for (pointer, value, kind) in expected {
            let row = row(&html, pointer);
            assert!(row.contains(value) || row.contains(&value.replace("&quot;", "\"<")), "{row}");
            assert!(row.contains(&format!(">{kind}<")), "{row}");
        }
        assert_eq!(row(&html, "/a").matches("class=\"quote\"").count(), 0);
        assert_eq!(row(&html, "/b").matches("class=\"quote\"").count(), 2);
    }

    #[test]
    fn keys_are_shown_as_what_they_are() {
        let html = table(&json!({ "\u{202e}yek": 1, "": 2, "0": 3, "list": [4], "k".repeat(300): 5, "a\rb": 6 }));
        assert!(html.contains("‹U+202E›"));
        assert!(html.contains("‹empty key›"));
        assert!(html.contains(&"k".repeat(300)));
        assert!(row(&html, "/list/0").contains("item "), "an item is called one");
        assert!(!row(&html, "/0").contains("item "), "a key of digits is not");
        assert!(!html.contains('\u{202e}') || !html.contains(">\u{202e}"));
    }

    #[test]
    fn depth_is_kept_however_deep() {
        let deep = (0..60).fold(json!("bottom"), |inner, _| json!({ "in": inner }));
        let html = table(&deep);
        assert!(html.contains("data-depth=\"60\""));
        assert!(html.contains("level 60"));
        assert!(html.contains("bottom"));
    }

    #[test]
    fn a_value_of_200_kilobytes_is_whole() {
        let html = table(&json!({ "long": "y".repeat(200_000) }));
        assert!(html.matches('y').count() >= 200_000);
        assert!(html.contains("of 200,000 characters"));
    }

    #[test]
    fn markup_in_values_and_keys_stays_text() {
        let html = table(&json!({ "</script><b>": "<table><tr><td>" }));
        assert!(!html.contains("<b>") && !html.contains("</script"));
        assert_eq!(html.matches("<table").count(), 1);
    }
}
