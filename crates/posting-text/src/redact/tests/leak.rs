//! Searches a redacted text again, by the redactor's own rules.

use std::ops::Range;

use super::super::{Identity, Kind, Scan, certain, text_of};
use crate::{Budget, Posting, markdown, rules::Secrets};

/// Something that should have been hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// What it is.
    pub kind: Kind,
    /// The text that shows it.
    pub text: String,
}

/// Finds everything in a redacted text that identifies the company of a posting or leads to it.
pub fn leaks(redacted: &str, posting: &Posting<'_>) -> Vec<Leak> {
    let budget = Budget::unlimited();
    let document = markdown::read(redacted, None, &budget).unwrap();
    let secrets = Secrets::of(posting);
    let identity = Identity::of(posting, &secrets);
    let text = text_of(&document);
    let scan = Scan::of(&text, identity.website, &budget).unwrap();
    let found = scan.find(&identity, &budget).unwrap();
    let is_new = |range: &Range<usize>| {
        let at = found.partition_point(|(other, _)| other.end <= range.start);
        found
            .get(at)
            .is_none_or(|(other, _)| other.start >= range.end)
    };
    let mut secrets = certain(&identity, &text, &budget).unwrap();
    secrets.retain(|(range, _)| is_new(range));
    let mut out: Vec<Leak> = found
        .into_iter()
        .chain(secrets)
        .map(|(range, kind)| Leak {
            kind,
            text: text[range].to_owned(),
        })
        .collect();
    document.for_each_text(&mut |spans| {
        out.extend(
            spans
                .iter()
                .filter_map(|span| span.link.as_ref())
                .map(|link| Leak {
                    kind: Kind::Link,
                    text: link.to_string(),
                }),
        );
    });
    out
}
