//! Finds hidden text, such as keywords. An element that never ends hides nothing.
//!
//! `aria-hidden` hides only from screen readers, so that text stays.

use std::collections::HashMap;

use html5gum::StartTag;

use super::{look::Look, styles::StyleSheet};
use crate::markdown::tags::{Tag, tag};

/// The search for an open element ends after so many, so that deep nesting costs little.
const LIMIT: usize = 256;

/// The open elements. One without an end is not among them.
pub(super) struct Open {
    /// The name of each, and the look around it.
    elements: Vec<(String, Look)>,
    /// Of the innermost element.
    pub(super) look: Look,
    /// The number of remaining end tags of each name.
    ends: HashMap<String, usize>,
    pub(super) sheet: StyleSheet,
}

impl Open {
    pub(super) fn of(html: &str) -> Self {
        let mut ends = HashMap::new();
        for (at, sign) in html.match_indices("</") {
            let rest = &html[at + sign.len()..];
            let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':');
            let name = &rest[..rest.bytes().take(40).take_while(is_name).count()];
            *ends.entry(name.to_ascii_lowercase()).or_default() += 1;
        }
        let has_backgrounds = html.contains("background") || html.contains("bgcolor");
        let mut look = Look::default();
        look.background = (!has_backgrounds).then_some([u8::MAX; 4]);
        Self {
            elements: Vec::new(),
            look,
            ends,
            sheet: StyleSheet::of(html),
        }
    }

    /// Closes the elements that end before this one.
    pub(super) fn close_before(&mut self, name: &str) {
        while let Some(at) = self.position(|open| tag(open).is_some_and(Tag::is_block))
            && is_next_to(&self.elements[at].0, name)
        {
            self.truncate(at);
        }
    }

    /// Opens an element; false if it has no content or no end.
    pub(super) fn open(&mut self, name: &str, tag: Tag, start: &StartTag<()>) -> bool {
        let is_raw = tag == Tag::DroppedRaw;
        let is_void = matches!(tag, Tag::Break | Tag::Rule | Tag::Image)
            || name == "embed"
            || (start.self_closing && !is_raw);
        let ends = || self.ends.get(name).is_some_and(|count| *count > 0);
        if is_void || !(ends_by_itself(name) || ends()) {
            return false;
        }
        let around = self.look;
        self.look = self.sheet.look(name, start, around);
        self.look.is_gone |= is_raw || tag == Tag::Dropped;
        self.elements.push((name.to_owned(), around));
        true
    }

    /// Closes an element. True if it was dropped.
    pub(super) fn close(&mut self, name: &str) -> bool {
        if let Some(count) = self.ends.get_mut(name) {
            *count = count.saturating_sub(1);
        }
        let Some(at) = self.position(|open| open == name) else {
            return self.look.is_gone;
        };
        let within = self.elements.get(at + 1);
        let own = within.map_or(self.look, |(_, around)| *around);
        self.truncate(at);
        own.is_gone
    }

    fn position(&self, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        let last = self.elements.len().saturating_sub(LIMIT);
        let found = self.elements[last..]
            .iter()
            .rposition(|(name, _)| is_it(name));
        found.map(|at| last + at)
    }

    fn truncate(&mut self, at: usize) {
        self.look = self.elements[at].1;
        self.elements.truncate(at);
    }
}

fn ends_by_itself(name: &str) -> bool {
    matches!(name, "p" | "li" | "td" | "th" | "tr" | "dt" | "dd")
}

fn is_next_to(open: &str, next: &str) -> bool {
    match open {
        "p" => tag(next).is_some_and(Tag::is_block),
        "li" => next == "li",
        "td" | "th" => matches!(next, "td" | "th" | "tr" | "tbody" | "tfoot"),
        "tr" => matches!(next, "tr" | "tbody" | "tfoot"),
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        _ => false,
    }
}
