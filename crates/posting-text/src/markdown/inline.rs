//! Collects styled text for one paragraph, collapsing white space as HTML does.

use std::sync::Arc;

use crate::document::{Span, Style, plain};

#[derive(Debug, Default)]
pub(crate) struct Inline {
    spans: Vec<Span>,
    breaks: usize,
    space: bool,
    has_text: bool,
    link: Option<Arc<str>>,
    is_linked: bool,
}

impl Inline {
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_text
    }

    /// Begins or ends a link. A link also ends with the first paragraph in which it has text.
    pub(crate) fn set_link(&mut self, link: Option<Arc<str>>) {
        self.link = link;
        self.is_linked = false;
    }

    fn end_link(&mut self) {
        if self.is_linked {
            self.set_link(None);
        }
    }

    /// Adds a line break. The second break in a row begins a new paragraph.
    pub(crate) fn line_break(&mut self) {
        if !self.has_text || self.breaks >= 2 {
            return;
        }
        if self.breaks == 0 && self.space {
            trim_end(&mut self.spans);
        }
        self.space = false;
        self.breaks += 1;
        if let Some(last) = self.spans.last_mut() {
            last.text.push('\n');
        }
        if self.breaks == 2 {
            self.end_link();
        }
    }

    pub(crate) fn space(&mut self, style: Style) {
        if !self.has_text || self.breaks > 0 || self.space {
            return;
        }
        self.space = true;
        self.run(style).push(' ');
    }

    pub(crate) fn word(&mut self, word: &str, style: Style) {
        if word.is_empty() {
            return;
        }
        self.has_text = true;
        self.space = false;
        self.breaks = 0;
        self.is_linked = self.link.is_some();
        self.run(style).push_str(word);
    }

    pub(crate) fn take(&mut self) -> Vec<Vec<Span>> {
        let spans = self.take_spans();
        let mut paragraphs = Vec::new();
        let mut current: Vec<Span> = Vec::new();
        for span in spans {
            let parts: Vec<&str> = span.text.split("\n\n").collect();
            let last = parts.len() - 1;
            for (index, part) in parts.into_iter().enumerate() {
                if !part.is_empty() {
                    current.push(span.with_text(part));
                }
                if index < last {
                    paragraphs.push(std::mem::take(&mut current));
                }
            }
        }
        paragraphs.push(current);
        for paragraph in &mut paragraphs {
            trim(paragraph);
        }
        paragraphs.retain(|paragraph| !paragraph.is_empty());
        paragraphs
    }

    /// Returns the spans so far, and removes them. A link without text continues.
    fn take_spans(&mut self) -> Vec<Span> {
        self.end_link();
        let next = Self {
            link: self.link.take(),
            is_linked: self.is_linked,
            ..Self::default()
        };
        std::mem::replace(self, next).spans
    }

    pub(crate) fn is_marked(&self) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|span| span.style != Style::default() || span.link.is_some())
    }

    pub(crate) fn take_verbatim(&mut self) -> String {
        let mut text = plain(&self.take_spans());
        text.truncate(text.trim_end().len());
        let blank = text.len() - text.trim_start().len();
        if let Some(line) = text[..blank].rfind('\n') {
            text.drain(..=line);
        }
        text
    }

    fn run(&mut self, style: Style) -> &mut String {
        let link = self.link.as_ref();
        let same = self
            .spans
            .last()
            .is_some_and(|last| last.style == style && last.link.as_ref() == link);
        if !same {
            self.spans.push(Span {
                text: String::new(),
                style,
                link: link.cloned(),
            });
        }
        let last = self.spans.len() - 1;
        &mut self.spans[last].text
    }
}

fn trim_end(spans: &mut Vec<Span>) {
    while let Some(last) = spans.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        spans.pop();
    }
}

pub(crate) fn trim(spans: &mut Vec<Span>) {
    spans.retain(|span| !span.text.is_empty());
    let leading = spans
        .iter()
        .take_while(|span| span.text.trim_start().is_empty())
        .count();
    spans.drain(..leading);
    if let Some(first) = spans.first_mut() {
        let cut = first.text.len() - first.text.trim_start().len();
        first.text.drain(..cut);
    }
    trim_end(spans);
}

pub(crate) fn collapse(spans: &mut [Span]) {
    let mut after_space = false;
    for span in spans {
        span.text.retain(|c| {
            let is_space = c != '\n' && c.is_whitespace();
            let kept = !(is_space && after_space);
            after_space = is_space;
            kept
        });
    }
}

pub(crate) fn lines(spans: Vec<Span>) -> Vec<Vec<Span>> {
    let mut lines = vec![Vec::new()];
    if spans.iter().any(|span| span.text.contains('\n')) {
        for span in spans {
            for (index, part) in span.text.split('\n').enumerate() {
                if index > 0 {
                    lines.push(Vec::new());
                }
                if let (false, Some(line)) = (part.is_empty(), lines.last_mut()) {
                    line.push(span.with_text(part));
                }
            }
        }
    } else {
        lines[0] = spans;
    }
    for line in &mut lines {
        trim(line);
    }
    lines.retain(|line| !line.is_empty());
    lines
}

pub(crate) fn join(lines: Vec<Vec<Span>>) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for line in lines {
        if let Some(last) = out.last_mut() {
            last.text.push('\n');
        }
        out.extend(line);
    }
    out
}
