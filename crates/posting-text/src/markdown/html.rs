//! Converts HTML to a [`Document`], token by token.
//!
//! There is no tree: building one as browsers do takes quadratic time on deep nesting, and walking
//! a deep one takes stack. The tokenizer follows the HTML standard.

use std::collections::HashMap;

use html5gum::{StartTag, State, Token, Tokenizer};

use super::{
    builder::{Builder, Container, Kind},
    link, source,
    tags::{Tag, tag},
};
use crate::{
    Budget, Exceeded,
    document::{Document, Style},
};

/// Reads HTML. `bare_lines` keeps the line breaks of text outside block elements.
pub(crate) fn parse(html: &str, bare_lines: bool, budget: &Budget) -> Result<Document, Exceeded> {
    // For the tokenizer, and for the search for end tags.
    budget.spend(html.len().saturating_mul(2))?;
    let mut reader = Reader {
        builder: Builder::new(budget),
        bare_lines,
        strong: 0,
        emphasis: 0,
        code: 0,
        pre: 0,
        blocks: 0,
        dropping: None,
        end_tags: EndTags::count(html),
        after_break: false,
    };
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::StartTag(start) => {
                budget.spend(steps(&start))?;
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
                reader.text(&source::characters(&String::from_utf8_lossy(&text)));
            }
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reader.builder.finish()
}

/// The steps for reading a tag with its attributes.
fn steps(start: &StartTag<()>) -> usize {
    let attributes = start.attributes.iter();
    1 + attributes.map(|(_, value)| 1 + value.len()).sum::<usize>()
}

struct Reader<'a> {
    builder: Builder<'a>,
    bare_lines: bool,
    strong: usize,
    emphasis: usize,
    code: usize,
    pre: usize,
    /// The number of open block elements.
    blocks: usize,
    /// The element whose content is being dropped, and the number of its open tags.
    dropping: Option<(String, usize)>,
    end_tags: EndTags,
    /// The last token was `<br>`: one line feed after it only formats the source.
    after_break: bool,
}

