//! Searches a redacted text again, by the redactor's own rules.

use super::super::{Kind, find};
use crate::{Budget, Posting, markdown};

/// Something that should have been hidden: its kind, and the text that shows it.
pub(super) type Leak = (Kind, String);

/// Finds everything in a redacted text that identifies the company of a posting or leads to it.
pub(super) fn leaks(redacted: &str, posting: &Posting<'_>) -> Vec<Leak> {
    let budget = Budget::unlimited();
    let document = markdown::read(redacted, None, &budget).unwrap();
    let text = document.text();
    let found = find(&text, posting, &budget).unwrap().into_iter();
    let mut out: Vec<Leak> = found
        .map(|hidden| (hidden.kind, text[hidden.range].to_owned()))
        .collect();
    document.for_each_text(&mut |spans| {
        let links = spans.iter().filter_map(|span| span.link.as_ref());
        out.extend(links.map(|link| (Kind::Link, link.to_string())));
    });
    out
}
