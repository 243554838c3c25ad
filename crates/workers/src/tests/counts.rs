use std::time::Duration;

use ::metrics::with_local_recorder;
use enrichment::{Enricher as _, EnrichmentInput, Pipeline};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use runtime::metrics::{self, Kind};

use crate::metrics::*;

#[track_caller]
fn assert_says(page: &str, expected: &[&str]) {
    for line in expected {
        assert!(
            page.lines().any(|found| found == *line),
            "no {line} in\n{page}"
        );
    }
}

/// The metrics page after `record` has run.
fn recorded(record: impl FnOnce()) -> String {
    let mut builder = PrometheusBuilder::new();
    for metric in metrics::all() {
        if let Kind::Histogram(buckets) = metric.kind {
            let name = Matcher::Full(metric.name.to_owned());
            builder = builder.set_buckets_for_metric(name, buckets).unwrap();
        }
    }
    let recorder = builder.build_recorder();
    with_local_recorder(&recorder, || {
        metrics::describe();
        metrics::start();
        record();
    });
    recorder.handle().render()
}

#[test]
fn counters_begin_at_nothing() {
    let page = recorded(|| enrichment_took(Duration::from_millis(3)));
    assert!(
        page.contains("# TYPE posthaste_enrichment_seconds histogram\n"),
        "{page}"
    );
    assert_says(
        &page,
        &[
            r#"posthaste_enrichments_total{outcome="approved",code=""} 0"#,
            r#"posthaste_enrichments_total{outcome="rejected",code="spam"} 0"#,
            r#"posthaste_redactions_total{kind="handle"} 0"#,
            "posthaste_llm_drafts_reused_total 0",
            "posthaste_llm_phrases_dropped_total 0",
            "posthaste_enricher_paused 0",
            r#"posthaste_provider_paused{account="new"} 0"#,
        ],
    );
}

#[test]
fn what_the_rules_hide_is_counted() {
    let input = EnrichmentInput {
        posting: None,
        title: "Driver".to_owned(),
        raw_description: "<p>Acmera hires. Acmera pays. Write to jobs@acmera.no.</p>".into(),
        country: None,
        city: None,
        company_name: "Acmera AS".to_owned(),
        company_website: "https://acmera.no".to_owned(),
        other_names: Vec::new(),
        application_url: None,
        details: domain::posting::Details::default(),
        new_domains: Vec::new(),
        churns: false,
        pushed_at: time::OffsetDateTime::UNIX_EPOCH,
    };
    let page = recorded(|| {
        Pipeline::new(None, redacted).unjudged(&input).unwrap();
    });
    assert_says(
        &page,
        &[
            r#"posthaste_redactions_total{kind="company"} 2"#,
            r#"posthaste_redactions_total{kind="email"} 1"#,
            r#"posthaste_redactions_total{kind="phone"} 0"#,
        ],
    );
}
