//! Extracts what a reader of a `CommonMark` text sees.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};

use crate::{Budget, Exceeded, markdown::DIALECT};

/// Separates blocks. No pattern contains this control character, so no match spans blocks.
pub(crate) const SEPARATOR: &str = "\n\u{1e}\n";

/// A parsed text.
#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    /// The visible text of all blocks, with [`SEPARATOR`] between them.
    pub(crate) text: String,
    /// Destinations of links, also of definitions that are not used.
    pub(crate) links: Vec<Cow<'a, str>>,
    /// Destinations of images.
    pub(crate) images: Vec<Cow<'a, str>>,
    /// Raw HTML: a tag, a comment, or a line of a block.
    pub(crate) html: Vec<Cow<'a, str>>,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(markdown: &'a str, budget: &Budget) -> Result<Self, Exceeded> {
        // The parser is linear, and limits the expansion of references.
        budget.spend(markdown.len().saturating_mul(2))?;
        let parser = Parser::new_ext(markdown, DIALECT);
        let mut reading = Self {
            text: String::with_capacity(markdown.len() + markdown.len() / 8),
            ..Self::default()
        };
        for (_, definition) in parser.reference_definitions().iter() {
            reading.links.push(definition.dest.to_string().into());
        }
        for event in parser {
            budget.spend(1)?;
            reading.add(event);
        }
        Ok(reading)
    }

    fn add(&mut self, event: Event<'a>) {
        match event {
            Event::Text(text) | Event::Code(text) => self.show(&text),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak => self.text.push('\n'),
            Event::Html(html) | Event::InlineHtml(html) => self.html.push(owned(html)),
            Event::Start(Tag::Link {
                link_type: LinkType::Email,
                dest_url,
                ..
            }) => self.links.push(format!("mailto:{dest_url}").into()),
            Event::Start(Tag::Link { dest_url, .. }) => self.links.push(owned(dest_url)),
            Event::Start(Tag::Image { dest_url, .. }) => self.images.push(owned(dest_url)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                self.separate();
                // Programs may show it, for example as the name of the language.
                self.show(&info);
                self.separate();
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => {}
            _ => self.separate(),
        }
    }

    fn show(&mut self, text: &str) {
        if text.is_ascii() || !text.contains(is_unseen) {
            self.text.push_str(text);
        } else {
            self.text.extend(text.chars().filter(|c| !is_unseen(*c)));
        }
    }

    fn separate(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(SEPARATOR) {
            self.text.push_str(SEPARATOR);
        }
    }
}

fn owned(text: CowStr<'_>) -> Cow<'_, str> {
    match text {
        CowStr::Borrowed(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.into_string()),
    }
}

/// Whether a text certainly has no HTML, no image and only safe links: a cheap test that suffices
/// for most texts.
pub(super) fn is_evidently_clean(markdown: &str) -> bool {
    let is_safe = |(at, found): (usize, &str)| {
        let rest = &markdown[at + found.len()..];
        let end = rest.find(|c: char| c == ')' || c.is_whitespace());
        is_safe_link(&rest[..end.unwrap_or(rest.len())])
    };
    !markdown.contains('<')
        && !markdown.contains("![")
        && !markdown.contains("]:")
        && markdown.match_indices("](").all(is_safe)
}

/// Whether a link is safe to follow: relative ones lead nowhere from a job board, and other schemes
/// can run code or carry data.
pub(super) fn is_safe_link(destination: &str) -> bool {
    let Some((scheme, rest)) = destination.split_once(':') else {
        return false;
    };
    if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        return rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty());
    }
    scheme.eq_ignore_ascii_case("mailto") && rest.contains('@')
}

