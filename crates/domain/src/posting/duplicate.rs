//! Duplicates: postings of one company that offer the same job under several identifiers.
//!
//! A posting duplicates another one if their company, title, city and country agree, and their
//! texts are nearly the same. Titles and cities are compared by their letters and digits without
//! case; a city that only one of them has does not agree. So the ads that a chain makes by one
//! template for each of its shops are no duplicates of each other.
//!
//! An outcome of enrichment decides the mark: the oldest open posting that is duplicated. It stands
//! until the next outcome, or until the outcome of an older posting moves it there. What becomes of
//! the original meanwhile does not change it. Originals are older than their copies, so there are
//! no circles.

use time::OffsetDateTime;

use super::{Actor, Change, Details, Posting, PostingId, SourceIdentifier, event};
use crate::{company::CompanyId, digest, enrichment::Sketch};

/// The number of bands of a fingerprint.
pub const BANDS: usize = 4;

/// The number of values of a sketch that make a band. Of copies whose texts have nine tenths in
/// common, 99 of 100 have a band in common.
const BAND: usize = 4;

/// The largest number of postings that are looked at for one band.
pub const CANDIDATES: usize = 16;

/// What finds the duplicates of a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hashes of company, title, place and a part of the sketch. Postings that duplicate each other
    /// have one in common, at the same position.
    pub bands: [i64; BANDS],
    /// The sketch of the description.
    pub sketch: Sketch,
}

impl Fingerprint {
    /// The fingerprint of a posting.
    pub fn of(details: &Details, company: CompanyId, sketch: Sketch) -> Self {
        let title = folded(&details.title);
        let city = folded(details.location_city.as_deref().unwrap_or_default());
        let country = details.location_country_code;
        let country = country.map_or("", |code| code.as_str());
        let (parts, _) = sketch.values().as_chunks::<BAND>();
        let bands = std::array::from_fn(|band| {
            let part: Vec<_> = parts[band].iter().flat_map(|it| it.to_le_bytes()).collect();
            let id = company.uuid();
            let hash = digest::of_parts([
                id.as_bytes().as_slice(),
                title.as_bytes(),
                city.as_bytes(),
                country.as_bytes(),
                &part,
            ]);
            let (first, _) = hash.as_chunks();
            i64::from_le_bytes(first[0])
        });
        Self { bands, sketch }
    }

    /// Whether a posting with this fingerprint duplicates one with that.
    fn is_near(&self, other: &Self) -> bool {
        let mut bands = self.bands.iter().zip(&other.bands);
        bands.any(|(one, other)| one == other) && self.sketch.resembles(&other.sketch)
    }
}

/// The letters and digits of a text without case, with single spaces between words.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// A posting with a fingerprint, which others may duplicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id. Ids are in the order of creation.
    pub id: PostingId,
    /// Its identifier.
    pub source_identifier: SourceIdentifier,
    /// Whether it is open.
    pub is_open: bool,
    /// The posting that it is marked to duplicate.
    pub duplicate_of: Option<PostingId>,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
}

/// The oldest open posting of these that a posting duplicates, among older ones than itself.
pub fn original(
    posting: PostingId,
    fingerprint: &Fingerprint,
    candidates: &[Candidate],
) -> Option<PostingId> {
    let older = candidates.iter().filter(|other| other.id < posting);
    let near = older.filter(|other| other.is_open && fingerprint.is_near(&other.fingerprint));
    near.map(|other| other.id).min()
}

/// The open postings of these that duplicate a posting, which is older than they are and than the
/// one that they are marked with.
pub fn copies<'a>(
    posting: PostingId,
    fingerprint: &'a Fingerprint,
    candidates: &'a [Candidate],
) -> impl Iterator<Item = &'a Candidate> {
    let younger = move |other: &&Candidate| {
        other.id > posting && other.duplicate_of.is_none_or(|original| original > posting)
    };
    let younger = candidates.iter().filter(younger);
    younger.filter(|other| other.is_open && fingerprint.is_near(&other.fingerprint))
}

