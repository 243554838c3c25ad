//! A posting and texts for tests.

use proptest::prelude::*;

#[cfg(feature = "redact")]
use crate::Posting;
#[cfg(all(feature = "markdown", feature = "redact"))]
use crate::rules::Texts;

/// A posting of Acmera AS, `https://www.acmera.no`, in Oslo.
#[cfg(feature = "redact")]
pub(crate) fn posting(description: &str) -> Posting<'_> {
    Posting {
        title: "Cook",
        description,
        country: Some("NO"),
        city: Some("Oslo"),
        company_name: "Acmera AS",
        other_names: &[],
        company_website: "https://www.acmera.no",
        base_url: None,
        hide: &[],
    }
}

/// The texts of an approved posting.
#[cfg(all(feature = "markdown", feature = "redact"))]
pub(crate) fn approval<'a>(markdown: &'a str, redacted_markdown: &'a str) -> Texts<'a> {
    Texts {
        markdown,
        redacted_markdown,
        rejection: None,
    }
}

/// A rejection without texts.
#[cfg(all(feature = "markdown", feature = "redact"))]
pub(crate) fn rejection(text: &str) -> Texts<'_> {
    Texts {
        rejection: Some(text),
        ..approval("", "")
    }
}

/// One of the texts of a list, which are between bars.
pub(crate) fn one_of(list: &'static str) -> impl Strategy<Value = String> {
    prop::sample::select(list.split('|').collect::<Vec<_>>()).prop_map(str::to_owned)
}
