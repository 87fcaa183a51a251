//! Reading the page that the server rendered.

use wasm_bindgen::JsCast as _;
use web_sys::{Document, Element, HtmlElement, Node};

/// The document, in a browser.
pub(super) fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// Every element that matches.
pub(super) fn all(root: &Document, selector: &str) -> Vec<HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

/// The first element that matches.
pub(super) fn first(root: &Document, selector: &str) -> Option<HtmlElement> {
    root.query_selector(selector).ok()??.dyn_into().ok()
}

/// The exact text that an element displays: a mark stands for its code point,
/// and what only explains is left out.
pub(super) fn text(element: &Element) -> String {
    let mut text = String::new();
    collect(element, &mut text);
    text
}

fn collect(node: &Node, text: &mut String) {
    let mut child = node.first_child();
    while let Some(node) = child {
        match node.node_type() {
            Node::TEXT_NODE => text.push_str(&node.node_value().unwrap_or_default()),
            Node::ELEMENT_NODE => {
                if let Some(element) = node.dyn_ref::<Element>() {
                    collect_element(element, text);
                }
            }
            _ => {}
        }
        child = node.next_sibling();
    }
}

fn collect_element(element: &Element, text: &mut String) {
    if element.has_attribute("data-not-text") {
        return;
    }
    let Some(code) = element.get_attribute("data-c") else {
        collect(element, text);
        return;
    };
    // A mark that cannot be read stands for U+FFFD, which then differs.
    let character = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
    let times = element.get_attribute("data-n").map_or(Some(1), |times| times.parse().ok()).unwrap_or(1);
    text.extend(std::iter::repeat_n(character, times));
}
