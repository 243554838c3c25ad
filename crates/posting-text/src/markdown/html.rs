//! Converts HTML to a [`Document`], token by token.
//!
//! There is no tree: browsers' rules take quadratic time on deep nesting.

mod attributes;
mod colors;
mod hidden;
mod look;
mod scripts;
mod styles;
mod text;
mod word;

use html5gum::{StartTag, State, Token, Tokenizer};
use url::Url;

use self::{attributes::attribute, hidden::Open};
use super::{
    builder::{Builder, Container, Kind},
    link, source,
    table::Cell,
    tags::{Style, Tag, tag},
};
use crate::{
    Budget, Result,
    document::{Document, Images},
};

/// `bare_lines` keeps line breaks outside block elements; links are relative to `base`.
pub(crate) fn parse(
    html: &str,
    bare_lines: bool,
    base: Option<&Url>,
    budget: &Budget,
) -> Result<Document> {
    budget.spend(html.len().saturating_mul(4))?;
    let mut reader = Reader {
        builder: Builder::new(budget),
        bare_lines,
        base,
        styles: [0; 6],
        pre: 0,
        blocks: 0,
        in_head: false,
        images: Images::default(),
        word_lists: word::Lists::default(),
        open: Open::of(html),
        after_break: false,
    };
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::StartTag(start) => {
                budget.spend(steps(&start) + reader.open.sheet.steps())?;
                if let Some(state) = reader.start(&start) {
                    tokens.set_state(state);
                }
            }
            Token::EndTag(end) => {
                budget.spend(1)?;
                reader.end(&String::from_utf8_lossy(&end.name));
            }
            // Entities may add characters that have to be removed, such as `&shy;`.
            Token::String(text) => {
                budget.spend(text.len().saturating_mul(4))?;
                reader.string(&source::characters(&String::from_utf8_lossy(&text)));
            }
            Token::Comment(comment) => reader.comment(&comment),
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reader.end_marker();
    reader.builder.finish(reader.images)
}

fn steps(start: &StartTag<()>) -> usize {
    let attributes = start.attributes.iter();
    1 + attributes.map(|(_, value)| 1 + value.len()).sum::<usize>()
}

struct Reader<'a> {
    builder: Builder<'a>,
    bare_lines: bool,
    base: Option<&'a Url>,
    styles: [usize; 6],
    pre: usize,
    blocks: usize,
    in_head: bool,
    images: Images,
    word_lists: word::Lists,
    open: Open,
    /// After `<br>`, one line feed only formats the source.
    after_break: bool,
}

