//! What the built-in enricher costs: a posting by the size and form of its description, with the
//! rules' look at the result, and texts that are made to be slow.
#![expect(
    clippy::expect_used,
    reason = "a benchmark, whose texts are within the budget"
)]

use std::{hint::black_box, sync::Arc};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use domain::{
    enrichment::{Budget, Craft, Enrichment, EnrichmentInput, StopFlag, rules},
    posting::CountryCode,
};
use posting_text::Builtin;

fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: "Warehouse Planner".to_owned(),
        raw_description: Arc::from(description),
        country: CountryCode::parse("NO"),
        city: Some("Drammen".to_owned()),
        company_name: "Brightvik Cold Storage AS".to_owned(),
        company_website: "https://www.brightvik.example/careers".to_owned(),
    }
}

fn budget(input: &EnrichmentInput) -> Budget {
    Budget::of(&input.raw_description, &StopFlag::default())
}

/// Enriches a posting; none of these takes too much.
fn enrich(input: &EnrichmentInput) -> Enrichment {
    let enrichment = Builtin.prepare(input, &budget(input));
    enrichment.expect("it is within the budget")
}

/// A part of an advertisement as an editor on the web writes it: about 1 KB.
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

/// The same as somebody types it: about 1 KB.
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

/// A description of this many bytes, cut at the end of a part's character.
fn of_size(part: &str, bytes: usize) -> String {
    let mut out = part.repeat(bytes / part.len() + 1);
    out.truncate(bytes);
    out
}

fn prepare(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prepare");
    for (form, part) in [("HTML", HTML), ("text", TEXT)] {
        for kilobytes in [1, 5, 22] {
            let input = input(&of_size(part, kilobytes * 1024));
            group.throughput(Throughput::Bytes(kilobytes as u64 * 1024));
            group.bench_with_input(
                BenchmarkId::new(form, format!("{kilobytes} KB")),
                &input,
                |bencher, input| bencher.iter(|| enrich(black_box(input))),
            );
        }
    }
    let input = input(&of_size(HTML, 5 * 1024));
    group.throughput(Throughput::Bytes(5 * 1024));
    group.bench_function("HTML and the rules/5 KB", |bencher| {
        bencher.iter(|| {
            let enrichment = enrich(black_box(&input));
            rules::check(&enrichment, &input, &budget(&input))
        });
    });
    group.finish();
}

/// 100 KB of one thing. Twice as much must take twice as long, not four times.
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
        let input = input(&of_size(part, 100 * 1024));
        group.throughput(Throughput::Bytes(100 * 1024));
        group.bench_with_input(
            BenchmarkId::from_parameter(part),
            &input,
            |bencher, input| {
                bencher.iter(|| {
                    let enrichment = enrich(black_box(input));
                    rules::check(&enrichment, input, &budget(input))
                });
            },
        );
    }
    group.finish();
}

criterion_group! {
    name = builtin;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = prepare, hostile
}
criterion_main!(builtin);
