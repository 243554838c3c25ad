//! The text of a description without contacts and links.

use crate::{
    document::{Document, SEPARATOR},
    redact::{Kind, Scan},
};

pub(super) struct Content {
    pub(super) text: String,
    pub(super) links: usize,
    /// Letters and digits; a character that is a syllable or a word counts twice.
    pub(super) weight: usize,
}

impl Content {
    pub(super) fn of(document: &Document, scan: &Scan<'_>) -> Self {
        let mut text = String::with_capacity(scan.text.len());
        let mut links = scan
            .contacts
            .iter()
            .filter(|found| matches!(found.kind, Kind::Email | Kind::Link))
            .count();
        let ranges = scan.contacts.iter().map(|found| &found.range);
        let mut ranges = ranges.peekable();
        let mut start = 0;
        document.for_each_text(&mut |spans| {
            for span in spans {
                let end = start + span.text.len();
                let mut at = start;
                while ranges.next_if(|range| range.end <= start).is_some() {}
                let mut here = ranges.clone();
                while let Some(range) = here.next_if(|range| range.start < end) {
                    if span.link.is_none() && range.start > at {
                        text.push_str(&scan.text[at..range.start]);
                    }
                    at = range.end.min(end);
                }
                if span.link.is_none() {
                    text.push_str(&scan.text[at..end]);
                } else {
                    links += 1;
                }
                start = end;
            }
            text.push('\n');
            start += SEPARATOR.len();
        });
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        let weight = letters
            .map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 })
            .sum();
        Self {
            text,
            links,
            weight,
        }
    }
}
