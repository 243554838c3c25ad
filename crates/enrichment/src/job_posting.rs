//! An approved posting as a `JobPosting` of schema.org, as [Google for Jobs][google] accepts it.
//!
//! [google]: https://developers.google.com/search/docs/appearance/structured-data/job-posting

use domain::posting::{
    Details, EmploymentType, Location, LocationType, Locations, PostingView, SalaryPeriod,
};
use fields::{codes::CountryCode, vocabulary::vocabulary};
use kernel::Status;
use posting_text::{
    Budget, Posting,
    html::{Links, from_markdown},
    redact,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use crate::remarks::is_place;

vocabulary! {
    /// Whether a document identifies the employer.
    Identity {
        /// Only the content of the redacted texts.
        Hidden = "hidden",
        Shown = "shown",
    }
}

/// The posting as JSON-LD, in a line that is safe inside a `<script>` of a page. `None` unless the
/// posting is approved and has the texts for it.
pub fn job_posting(view: &PostingView, identity: Identity) -> Option<String> {
    let job = document(view, identity)?;
    // Only strings contain `<`. Its escape means the same in JSON, and cannot end an element.
    Some(job.to_string().replace('<', "\\u003c"))
}

pub(crate) fn document(view: &PostingView, identity: Identity) -> Option<Value> {
    let PostingView { posting, texts, .. } = view;
    if posting.status() != Status::Approved {
        return None;
    }
    let (details, texts) = (&posting.details, texts.as_ref()?);
    let country = details.location_country_code.map(CountryCode::as_str);
    let is_remote = details.location_types.contains(&LocationType::Remote);
    let has_place = !is_remote || details.location_types.len() > 1;
    let mut job = json!({
        "@context": "https://schema.org/",
        "@type": "JobPosting",
        "datePosted": date_posted(posting)?,
        "validThrough": posting.expire_at.map(written),
        "employmentType": employment(details),
        "jobLocationType": is_remote.then_some("TELECOMMUTE"),
        "applicantLocationRequirements": country.filter(|_| is_remote).map(|code| json!({
            "@type": "Country",
            "name": code,
        })),
        "jobLocation": has_place.then(|| places(view, identity)).flatten(),
        "baseSalary": salary(details),
    });
    let of_identity = match identity {
        Identity::Hidden => json!({
            "title": texts.redacted_title.as_ref()?,
            "description": from_markdown(&texts.redacted_markdown, Links::Dropped),
            "hiringOrganization": "confidential",
            "identifier": {
                "@type": "PropertyValue",
                "value": posting.id.uuid().to_string(),
            },
        }),
        Identity::Shown => shown(view, &texts.markdown),
    };
    if let (Value::Object(job), Value::Object(of_identity)) = (&mut job, of_identity) {
        job.extend(of_identity);
    }
    drop_nulls(&mut job);
    Some(job)
}

fn shown(view: &PostingView, markdown: &str) -> Value {
    let PostingView {
        posting, company, ..
    } = view;
    let company = &company.company;
    // A relative path needs a base address, which is not known here.
    let logo = company.logo_path.as_ref();
    let logo = logo.filter(|path| path.starts_with("http://") || path.starts_with("https://"));
    json!({
        "title": posting.details.title,
        "description": from_markdown(markdown, Links::Kept),
        "hiringOrganization": {
            "@type": "Organization",
            "name": company.name,
            "sameAs": company.website.as_str(),
            "logo": logo,
        },
        "identifier": {
            "@type": "PropertyValue",
            "name": company.name,
            "value": posting.source_identifier.as_str(),
        },
        "url": posting.details.application_url,
    })
}

/// When the source published the posting, or else when it was first approved.
fn date_posted(posting: &domain::posting::Posting) -> Option<String> {
    let published_at = posting.published_at?;
    let date = posting.details.date_posted;
    date.map(|date| date.to_string())
        .or_else(|| written(published_at))
}

/// The places that have a country: `locations`, or else the one place of the posting.
fn places(view: &PostingView, identity: Identity) -> Option<Value> {
    let details = &view.posting.details;
    let locations = details.locations.as_ref().map(Locations::as_slice);
    let places: Vec<_> = if let Some(locations) = locations {
        let found = &view.findings.places;
        let known = |at: usize| found.get(at).is_some_and(Option::is_some);
        let locations = locations.iter().enumerate();
        let place = |(at, location)| place(location, known(at), view, identity);
        locations.filter_map(place).collect()
    } else {
        let location = Location {
            country_code: details.location_country_code,
            region: details.location_region.clone(),
            city: details.location_city.clone(),
            postal_code: details.location_postal_code.clone(),
        };
        let place = place(&location, view.coordinates.is_some(), view, identity);
        place.into_iter().collect()
    };
    match <[Value; 1]>::try_from(places) {
        Ok([place]) => Some(place),
        Err(places) => (!places.is_empty()).then_some(Value::Array(places)),
    }
}

/// A place with a country. A city that names no place, or several places, is left out. If the
/// employer is hidden, parts with anything that a redacted text hides are left out: people write
/// streets and names into these fields. Only a `known` city may have the company's name.
fn place(
    location: &Location,
    known: bool,
    view: &PostingView,
    identity: Identity,
) -> Option<Value> {
    let company = &view.company.company;
    let country = location.country_code?.as_str();
    let posting = Posting {
        country: Some(country),
        city: location.city.as_deref().filter(|_| known),
        company_name: &company.name,
        company_website: company.website.as_str(),
        ..Posting::default()
    };
    let is_plain = |text: &&String| {
        let line = || redact::line(text, &posting, &Budget::of(text));
        identity == Identity::Shown || line().is_ok_and(|line| line == **text)
    };
    Some(json!({
        "@type": "Place",
        "address": {
            "@type": "PostalAddress",
            "addressLocality": location.city.as_ref().filter(|_| is_place(location)).filter(is_plain),
            "addressRegion": location.region.as_ref().filter(is_plain),
            "postalCode": location.postal_code.as_ref().filter(is_plain),
            "addressCountry": country,
        },
    }))
}

fn employment(details: &Details) -> Option<Vec<&'static str>> {
    let types = details.employment_types.iter().map(|of| match of {
        EmploymentType::FullTime => "FULL_TIME",
        EmploymentType::PartTime => "PART_TIME",
        EmploymentType::Contract => "CONTRACTOR",
        EmploymentType::Internship => "INTERN",
        _ => "OTHER",
    });
    let types: Vec<_> = types.collect();
    (!types.is_empty()).then_some(types)
}

fn salary(details: &Details) -> Option<Value> {
    let currency = details.salary_currency_code?;
    let (least, most) = (details.salary_min, details.salary_max);
    let is_one = least == most;
    let amount = least.or(most)?;
    let period = details.salary_period.and_then(|period| match period {
        SalaryPeriod::Hourly => Some("HOUR"),
        SalaryPeriod::Weekly => Some("WEEK"),
        SalaryPeriod::Monthly => Some("MONTH"),
        SalaryPeriod::Annually => Some("YEAR"),
        _ => None,
    });
    Some(json!({
        "@type": "MonetaryAmount",
        "currency": currency.as_str(),
        "value": {
            "@type": "QuantitativeValue",
            "value": is_one.then_some(amount),
            "minValue": least.filter(|_| !is_one),
            "maxValue": most.filter(|_| !is_one),
            "unitText": period,
        },
    }))
}

fn written(at: OffsetDateTime) -> Option<String> {
    at.to_offset(UtcOffset::UTC).format(&Rfc3339).ok()
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(properties) => {
            properties.retain(|_, value| !value.is_null());
            properties.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
