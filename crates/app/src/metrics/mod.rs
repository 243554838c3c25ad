//! The metrics and their recorder.
//!
//! Events are counted where they happen, by the functions here, at next to no cost while nothing
//! records. State is read when the page is requested, see [`page`].

mod page;

#[cfg(test)]
mod tests;

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use ::webhooks::Outcome;
use access::activity::Counts;
use domain::posting::{ReasonCode, Verdict};
use enrichment::Redactions;
use kernel::ClientId;
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use newsletter::subscriber::Account;

use self::page::started;
pub use self::page::{Page, PagePorts, Serving, Stores, backlog_of};

const ENRICHMENTS: &str = "posthaste_enrichments_total";
const ENRICHMENT_SECONDS: &str = "posthaste_enrichment_seconds";
const ENRICHER_PAUSED: &str = "posthaste_enricher_paused";
const REDACTIONS: &str = "posthaste_redactions_total";
const DRAFTS_REUSED: &str = "posthaste_llm_drafts_reused_total";
const EVENTS_DELIVERED: &str = "posthaste_events_delivered_total";
const WEBHOOK_DELIVERIES: &str = "posthaste_webhook_deliveries_total";
const PROVIDER_PAUSED: &str = "posthaste_provider_paused";
const REPLICA_UP: &str = "posthaste_replica_up";
const REPLICA_LAG: &str = "posthaste_replica_lag_seconds";
const PUSHES: &str = "posthaste_pushes_total";
const BUILD_INFO: &str = "posthaste_build_info";
/// Recorded by the HTTP adapter.
const TOKEN_REQUESTS: &str = "posthaste_token_requests_total";
/// Recorded by the model's adapter.
const LLM_REQUEST_SECONDS: &str = "posthaste_llm_request_seconds";

/// Buckets of an enrichment: rules take about a millisecond, a model up to a few minutes.
const ENRICHMENT_BUCKETS: [f64; 13] = [
    0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 300.0,
];
/// Buckets of a model's answer: it writes a description twice, token by token.
const LLM_REQUEST_BUCKETS: [f64; 11] =
    [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0];

/// Records whether the replica is read, and by how much it is behind.
pub fn replica(lag: Option<Duration>) {
    gauge!(REPLICA_UP).set(u8::from(lag.is_some()));
    if let Some(lag) = lag {
        gauge!(REPLICA_LAG).set(lag);
    }
}

/// Counts an enrichment by its verdict.
pub fn enriched(verdict: &Verdict) {
    match verdict {
        Verdict::Approve => count_enrichment("approved", ""),
        Verdict::Reject { code, .. } => count_enrichment("rejected", code.as_str()),
    }
}

/// Counts an enrichment that failed and will be retried.
pub fn enrichment_failed() {
    count_enrichment("failed", "");
}

/// Counts an enrichment that was given up.
pub fn enrichment_given_up() {
    count_enrichment("unjudged", "");
}

fn count_enrichment(outcome: &'static str, code: &'static str) {
    counter!(ENRICHMENTS, "outcome" => outcome, "code" => code).increment(1);
}

/// Records the time of an enrichment.
pub fn enrichment_took(time: Duration) {
    histogram!(ENRICHMENT_SECONDS).record(time);
}

/// Records whether the enricher is paused.
pub fn enricher_paused(is_paused: bool) {
    gauge!(ENRICHER_PAUSED).set(u8::from(is_paused));
}

/// Counts what the rules hid in a posting, by kind.
pub fn redacted(redactions: &Redactions) {
    for (kind, count) in redactions.iter() {
        counter!(REDACTIONS, "kind" => kind.name()).increment(count.into());
    }
}

/// Counts a reused draft, which was paid for before.
pub fn draft_reused() {
    counter!(DRAFTS_REUSED).increment(1);
}

/// Counts events delivered to consumers inside.
pub fn events_delivered(events: usize) {
    counter!(EVENTS_DELIVERED).increment(events as u64);
}

/// Counts an attempt to deliver an event to a webhook.
pub fn webhook_attempted(outcome: Outcome) {
    let outcome = match outcome {
        Outcome::Delivered(_) => "delivered",
        Outcome::Refused { .. } => "refused",
        Outcome::Gone => "gone",
        Outcome::NoAnswer(_) => "no_answer",
    };
    counter!(WEBHOOK_DELIVERIES, "outcome" => outcome).increment(1);
}

/// Counts events that are not tried again for a webhook.
pub fn webhook_events_given_up(events: usize) {
    counter!(WEBHOOK_DELIVERIES, "outcome" => "given_up").increment(events as u64);
}

/// Counts the pushes of a client by outcome, lines of imports included.
pub fn pushed(client: ClientId, counts: &Counts) {
    let outcomes = [
        ("created", counts.created),
        ("updated", counts.updated),
        ("unchanged", counts.unchanged),
        ("expired", counts.expired),
        ("reopened", counts.reopened),
        ("refused", counts.refused),
    ];
    for (outcome, count) in outcomes.into_iter().filter(|(_, count)| *count > 0) {
        counter!(PUSHES, "client" => client.to_string(), "outcome" => outcome).increment(count);
    }
}

