//! Documents of approved postings, compared with literal values and the published rules.

use domain::{
    posting::{
        Coordinates, Details, EmploymentType, EnrichedTexts, LocationType, PostingView,
        SalaryPeriod,
    },
    testing,
};
use fields::{
    DayOrTime,
    codes::{CountryCode, CurrencyCode},
};
use kernel::Status;
use proptest::{prelude::*, sample::subsequence};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{
    Identity,
    job_posting::{document, job_posting},
};

fn approved() -> PostingView {
    let mut company = testing::company("acmera");
    company.name = "Acmera AS".to_owned();
    company.logo_path = Some("https://cdn.example/acmera.png".to_owned());
    let mut posting = testing::posting(7, company.id);
    posting.put_in(testing::state(Status::Approved), None);
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
        texts: Some(EnrichedTexts {
            markdown: "At [Acmera](https://acmera.example) you **cook**.".to_owned(),
            redacted_markdown: "At [company] you **cook**.".to_owned(),
            redacted_title: Some("Cook at [company]".to_owned()),
        }),
        coordinates: Some(Coordinates {
            latitude: 59.9,
            longitude: 10.7,
        }),
        ..testing::posting_view(posting, testing::company_view(&company))
    }
}

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
        "identifier": {
            "@type": "PropertyValue",
            "value": "01900000-0000-7000-8000-000000000007",
        },
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
    ] {
        assert_eq!(job[name], expect, "{name}");
    }
    view.posting.details.application_url = None;
    view.company.company.logo_path = Some("logos/a.png".to_owned());
    let job = document(&view, Identity::Shown).unwrap();
    assert_eq!(job.get("url"), None);
    assert_eq!(job["hiringOrganization"].get("logo"), None);
}

#[test]
fn only_an_approved_posting_with_texts_has_a_document() {
    let not = |change: &dyn Fn(&mut PostingView)| {
        let mut view = approved();
        change(&mut view);
        assert_eq!(document(&view, Identity::Hidden), None);
    };
    for status in Status::ALL.iter().filter(|it| **it != Status::Approved) {
        not(&|view| view.posting.put_in(testing::state(*status), None));
    }
    not(&|view| view.texts = None);
    not(&|view| view.texts.as_mut().unwrap().redacted_title = None);
}

#[test]
fn work_is_at_a_place_or_remote_from_a_country() {
    use LocationType::{Hybrid, OnSite, Other, Remote};
    const NAMES: [&str; 3] = [
        "jobLocation",
        "jobLocationType",
        "applicantLocationRequirements",
    ];
    let remote = json!("TELECOMMUTE");
    let from = json!({"@type": "Country", "name": "NO"});
    for (types, country, has_place, is_remote) in [
        (vec![], Some("NO"), true, false),
        (vec![OnSite], Some("NO"), true, false),
        (vec![Hybrid], Some("NO"), true, false),
        (vec![Other], Some("NO"), true, false),
        (vec![Remote], Some("NO"), false, true),
        (vec![Remote, OnSite], Some("NO"), true, true),
        (vec![Remote, OnSite], None, false, true),
        (vec![OnSite], None, false, false),
    ] {
        let [place, kind, required] = NAMES.map(|name| {
            property(name, |details| {
                details.location_types.clone_from(&types);
                details.location_country_code = country.and_then(CountryCode::parse);
            })
        });
        assert_eq!(place.is_object(), has_place, "{types:?}");
        assert_eq!(kind == remote, is_remote, "{types:?}");
        assert_eq!(
            required == from,
            is_remote && country.is_some(),
            "{types:?}"
        );
    }
}

#[test]
fn every_place_with_a_country_is_one_with_its_region_and_postal_code() {
    let location = |country, city: &str, region: &str, code: &str| json!({"country_code": country, "city": city, "region": region, "postal_code": code});
    let place = |code: &str, region: &str, postal: &str| {
        json!({"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": "Oslo",
            "addressRegion": region, "postalCode": postal, "addressCountry": code}})
    };
    let one = property("jobLocation", |details| {
        details.location_region = Some("Østlandet".to_owned());
        details.location_postal_code = Some("0150".to_owned());
    });
    assert_eq!(one, place("NO", "Østlandet", "0150"));
    let all = property("jobLocation", |details| {
        let places = json!([
            location(Some("NO"), "Oslo", "NO-03", "0150"),
            location(None, "Paris", "", ""),
            location(Some("SE"), "Oslo", "Acmera", "1"),
        ]);
        details.locations = serde_json::from_value(places).unwrap();
    });
    let mut hidden = place("SE", "", "1");
    hidden["address"]
        .as_object_mut()
        .unwrap()
        .remove("addressRegion");
    assert_eq!(all, json!([place("NO", "NO-03", "0150"), hidden]));
}

#[test]
fn the_source_says_when_it_published_the_posting() {
    for date in ["2026-01-05", "2026-01-05T07:00:00Z"] {
        let posted = property("datePosted", |details| {
            details.date_posted = DayOrTime::parse(date);
        });
        assert_eq!(posted, json!(date));
    }
}

#[test]
fn a_salary_has_a_currency_and_its_known_parts() {
    use SalaryPeriod::{Hourly, Monthly, Weekly};
    for (least, most, period, expect) in [
        (Some(9), Some(9), None, json!({"value": 9})),
        (
            Some(9),
            None,
            Some(Hourly),
            json!({"minValue": 9, "unitText": "HOUR"}),
        ),
        (None, Some(9), None, json!({"maxValue": 9})),
        (
            Some(0),
            Some(9),
            Some(Weekly),
            json!({"minValue": 0, "maxValue": 9, "unitText": "WEEK"}),
        ),
        (
            Some(9),
            Some(9),
            Some(Monthly),
            json!({"value": 9, "unitText": "MONTH"}),
        ),
        (None, None, Some(Hourly), Value::Null),
    ] {
        let mut salary = property("baseSalary", |details| {
            (details.salary_min, details.salary_max) = (least, most);
            details.salary_period = period;
        });
        let mut value = salary["value"].take();
        if let Some(value) = value.as_object_mut() {
            assert_eq!(value.remove("@type"), Some(json!("QuantitativeValue")));
        }
        assert_eq!(value, expect);
    }
    let none = property("baseSalary", |details| details.salary_currency_code = None);
    assert_eq!(none, Value::Null);
}

#[test]
fn a_place_that_identifies_the_employer_is_left_out() {
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

proptest! {
    #[test]
    fn no_hidden_document_identifies_the_employer(
        places in subsequence(LocationType::ALL, 0..=4),
        (least, most) in (prop::option::of(0..9_i64), prop::option::of(9..99_i64)),
        city in prop::option::of("[a-zæøå ,0-9@.]{1,12}"),
        text in "x[ -~\n]{0,60}",
    ) {
        let mut view = approved();
        let details = &mut view.posting.details;
        details.location_types = places;
        (details.salary_min, details.salary_max) = (least, most);
        details.location_city = city;
        view.texts.as_mut().unwrap().redacted_markdown = text;
        let hidden = document(&view, Identity::Hidden).unwrap().to_string();
        for text in ["Acmera", "acmera.png", "jobs/7", "job-7", "sameAs", "url", "null"] {
            prop_assert!(!hidden.contains(text), "{text} in {hidden}");
        }
    }
}

#[test]
fn a_document_may_be_in_a_script() {
    let mut view = approved();
    view.posting.details.title = "</script><!--".to_owned();
    let written = job_posting(&view, Identity::Shown).unwrap();
    assert!(!written.contains(['<', '\n']), "{written}");
    let read: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(Some(read), document(&view, Identity::Shown));
}
