//! Lists of word processors: paragraphs that are items, with a bullet or number typed into them.
//!
//! The marker is in a `<span style='mso-list:Ignore'>`, or between the comments `[if
//! !supportLists]` and `[endif]`, or else the first word.

use html5gum::StartTag;

use super::attributes::{attribute, declarations};
use crate::markdown::builder::{Builder, Container};

/// `xviii.` between spaces, in bytes.
const LONGEST: usize = 24;

#[derive(Debug, Default)]
pub(super) struct Lists {
    open: Vec<Open>,
    /// Set until it is known whether the paragraph is an item.
    paragraph: Option<Paragraph>,
    marker: Option<Marker>,
}

#[derive(Debug)]
struct Open {
    level: u32,
    name: String,
    is_ordered: bool,
}

#[derive(Debug, Default)]
pub(super) struct Paragraph {
    level: u32,
    name: String,
    is_item: bool,
}

#[derive(Debug)]
struct Marker {
    text: String,
    spans: usize,
}

impl Paragraph {
    /// Returns a paragraph that may be an item, by its style (`mso-list:l0 level2 lfo1`) or class.
    pub(super) fn of(start: &StartTag<()>) -> Option<Self> {
        if start.attributes.is_empty() {
            return None;
        }
        let style = attribute(start, "style").unwrap_or_default();
        let list = declarations(&style).find(|(property, ..)| property == "mso-list");
        if let Some((_, list, _)) = list
            && let Some((name, level)) = list.split_once(" level")
        {
            let digits = level.trim_start().chars().next();
            return Some(Self {
                level: digits.and_then(|c| c.to_digit(10)).unwrap_or(1),
                name: name.to_owned(),
                is_item: true,
            });
        }
        let class = attribute(start, "class")?;
        class.contains("MsoListParagraph").then(|| Self {
            level: 1,
            ..Self::default()
        })
    }
}

pub(super) fn is_marker(start: &StartTag<()>) -> bool {
    !start.attributes.is_empty()
        && attribute(start, "style").is_some_and(|style| {
            declarations(&style).any(|(name, value, _)| name == "mso-list" && value == "ignore")
        })
}

impl Lists {
    pub(super) fn begin(&mut self, paragraph: Paragraph) {
        self.paragraph = Some(paragraph);
        self.marker = None;
    }

    pub(super) fn begin_marker(&mut self, in_span: bool) {
        if self.marker.is_none() {
            self.marker = Some(Marker {
                text: String::new(),
                spans: usize::from(in_span),
            });
        }
    }

    pub(super) fn open_span(&mut self) {
        if let Some(marker) = self.marker.as_mut().filter(|marker| marker.spans > 0) {
            marker.spans += 1;
        }
    }

    pub(super) fn close_span(&mut self) -> bool {
        let Some(marker) = self.marker.as_mut().filter(|marker| marker.spans > 0) else {
            return false;
        };
        marker.spans -= 1;
        marker.spans == 0
    }

    /// Adds text to the marker. Returns text to show if there is no marker, or if it is too long.
    pub(super) fn text(&mut self, text: &str) -> Option<String> {
        let Some(marker) = &mut self.marker else {
            return Some(text.to_owned());
        };
        marker.text.push_str(text);
        let is_marker = marker.text.trim().len() <= LONGEST;
        if is_marker {
            return None;
        }
        self.marker.take().map(|marker| marker.text)
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.paragraph.is_some() || self.marker.is_some()
    }

    /// Ends the marker, and opens its item. Returns the text if it is no marker.
    pub(super) fn end_marker(&mut self, builder: &mut Builder<'_>) -> Option<String> {
        let text = self.marker.take()?.text;
        let marker = text.trim();
        let paragraph = self.paragraph.take().unwrap_or(Paragraph {
            level: 1,
            ..Paragraph::default()
        });
        let number = number(marker);
        self.open_item(paragraph, number, builder);
        (number.is_none() && marker.chars().nth(1).is_some()).then_some(text)
    }

    /// Begins the waiting paragraph; false if the word is a marker, and so no text.
    pub(super) fn first_word(&mut self, word: &str, builder: &mut Builder<'_>) -> bool {
        let Some(paragraph) = self.paragraph.take() else {
            return true;
        };
        let number = number(word);
        let is_marker =
            number.is_some() || matches!(word, "o" | "§" | "·" | "•" | "-" | "–" | "Ø" | "ü");
        if is_marker || paragraph.is_item {
            self.open_item(paragraph, number, builder);
        } else {
            self.end(builder);
        }
        !is_marker
    }

    pub(super) fn end(&mut self, builder: &mut Builder<'_>) {
        self.paragraph = None;
        while self.open.pop().is_some() {
            builder.close(Container::List);
        }
    }

    fn open_item(&mut self, item: Paragraph, number: Option<u32>, builder: &mut Builder<'_>) {
        let is_ordered = number.is_some();
        while let Some(open) = self.open.last() {
            let same = open.name == item.name && open.is_ordered == is_ordered;
            if open.level < item.level || (open.level == item.level && same) {
                break;
            }
            self.open.pop();
            builder.close(Container::List);
        }
        if self.open.last().is_none_or(|open| open.level < item.level) {
            builder.open_list(number);
            self.open.push(Open {
                level: item.level,
                name: item.name,
                is_ordered,
            });
        }
        builder.open_item();
    }
}

/// The number of `3.`, `b)` or `iv.`. Later items count on, so letters after the first mean 1.
fn number(marker: &str) -> Option<u32> {
    let number = marker.strip_suffix(['.', ')'])?;
    let number = number.strip_prefix('(').unwrap_or(number);
    let last = number.rsplit('.').next()?;
    if let Ok(number) = last.parse::<u32>() {
        return (number < 1_000).then_some(number);
    }
    let is_roman = |c: char| matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x' | 'l' | 'c');
    let is_letter = last.len() == 1 && last.chars().all(|c| c.is_ascii_alphabetic());
    (is_letter || (last.len() <= 6 && !last.is_empty() && last.chars().all(is_roman))).then_some(1)
}
