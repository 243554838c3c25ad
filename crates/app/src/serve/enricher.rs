use std::{sync::Arc, time::Duration};

use adapters_llm::{ChatModel, SettingsError};
use enrichment::Model;
use workers::WorkerSettings;

use crate::{args::EnricherKind, misconfigured::Misconfigured};

/// The time limit of an enrichment, in timeouts. It allows two calls with the longest timeout,
/// after two such calls of another worker that holds the reservation.
const CALLS: u32 = 4 * adapters_llm::MAX_TIMEOUT_FACTOR;
const MARGIN: Duration = Duration::from_mins(1);

/// Prepares the model (none for rules only) and the worker's settings. Makes no call.
pub fn prepare(
    kind: &EnricherKind,
    settings: WorkerSettings,
) -> anyhow::Result<(Option<Arc<dyn Model>>, WorkerSettings)> {
    let (llm, calls) = match kind {
        EnricherKind::Builtin => return Ok((None, settings)),
        EnricherKind::Llm(llm, calls) => (llm, *calls),
    };
    let model = ChatModel::new(llm).map_err(|error| match error {
        SettingsError::BaseUrl | SettingsError::Key => Misconfigured(error.to_string()).into(),
        SettingsError::Client(_) => anyhow::Error::new(error),
    })?;
    let within = llm.timeout.saturating_mul(CALLS) + MARGIN;
    let settings = settings.for_model(calls, within);
    Ok((Some(Arc::new(model)), settings))
}
