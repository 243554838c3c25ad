//! Quirks of real descriptions. `properties` tests rules for every input.

mod properties;
mod word;

use crate::{Budget, testing::cases};

/// A description, an arrow and its Markdown, or Markdown that stays.
const CASES: [&str; 7] = [
    include_str!("tests/encoded.txt"),
    include_str!("tests/hidden.txt"),
    include_str!("tests/html.txt"),
    include_str!("tests/meaning.txt"),
    include_str!("tests/tables.txt"),
    include_str!("tests/text.txt"),
    include_str!("tests/word.txt"),
];

fn from_description(raw: &str) -> String {
    super::from_description(raw, &Budget::unlimited()).unwrap()
}

#[track_caller]
fn check(name: &str, raw: &str, expect: &str) {
    assert_eq!(from_description(raw), expect, "{name}");
}

#[test]
fn every_case_is_converted() {
    let mut failed = Vec::new();
    for case in CASES.into_iter().flat_map(cases) {
        let (raw, expect) = case.split_once(" => ").unwrap_or((&case, &case));
        let found = from_description(raw);
        if found != expect {
            failed.push(format!("{case}\n    becomes {found:?}"));
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn long_cells_stay_on_their_lines() {
    let long = "A sentence about the grade. ".repeat(12);
    let long = long.trim_end();
    check(
        "headers above",
        &format!("<table><tr><th>GS-14<th>GS-15<tr><td>{long}<td>{long}</table>"),
        &format!("| GS-14 | GS-15 |\n| --- | --- |\n| {long} | {long} |"),
    );
    check(
        "headers before two columns",
        &format!("<table><tr><th>Place<td>Lyon<tr><th>Hours<td>{long}</table>"),
        &format!("- **Place:** Lyon\n- **Hours:** {long}"),
    );
}

#[test]
fn a_destination_is_short() {
    let longest = format!("https://x.example/{}", "a".repeat(2_048 - 18));
    let html = |href: &str| from_description(&format!("<a href='{href}'>a</a>"));
    assert_eq!(html(&longest), format!("[a]({longest})"));
    assert_eq!(html(&format!("{longest}a")), "a");
}

#[test]
fn relative_links_are_on_a_page() {
    let read = |html: &str, base: Option<&str>| {
        let budget = Budget::unlimited();
        let document = super::read(html, base, &budget).unwrap();
        super::write(&document, &budget).unwrap()
    };
    let base = Some("https://e.org/jobs/1?a=b");
    for (href, expect) in [
        ("/apply", "[x](https://e.org/apply)"),
        ("2", "[x](https://e.org/jobs/2)"),
        ("../a b", "[x](https://e.org/a%20b)"),
        ("?c", "[x](https://e.org/jobs/1?c)"),
        ("//cdn.org/a", "[x](https://cdn.org/a)"),
        ("https://f.org", "[x](https://f.org)"),
        ("#top", "x"),
        ("", "x"),
        ("javascript:alert(1)", "x"),
        ("tel:1", "x"),
        ("java\nscript:alert(1)//", "x"),
    ] {
        let html = format!("<p><a href='{href}'>x</a></p>");
        assert_eq!(read(&html, base), expect, "{href}");
    }
    for none in ["", "no address", "mailto:a@e.org", "data:,a"] {
        let html = "<a href='/a'>x</a> <a href='//b.org'>y</a>";
        assert_eq!(read(html, Some(none)), "x y");
    }
    assert_eq!(
        read("**a** [x](/b) ![y z](/c.png)", base),
        "**a** [x](https://e.org/b) y z"
    );
}
