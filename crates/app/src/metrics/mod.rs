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

use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use self::page::started;
pub use self::page::{Page, PagePorts, Serving, Stores, backlog_of};

const REPLICA_UP: &str = "posthaste_replica_up";
const REPLICA_LAG: &str = "posthaste_replica_lag_seconds";
const BUILD_INFO: &str = "posthaste_build_info";
/// Recorded by the HTTP adapter.
const TOKEN_REQUESTS: &str = "posthaste_token_requests_total";
/// Recorded by the model's adapter.
const LLM_REQUEST_SECONDS: &str = "posthaste_llm_request_seconds";

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
        workers::metrics::ENRICHMENT_SECONDS,
        &workers::metrics::ENRICHMENT_BUCKETS,
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
    workers::metrics::describe();
    describe_counter!(
        TOKEN_REQUESTS,
        Unit::Count,
        "Requests for a token by outcome: issued, or the code of the error, such as invalid_client"
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

    for outcome in ["issued", "invalid_client"] {
        counter!(TOKEN_REQUESTS, "outcome" => outcome).increment(0);
    }
    gauge!(
        BUILD_INFO,
        "version" => env!("CARGO_PKG_VERSION"),
        "commit" => env!("POSTHASTE_COMMIT"),
    )
    .set(1);
}
