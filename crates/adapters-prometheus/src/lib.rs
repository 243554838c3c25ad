//! The page of metrics for Prometheus.
//!
//! Code counts events where they happen, with the macros of the crate `metrics`. State is read when
//! the page is requested (see [`Page`]).

mod page;

#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};

use ::metrics::SetRecorderError;
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use runtime::metrics::{self, Kind};

use self::page::started;
pub use self::page::{Page, PagePorts, Serving};

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(transparent)]
    Buckets(#[from] BuildError),
    #[error(transparent)]
    Recorder(#[from] SetRecorderError<PrometheusRecorder>),
}

/// The recorder of [`install`].
static RECORDER: Mutex<Option<PrometheusHandle>> = Mutex::new(None);

/// Installs the recorder on the first call, and describes the metrics. Fails if a histogram has no
/// buckets, or if the process has another recorder.
pub fn install() -> Result<PrometheusHandle, InstallError> {
    let mut installed = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = installed.as_ref() {
        return Ok(handle.clone());
    }
    started();
    let recorder = recorder()?;
    let handle = recorder.handle();
    ::metrics::set_global_recorder(recorder)?;
    metrics::describe();
    metrics::start();
    *installed = Some(handle.clone());
    Ok(handle)
}

/// A recorder with the buckets of all histograms. Fails if a histogram has none.
pub fn recorder() -> Result<PrometheusRecorder, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for metric in metrics::all() {
        if let Kind::Histogram(buckets) = metric.kind {
            let name = Matcher::Full(metric.name.to_owned());
            builder = builder.set_buckets_for_metric(name, buckets)?;
        }
    }
    Ok(builder.build_recorder())
}
