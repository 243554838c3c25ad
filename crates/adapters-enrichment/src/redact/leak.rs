//! A second look at a redacted text, for tests and for texts that were redacted by others.

use domain::enrichment::EnrichmentInput;

use super::{Identity, Kind, Scan};
use crate::markdown;

/// Something that should have been hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// What it is.
    pub kind: Kind,
    /// How it shows.
    pub text: String,
}

/// Everything in a redacted Markdown text that identifies the company of `input` or leads to it.
pub fn leaks(redacted: &str, input: &EnrichmentInput) -> Vec<Leak> {
    let document = markdown::read(redacted);
    let identity = Identity::of(input);
    let scan = Scan::of(&document, identity.website);
    let mut out: Vec<Leak> = scan
        .find(&identity)
        .into_iter()
        .map(|(range, kind)| Leak {
            kind,
            text: scan.text[range].to_owned(),
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

impl<'a> Identity<'a> {
    /// What a posting must not show.
    pub fn of(input: &'a EnrichmentInput) -> Self {
        Self {
            name: &input.company_name,
            website: &input.company_website,
            city: input.city.as_deref(),
            country: input.country.as_ref().map(|country| country.as_str()),
        }
    }
}
