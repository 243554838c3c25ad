//! Prepares one posting by all rules.

use crate::{
    Budget, Exceeded, markdown,
    places::{self, Coordinates},
    redact::{self, Counts, Identity, Phrase, Scan},
    rules::Secrets,
    sketch::{Sketch, sketch},
    verdict::{self, Refusal},
};

/// A posting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posting<'a> {
    /// The title.
    pub title: &'a str,
    /// The description in any form: HTML, Markdown, lines of text.
    pub description: &'a str,
    /// The country of the workplace: ISO 3166-1 alpha-2, in upper case.
    pub country: Option<&'a str>,
    /// The city of the workplace.
    pub city: Option<&'a str>,
    /// The company's name, which the redacted text must not contain.
    pub company_name: &'a str,
    /// Further names that the company has or had, which the redacted text must not contain either.
    pub other_names: &'a [&'a str],
    /// The company's website, which the redacted text must not contain.
    pub company_website: &'a str,
    /// The page that relative links of the description are on.
    pub base_url: Option<&'a str>,
    /// Phrases that the redacted text must not contain beside what the rules find.
    pub hide: &'a [Phrase<'a>],
}

/// The result of preparing a posting by rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The description as `CommonMark`, without raw HTML.
    pub markdown: String,
    /// The same with everything redacted that identifies the company or leads to it.
    pub redacted_markdown: String,
    /// The title, redacted in the same way: one line of plain text.
    pub redacted_title: String,
    /// How many redactions of each kind it has.
    pub redactions: Counts,
    /// The coordinates of the city; `None` unless they are certain.
    pub coordinates: Option<Coordinates>,
    /// A certain reason to refuse the posting.
    pub refusal: Option<Refusal>,
    /// The sketch of the description, by which copies of it are found; `None` if it has no words.
    pub sketch: Option<Sketch>,
}

/// Converts the description, redacts it and the title, finds the city, and decides whether to
/// refuse the posting. Takes less than a millisecond for a usual description.
pub fn prepare(posting: &Posting<'_>, budget: &Budget) -> Result<Prepared, Exceeded> {
    let mut document = markdown::read(posting.description, posting.base_url, budget)?;
    let markdown = markdown::write(&document, budget)?;
    budget.spend(document.steps())?;
    let text = redact::text_of(&document);
    let scan = Scan::of(&text, posting.company_website, budget)?;
    let refusal = verdict::judge(posting.title, &document, &scan, budget)?;
    let sketch = sketch(&text, budget)?;
    let secrets = Secrets::of(posting);
    let redactions = redact::hide(
        &mut document,
        &Identity::of(posting, &secrets),
        scan,
        budget,
    )?;
    let coordinates = match (posting.country, posting.city) {
        (Some(country), Some(city)) => places::find(country, city),
        _ => None,
    };
    Ok(Prepared {
        markdown,
        redacted_markdown: markdown::write(&document, budget)?,
        redacted_title: redact::line(posting.title, posting, budget)?,
        redactions,
        coordinates,
        refusal,
        sketch,
    })
}