/// Marks a posting as the duplicate of an older one; `None` if it is not open any more, or marked
/// with one that is as old.
pub fn mark(posting: &Posting, original: PostingId, now: OffsetDateTime) -> Option<Change> {
    let is_marked = posting
        .duplicate_of
        .is_some_and(|marked| marked <= original);
    if !posting.status.is_open() || is_marked {
        return None;
    }
    let mut change = Change::of(posting);
    change.posting.duplicate_of = Some(original);
    change.touch(Actor::Enricher, now);
    change.raise(event::JOB_POSTING_ENRICHED);
    Some(change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        posting::CountryCode,
        testing::{identifier, uuid},
    };

    /// A sketch of which so many values differ from those of others.
    fn sketch(others: usize) -> Sketch {
        let mut values = [7; Sketch::LENGTH];
        values
            .iter_mut()
            .rev()
            .take(others)
            .for_each(|value| *value = 8);
        Sketch::new(values)
    }

    fn details(title: &str, city: Option<&str>, country: Option<&str>) -> Details {
        Details {
            title: title.to_owned(),
            location_city: city.map(str::to_owned),
            location_country_code: country.and_then(CountryCode::parse),
            ..Details::default()
        }
    }

    fn fingerprint(details: &Details, company: u128, others: usize) -> Fingerprint {
        Fingerprint::of(details, CompanyId::new(uuid(company)), sketch(others))
    }

    #[test]
    fn company_title_and_place_agree() {
        let cook = details("Cook (m/f)", Some("Århus"), Some("DK"));
        let own = fingerprint(&cook, 1, 0);
        for (title, city, country, company, others, expect) in [
            ("Cook (m/f)", Some("Århus"), Some("DK"), 1, 0, true),
            ("COOK – m/f", Some(" århus"), Some("DK"), 1, 12, true),
            ("Cook (m/f)", Some("Århus"), Some("DK"), 1, 13, false),
            ("Cook (m/f)", Some("Århus"), Some("DK"), 2, 0, false),
            ("Cook 2 (m/f)", Some("Århus"), Some("DK"), 1, 0, false),
            ("Cook (m/f)", Some("Vejle"), Some("DK"), 1, 0, false),
            ("Cook (m/f)", None, Some("DK"), 1, 0, false),
            ("Cook (m/f)", Some("Århus"), None, 1, 0, false),
        ] {
            let other = fingerprint(&details(title, city, country), company, others);
            assert_eq!(
                own.is_near(&other),
                expect,
                "{title} {city:?} {country:?} {company}"
            );
        }
        let nowhere = fingerprint(&details("Cook", None, None), 1, 0);
        assert!(nowhere.is_near(&fingerprint(&details("cook", None, None), 1, 0)));
    }

    fn candidate(n: u128, is_open: bool, duplicate_of: Option<u128>, others: usize) -> Candidate {
        Candidate {
            id: PostingId::new(uuid(n)),
            source_identifier: identifier(&n.to_string()),
            is_open,
            duplicate_of: duplicate_of.map(|n| PostingId::new(uuid(n))),
            fingerprint: fingerprint(&details("Cook", None, None), 1, others),
        }
    }

    #[test]
    fn the_oldest_open_posting_is_the_original() {
        let candidates = [
            candidate(1, false, None, 0),
            candidate(2, true, None, 40),
            candidate(4, true, Some(3), 0),
            candidate(3, true, None, 0),
            candidate(9, true, None, 0),
        ];
        let own = &candidates[0].fingerprint;
        for (n, expect) in [
            (1, None),
            (3, None),
            (4, Some(3)),
            (5, Some(3)),
            (99, Some(3)),
        ] {
            let found = original(PostingId::new(uuid(n)), own, &candidates);
            assert_eq!(found, expect.map(|n| PostingId::new(uuid(n))), "{n}");
        }
    }

    #[test]
    fn younger_copies_get_an_older_original() {
        let candidates = [
            candidate(1, true, None, 0),
            candidate(3, false, None, 0),
            candidate(4, true, Some(1), 0),
            candidate(5, true, Some(3), 0),
            candidate(6, true, None, 0),
            candidate(7, true, None, 40),
        ];
        let own = &candidates[0].fingerprint;
        let copies = copies(PostingId::new(uuid(2)), own, &candidates);
        let copies: Vec<_> = copies.map(|copy| copy.source_identifier.as_str()).collect();
        assert_eq!(copies, ["5", "6"]);
    }
}
