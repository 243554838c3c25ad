//! Duplicates: postings of one company that offer the same job under several identifiers.
//!
//! A posting duplicates another posting of its company if both have the same requisition number.
//! Otherwise it does if title, city and country agree and the texts are nearly equal, unless the
//! [`Offer`]s differ. An operator may mark two postings as different. Titles and cities are
//! compared by letters and digits, ignoring case. If only one posting has a city, the cities do not
//! agree: a chain's ads from one template are no duplicates.
//!
//! The original is the open posting whose matching content was pushed first on the whole board.
//! Readers' permissions apply when the mark is read. A push never marks a posting whose content was
//! pushed earlier. Only judged content is compared: an outcome sets a posting's
//! [`DatedFingerprint`].
//!
//! An original is older than its copies, so there are no circles. A mark is committed only if both
//! postings still have the versions that were read. If new content makes a posting younger, its
//! copies are looked up before it gets a mark.

use std::collections::HashSet;

use kernel::{Actor, CompanyId, PostingId, SourceIdentifier, Version, digest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub use super::min_hash::MinHash;
use super::{Details, EmploymentType, Original, Posting, SalaryPeriod};
use fields::codes::CurrencyCode;

/// The number of bands of a fingerprint.
pub const BANDS: usize = 4;

/// The number of signature values per band. Of 100 copies with nine tenths of their text in common,
/// 99 share a band.
const BAND: usize = 4;

/// The largest number of postings that are examined per band, and per requisition number.
pub const CANDIDATES: usize = 16;

/// The fewest digits of an opening's number in a title. Shorter numbers are years, levels or hours.
const TITLE_NUMBER_DIGITS: usize = 5;

/// The keys by which a posting's duplicates are found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Hashes of company, title, place and a part of the signature. Duplicates by text share a
    /// band.
    pub bands: [i64; BANDS],
    /// The signature of the description.
    pub signature: MinHash,
}

impl Fingerprint {
    /// The fingerprint of a posting.
    pub fn of(details: &Details, company: CompanyId, signature: MinHash) -> Self {
        let city = folded(details.location_city.as_deref().unwrap_or_default());
        let title = job_title(&details.title, &city);
        let country = details.location_country_code;
        let country = country.map_or("", |code| code.as_str());
        let (parts, _) = signature.values().as_chunks::<BAND>();
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
        Self { bands, signature }
    }

    /// The fingerprint of a posting without comparable text. It shares no band with any other.
    pub fn unlike_any(posting: PostingId) -> Self {
        let hash = digest::of_parts([posting.uuid().as_bytes().as_slice()]);
        let (parts, _) = hash.as_chunks();
        Self {
            bands: std::array::from_fn(|band| i64::from_le_bytes(parts[band])),
            signature: MinHash::new([0; MinHash::LENGTH]),
        }
    }

    /// Whether a search by one fingerprint finds the other.
    pub fn shares_band(&self, other: &Self) -> bool {
        let mut bands = self.bands.iter().zip(&other.bands);
        bands.any(|(one, other)| one == other)
    }
}

fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// The folded title without the words that only some boards add: the city, marks such as `(m/f/d)`
/// and numbers of the opening.
fn job_title(title: &str, city: &str) -> String {
    let words = title.split_whitespace();
    let words: Vec<_> = words
        .filter(|word| !is_gender_mark(word) && title_number(word).is_none())
        .collect();
    let title = folded(&words.join(" "));
    let rest = format!(" {title} ").replacen(&format!(" {city} "), " ", 1);
    match rest.trim() {
        "" => title,
        rest => rest.to_owned(),
    }
}

/// Whether a word has only initials of genders, in any language: `(m/w/d)`, `H/F`.
fn is_gender_mark(word: &str) -> bool {
    let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_initial = |part: &str| {
        let mut letters = part.chars().flat_map(char::to_lowercase);
        let initial = letters.next().filter(|it| "adfhikmnvwxzž".contains(*it));
        initial.is_some() && letters.next().is_none()
    };
    letters.contains(['/', '|', '*']) && letters.split(['/', '|', '*']).all(is_initial)
}

fn title_number(word: &str) -> Option<String> {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (digits >= TITLE_NUMBER_DIGITS).then(|| folded(word))
}

/// The fingerprint of judged content, and when matching content was first pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatedFingerprint {
    /// The fingerprint.
    pub fingerprint: Fingerprint,
    /// When the posting first had matching content.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// The description's signature at that time.
    pub first: MinHash,
}

impl DatedFingerprint {
    /// The fingerprint of content that was pushed at this time.
    pub const fn new(fingerprint: Fingerprint, pushed: OffsetDateTime) -> Self {
        Self {
            first: fingerprint.signature,
            fingerprint,
            since: pushed,
        }
    }

    /// The fingerprint of the posting's next content. The age stays if the content still matches
    /// the first.
    #[must_use]
    pub fn followed_by(&self, next: Fingerprint, pushed: OffsetDateTime) -> Self {
        let is_same_job = self.fingerprint.shares_band(&next);
        if is_same_job && next.signature.resembles(&self.first) {
            Self {
                fingerprint: next,
                ..self.clone()
            }
        } else {
            Self::new(next, pushed)
        }
    }

