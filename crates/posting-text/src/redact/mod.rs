//! Redacts texts: removes everything that identifies the company or bypasses the board.
//!
//! Redaction works on the document, not on its Markdown, so markup inside a word hides nothing and
//! no escape is cut. The writer ensures that no bracket becomes a link.

mod acronym;
mod city;
mod cjk;
mod cues;
mod email;
mod found;
mod handle;
mod id;
mod inflect;
mod inside;
mod key;
mod names;
mod person;
mod phone;
mod phrase;
mod replace;
mod scan;
mod script;
mod sound;
mod tagger;
mod terms;
mod vocabulary;
mod web;
mod words;

#[cfg(test)]
#[cfg(feature = "markdown")]
mod tests;

pub use self::{found::Hidden, terms::IdentifyingTerms};
use self::{found::add, replace::hide_ranges};
pub(crate) use self::{
    phrase::is_enough,
    scan::Scan,
    script::is_unspaced,
    vocabulary::{List, lines},
    words::{Word, words},
};
use crate::{
    Budget, Exceeded, Posting,
    document::{Block, Document, SEPARATOR, Span, is_unseen},
};
pub use crate::{
    kind::{Counts, Kind},
    posting::Phrase,
};

/// Converts a text to clean `CommonMark` without anything that identifies the company. Redacting
/// the result again may hide more, but shows nothing more.
#[cfg(feature = "markdown")]
pub fn markdown(source: &str, posting: &Posting<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let mut document = crate::markdown::read(source, None, budget)?;
    budget.spend(document.steps())?;
    hide_all(&mut document, posting, budget)?;
    crate::markdown::write(&document, budget)
}

/// Redacts one line of plain text, such as a title, and removes invisible characters. The model
/// finds only telephone numbers and addresses in it.
pub fn line(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let seen = text.chars().filter(|c| !is_unseen(*c));
    let seen: String = seen.map(|c| if c.is_control() { ' ' } else { c }).collect();
    let whole = Span::plain(seen.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut document = Document {
        blocks: vec![Block::Paragraph(vec![whole])],
        ..Document::default()
    };
    let text = document.text();
    let scan = Scan::of_line(&text, posting.company_website, budget)?;
    hide(&mut document, posting, scan, budget)?;
    Ok(document.text().trim_end_matches(SEPARATOR).to_owned())
}

fn hide_all(
    document: &mut Document,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<Counts, Exceeded> {
    let text = document.text();
    let scan = Scan::of(&text, posting.company_website, budget)?;
    Ok(hide(document, posting, scan, budget)?.0)
}

/// Finds what [`markdown()`] would hide in plain text, of blocks separated by a line with U+001E.
/// In order and without overlaps.
pub fn find(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<Vec<Hidden>, Exceeded> {
    found(
        Scan::of(text, posting.company_website, budget)?,
        text,
        posting,
        budget,
    )
}

/// Finds what [`line()`] would hide. In order and without overlaps.
pub fn find_in_line(
    text: &str,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<Vec<Hidden>, Exceeded> {
    let scan = Scan::of_line(text, posting.company_website, budget)?;
    found(scan, text, posting, budget)
}

fn found(
    scan: Scan<'_>,
    text: &str,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<Vec<Hidden>, Exceeded> {
    let (mut found, _) = scan.find(posting, budget)?;
    for term in IdentifyingTerms::of(posting).find(text, budget)? {
        add(&mut found, vec![term.range], term.kind);
    }
    Ok(found)
}

/// Returns the companies that a text puts beside the employer, such as the client of an agency.
/// [`prepare`](crate::prepare) hides those of the description in the title, too.
pub fn related(
    text: &str,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<Vec<String>, Exceeded> {
    let scan = Scan::of(text, posting.company_website, budget)?;
    Ok(scan.find(posting, budget)?.1)
}

pub(crate) fn with_tokens(text: &str, found: Vec<Hidden>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for hidden in found {
        out.push_str(&text[at..hidden.range.start]);
        out.push_str(hidden.kind.token());
        at = hidden.range.end;
    }
    out + &text[at..]
}

const MAX_PASSES: usize = 8;

pub(crate) fn hide(
    document: &mut Document,
    posting: &Posting<'_>,
    scan: Scan<'_>,
    budget: &Budget,
) -> Result<(Counts, Vec<String>), Exceeded> {
    let terms = IdentifyingTerms::of(posting);
    let mut counts = Counts::default();
    let mut hide = |document: &mut Document, found: &[Hidden]| {
        for hidden in found {
            counts.add(hidden.kind);
        }
        hide_ranges(document, found, budget)
    };
    let (found, related) = scan.find(posting, budget)?;
    hide(document, &found)?;
    // Certain terms are hidden even if the name does not look like one. Hiding one may separate
    // another from its neighbour: `Example+47 12345678`.
    for _ in 0..MAX_PASSES {
        budget.spend(document.steps())?;
        let found = terms.find(&document.text(), budget)?;
        if found.is_empty() {
            break;
        }
        hide(document, &found)?;
    }
    Ok((counts, related))
}
