//! The cost of preparing postings by size and format, of checks, and of hostile texts.
#![expect(
    clippy::expect_used,
    reason = "a benchmark, whose texts are within the budget"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use posting_text::{
    Budget, Posting, Prepared, prepare,
    redact::{Kind, Phrase},
    rules::{self, Texts},
};

fn posting(description: &str) -> Posting<'_> {
    Posting {
        title: "Warehouse Planner",
        description,
        country: Some("NO"),
        city: Some("Drammen"),
        company_name: "Brightvik Cold Storage AS",
        other_names: &[],
        company_website: "https://www.brightvik.example/careers",
        region: None,
        base_url: None,
        hide: &[],
    }
}

fn prepared(posting: &Posting<'_>) -> Prepared {
    prepare(posting, &Budget::of(posting.description)).expect("it is within the budget")
}

fn texts(prepared: &Prepared) -> Texts<'_> {
    Texts {
        markdown: &prepared.markdown,
        redacted_markdown: &prepared.redacted_markdown,
        rejection: None,
    }
}

fn checked(posting: &Posting<'_>) -> Result<(), rules::CheckError> {
    let prepared = prepared(posting);
    let budget = Budget::of(posting.description);
    rules::check(&texts(&prepared), prepared.coordinates, posting, &budget)
}

const HTML: &str = r#"<h2>What you will do</h2>
<p>At <strong>Brightvik</strong> you plan the work of <em>two shifts</em> &amp; keep the cold
chain unbroken. Brightvik&#39;s terminal in Drammen handles 4,000 pallets a day, and you know by
ten o&rsquo;clock what the evening brings. See <a href="https://www.brightvik.example/terminal">our
terminal</a>.</p>
<ul>
<li>Plan people, gates and lorries for a day of 16 hours</li>
<li>Follow up deviations together with the drivers:
<ul><li>by telephone</li><li>in our <b>own system</b></li></ul></li>
<li>Lead the morning meeting (08.00 - 08.20)</li>
</ul>
<p><strong>We offer</strong><br>Pay between 520 000 and 580 000 kr, pension from the first day<br>
Free parking and a canteen</p>
<p>Questions? Write to <a href="mailto:jobs@brightvik.example">jobs@brightvik.example</a> or call
+47 918 12 345 before 12.04.2026. Read more on https://brightvik.example/jobs/planner.</p>
"#;

const TEXT: &str = "About the job\n\nAt Brightvik you plan the work of two shifts and keep the \
cold chain unbroken. Our terminal in Drammen handles 4,000 pallets a day, and you know by ten \
o'clock what the evening brings. You report to the head of operations.\n\nYour tasks:\n- Plan \
people, gates and lorries for a day of 16 hours\n- Follow up deviations together with the \
drivers\n- Lead the morning meeting (08.00 - 08.20)\n- Keep the figures of the terminal up to \
date, e.g. damage, delay and waste\n\nWe offer:\n* Pay between 520 000 and 580 000 kr\n* Pension \
from the first day, insurance & a canteen\n* Free parking\n\nYou have worked in a warehouse \
before, you write Norwegian well, and you stay calm when three lorries come at once. Experience \
with planning systems is good to have.\n\nQuestions? Write to jobs@brightvik.example or call \
Kari at Brightvik on +47 918 12 345 before 12.04.2026. More on www.brightvik.example/jobs.\n\n";

/// Cut at the end of a character of `part`.
fn of_size(part: &str, bytes: usize) -> String {
    let mut out = part.repeat(bytes / part.len() + 1);
    out.truncate(bytes);
    out
}

fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prepare");
    for (form, part) in [("HTML", HTML), ("text", TEXT)] {
        for kilobytes in [1, 5, 22] {
            let description = of_size(part, kilobytes * 1024);
            group.throughput(Throughput::Bytes(kilobytes as u64 * 1024));
            group.bench_with_input(
                BenchmarkId::new(form, format!("{kilobytes} KB")),
                &posting(&description),
                |bencher, posting| bencher.iter(|| prepared(black_box(posting))),
            );
        }
    }
    let description = of_size(HTML, 5 * 1024);
    let posting = posting(&description);
    group.throughput(Throughput::Bytes(5 * 1024));
    group.bench_function("HTML and the rules/5 KB", |bencher| {
        bencher.iter(|| checked(black_box(&posting)));
    });
    group.finish();
}

fn rules(criterion: &mut Criterion) {
    let description = of_size(HTML, 5 * 1024);
    let posting = posting(&description);
    let prepared = prepared(&posting);
    let texts = texts(&prepared);
    let budget = || Budget::of(&description);
    assert_eq!(rules::check(&texts, None, &posting, &budget()), Ok(()));
    let mut group = criterion.benchmark_group("rules");
    group.bench_function("check", |bencher| {
        bencher.iter(|| rules::check(black_box(&texts), None, black_box(&posting), &budget()));
    });
    let hide = ["Brightvik", "morning meeting"].map(|text| Phrase {
        text,
        kind: Kind::Company,
    });
    let drafted = Posting {
        hide: &hide,
        ..posting
    };
    assert_eq!(rules::faults(&drafted, None, &budget()), Ok(Vec::new()));
    group.bench_function("faults", |bencher| {
        bencher.iter(|| rules::faults(black_box(&drafted), None, &budget()));
    });
    group.finish();
}

/// 100 KB of one pattern. Twice as much must take twice as long, not four times.
fn hostile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("100 KB of");
    group.sample_size(10);
    for part in [
        "<",
        "7",
        "a.",
        "(",
        "[",
        "@",
        "**a ",
        "Brightvik ",
        "Brightvik",
        "BCS ",
        "+47 ",
        "a@b.",
    ] {
        let description = of_size(part, 100 * 1024);
        group.throughput(Throughput::Bytes(100 * 1024));
        group.bench_with_input(
            BenchmarkId::from_parameter(part),
            &posting(&description),
            |bencher, posting| bencher.iter(|| checked(black_box(posting))),
        );
    }
    group.finish();
}

criterion_group! {
    name = prepare_and_rules;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = sizes, rules, hostile
}
criterion_main!(prepare_and_rules);