/// Records whether an account of the e-mail provider is paused.
pub fn provider_paused(account: Account, is_paused: bool) {
    gauge!(PROVIDER_PAUSED, "account" => account.as_str()).set(u8::from(is_paused));
}

/// The recorder of this process, once installed.
static RECORDER: Mutex<Option<PrometheusHandle>> = Mutex::new(None);

/// Installs the recorder of the process, on the first call only.
pub fn install() -> anyhow::Result<PrometheusHandle> {
    let mut installed = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = installed.as_ref() {
        return Ok(handle.clone());
    }
    started();
    let recorder = recorder()?;
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    describe();
    *installed = Some(handle.clone());
    Ok(handle)
}

/// A recorder with the buckets of the histograms.
fn recorder() -> Result<PrometheusRecorder, BuildError> {
    let buckets = |builder: PrometheusBuilder, name: &str, buckets: &[f64]| {
        builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)
    };
    let builder = buckets(
        PrometheusBuilder::new(),
        ENRICHMENT_SECONDS,
        &ENRICHMENT_BUCKETS,
    )?;
    let builder = buckets(builder, LLM_REQUEST_SECONDS, &LLM_REQUEST_BUCKETS)?;
    let builder = buckets(
        builder,
        adapters_http::REQUEST_SECONDS,
        &adapters_http::REQUEST_BUCKETS,
    )?;
    Ok(builder.build_recorder())
}

/// Describes each metric, and starts counters at zero, so that a first event shows as a step.
fn describe() {
    adapters_http::describe_requests();
    describe_counter!(
        ENRICHMENTS,
        Unit::Count,
        "Enrichments by outcome: approved, rejected (with its code), failed (will be tried \
         again) and unjudged (given up)"
    );
    describe_histogram!(
        ENRICHMENT_SECONDS,
        Unit::Seconds,
        "How long the enricher worked on a posting, whatever came of it"
    );
    describe_gauge!(
        ENRICHER_PAUSED,
        Unit::Count,
        "1 while this process leaves the enricher alone, else 0"
    );
    describe_counter!(
        REDACTIONS,
        Unit::Count,
        "What the rules hid in descriptions, by kind, whenever they prepared one"
    );
    describe_counter!(
        DRAFTS_REUSED,
        Unit::Count,
        "Postings that took a draft somebody had paid for before"
    );
    describe_counter!(
        EVENTS_DELIVERED,
        Unit::Count,
        "Events delivered to consumers inside: the newsletter"
    );
    describe_counter!(
        WEBHOOK_DELIVERIES,
        Unit::Count,
        "Attempts to deliver an event to a webhook by outcome: delivered, refused, gone (410) and \
         no_answer; and, beside its last attempt, each event that was given_up"
    );
    describe_counter!(
        TOKEN_REQUESTS,
        Unit::Count,
        "Requests for a token by outcome: issued, or the code of the error, such as invalid_client"
    );
    describe_gauge!(
        PROVIDER_PAUSED,
        Unit::Count,
        "1 while this process leaves an account of the e-mail provider alone, else 0"
    );
    describe_counter!(
        PUSHES,
        Unit::Count,
        "Pushes and lines of imports that this process answered, by client and outcome; counted \
         every few seconds"
    );
    describe_gauge!(
        REPLICA_UP,
        Unit::Count,
        "1 while this process reads lists, exports and events from the replica, 0 while it reads \
         them from the primary"
    );
    describe_gauge!(
        REPLICA_LAG,
        Unit::Seconds,
        "By how much the replica is behind the primary"
    );
    describe_gauge!(
        BUILD_INFO,
        Unit::Count,
        "1, labelled with the version that runs and the commit that it was built from, if known"
    );

    for outcome in ["approved", "failed", "unjudged"] {
        counter!(ENRICHMENTS, "outcome" => outcome, "code" => "").increment(0);
    }
    for code in ReasonCode::ALL {
        counter!(ENRICHMENTS, "outcome" => "rejected", "code" => code.as_str()).increment(0);
    }
    redacted(&Redactions::default());
    for outcome in ["issued", "invalid_client"] {
        counter!(TOKEN_REQUESTS, "outcome" => outcome).increment(0);
    }
    counter!(DRAFTS_REUSED).increment(0);
    counter!(EVENTS_DELIVERED).increment(0);
    for outcome in ["delivered", "refused", "gone", "no_answer", "given_up"] {
        counter!(WEBHOOK_DELIVERIES, "outcome" => outcome).increment(0);
    }
    enricher_paused(false);
    for account in Account::ALL {
        provider_paused(*account, false);
    }
    gauge!(
        BUILD_INFO,
        "version" => env!("CARGO_PKG_VERSION"),
        "commit" => env!("POSTHASTE_COMMIT"),
    )
    .set(1);
}
