//! Fuzzes a push: the first line is the path segment, the rest the body. Pushing the values of the
//! created posting again must change nothing.

#![no_main]

use domain::{authority::Principal, company::Company, decision::decide, posting::{Lifetime, Posting, PutPosting}, store::{Snapshot, WriteSet}};
use kernel::{ClientId, PostingId};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json, value::RawValue};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-11-22 12:00 UTC);

fn parse(segment: &str, body: &[u8]) -> Option<PutPosting> {
    let by = Principal::unfenced(ClientId::new(Uuid::nil()));
    PutPosting::parse(segment, body, by, PostingId::new(Uuid::nil())).ok()
}

fn payload(posting: &Posting, company: &Company) -> String {
    let details = &posting.details;
    let metadata: Option<Box<RawValue>> = details
        .metadata
        .as_ref()
        .map(|metadata| RawValue::from_string(metadata.as_str().to_owned()).unwrap());
    let rest = json!({
        "title": details.title,
        "raw_description": details.raw_description.text().map(AsRef::as_ref).unwrap_or(""),
        "employment_types": details.employment_types.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        "location_types": details.location_types.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        "location_country_code": details.location_country_code.map(|code| code.as_str().to_owned()),
        "location_city": details.location_city,
        "salary_min": details.salary_min,
        "salary_max": details.salary_max,
        "salary_currency_code": details.salary_currency_code.map(|code| code.as_str().to_owned()),
        "salary_period": details.salary_period.map(|period| period.as_str()),
        "application_email": details.application_email,
        "application_url": details.application_url,
        "expiration_reason": details.expiration_reason,
        "company": {
            "name": company.name,
            "website_url": company.website.as_str(),
            "logo_path": company.logo_path,
        },
    });
    let Value::Object(rest) = rest else {
        unreachable!()
    };
    let mut text = serde_json::to_string(&rest).unwrap();
    if let Some(metadata) = metadata {
        // Added as text, because a parsed value would spell its numbers differently.
        text.pop();
        text.push_str(r#","metadata":"#);
        text.push_str(metadata.get());
        text.push('}');
    }
    text
}

fuzz_target!(|data: &[u8]| {
    let at = data.iter().position(|&byte| byte == b'\n');
    let (segment, body) = data.split_at(at.unwrap_or(0));
    let Ok(segment) = str::from_utf8(segment) else {
        return;
    };
    let Some(put) = parse(segment, body) else {
        return;
    };
    let lifetime = Lifetime::days(60);
    let mut snapshot = Snapshot::default();
    let Ok(decision) = decide(&snapshot, &put, lifetime, NOW) else {
        return;
    };
    let mut writes = WriteSet::new(NOW);
    let change = decision.change.expect("a creation writes");
    change.record(&mut snapshot, &mut writes);
    let posting = snapshot.postings.values().next().expect("it is there");
    let company = snapshot.company_of(posting).expect("so is its company");

    let again = payload(posting, company);
    let Some(put) = parse(segment, again.as_bytes()) else {
        panic!("refused when pushed back: {again}");
    };
    match decide(&snapshot, &put, lifetime, NOW) {
        Ok(decision) if decision.change.is_none() => {}
        other => panic!("not unchanged when pushed back: {again}\n{other:?}"),
    }
});
