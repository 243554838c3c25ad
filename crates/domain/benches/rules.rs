//! What the rules cost by themselves: one decision, the normal form of one website, and the
//! check of one enrichment.
#![expect(clippy::expect_used, reason = "a benchmark, whose samples are right")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use domain::{
    client::ClientId,
    company::Website,
    enrichment::{
        Budget, Draft, EnrichedTexts, Enrichment, EnrichmentInput, StopFlag, Verdict,
        rules::{check, faults},
    },
    posting::{CountryCode, Lifetime, PostingId, PutPosting, decide},
    store::{Known, WriteSet},
};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-03-01 12:00 UTC);

fn put(body: &str) -> PutPosting {
    let (client, id) = (Uuid::from_u128(1), Uuid::from_u128(2));
    PutPosting::parse(
        "posting-1",
        body.as_bytes(),
        ClientId::new(client),
        PostingId::new(id),
    )
    .expect("a sample body")
}

/// A posting of about 4 KB.
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
    let nothing = Known::default();
    let mut known = Known::default();
    let created = decide(&nothing, &posting, lifetime, NOW).expect("a sample posting");
    let change = created.change.expect("a new posting is a change");
    change.record(&mut known, &mut WriteSet::new(NOW));
    let update = put(r#"{"title":"Frontend Engineer","salary_min":65000,"salary_max":90000}"#);

    let mut group = criterion.benchmark_group("decide");
    for (name, known, put) in [
        ("create", &nothing, &posting),
        ("unchanged", &known, &posting),
        ("update", &known, &update),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| decide(black_box(known), black_box(put), lifetime, NOW));
        });
    }
    group.finish();
}

fn websites(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("Website::parse");
    for (name, text) in [
        ("normal already", "https://www.company.example/careers"),
        (
            "everything to do",
            "HTTPS://WWW.Company.Example:443/a/../%7Ecareers/./?q=%c3%a4#top",
        ),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| Website::parse(black_box(text)));
        });
    }
    group.finish();
}

/// The texts of a description of about 5 KB, with marks and some links.
fn texts() -> EnrichedTexts {
    let part = "## What you do\n\nYou build and **run** the services behind our product, together \
        with six people who know it well.\n\n- You write code & tests (Rust, C#)\n- You are on \
        call, every sixth week\n- You like _plain_ words\n\n";
    let redacted = format!("At [company]\\: {}", part.repeat(22));
    let links =
        "Apply [here](https://www.company.example/jobs/1) or write to jobs@company.example.";
    EnrichedTexts {
        markdown: format!("At Company: {}{links}", part.repeat(22)),
        redacted_markdown: redacted + "Apply here or write to [email].",
    }
}

fn enrichments(criterion: &mut Criterion) {
    let texts = texts();
    let input = EnrichmentInput {
        title: "Backend Engineer".to_owned(),
        raw_description: texts.markdown.as_str().into(),
        country: CountryCode::parse("DE"),
        city: Some("Berlin".to_owned()),
        company_name: "Company".to_owned(),
        company_website: "https://www.company.example".to_owned(),
    };
    let enrichment = Enrichment {
        texts: texts.clone(),
        coordinates: None,
        verdict: Verdict::Approve,
    };
    let budget = || Budget::of(&input.raw_description, &StopFlag::default());
    assert_eq!(check(&enrichment, &input, &budget()), Ok(()));
    let draft = Draft {
        markdown: texts.markdown,
        redacted_markdown: texts.redacted_markdown,
        verdict: Verdict::Approve,
        answer: String::new(),
    };
    let markdown = &*input.raw_description;
    assert_eq!(faults(&draft, markdown, &budget()), Ok(Vec::new()));

    let mut group = criterion.benchmark_group("enrichment");
    group.bench_function("check", |bencher| {
        bencher.iter(|| check(black_box(&enrichment), black_box(&input), &budget()));
    });
    group.bench_function("faults", |bencher| {
        bencher.iter(|| faults(black_box(&draft), black_box(markdown), &budget()));
    });
    group.finish();
}

criterion_group! {
    name = rules;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = decisions, websites, enrichments
}
criterion_main!(rules);