impl Reader<'_> {
    fn start(&mut self, start: &StartTag<()>) -> Option<State> {
        let name = String::from_utf8_lossy(&start.name);
        if let Some((dropped, depth)) = &mut self.dropping {
            if *dropped == *name && !start.self_closing {
                *depth += 1;
            }
            return None;
        }
        let tag = tag(&name).unwrap_or(Tag::Inline);
        match tag {
            Tag::Block | Tag::Term => {
                self.boundary(Kind::Paragraph);
                self.blocks += 1;
                self.strong += usize::from(tag == Tag::Term);
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
            Tag::Table => self.builder.open_table(),
            Tag::Row => self.builder.open_row(),
            Tag::HeaderCell => self.builder.open_cell(true),
            Tag::Cell => self.builder.open_cell(false),
            Tag::Pre => {
                self.boundary(Kind::Paragraph);
                self.pre += 1;
            }
            Tag::Break => {
                self.builder.inline().line_break();
                self.after_break = true;
            }
            Tag::Rule => self.builder.rule(),
            Tag::Strong => self.strong += 1,
            Tag::Emphasis => self.emphasis += 1,
            Tag::Code => {
                if self.pre > 0 && self.builder.inline().is_empty() {
                    self.boundary(Kind::Code);
                }
                self.code += 1;
            }
            Tag::Link => {
                let link = attribute(start, "href").and_then(|href| link::destination(&href));
                self.builder.inline().set_link(link);
            }
            Tag::Image => {
                if let Some(alt) = attribute(start, "alt")
                    .as_deref()
                    .and_then(link::alternative)
                {
                    self.words(alt);
                }
            }
            Tag::Dropped | Tag::DroppedRaw => return self.drop_content(&name, tag, start),
            Tag::Inline => {}
        }
        None
    }

    /// Drops the content of an element. If the element never ends, drops only the tag, so that the
    /// rest of the text is kept.
    fn drop_content(&mut self, name: &str, tag: Tag, start: &StartTag<()>) -> Option<State> {
        let raw = tag == Tag::DroppedRaw;
        let void = name == "embed" || (start.self_closing && !raw);
        if void || !self.end_tags.remain(name) {
            return None;
        }
        self.dropping = Some((name.to_owned(), 1));
        raw.then_some(if name == "script" {
            State::ScriptData
        } else {
            State::RawText
        })
    }

    fn end(&mut self, name: &str) {
        self.end_tags.passed(name);
        if let Some((dropped, depth)) = &mut self.dropping {
            if dropped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.dropping = None;
                }
            }
            return;
        }
        match tag(name).unwrap_or(Tag::Inline) {
            tag @ (Tag::Block | Tag::Heading(_) | Tag::Term) => {
                self.boundary(Kind::Paragraph);
                self.blocks = self.blocks.saturating_sub(1);
                if tag == Tag::Term {
                    self.strong = self.strong.saturating_sub(1);
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
            Tag::Strong => self.strong = self.strong.saturating_sub(1),
            Tag::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            Tag::Code => self.code = self.code.saturating_sub(1),
            Tag::Link => self.builder.inline().set_link(None),
            Tag::Rule | Tag::Image | Tag::Dropped | Tag::DroppedRaw | Tag::Inline => {}
        }
    }

    fn boundary(&mut self, kind: Kind) {
        self.after_break = false;
        self.builder.boundary(kind);
    }

    fn text(&mut self, text: &str) {
        if self.dropping.is_some() {
            return;
        }
        if self.pre > 0 {
            return self.lines(text);
        }
        let listed = is_list(text);
        let mut rest = text;
        while !rest.is_empty() {
            let (blank, next) = split(rest, char::is_whitespace);
            if listed && starts_item(next) && blank.contains('\n') {
                self.builder.inline().line_break();
            }
            self.blank(blank);
            let (word, next) = split(next, |c| !c.is_whitespace());
            self.word(word);
            rest = next;
        }
    }

    /// Text of `<pre>`: keeps its lines, and in a code block also its spaces.
    fn lines(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let goes_on = lines.peek().is_none();
            if self.builder.is_code() {
                let line = if goes_on { line } else { line.trim_end() };
                let style = self.style();
                self.builder.inline().word(line, style);
            } else {
                self.line(line);
            }
            if !goes_on {
                self.builder.inline().line_break();
            }
        }
    }

    /// Adds a line, with white space reduced to single spaces, also at its ends, since inline text
    /// may continue there.
    fn line(&mut self, line: &str) {
        let mut rest = line;
        while !rest.is_empty() {
            let (blank, next) = split(rest, char::is_whitespace);
            if !blank.is_empty() {
                let style = self.style();
                self.builder.inline().space(style);
            }
            let (word, next) = split(next, |c| !c.is_whitespace());
            self.word(word);
            rest = next;
        }
    }

    fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let style = self.style();
            self.builder.inline().space(style);
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        if !word.is_empty() {
            self.after_break = false;
            let style = self.style();
            self.builder.inline().word(word, style);
        }
    }

    /// White space. An empty line ends the paragraph: programs that write HTML put none inside a
    /// paragraph, but people who type into a text field do.
    fn blank(&mut self, blank: &str) {
        if blank.is_empty() {
            return;
        }
        let mut feeds = blank.bytes().filter(|b| *b == b'\n').count();
        if self.after_break && feeds > 0 {
            feeds -= 1;
        }
        let bare = self.bare_lines && self.blocks == 0 && self.builder.at_root();
        let style = self.style();
        let inline = self.builder.inline();
        match feeds {
            0 => inline.space(style),
            1 if !bare => inline.space(style),
            1 => inline.line_break(),
            _ => {
                inline.line_break();
                inline.line_break();
            }
        }
    }

    fn style(&self) -> Style {
        Style {
            strong: self.strong > 0,
            emphasis: self.emphasis > 0,
            code: self.code > 0,
        }
    }
}

/// Whether a text is a list that was typed inside an element, so that its line feeds count.
fn is_list(text: &str) -> bool {
    let items = text.split('\n').skip(1).map(str::trim_start);
    text.contains('\n') && items.filter(|line| starts_item(line)).nth(1).is_some()
}

/// Whether a line starts like a list item.
fn starts_item(line: &str) -> bool {
    let digits = line.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let sign = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '•', '–', '·'])
    };
    sign.is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// For each droppable element, how many of its end tags are still to come.
struct EndTags(HashMap<String, usize>);

impl EndTags {
    fn count(html: &str) -> Self {
        let mut counts = HashMap::new();
        for (at, _) in html.match_indices("</") {
            let name: String = html[at + 2..]
                .chars()
                .take(16)
                .take_while(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            if matches!(tag(&name), Some(Tag::Dropped | Tag::DroppedRaw)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        Self(counts)
    }

    fn remain(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|count| *count > 0)
    }

    fn passed(&mut self, name: &str) {
        if let Some(count) = self.0.get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }
}

fn attribute(start: &StartTag<()>, name: &str) -> Option<String> {
    start
        .attributes
        .get(name.as_bytes())
        .map(|value| source::characters(&String::from_utf8_lossy(value)).into_owned())
}

/// Splits off the longest prefix of matching characters.
fn split(text: &str, matches: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !matches(c)).unwrap_or(text.len());
    text.split_at(end)
}
