//! Documents of approved postings, against literal values and the published rules.

use domain::{
    posting::{
        Coordinates, Details, EmploymentType, EnrichedTexts, LocationType, PostingView,
        SalaryPeriod,
    },
    testing,
};
use kernel::{
    Status,
    codes::{CountryCode, CurrencyCode},
};
use proptest::{
    prelude::*,
    sample::{select, subsequence},
};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{
    Identity,
    job_posting::{document, job_posting},
};

/// A posting of a company that every field tells, approved and enriched.
fn approved() -> PostingView {
    let mut company = testing::company("acmera");
    company.name = "Acmera AS".to_owned();
    company.logo_path = Some("https://cdn.example/acmera.png".to_owned());
    let mut posting = testing::posting(7, company.id);
    posting.status = Status::Approved;
    posting.published_at = Some(datetime!(2026-01-31 12:00:04.25 UTC));
    posting.expire_at = Some(datetime!(2026-04-01 12:00:00 UTC));
    posting.details = Details {
        title: "Cook at Acmera".to_owned(),
        employment_types: vec![EmploymentType::FullTime, EmploymentType::Contract],
        location_types: vec![LocationType::Hybrid],
        location_country_code: CountryCode::parse("NO"),
        location_city: Some("Oslo".to_owned()),
        salary_min: Some(480_000),
        salary_max: Some(560_000),
        salary_currency_code: CurrencyCode::parse("NOK"),
        salary_period: Some(SalaryPeriod::Annually),
        application_email: Some("jobs@acmera.example".to_owned()),
        application_url: Some("https://acmera.example/jobs/7".to_owned()),
        ..posting.details
    };
    PostingView {
        decision: None,
        posting,
        company: testing::company_view(&company),
        texts: Some(EnrichedTexts {
            markdown: "At [Acmera](https://acmera.example) you **cook**.".to_owned(),
            redacted_markdown: "At [company] you **cook**.".to_owned(),
            redacted_title: Some("Cook at [company]".to_owned()),
        }),
        coordinates: Some(Coordinates {
            latitude: 59.9,
            longitude: 10.7,
        }),
        history: Vec::new(),
    }
}

/// A property of the hidden document of a posting that was changed.
fn property(name: &str, change: impl FnOnce(&mut Details)) -> Value {
    let mut view = approved();
    change(&mut view.posting.details);
    let mut job = document(&view, Identity::Hidden).unwrap();
    job[name].take()
}

#[test]
fn a_hidden_document_is_confidential() {
    let expect = json!({
        "@context": "https://schema.org/",
        "@type": "JobPosting",
        "title": "Cook at [company]",
        "description": "<p>At [company] you <strong>cook</strong>.</p>",
        "datePosted": "2026-01-31T12:00:04.25Z",
        "validThrough": "2026-04-01T12:00:00Z",
        "employmentType": ["FULL_TIME", "CONTRACTOR"],
        "hiringOrganization": "confidential",
        "identifier": "01900000-0000-7000-8000-000000000007",
        "directApply": false,
        "jobLocation": {
            "@type": "Place",
            "address": {
                "@type": "PostalAddress",
                "addressLocality": "Oslo",
                "addressCountry": "NO",
            },
        },
        "baseSalary": {
            "@type": "MonetaryAmount",
            "currency": "NOK",
            "value": {
                "@type": "QuantitativeValue",
                "minValue": 480_000,
                "maxValue": 560_000,
                "unitText": "YEAR",
            },
        },
    });
    assert_eq!(document(&approved(), Identity::Hidden), Some(expect));
}

#[test]
fn a_document_that_is_shown_names_the_employer() {
    let mut view = approved();
    let job = document(&view, Identity::Shown).unwrap();
    for (name, expect) in [
        ("title", json!("Cook at Acmera")),
        (
            "description",
            json!(
                "<p>At <a href=\"https://acmera.example\" \
                 rel=\"nofollow noopener noreferrer\">Acmera</a> you <strong>cook</strong>.</p>"
            ),
        ),
        (
            "hiringOrganization",
            json!({
                "@type": "Organization",
                "name": "Acmera AS",
                "sameAs": "https://acmera.example",
                "logo": "https://cdn.example/acmera.png",
            }),
        ),
        (
            "identifier",
            json!({"@type": "PropertyValue", "name": "Acmera AS", "value": "job-7"}),
        ),
        ("url", json!("https://acmera.example/jobs/7")),
        ("directApply", json!(true)),
    ] {
        assert_eq!(job[name], expect, "{name}");
    }
    view.posting.details.application_url = None;
    view.company.company.logo_path = Some("logos/a.png".to_owned());
    let job = document(&view, Identity::Shown).unwrap();
    assert_eq!(job.get("url"), None);
    assert_eq!(job["directApply"], false);
    assert_eq!(job["hiringOrganization"].get("logo"), None);
}

