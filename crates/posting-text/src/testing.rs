//! A posting and texts for tests.

use crate::{Posting, rules::Texts};

/// A posting of Acmera AS, `https://www.acmera.no`, in Oslo.
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
pub(crate) fn approval<'a>(markdown: &'a str, redacted_markdown: &'a str) -> Texts<'a> {
    Texts {
        markdown,
        redacted_markdown,
        rejection: None,
    }
}

/// A rejection without texts.
pub(crate) fn rejection(text: &str) -> Texts<'_> {
    Texts {
        rejection: Some(text),
        ..approval("", "")
    }
}
