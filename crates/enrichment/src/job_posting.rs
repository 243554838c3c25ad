//! An approved posting as a `JobPosting` of schema.org, as [Google for Jobs][google] accepts it.
//!
//! [google]: https://developers.google.com/search/docs/appearance/structured-data/job-posting

use domain::posting::{Details, EmploymentType, LocationType, PostingView, SalaryPeriod};
use fields::{codes::CountryCode, vocabulary::vocabulary};
use kernel::Status;
use posting_text::{
    Budget, Posting,
    html::{Links, from_markdown},
    redact,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

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
    // Only strings contain the sign. Escaped, it is the same in JSON, and cannot end an element.
    Some(job.to_string().replace('<', "\\u003c"))
}

/// The document. Unknown properties are left out.
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
        "datePosted": written(posting.published_at?),
        "validThrough": posting.expire_at.map(written),
        "employmentType": employment(details),
        "jobLocationType": is_remote.then_some("TELECOMMUTE"),
        "applicantLocationRequirements": country.filter(|_| is_remote).map(|code| json!({
            "@type": "Country",
            "name": code,
        })),
        "jobLocation": country.filter(|_| has_place).map(|code| json!({
            "@type": "Place",
            "address": {
                "@type": "PostalAddress",
                "addressLocality": locality(view, identity),
                "addressCountry": code,
            },
        })),
        "baseSalary": salary(details),
    });
    let of_identity = match identity {
        Identity::Hidden => json!({
            "title": texts.redacted_title.as_ref()?,
            "description": from_markdown(&texts.redacted_markdown, Links::Dropped),
            "hiringOrganization": "confidential",
            "identifier": posting.id.uuid().to_string(),
            "directApply": false,
        }),
        Identity::Shown => shown(view, &texts.markdown),
    };
    if let (Value::Object(job), Value::Object(of_identity)) = (&mut job, of_identity) {
        job.extend(of_identity);
    }
    drop_nulls(&mut job);
    Some(job)
}

/// The properties that identify the employer.
fn shown(view: &PostingView, markdown: &str) -> Value {
    let PostingView {
        posting, company, ..
    } = view;
    let company = &company.company;
    // A relative path is relative to a page that is not known here.
    let logo = company.logo_path.as_ref();
    let logo = logo.filter(|path| path.starts_with("http://") || path.starts_with("https://"));
    let url = &posting.details.application_url;
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
        "url": url,
        "directApply": url.is_some(),
    })
}

/// The city. If the employer is hidden, a city that contains anything a text would hide is left
/// out: people write streets and names into this field.
fn locality(view: &PostingView, identity: Identity) -> Option<&str> {
    let details = &view.posting.details;
    let city = details.location_city.as_deref()?;
    let company = &view.company.company;
    let posting = Posting {
        country: details.location_country_code.map(CountryCode::as_str),
        // Only a known place may share a name with the company.
        city: view.coordinates.map(|_| city),
        company_name: &company.name,
        company_website: company.website.as_str(),
        ..Posting::default()
    };
    let is_plain =
        || redact::line(city, &posting, &Budget::of(city)).is_ok_and(|line| line == city);
    (identity == Identity::Shown || is_plain()).then_some(city)
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
    if let Value::Object(properties) = value {
        properties.retain(|_, value| !value.is_null());
        properties.values_mut().for_each(drop_nulls);
    }
}
