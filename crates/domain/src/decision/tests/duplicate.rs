//! What decisions note of the content that makes a posting a duplicate.

use kernel::{CompanyId, testing::uuid};
use time::Duration;

use super::*;
use crate::testing::{company, create, posting};

#[test]
fn a_push_of_other_content_is_noted() {
    let snapshot = |posting: Posting| {
        let mut snapshot = Snapshot::default();
        let company = company("acme");
        snapshot.companies.insert(company.id, company);
        let identifier = posting.source_identifier.clone();
        snapshot.postings.insert(identifier, posting);
        snapshot
    };
    let decide = |snapshot: &Snapshot, put: &PutPosting, now| {
        let decision = decide(snapshot, put, Lifetime::NEVER, now);
        decision.unwrap().change.map(|change| change.write.posting)
    };
    let mut nothing = snapshot(posting(9, CompanyId::new(uuid(1))));
    nothing.postings.clear();
    let created = decide(&nothing, &create("a", "acme"), noon()).unwrap();
    assert_eq!(created.content_at, None);
    assert_eq!(created.content_since(), noon());
    for (body, is_noted) in [
        (r#"{"title": "Other"}"#, true),
        (r#"{"raw_description": "Other."}"#, true),
        (r#"{"location_city": "Oslo"}"#, true),
        (r#"{"location_country_code": "NO"}"#, true),
        (
            r#"{"company": {"name": "B", "website_url": "https://b.example"}}"#,
            true,
        ),
        (r#"{"company": {"name": "B"}, "salary_min": 1}"#, false),
        (r#"{"expiration": {}}"#, false),
    ] {
        for (now, expect) in [
            (noon() + hours(1), noon() + hours(1)),
            // A clock that is behind.
            (noon() - hours(1), noon() + Duration::MICROSECOND),
        ] {
            let after = decide(&snapshot(created.clone()), &push("a", body), now).unwrap();
            assert_eq!(after.content_at, is_noted.then_some(expect), "{body}");
        }
    }
}