/// Whether a character is invisible.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Whether a character changes the order in which others are displayed (embeddings, overrides and
/// isolates of Unicode UAX #9). The crate `domain` has the same function, because this crate
/// depends on no other of the workspace.
pub(super) const fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(markdown: &str) -> Reading<'_> {
        Reading::of(markdown, &Budget::unlimited()).unwrap()
    }

    #[track_caller]
    fn check(markdown: &str, expect: &[&str]) {
        let text = read(markdown).text;
        let blocks: Vec<&str> = text
            .split(SEPARATOR)
            .filter(|block| !block.is_empty())
            .collect();
        assert_eq!(blocks, expect, "{markdown}");
    }

    #[test]
    fn marks_join_and_blocks_do_not() {
        check("**Ac**mera _it_ `x`", &["Acmera it x"]);
        check("Ac*me*ra", &["Acmera"]);
        check("Ac~~me~~ra", &["Acmera"]);
        check(
            "| Ac*me*ra | b |\n|---|---|\n| c | d |",
            &["Acmera", "b", "c", "d"],
        );
        check(
            "# Ac\nme\n\n- ra\n  - in\n- b\n\n> q",
            &["Ac", "me", "ra", "in", "b", "q"],
        );
        check("a\nb\\\nc", &["a b\nc"]);
        check("a\n\n---\n\n```rust\nb\n```", &["a", "rust", "b\n"]);
    }

    #[test]
    fn entities_and_escapes_are_resolved() {
        check(r"a&commat;b.no, a\@b.no, &#43;47", &["a@b.no, a@b.no, +47"]);
        check("Ac\u{ad}me\u{200b}ra, Ac&shy;mera", &["Acmera, Acmera"]);
    }

    #[test]
    fn links_images_and_html_are_told_apart() {
        let reading = read(
            "[a](https://a.no) <https://b.no> <c@d.no> ![e](f.png) <b>g</b>\n\n[h]: https://i.no",
        );
        assert_eq!(
            reading.links,
            [
                "https://i.no",
                "https://a.no",
                "https://b.no",
                "mailto:c@d.no"
            ]
        );
        assert_eq!(reading.images, ["f.png"]);
        assert_eq!(reading.html, ["<b>", "</b>"]);
    }

    #[test]
    fn links_are_safe_or_not() {
        for (link, safe) in [
            ("https://a.no/b?c=d", true),
            ("HTTP://a.no", true),
            ("mailto:a@b.no", true),
            ("mailto:", false),
            ("https:", false),
            ("https://", false),
            ("https:a.no", false),
            ("//a.no", false),
            ("/a", false),
            ("#a", false),
            ("", false),
            ("javascript:alert(1)", false),
            ("java\nscript:alert(1)", false),
            ("data:text/html,x", false),
            ("vbscript:x//https://a.no", false),
        ] {
            assert_eq!(is_safe_link(link), safe, "{link}");
        }
    }

    #[test]
    fn what_is_evidently_clean() {
        for markdown in [
            "[a](b)",
            "[a]( https://a.no)",
            "[a](https://)",
            "[a](mailto:b)",
            "![a](https://a.no)",
            "[a]: b\n\n[a]",
            "![a]\n\n[a]: b",
            "<b>",
            "<https://a.no>",
            "<!-- a -->",
        ] {
            assert!(!is_evidently_clean(markdown), "{markdown}");
        }
        for markdown in [
            "- **a** [b] (c) &lt;d>: `e` f!",
            "[a](https://a.no/b) [c](mailto:d@e.no \"f\") [g](HTTP://h.no)",
        ] {
            assert!(is_evidently_clean(markdown), "{markdown}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_evidently_clean_is_clean(pieces in prop::collection::vec(
            prop::sample::select(vec![
                "[", "]", "(", ")", "](", "](https://", "](mailto:", "a", "@", " ", "\n", "\n\n",
                "!", "\\", "&", "&colon;", ":", "http", "javascript", "//", "`", "*", "'",
            ]), 0..16,
        )) {
            let markdown = pieces.concat();
            let reading = read(&markdown);
            if is_evidently_clean(&markdown) {
                prop_assert!(reading.html.is_empty() && reading.images.is_empty());
                prop_assert!(reading.links.iter().all(|link| is_safe_link(link)), "{reading:?}");
            }
        }
    }
}