impl Reader<'_> {
    fn start(&mut self, start: &StartTag<()>) -> Option<State> {
        let name = String::from_utf8_lossy(&start.name);
        let tag = tag(&name).unwrap_or(Tag::Inline);
        self.open.close_before(&name);
        let was_dropped = self.open.look.is_gone;
        let is_open = self.open.open(&name, tag, start);
        if self.open.look.is_gone {
            if tag.is_block() && !was_dropped {
                self.boundary(Kind::Paragraph);
            }
            return match &*name {
                "script" if is_open => Some(State::ScriptData),
                "style" if is_open => Some(State::RawText),
                _ => None,
            };
        }
        if self.begin_item(&name, tag, start) {
            return None;
        }
        match tag {
            Tag::Block | Tag::Term => {
                self.boundary(Kind::Paragraph);
                self.blocks += 1;
                if tag == Tag::Term {
                    self.open_style(Style::Strong);
                }
            }
            Tag::Heading(level) => {
                self.boundary(Kind::Heading(level));
                self.blocks += 1;
            }
            Tag::List => self.builder.open_list(None),
            Tag::OrderedList => {
                let first = attribute(start, "start").and_then(|n| n.trim().parse().ok());
                // CommonMark allows nine digits.
                self.builder
                    .open_list(Some(first.filter(|n| *n < 1_000_000).unwrap_or(1)));
            }
            Tag::Item => self.builder.open_item(),
            Tag::Quote => self.builder.open_quote(),
            Tag::Table => {
                self.in_head = false;
                self.builder.open_table();
            }
            Tag::TableHead | Tag::TableBody => self.in_head = tag == Tag::TableHead,
            Tag::Row => self.builder.open_row(self.in_head),
            Tag::HeaderCell | Tag::Cell => self.builder.open_cell(cell(tag, start)),
            Tag::Pre => {
                self.boundary(Kind::Preformatted);
                self.pre += 1;
            }
            Tag::Break => {
                self.builder.inline().line_break();
                self.after_break = true;
            }
            Tag::Rule => self.builder.rule(),
            Tag::Styled(style) => {
                let begins = self.pre > 0 && self.builder.inline().is_empty();
                if style == Style::Code && begins {
                    self.boundary(Kind::Code);
                }
                self.open_style(style);
            }
            Tag::Link => {
                let href = attribute(start, "href");
                let link = href.and_then(|href| link::destination(&href, self.base));
                self.builder.inline().set_link(link);
            }
            Tag::Image => self.image(start),
            Tag::Dropped | Tag::DroppedRaw | Tag::Inline => {}
        }
        None
    }

    /// Begins a paragraph or a marker of a word processor's list; true if the tag needs nothing
    /// else. Any other block ends such lists.
    fn begin_item(&mut self, name: &str, tag: Tag, start: &StartTag<()>) -> bool {
        if tag.is_block() || tag == Tag::Rule {
            self.end_marker();
            self.boundary(Kind::Paragraph);
            if tag == Tag::Block
                && let Some(paragraph) = word::Paragraph::of(start)
            {
                self.blocks += 1;
                self.word_lists.begin(paragraph);
                return true;
            }
            self.word_lists.end(&mut self.builder);
        } else if name == "span" {
            self.word_lists.open_span();
            if word::is_marker(start) && self.builder.inline().is_empty() {
                self.word_lists.begin_marker(true);
            }
        }
        false
    }

    fn comment(&mut self, comment: &[u8]) {
        if self.open.look.is_gone {
            return;
        }
        if comment.starts_with(b"[if !supportLists]") && self.builder.inline().is_empty() {
            self.word_lists.begin_marker(false);
        } else if comment.starts_with(b"[endif]") {
            self.end_marker();
        }
    }

    fn end_marker(&mut self) {
        if let Some(text) = self.word_lists.end_marker(&mut self.builder) {
            self.text(&text);
        }
    }

    fn image(&mut self, start: &StartTag<()>) {
        let alt = attribute(start, "alt");
        if self.open.look.is_unseen() {
            return;
        }
        self.images.count += 1;
        if let Some(alt) = alt.as_deref().and_then(link::alternative) {
            self.images.letters += alt.chars().filter(|c| c.is_alphanumeric()).count();
            self.words(alt);
        }
    }

    fn string(&mut self, text: &str) {
        if self.open.look.is_gone || self.open.look.is_unseen() {
            return;
        }
        if !self.word_lists.is_waiting() {
            self.text(text);
        } else if let Some(text) = self.word_lists.text(text) {
            self.text(&text);
        }
    }

    fn end(&mut self, name: &str) {
        if self.open.close(name) {
            return;
        }
        let tag = tag(name).unwrap_or(Tag::Inline);
        if name == "span" && self.word_lists.close_span() {
            self.end_marker();
        } else if tag.is_block() {
            self.end_marker();
            self.boundary(Kind::Paragraph);
            if name != "p" {
                self.word_lists.end(&mut self.builder);
            }
        }
        match tag {
            Tag::Block | Tag::Heading(_) | Tag::Term => {
                self.boundary(Kind::Paragraph);
                self.blocks = self.blocks.saturating_sub(1);
                if tag == Tag::Term {
                    self.close_style(Style::Strong);
                }
            }
            Tag::List | Tag::OrderedList => self.builder.close(Container::List),
            Tag::Item => self.builder.close_item(),
            Tag::Quote => self.builder.close(Container::Quote),
            Tag::Table => self.builder.close(Container::Table),
            Tag::Row | Tag::HeaderCell | Tag::Cell => self.builder.close_cell(),
            Tag::Pre => {
                self.boundary(Kind::Paragraph);
                self.pre = self.pre.saturating_sub(1);
            }
            // `</br>` is a line break in every browser.
            Tag::Break => self.builder.inline().line_break(),
            Tag::Styled(style) => self.close_style(style),
            Tag::TableHead => self.in_head = false,
            Tag::Link => self.builder.inline().set_link(None),
            Tag::TableBody
            | Tag::Rule
            | Tag::Image
            | Tag::Dropped
            | Tag::DroppedRaw
            | Tag::Inline => {}
        }
    }

    fn open_style(&mut self, style: Style) {
        self.styles[style as usize] += 1;
    }

    fn close_style(&mut self, style: Style) {
        let open = &mut self.styles[style as usize];
        *open = open.saturating_sub(1);
    }

    fn is_in(&self, style: Style) -> bool {
        self.styles[style as usize] > 0
    }

    fn boundary(&mut self, kind: Kind) {
        self.after_break = false;
        self.builder.boundary(kind);
    }
}

fn cell(tag: Tag, start: &StartTag<()>) -> Cell {
    let number = |name| attribute(start, name).and_then(|number| number.trim().parse().ok());
    Cell {
        is_header: tag == Tag::HeaderCell,
        columns: number("colspan").unwrap_or(1),
        rows: number("rowspan").unwrap_or(1),
        blocks: Vec::new(),
    }
}
