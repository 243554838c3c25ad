//! Pages as scrapers find them, from the push to the JSON-LD. There are 550: all combinations of
//! ten forms of pay, eleven of place and five of company.

use domain::{
    posting::{Answer, Handling, Lifetime, Notice, PutPosting, Rejection},
    testing::{MemoryStore, push, put_id},
    usecase::{self, Submission},
};
use fields::{
    body::BodyError,
    validation::{FieldErrors, field_of},
};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::{Identity, job_posting::document, preview};

/// Forms of pay. Each has a value that only lenient handling corrects or leaves out.
fn pays() -> [Value; 10] {
    [
        json!({"salary_min": "3200.00", "salary_currency_code": "€", "salary_period": "monthly"}),
        json!({"salary_min": "60000", "salary_max": 80_000, "salary_currency_code": "EUR",
            "salary_period": "YEAR"}),
        json!({"salary_min": 15.5, "salary_currency_code": "USD", "salary_period": "hour"}),
        json!({"salary_min": 80_000, "salary_max": 60_000, "salary_currency_code": "EUR",
            "salary_period": "annually"}),
        json!({"salary_min": "negotiable"}),
        json!({"salary_min": {"value": 20, "currency": "EUR"}}),
        json!({"salary_min": 50_000, "salary_currency_code": "$", "salary_period": "yearly"}),
        json!({"salary_min": 200, "salary_currency_code": "GBP", "salary_period": "daily"}),
        json!({"salary_min": "1,234.50", "salary_currency_code": "US$", "salary_period": "weekly"}),
        json!({"salary_max": -1, "salary_currency_code": "euro"}),
    ]
}

/// Forms of places. Each has a value that only lenient handling corrects or leaves out.
fn places() -> [Value; 11] {
    [
        json!({"location_country_code": "UK", "location_city": "London"}),
        json!({"location_country_code": "Germany", "location_city": "Berlin"}),
        json!({"location_country_code": "NOR", "location_city": "Oslo"}),
        json!({"location_country_code": "EL", "location_city": "Athens"}),
        json!({"location_country_code": "Kosovo"}),
        json!({"location_types": "remote", "location_country_code": "fr"}),
        json!({"location_types": ["TELECOMMUTE"], "location_country_code": "DE"}),
        json!({"location_types": ["ON_SITE", "moon"], "location_country_code": "DE"}),
        json!({"location_city": ["Berlin"], "location_country_code": "DE"}),
        json!({"locations": {"city": "Oslo", "country_code": "NO"}}),
        json!({"locations": [{"city": "Oslo", "country_code": "Norway"}, {"city": "Bergen"}]}),
    ]
}

fn companies() -> [Value; 5] {
    [
        json!({"name": "Acmera", "website_url": "https://acmera.example"}),
        json!({"name": "Acmera", "website_url": "acmera.example"}),
        json!({"name": "Acmera", "website_url": "www.acmera.example/jobs"}),
        json!({"name": "Acmera &amp; Sons", "website_url": "https://acmera.example/"}),
        json!({"name": "Acmera", "website_url": "https://acmera.example", "logo_path": 7}),
    ]
}

fn page(parts: [&Value; 3]) -> Value {
    let [pay, place, company] = parts;
    let mut page = json!({
        "title": "Baker", "application_url": "www.acmera.example/apply", "company": company,
        "raw_description": "<p>You bake bread with us. You like flour, and have baked before.</p>",
    });
    let page_of = page.as_object_mut().unwrap();
    for part in [pay, place] {
        page_of.extend(part.as_object().unwrap().clone());
    }
    page
}

fn sent(page: &Value, handling: Handling) -> Result<(Answer, Submission), FieldErrors> {
    let body = page.to_string();
    let by = push("x", "{}").by;
    let put = PutPosting::parse_as("x", body.as_bytes(), handling, by, put_id("x"));
    let put = put.map_err(|error| match error {
        BodyError::Invalid(errors) => errors,
        other @ BodyError::NotJson(_) => panic!("{other}"),
    })?;
    let (store, now) = (MemoryStore::new(), datetime!(2026-03-01 12:00 UTC));
    let answer = usecase::preview(&store, &put, Lifetime::days(60), now);
    pollster::block_on(answer)
        .unwrap()
        .map_err(|why| match why {
            Rejection::Invalid(errors) => errors,
            other => panic!("{other}"),
        })
}

#[test]
fn pages_of_scrapers_are_taken_leniently_and_refused_strictly_with_the_cure() {
    let (pays, places, companies) = (pays(), places(), companies());
    let mut checked = 0;
    for pay in &pays {
        for place in &places {
            for company in &companies {
                let page = page([pay, place, company]);
                let refused = sent(&page, Handling::Usual).unwrap_err();
                let (answer, submission) = sent(&page, Handling::Lenient)
                    .unwrap_or_else(|errors| panic!("{page}: {errors}"));
                for (path, messages) in refused.iter() {
                    for message in messages {
                        let cures = ["meant?", "must be", "must have", "send "];
                        let has_cure = cures.iter().any(|cure| message.contains(cure));
                        assert!(has_cure, "{path} {message}");
                    }
                    let told = answer.notices.iter().any(|notice| {
                        let is_step = matches!(notice, Notice::Corrected(..) | Notice::LeftOut(_));
                        let field = notice.field().unwrap_or_default();
                        is_step && (path.starts_with(field) || field_of(field) == field_of(path))
                    });
                    assert!(told, "{page}: {path}: {:?}", answer.notices);
                }
                check_json_ld(&submission);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 550);
}

/// The properties that Google for Jobs requires, and each recommended one that the fields can give.
fn check_json_ld(submission: &Submission) {
    let now = datetime!(2026-03-01 12:00 UTC);
    let (view, job) = preview(submission, Lifetime::days(60), now).unwrap();
    assert!(job.is_some());
    let details = &view.posting.details;
    for identity in [Identity::Hidden, Identity::Shown] {
        let job = document(&view, identity).unwrap();
        let has = |name: &str| job.get(name).is_some();
        for property in [
            "@context",
            "@type",
            "title",
            "description",
            "datePosted",
            "hiringOrganization",
            "identifier",
            "validThrough",
        ] {
            assert!(has(property), "{property}: {job}");
        }
        let is_placed = has("jobLocation") || has("applicantLocationRequirements");
        let remarks = &view.findings.remarks;
        let is_remarked = remarks
            .iter()
            .any(|it| it.code.as_str() == "google_incomplete");
        assert_eq!(is_placed, !is_remarked, "{job}");
        let pay = details.salary_min.or(details.salary_max);
        let pay = pay.and(details.salary_currency_code);
        assert_eq!(has("baseSalary"), pay.is_some(), "{job}");
        let kind = job.get("jobLocationType").and_then(Value::as_str);
        assert!(kind.is_none_or(|kind| kind == "TELECOMMUTE"), "{job}");
        let unit = job
            .pointer("/baseSalary/value/unitText")
            .and_then(Value::as_str);
        let units = ["HOUR", "WEEK", "MONTH", "YEAR"];
        assert!(unit.is_none_or(|unit| units.contains(&unit)), "{job}");
    }
}
