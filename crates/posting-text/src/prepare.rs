use crate::{
    Budget, Exceeded, Posting, Result, markdown,
    min_hash::{MinHash, min_hash},
    places::{self, Coordinates},
    redact::{self, Counts, Scan},
    verdict::{self, Refusal},
};

/// The result of preparing a posting by rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The description as `CommonMark`, without raw HTML.
    pub markdown: String,
    /// The description without anything that identifies the company or leads to it.
    pub redacted_markdown: String,
    /// The redacted title: one line of plain text.
    pub redacted_title: String,
    /// The redactions of each kind.
    pub redactions: Counts,
    /// The coordinates of the city; `None` unless they are certain.
    pub coordinates: Option<Coordinates>,
    /// A certain reason to refuse the posting.
    pub refusal: Option<Refusal>,
    /// The grounds of a refusal, verbatim: the title, or a few lines of the description.
    pub passages: Vec<String>,
    /// The signature of the description; `None` without words.
    pub min_hash: Option<MinHash>,
}

impl Posting<'_> {
    /// Prepares the posting within the usual budget.
    pub fn prepare(&self) -> Result<Prepared, Exceeded> {
        prepare(self, &Budget::of(self.description))
    }
}

/// Converts and redacts the texts, finds the city, and decides whether to refuse the posting. Takes
/// less than a millisecond for a usual description.
pub fn prepare(posting: &Posting<'_>, budget: &Budget) -> Result<Prepared, Exceeded> {
    let mut document = markdown::read(posting.description, posting.base_url, budget)?;
    let markdown = markdown::write(&document, budget)?;
    budget.spend(document.steps())?;
    let text = document.text();
    let scan = Scan::of(&text, posting.company_website, budget)?;
    let refusal = verdict::judge(posting, &document, &scan, budget)?;
    let passages = match refusal {
        Some(refusal) => verdict::passages(refusal, posting, &text, budget)?,
        None => Vec::new(),
    };
    let min_hash = min_hash(&text, budget)?;
    let (redactions, related) = redact::hide(&mut document, posting, scan, budget)?;
    let known = posting.other_names.iter().copied();
    let names: Vec<&str> = known.chain(related.iter().map(String::as_str)).collect();
    let of_title = Posting {
        other_names: &names,
        ..*posting
    };
    let coordinates = match (posting.country, posting.city) {
        (Some(country), Some(city)) => places::find(country, posting.region, city),
        _ => None,
    };
    Ok(Prepared {
        markdown,
        redacted_markdown: markdown::write(&document, budget)?,
        redacted_title: redact::line(posting.title, &of_title, budget)?,
        redactions,
        coordinates,
        refusal,
        passages,
        min_hash,
    })
}
