//! Texts that want to be taken for something else.

use super::*;

fn block(text: &str) -> String {
    Owner::new().with(|| view! { <Block text=text.to_owned() /> }.to_html())
}

/// What somebody reads who has no stylesheet: the text of the HTML, without
/// what only explains. Marks are text, too.
fn read(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        rest = tag.split_once('>').map_or("", |(_, rest)| rest);
    }
    (text + rest).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn what_cannot_be_seen_is_named_in_the_text() {
    let cases = [
        ("to \u{202e}ecila\u{202c} now", "‹U+202E›", "2 bidirectional overrides"),
        ("pass\u{200b}word", "pass‹U+200B›word", "1 zero-width character"),
        ("a\u{0}b", "a‹U+0000›b", "1 control character"),
        ("\u{1b}[31m", "‹U+001B›[31m", "1 control character"),
        ("no\u{a0}break", "no‹U+00A0›break", "1 odd space"),
        ("\u{e0041}\u{e0042}", "‹U+E0041›‹U+E0042›", "2 hidden tag characters"),
        ("👩\u{200d}👧", "👩‹U+200D›👧", "zero-width"),
        (" edge ", "‹space›edge‹space›", "2 spaces at the ends"),
        ("a   b", "a‹3 spaces›b", ""),
        ("one\ntwo", "one↵\ntwo", ""),
        ("one\ttwo", "one⇥\ttwo", ""),
        ("\u{200b}\u{200b}\u{200b}", "‹U+200B ×3›", "3 zero-width characters"),
        ("\u{feff}x", "‹U+FEFF›x", "zero-width"),
        ("a\r", "a‹U+000D›", "1 control character"),
    ];
    for (text, shown, found) in cases {
        let html = block(text);
        let read = read(&html);
        assert!(read.contains(shown), "{text:?}: {read}");
        assert!(read.contains(found), "{text:?}: {read}");
        for hidden in
            text.chars().filter(|character| character.is_control() && *character != '\n' && *character != '\t')
        {
            assert!(!html.contains(hidden), "{text:?} is in the page as it is");
        }
        assert!(!html.contains(['\u{202e}', '\u{200b}', '\u{200d}', '\u{feff}', '\u{a0}', '\u{e0041}']), "{text:?}");
    }
}

#[test]
fn no_markup_comes_out_of_a_text() {
    let text = "<img src=x onerror=alert(1)></script><a href=\"javascript:alert(1)\">x</a>&amp;<!--";
    let html = block(text);
    for tag in ["<img", "<a", "</script", "<!--"] {
        assert!(!html.contains(tag), "{html}");
    }
    assert!(read(&html).contains(text));
    assert!(!block("https://evil.example ![x](https://evil.example/y)").contains("href"));
}

#[test]
fn a_long_text_is_folded_and_whole() {
    let text = format!("begin {} end\u{200b}!", "x".repeat(200_000));
    let html = block(&text);
    assert!(html.contains("<details"));
    assert!(html.contains("of 200,012 characters, 1 with hidden characters"), "{}", &html[..900]);
    assert_eq!(html.matches('x').count(), 200_000 + html.matches("data-text").count() + html.matches("text=").count());
    assert!(read(&html).contains(" end‹U+200B›!"));
}

#[test]
fn many_lines_are_folded_with_their_number() {
    let text = "a\n".repeat(30);
    let html = block(&text);
    assert!(html.contains("in 31 lines"), "{html}");
    assert_eq!(html.matches("data-c=\"a\"").count(), 30);
    assert!(!block(&"a\n".repeat(19)).contains("<details"));
}

#[test]
fn a_word_is_not_cut_where_it_folds() {
    let text = format!("{} {}", "a".repeat(270), "transfer ".repeat(60));
    let html = block(&text);
    let head = html.split("<details").next().unwrap();
    assert!(!read(head).trim_end().ends_with("transf"), "{head}");
}

#[test]
fn letters_that_only_look_like_others_are_spelt_out() {
    let html = Owner::new().with(|| view! { <Line text="https://\u{430}pi.example.com" /> }.to_html());
    let read = read(&html);
    assert!(read.contains("‹U+0430›pi"), "{read}");
    let clean = Owner::new().with(|| view! { <Line text="https://api.example.com" /> }.to_html());
    assert!(!clean.contains("found"), "{clean}");
}

#[test]
fn the_exact_text_can_be_read_back_from_the_marks() {
    let html = block("\u{202e}  \u{202e}\u{202e}\n");
    assert!(html.contains("data-c=\"202e\""));
    assert!(html.contains("data-c=\"20\" data-n=\"2\""), "{html}");
    assert!(html.contains("data-c=\"202e\" data-n=\"2\""), "{html}");
    assert!(html.contains("data-c=\"a\""));
}

#[test]
fn a_text_is_isolated_and_runs_from_left_to_right() {
    assert!(block("x").contains("dir=\"ltr\""));
    let line = Owner::new().with(|| view! { <Line text="\u{5d0}" /> }.to_html());
    assert!(line.starts_with("<bdi"), "{line}");
}
