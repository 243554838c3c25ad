//! Remarks on a posting: problems for readers, search engines or lawyers.

mod pay;
mod place;
mod text;

pub(crate) use self::place::is_place;

use domain::posting::{Details, LocationType, Remark, RemarkCode};
use time::OffsetDateTime;

/// Returns the remarks on a posting that was pushed at this time. `markdown` is the description as
/// readers see it.
pub fn remarks(details: &Details, markdown: &str, pushed_at: OffsetDateTime) -> Vec<Remark> {
    let mut remarks = pay::remarks(details, markdown);
    remarks.extend(place::remarks(details));
    remarks.extend(google(details));
    remarks.extend(text::remarks(details, markdown, pushed_at));
    remarks
}

/// The remark on a posting whose text changes with each push.
pub fn churn() -> Remark {
    Remark::new(
        RemarkCode::Churn,
        "raw_description",
        "The last ten changes of the text altered only numbers, dates or tracking parameters. Leave \
         out parts that change with each push.",
    )
}

/// The requirements of Google for Jobs, by its page "Job posting structured data".
fn google(details: &Details) -> Option<Remark> {
    let locations = details
        .locations
        .iter()
        .flat_map(domain::posting::Locations::as_slice);
    let mut countries = locations.map(|it| it.country_code);
    let has_country =
        details.location_country_code.is_some() || countries.any(|country| country.is_some());
    if has_country {
        return None;
    }
    let is_remote = details.location_types.contains(&LocationType::Remote);
    let (property, why) = if is_remote && details.location_types.len() == 1 {
        (
            "applicantLocationRequirements",
            "Remote work needs a country",
        )
    } else {
        ("jobLocation", "A place needs a country")
    };
    Some(Remark::new(
        RemarkCode::GoogleIncomplete,
        "location_country_code",
        format!("{why}; without it Google for Jobs lacks {property}."),
    ))
}
