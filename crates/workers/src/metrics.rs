use std::time::Duration;

use ::metrics::{counter, gauge, histogram};
use ::newsletter::subscriber::Account;
use ::webhooks::Outcome;
use access::activity::Counts;
use domain::posting::{ReasonCode, Verdict};
use enrichment::Redactions;
use kernel::ClientId;

runtime::metrics! {
    start zero;
    counter ENRICHMENTS in Count = "posthaste_enrichments_total",
        "Enrichments by outcome: approved, rejected (with its code in code), failed (to be \
         retried) and unjudged (dead)";
    histogram ENRICHMENT_SECONDS in Seconds
        [0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 300.0]
        = "posthaste_enrichment_seconds",
        "Time that the enricher takes for a posting, whatever the outcome";
    gauge ENRICHER_PAUSED in Count = "posthaste_enricher_paused",
        "1 while this process pauses calls of the enricher, else 0";
    counter REDACTIONS in Count = "posthaste_redactions_total",
        "Passages that the rules hid, by kind: company, email, phone, link, person, address, id \
         and handle";
    counter DRAFTS_REUSED in Count = "posthaste_llm_drafts_reused_total",
        "Postings that reused a paid draft";
    counter PHRASES_DROPPED in Count = "posthaste_llm_phrases_dropped_total",
        "Phrases of drafts that are not in their postings";
    counter WEBHOOK_DELIVERIES in Count = "posthaste_webhook_deliveries_total",
        "Attempts to deliver an event by outcome: delivered, refused, gone (410) and no_answer; \
         also given_up for each dead event";
    counter TEXTS_DROPPED in Count = "posthaste_expired_texts_dropped_total",
        "Expired postings whose texts this process dropped";
    gauge PROVIDER_PAUSED in Count = "posthaste_provider_paused",
        "1 while this process pauses calls of an account of the e-mail provider, by account; else \
         0";
    counter PUSHES in Count = "posthaste_pushes_total",
        "Answered pushes and lines of imports, by client and outcome: created, updated, \
         unchanged, expired, reopened and refused; counted every few seconds";
    counter VERDICTS in Count = "posthaste_verdicts_total",
        "Committed verdicts, by the client that created the posting and outcome: approved, \
         rejected, and withdrawn (rejected after an approval); counted every few seconds";
}

pub fn enriched(verdict: &Verdict) {
    match verdict {
        Verdict::Approve => count_enrichment("approved", ""),
        Verdict::Reject { code, .. } => count_enrichment("rejected", code.as_str()),
    }
}

pub fn enrichment_failed() {
    count_enrichment("failed", "");
}

pub fn enrichment_given_up() {
    count_enrichment("unjudged", "");
}

fn count_enrichment(outcome: &'static str, code: &'static str) {
    counter!(ENRICHMENTS, "outcome" => outcome, "code" => code).increment(1);
}

pub fn enrichment_took(time: Duration) {
    histogram!(ENRICHMENT_SECONDS).record(time);
}

pub fn enricher_paused(is_paused: bool) {
    gauge!(ENRICHER_PAUSED).set(u8::from(is_paused));
}

pub fn redacted(redactions: &Redactions) {
    for (kind, count) in redactions.iter() {
        counter!(REDACTIONS, "kind" => kind.name()).increment(count.into());
    }
}

pub fn draft_reused() {
    counter!(DRAFTS_REUSED).increment(1);
}

pub fn phrases_dropped(phrases: usize) {
    counter!(PHRASES_DROPPED).increment(phrases as u64);
}

pub fn webhook_attempted(outcome: Outcome) {
    let outcome = match outcome {
        Outcome::Delivered(_) => "delivered",
        Outcome::Refused { .. } => "refused",
        Outcome::Gone => "gone",
        Outcome::NoAnswer(_) => "no_answer",
    };
    counter!(WEBHOOK_DELIVERIES, "outcome" => outcome).increment(1);
}

pub fn webhook_events_given_up(events: usize) {
    counter!(WEBHOOK_DELIVERIES, "outcome" => "given_up").increment(events as u64);
}

/// Counts lines of imports as well.
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
    let verdicts = [
        ("approved", counts.approved),
        ("rejected", counts.rejected.saturating_sub(counts.withdrawn)),
        ("withdrawn", counts.withdrawn),
    ];
    for (outcome, count) in verdicts.into_iter().filter(|(_, count)| *count > 0) {
        counter!(VERDICTS, "client" => client.to_string(), "outcome" => outcome).increment(count);
    }
}

pub fn texts_dropped(count: u64) {
    counter!(TEXTS_DROPPED).increment(count);
}

pub fn provider_paused(account: Account, is_paused: bool) {
    gauge!(PROVIDER_PAUSED, "account" => account.as_str()).set(u8::from(is_paused));
}

fn zero() {
    for outcome in ["approved", "failed", "unjudged"] {
        counter!(ENRICHMENTS, "outcome" => outcome, "code" => "").increment(0);
    }
    for code in ReasonCode::ALL {
        counter!(ENRICHMENTS, "outcome" => "rejected", "code" => code.as_str()).increment(0);
    }
    redacted(&Redactions::default());
    counter!(DRAFTS_REUSED).increment(0);
    phrases_dropped(0);
    for outcome in ["delivered", "refused", "gone", "no_answer", "given_up"] {
        counter!(WEBHOOK_DELIVERIES, "outcome" => outcome).increment(0);
    }
    enricher_paused(false);
    for account in Account::ALL {
        provider_paused(*account, false);
    }
}