#[test]
fn only_an_approved_posting_with_texts_has_a_document() {
    let not = |change: fn(&mut PostingView)| {
        let mut view = approved();
        change(&mut view);
        document(&view, Identity::Hidden)
    };
    for status in Status::ALL.iter().filter(|it| **it != Status::Approved) {
        let mut view = approved();
        view.posting.status = *status;
        for identity in Identity::ALL {
            assert_eq!(document(&view, *identity), None, "{status}");
        }
    }
    assert_eq!(not(|view| view.texts = None), None);
    let untitled = |view: &mut PostingView| {
        view.texts.as_mut().unwrap().redacted_title = None;
    };
    assert_eq!(not(untitled), None);
}

#[test]
fn work_is_at_a_place_or_remote_from_a_country() {
    use LocationType::{Hybrid, OnSite, Other, Remote};
    for (types, has_place, is_remote) in [
        (vec![], true, false),
        (vec![OnSite], true, false),
        (vec![Hybrid], true, false),
        (vec![Other], true, false),
        (vec![Remote], false, true),
        (vec![Remote, OnSite], true, true),
    ] {
        let found = |name, country: Option<&str>| {
            let change = |details: &mut Details| {
                details.location_types.clone_from(&types);
                details.location_country_code = country.and_then(CountryCode::parse);
            };
            property(name, change)
        };
        let no = Some("NO");
        assert_eq!(found("jobLocation", no).is_object(), has_place, "{types:?}");
        let remote = if is_remote {
            json!("TELECOMMUTE")
        } else {
            Value::Null
        };
        assert_eq!(found("jobLocationType", None), remote, "{types:?}");
        let from = json!({"@type": "Country", "name": "NO"});
        let from = if is_remote { from } else { Value::Null };
        assert_eq!(
            found("applicantLocationRequirements", no),
            from,
            "{types:?}"
        );
        for name in ["jobLocation", "applicantLocationRequirements"] {
            assert_eq!(found(name, None), Value::Null, "{types:?}");
        }
    }
}

#[test]
fn a_salary_has_a_currency_and_what_else_is_known() {
    let value = |least: Option<i64>, most: Option<i64>, period| {
        let salary = property("baseSalary", |details| {
            (details.salary_min, details.salary_max) = (least, most);
            details.salary_period = period;
        });
        salary["value"].clone()
    };
    let of = |properties: Value| {
        let mut of = json!({"@type": "QuantitativeValue"});
        of.as_object_mut()
            .unwrap()
            .extend(properties.as_object().unwrap().clone());
        of
    };
    let hourly = Some(SalaryPeriod::Hourly);
    for (found, expect) in [
        (value(Some(9), Some(9), None), json!({"value": 9})),
        (
            value(Some(9), None, hourly),
            json!({"minValue": 9, "unitText": "HOUR"}),
        ),
        (value(None, Some(9), None), json!({"maxValue": 9})),
        (
            value(Some(0), Some(9), Some(SalaryPeriod::Weekly)),
            json!({"minValue": 0, "maxValue": 9, "unitText": "WEEK"}),
        ),
        (
            value(Some(9), Some(9), Some(SalaryPeriod::Monthly)),
            json!({"value": 9, "unitText": "MONTH"}),
        ),
    ] {
        assert_eq!(found, of(expect));
    }
    assert_eq!(value(None, None, hourly), Value::Null);
    let none = property("baseSalary", |details| details.salary_currency_code = None);
    assert_eq!(none, Value::Null);
}

