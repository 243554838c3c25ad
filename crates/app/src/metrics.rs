//! The metrics of the whole program: which histograms it has, and what each metric is.

use std::time::Duration;

use adapters_prometheus::{Buckets, InstallError};
use metrics::{Unit, describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusHandle;

const REPLICA_UP: &str = "posthaste_replica_up";
const REPLICA_LAG: &str = "posthaste_replica_lag_seconds";
const BUILD_INFO: &str = "posthaste_build_info";

/// The histograms.
const HISTOGRAMS: [Buckets; 3] = [
    (
        workers::metrics::ENRICHMENT_SECONDS,
        &workers::metrics::ENRICHMENT_BUCKETS,
    ),
    (adapters_llm::SECONDS, &adapters_llm::BUCKETS),
    (
        adapters_http::REQUEST_SECONDS,
        &adapters_http::REQUEST_BUCKETS,
    ),
];

/// Records whether the replica is read, and by how much it is behind.
pub fn replica(lag: Option<Duration>) {
    gauge!(REPLICA_UP).set(u8::from(lag.is_some()));
    if let Some(lag) = lag {
        gauge!(REPLICA_LAG).set(lag);
    }
}

/// Installs the recorder of the process, on the first call only.
pub fn install() -> Result<PrometheusHandle, InstallError> {
    adapters_prometheus::install(&HISTOGRAMS, describe)
}

/// Describes each metric, and starts counters at zero, so that a first event shows as a step.
pub fn describe() {
    adapters_http::describe_metrics();
    workers::metrics::describe();
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
    gauge!(
        BUILD_INFO,
        "version" => env!("CARGO_PKG_VERSION"),
        "commit" => env!("BUILD_COMMIT"),
    )
    .set(1);
}
