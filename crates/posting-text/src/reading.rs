use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};

use crate::{
    Budget, Result,
    document::{DIALECT, SEPARATOR, is_unseen},
};

#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    pub(crate) text: String,
    pub(crate) links: Vec<Cow<'a, str>>,
    pub(crate) images: Vec<Cow<'a, str>>,
    /// The raw HTML: tags, comments, and lines of blocks.
    pub(crate) html: Vec<Cow<'a, str>>,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(markdown: &'a str, budget: &Budget) -> Result<Self> {
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
                // Programs may show the info string, for example as the name of the language.
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

#[cfg(test)]
mod tests {
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
    fn links_images_and_html_are_separate() {
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
}
