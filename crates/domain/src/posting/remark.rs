//! Remarks: problems for readers, search engines or lawyers. A posting with remarks is not refused.

use fields::vocabulary::vocabulary;
use serde::{Deserialize, Serialize};

vocabulary! {
    /// The code of a remark.
    RemarkCode {
        /// The pay is far from what is usual for its period and currency.
        PayImplausible = "pay_implausible",
        /// The upper end of the pay is more than five times the lower one.
        PayRangeWide = "pay_range_wide",
        /// The pay has no currency.
        PayWithoutCurrency = "pay_without_currency",
        /// The text names other amounts.
        PayContradicted = "pay_contradicted",
        /// The city is unknown in its country.
        PlaceUnknown = "place_unknown",
        /// Several places have the name.
        PlaceAmbiguous = "place_ambiguous",
        /// One field holds several places.
        SeveralPlaces = "several_places",
        /// The field holds no place.
        NoPlace = "no_place",
        /// The text contradicts the field about remote work.
        RemoteContradicted = "remote_contradicted",
        /// The text names a closing date that has passed.
        ClosingDatePassed = "closing_date_passed",
        /// The posting lacks a property that Google for Jobs requires.
        GoogleIncomplete = "google_incomplete",
        /// The text shows the marks of an encoding.
        TextEncoded = "text_encoded",
        /// The text was decoded with the wrong encoding.
        TextGarbled = "text_garbled",
        /// The text is the beginning of a longer text.
        TextTeaser = "text_teaser",
        /// The last ten changes altered only numbers, dates or tracking parameters.
        Churn = "churn",
    }
}

/// A remark about a field of a posting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The code.
    pub code: RemarkCode,
    /// The field.
    pub field: String,
    /// The remark for people.
    pub sentence: String,
}

impl Remark {
    /// A remark.
    pub fn new(code: RemarkCode, field: impl Into<String>, sentence: impl Into<String>) -> Self {
        let (field, sentence) = (field.into(), sentence.into());
        Self {
            code,
            field,
            sentence,
        }
    }
}