    /// Whether this content resembles both the present and the first content of an older posting.
    fn duplicates(&self, older: &Self) -> bool {
        let signature = &self.fingerprint.signature;
        self.fingerprint.shares_band(&older.fingerprint)
            && signature.resembles(&older.fingerprint.signature)
            && signature.resembles(&older.first)
    }
}

/// The parts that distinguish openings with similar texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The employer's own number of the opening.
    pub requisition: Option<String>,
    /// A number of the opening in the title.
    pub title_number: Option<String>,
    /// The kinds of employment.
    pub employment: Vec<EmploymentType>,
    /// The lowest and highest pay.
    pub pay: Option<[i64; 2]>,
    /// The currency and period of the pay.
    pub unit: (Option<CurrencyCode>, Option<SalaryPeriod>),
}

impl Offer {
    /// The offer of a posting.
    pub fn of(details: &Details) -> Self {
        let (min, max) = (details.salary_min, details.salary_max);
        Self {
            requisition: details.requisition_id.clone(),
            title_number: details.title.split_whitespace().find_map(title_number),
            employment: details.employment_types.clone(),
            pay: min.or(max).zip(max.or(min)).map(|(min, max)| [min, max]),
            unit: (details.salary_currency_code, details.salary_period),
        }
    }

    fn is_same_requisition(&self, other: &Self) -> bool {
        self.requisition.is_some() && self.requisition == other.requisition
    }

    fn differs(&self, other: &Self) -> bool {
        let both = self.requisition.iter().zip(&other.requisition);
        let mut both = both.chain(self.title_number.iter().zip(&other.title_number));
        let other_number = both.any(|(one, other)| one != other);
        let has_both = !self.employment.is_empty() && !other.employment.is_empty();
        let in_common = |kind| other.employment.contains(kind);
        let other_employment = has_both && !self.employment.iter().any(in_common);
        let other_pay = match (self.pay, other.pay) {
            (Some([low, high]), Some([other_low, other_high])) if self.unit == other.unit => {
                high < other_low || other_high < low
            }
            _ => false,
        };
        other_number || other_employment || other_pay
    }
}

/// A company, and its own number of an opening.
pub type Number = (CompanyId, String);

/// Two postings that an operator marked as different, the lower id first.
pub type Apart = [PostingId; 2];

/// The pair of two ids, the lower id first.
pub fn apart(one: PostingId, other: PostingId) -> Apart {
    if one < other {
        [one, other]
    } else {
        [other, one]
    }
}

/// When a posting got its matching content. The id breaks ties.
pub type Age = (OffsetDateTime, PostingId);

/// A posting with a fingerprint: a possible original or copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: PostingId,
    /// Its identifier.
    pub source_identifier: SourceIdentifier,
    /// Its version.
    pub version: Version,
    /// Whether it is open.
    pub is_open: bool,
    /// Its company.
    pub company: CompanyId,
    /// What it offers.
    pub offer: Offer,
    /// The creator, if known.
    pub created_by: Option<Actor>,
    /// The posting that it is marked as duplicating.
    pub duplicate_of: Option<Original>,
    /// Its fingerprint.
    pub dated: DatedFingerprint,
}

impl Candidate {
    /// A posting with its fingerprint.
    pub fn of(posting: &Posting, dated: DatedFingerprint) -> Self {
        Self {
            id: posting.id,
            source_identifier: posting.source_identifier.clone(),
            version: posting.version,
            is_open: posting.is_open(),
            company: posting.company_id,
            offer: Offer::of(&posting.details),
            created_by: posting.created_by.clone(),
            duplicate_of: posting.duplicate_of.clone(),
            dated,
        }
    }

    /// The posting's order among duplicates.
    pub const fn age(&self) -> Age {
        (self.dated.since, self.id)
    }

    /// Whether it duplicates the other: both are open, the other is older, and the job is the same.
    pub fn duplicates(&self, other: &Self) -> bool {
        let is_older = other.id != self.id && other.age() < self.age();
        is_older && self.is_open && other.is_open && self.is_same_job(other)
    }

    /// Its requisition number, with the company.
    pub fn number(&self) -> Option<Number> {
        Some((self.company, self.offer.requisition.clone()?))
    }

    fn is_same_job(&self, other: &Self) -> bool {
        let is_same = self.company == other.company;
        is_same && self.offer.is_same_requisition(&other.offer)
            || !self.offer.differs(&other.offer) && self.dated.duplicates(&other.dated)
    }

    /// Whether one of the two postings duplicates the other.
    pub fn is_like(&self, other: &Self) -> bool {
        self.duplicates(other) || other.duplicates(self)
    }

    /// The oldest of these postings that it duplicates. Postings that an operator marked as
    /// different do not count.
    pub fn original<'a>(&self, among: &'a [Self], distinct: &HashSet<Apart>) -> Option<&'a Self> {
        let others = among.iter().filter(|other| self.duplicates(other));
        others
            .filter(|other| !distinct.contains(&apart(self.id, other.id)))
            .min_by_key(|other| other.age())
    }

    /// The posting as its duplicates refer to it.
    pub fn as_original(&self) -> Original {
        Original {
            id: self.id,
            source_identifier: self.source_identifier.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
