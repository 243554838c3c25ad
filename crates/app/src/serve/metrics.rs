//! The metrics of the whole program: which histograms it has, and what each metric is.

use adapters_prometheus::{Buckets, InstallError};
use metrics::{Unit, describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusHandle;

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

/// Installs the recorder of the process, on the first call only.
pub fn install() -> Result<PrometheusHandle, InstallError> {
    adapters_prometheus::install(&HISTOGRAMS, describe)
}

/// Describes each metric, and starts counters at zero, so that a first event shows as a step.
pub fn describe() {
    adapters_http::describe_metrics();
    workers::metrics::describe();
    workers::replica::describe();
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
