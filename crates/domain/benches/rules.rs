//! Measures the cost of the rules alone: one decision, and one normalised website.
#![expect(clippy::expect_used, reason = "a benchmark, whose samples are right")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use domain::{
    authority::Principal,
    decision::decide,
    posting::{Lifetime, PutPosting},
    store::{Snapshot, WriteSet},
};
use fields::WebsiteKey;
use kernel::{ClientId, PostingId};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-03-01 12:00 UTC);

fn put(body: &str) -> PutPosting {
    let (client, id) = (Uuid::from_u128(1), Uuid::from_u128(2));
    PutPosting::parse(
        "posting-1",
        body.as_bytes(),
        Principal::unfenced(ClientId::new(client)),
        PostingId::new(id),
    )
    .expect("a sample body")
}

fn posting() -> PutPosting {
    let description = "<p>You build and run the services behind our product.</p>".repeat(70);
    put(&format!(
        r#"{{"title":"Backend Engineer","raw_description":"{description}",
        "employment_types":["full-time"],"location_types":["remote","hybrid"],
        "location_country_code":"DE","location_city":"Berlin","salary_min":60000,
        "salary_max":80000,"salary_currency_code":"EUR","salary_period":"annually",
        "application_url":"https://www.company.example/jobs/1","metadata":{{"source":"board"}},
        "company":{{"name":"Company","website_url":"https://www.company.example/"}}}}"#
    ))
}

fn decisions(criterion: &mut Criterion) {
    let lifetime = Lifetime::days(60);
    let posting = posting();
    let nothing = Snapshot::default();
    let mut snapshot = Snapshot::default();
    let created = decide(&nothing, &posting, lifetime, NOW).expect("a sample posting");
    let change = created.change.expect("a new posting is a change");
    change.record(&mut snapshot, &mut WriteSet::new(NOW));
    let update = put(r#"{"title":"Frontend Engineer","salary_min":65000,"salary_max":90000}"#);

    let mut group = criterion.benchmark_group("decide");
    for (name, snapshot, put) in [
        ("create", &nothing, &posting),
        ("unchanged", &snapshot, &posting),
        ("update", &snapshot, &update),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| decide(black_box(snapshot), black_box(put), lifetime, NOW));
        });
    }
    group.finish();
}

fn websites(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("WebsiteKey::parse");
    for (name, text) in [
        ("normal already", "https://www.company.example/careers"),
        (
            "everything to do",
            "HTTPS://WWW.Company.Example:443/a/../%7Ecareers/./?q=%c3%a4#top",
        ),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| WebsiteKey::parse(black_box(text)));
        });
    }
    group.finish();
}

criterion_group! {
    name = rules;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = decisions, websites
}
criterion_main!(rules);
