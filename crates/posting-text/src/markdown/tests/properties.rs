//! For every input: no text is lost, no markup shows, the stack does not overflow.

use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization;

use super::{
    super::{read, source::characters},
    Budget, from_description,
};
use crate::{
    document::{DIALECT, is_unseen, plain},
    testing::one_of,
};

fn seen(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(markdown, DIALECT) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::Html(html) | Event::InlineHtml(html) => panic!("raw HTML {html:?}\n{markdown}"),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => panic!("an image"),
            _ => {}
        }
    }
    out.retain(|c| !c.is_whitespace());
    out
}

fn said(raw: &str) -> String {
    let mut out = String::new();
    let document = read(raw, None, &Budget::unlimited()).unwrap();
    document.for_each_text(&mut |spans| out.push_str(&plain(spans)));
    out.retain(|c| !c.is_whitespace());
    out
}

fn holds(raw: &str) {
    let markdown = from_description(raw);
    assert_eq!(
        seen(&markdown),
        said(raw),
        "text is lost or markup shows in {markdown:?}"
    );
    assert!(!markdown.contains("\n\n\n"), "empty lines in {markdown:?}");
    assert!(
        !markdown.replace("\\*", "x").contains("****"),
        "empty emphasis in {markdown:?}"
    );
    let fenced = markdown.contains("```");
    for line in markdown.lines().filter(|_| !fenced) {
        assert_eq!(line.trim_end(), line, "space at the end in {markdown:?}");
    }
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        one_of(
            "\
            <p>|</p>|<b>|</b>|<i>|</i>|<ul>|</ul>|<ol>|</ol>|<li>|</li>|<br>|<h2>|</h2>|\
            <a href='https://e.org'>|</a>|<table>|<tr>|<td>|<th>|</td>|</tr>|</table>|\
            <blockquote>|</blockquote>|<hr>|<code>|</code>|<del>|</del>|<sup>|</sup>|<sub>|\
            </sub>|<thead>|<tr><th>a<th>|<p hidden>|<span style=font-size:0>|\
            <p class=MsoListParagraph>|<![if !supportLists]>|<![endif]>|<pre>|</pre>|<div>|\
            </div>|<script>|</script>|<iframe>|<!--|-->|&amp;|&lt;|&gt;|&nbsp;|&amp;lt;|&shy;|\
            &#x202e;|&#1;"
        ),
        "[a-c \n*_`#>~!\\[\\]()\\\\<&;:.=1+|-]{0,8}",
        "[a-zé ]{1,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_shows_whole(raw in ".{0,200}") {
        holds(&raw);
    }

    #[test]
    fn any_tag_soup_shows_whole(raw in soup()) {
        holds(&raw);
    }

    #[test]
    fn cleaning_again_keeps_the_words(raw in soup()) {
        let once = from_description(&raw);
        if !once.contains("```") {
            prop_assert!(!once.contains("<p") && !once.contains("<script"), "{once:?}");
        }
        let twice = from_description(&once);
        // "&amp;" and "\n" that are meant to show look like excess escaping, and `**` may be text.
        let words = |markdown: &str| {
            let mut seen = seen(markdown);
            seen.retain(char::is_alphanumeric);
            seen
        };
        if !once.contains("&amp;") && !once.contains("\\n") {
            prop_assert_eq!(words(&twice), words(&once));
        }
    }
}

proptest! {
    #[test]
    fn pieces_of_a_text_are_normalised_as_the_whole(
        raw in prop::collection::vec(one_of(
            "a|e|ö|\u{301}|\u{327}|\u{338}|<|=| |\n|\r\n|\r|\u{2028}|\u{37e}|\u{ad}|\u{200b}|가|\u{1100}|\u{1161}|\
             \u{1}|\u{feff}|a long run of letters that are as usual as any",
        ), 0..30)
    ) {
        let raw = raw.concat();
        let feeds = "\r\u{b}\u{c}\u{85}\u{2028}\u{2029}";
        let whole = raw.replace("\r\n", "\n").nfc().collect::<String>();
        let seen = whole.chars().filter(|c| !is_unseen(*c) && (!c.is_control() || c.is_whitespace()));
        let expect: String = seen.map(|c| if feeds.contains(c) { '\n' } else { c }).collect();
        prop_assert_eq!(characters(&raw), expect);
    }
}

#[test]
fn hostile_input_needs_no_stack() {
    let deep = |tag: &str, n: usize| {
        format!(
            "{}x{}",
            format!("<{tag}>").repeat(n),
            format!("</{tag}>").repeat(n)
        )
    };
    let tags = "\
        div|b|i|ul|ul><li|ol|blockquote|table|table><tr><td|a href=https://e.org|span|p|pre|\
        iframe|svg|form|h1";
    let deep = tags.split('|').map(|tag| deep(tag, 100_000));
    let mut cases: Vec<String> = deep.collect();
    let pieces = "\
        <¦&¦&lt;¦&amp;¦&amp;amp;¦**¦*a ¦_a¦[¦]¦](¦![¦> ¦- ¦`¦``a¦\\n¦\n¦<b>a</b>¦\
        <i>a<b>b</i>c</b> ¦<a href=https://e.org>a</a>¦1. ¦#¦&lt;p&gt;¦</p>¦<!--¦<script>¦<br>¦\
        • a\n¦a.b ¦a@b.cc ¦+4712345678 ¦http://a ¦(¦0 1¦<td>a¦<li>¦|¦- a\n  ¦    - a\n¦**a¦~~¦<p¦\
        \u{301}¦a\u{301}";
    for piece in pieces.split('¦') {
        cases.push(piece.repeat((1 << 17) / piece.len()));
        cases.push(format!("**x**\n{}", piece.repeat((1 << 15) / piece.len())));
    }
    let attributes: Vec<String> = (0..20_000).map(|n| format!("a{n}")).collect();
    let attributes = attributes.join(" ");
    cases.push(format!("<a {attributes}>x</a>"));
    for case in cases {
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let worker = small.spawn(move || from_description(&case).len()).unwrap();
        worker.join().unwrap();
    }
}
