use std::borrow::Cow;

use super::{Reader, scripts};
use crate::{
    document::Style,
    markdown::{tags::Style as Shown, tidy::marker},
};

impl Reader<'_> {
    pub(super) fn text(&mut self, text: &str) {
        if self.pre > 0 {
            return self.lines(text);
        }
        let listed = is_list(text);
        for (blank, word, rest) in pieces(text) {
            if listed && marker(rest).is_some() && blank.contains('\n') {
                self.builder.inline().line_break();
            }
            self.blank(blank);
            self.word(word);
        }
    }

    /// In `<pre>`: keeps lines, and in a code block also spaces.
    fn lines(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let goes_on = lines.peek().is_none();
            if self.builder.keeps_spaces() {
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

    /// Reduces white space to single spaces, also at the ends, where text may continue.
    fn line(&mut self, line: &str) {
        for (blank, word, _) in pieces(line) {
            if !blank.is_empty() {
                let style = self.style();
                self.builder.inline().space(style);
            }
            self.word(word);
        }
    }

    pub(super) fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let style = self.style();
            self.builder.inline().space(style);
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        self.after_break = false;
        if self.word_lists.is_waiting() && !self.word_lists.first_word(word, &mut self.builder) {
            return;
        }
        let style = self.style();
        let word = if self.is_in(Shown::Superscript) {
            Cow::Owned(scripts::superscript(word))
        } else if self.is_in(Shown::Subscript) {
            Cow::Owned(scripts::subscript(word))
        } else {
            Cow::Borrowed(word)
        };
        self.builder.inline().word(&word, style);
    }

    /// An empty line ends the paragraph: people type it between paragraphs, programs write none.
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
            strong: self.is_in(Shown::Strong),
            emphasis: self.is_in(Shown::Emphasis),
            code: self.is_in(Shown::Code),
            deleted: self.is_in(Shown::Deleted),
        }
    }
}

/// Line feeds count in a list that was typed inside an element.
fn is_list(text: &str) -> bool {
    let items = text.split('\n').skip(1).map(str::trim_start);
    text.contains('\n') && items.filter_map(marker).nth(1).is_some()
}

/// Yields white space, the word after it, and the rest from there on.
fn pieces(mut text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    std::iter::from_fn(move || {
        let is_word = |c: char| !c.is_whitespace();
        let (blank, rest) = text.split_at(text.find(is_word).unwrap_or(text.len()));
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let is_left = !text.is_empty();
        text = &rest[end..];
        is_left.then(|| (blank, &rest[..end], rest))
    })
}