#[test]
fn a_place_that_tells_the_employer_is_left_out() {
    for (city, is_place, expect) in [
        ("Oslo", true, true),
        ("Bø i Telemark", false, true),
        ("Acmera AS", false, false),
        ("Oslo (Acmera)", true, false),
        ("Storgata 5, 0155 Oslo", true, false),
        ("Oslo, jobs@acmera.example", true, false),
        ("acmera.example", false, false),
    ] {
        let mut view = approved();
        view.posting.details.location_city = Some(city.to_owned());
        view.coordinates = view.coordinates.filter(|_| is_place);
        let place = |identity| {
            let job = document(&view, identity).unwrap();
            job["jobLocation"]["address"]
                .get("addressLocality")
                .cloned()
        };
        assert_eq!(place(Identity::Hidden).is_some(), expect, "{city}");
        assert_eq!(place(Identity::Shown), Some(json!(city)));
    }
}

/// What [Google][google] and schema.org expect of each property that a document may have.
///
/// [google]: https://developers.google.com/search/docs/appearance/structured-data/job-posting
fn check(job: &Value) {
    const REQUIRED: [&str; 4] = ["title", "description", "datePosted", "hiringOrganization"];
    for name in REQUIRED {
        assert!(job.get(name).is_some(), "{name} is required");
    }
    for (name, value) in job.as_object().unwrap() {
        let is = |kind: &str| value["@type"] == kind;
        let is_valid = match name.as_str() {
            "@context" => value == "https://schema.org/",
            "@type" => value == "JobPosting",
            "title" | "description" | "datePosted" | "validThrough" | "url" => {
                value.as_str().is_some_and(|text| !text.is_empty())
            }
            "directApply" => value.is_boolean(),
            "employmentType" => value.as_array().is_some_and(|all| {
                let known = ["FULL_TIME", "PART_TIME", "CONTRACTOR", "INTERN"];
                !all.is_empty() && all.iter().all(|of| known.iter().any(|it| of == it))
            }),
            "hiringOrganization" => value == "confidential" || is("Organization"),
            "identifier" => value.is_string() || is("PropertyValue"),
            "jobLocation" => {
                is("Place") && value["address"]["addressCountry"].as_str().unwrap().len() == 2
            }
            "jobLocationType" => value == "TELECOMMUTE",
            "applicantLocationRequirements" => is("Country") && value["name"].is_string(),
            "baseSalary" => is("MonetaryAmount") && value["currency"].is_string(),
            _ => false,
        };
        assert!(is_valid, "{name}: {value}");
    }
    assert!(!job.to_string().contains("null"), "{job}");
}

proptest! {
    #[test]
    fn any_approved_posting_keeps_to_the_published_rules(
        employment in subsequence(EmploymentType::ALL, 0..=4),
        places in subsequence(LocationType::ALL, 0..=4),
        period in prop::option::of(select(SalaryPeriod::ALL)),
        (least, most) in (prop::option::of(0..9_i64), prop::option::of(9..99_i64)),
        (has_country, has_currency, has_url) in any::<(bool, bool, bool)>(),
        city in prop::option::of("[a-zæøå ,0-9@.]{1,12}"),
        text in "x[ -~\n]{0,60}",
        ends in any::<bool>(),
    ) {
        let mut view = approved();
        let details = &mut view.posting.details;
        details.employment_types = employment;
        details.location_types = places;
        details.salary_period = period;
        (details.salary_min, details.salary_max) = (least, most);
        details.location_country_code = details.location_country_code.filter(|_| has_country);
        details.salary_currency_code = details.salary_currency_code.filter(|_| has_currency);
        details.application_url = details.application_url.take().filter(|_| has_url);
        details.location_city = city;
        view.posting.expire_at = view.posting.expire_at.filter(|_| ends);
        view.texts.as_mut().unwrap().redacted_markdown = text;
        for identity in Identity::ALL {
            check(&document(&view, *identity).unwrap());
        }
        let hidden = document(&view, Identity::Hidden).unwrap().to_string();
        for told in ["Acmera", "acmera.png", "jobs/7", "job-7", "sameAs", "url"] {
            prop_assert!(!hidden.contains(told), "{told} in {hidden}");
        }
    }
}

#[test]
fn a_document_may_stand_in_a_script() {
    let mut view = approved();
    view.posting.details.title = "</script><!--".to_owned();
    let written = job_posting(&view, Identity::Shown).unwrap();
    assert!(!written.contains(['<', '\n']), "{written}");
    let read: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(Some(read), document(&view, Identity::Shown));
}
