use std::{sync::Arc, time::Duration};

use adapters_otlp::{OtlpTracer, Settings};
use kernel::trace::{OptionalTracer, Tracer};

use crate::misconfigured::Misconfigured;

/// The default service name, without `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
const SERVICE: &str = "posthaste";

const PATIENCE: Duration = Duration::from_secs(3);

pub struct Traces(Option<Arc<OtlpTracer>>);

impl Traces {
    pub fn start() -> anyhow::Result<Self> {
        let settings = Settings::from_env().map_err(|error| Misconfigured(error.to_string()))?;
        let Some(settings) = settings else {
            return Ok(Self(None));
        };
        let tracer = OtlpTracer::start(&settings, SERVICE)?;
        tracing::info!("traces are sent to a collector");
        Ok(Self(Some(Arc::new(tracer))))
    }

    pub fn tracer(&self) -> OptionalTracer {
        self.0
            .as_ref()
            .map(|tracer| Arc::clone(tracer) as Arc<dyn Tracer>)
    }

    pub async fn stop(self) {
        if let Some(tracer) = self.0 {
            // `stop` blocks, and its requests need the runtime.
            _ = tokio::task::spawn_blocking(move || tracer.stop(PATIENCE)).await;
        }
    }
}
