//! Metrics of the event log's consumers.

use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogQuery},
};
use metrics::{Unit, describe_gauge, gauge};
use newsletter::tasks::CONSUMER;
use time::OffsetDateTime;
use tokio::{sync::Mutex, time::Instant};

use super::stores::{STATE_LIFETIME, Stores, in_time};
use crate::kinds;

const LAG: &str = "posthaste_event_log_lag_seconds";

/// The time of the oldest event that the newsletter has not passed, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Oldest(Option<OffsetDateTime>);

/// The cached state.
#[derive(Default)]
pub(super) struct Watch {
    looked: Mutex<Option<(Instant, Oldest)>>,
}

impl Watch {
    /// How far the newsletter is; `None` if that cannot be read.
    pub async fn look(&self, stores: &Stores) -> Option<Oldest> {
        let mut looked = self.looked.lock().await;
        if let Some((at, oldest)) = *looked
            && at.elapsed() < STATE_LIFETIME
        {
            return Some(oldest);
        }
        *looked = in_time(oldest(&*stores.events))
            .await
            .inspect_err(|error| tracing::warn!(%error, "the metrics lack the event log"))
            .ok()
            .map(|oldest| (Instant::now(), oldest));
        looked.map(|(_, oldest)| oldest)
    }
}

/// Reads the oldest event that the newsletter has not passed.
async fn oldest(log: &dyn EventLog) -> Result<Oldest, StoreError> {
    let kept = log.cursor(CONSUMER).await?;
    let first = match first_after(log, kept).await {
        Err(LogError::Gone) => first_after(log, None).await,
        first => first,
    };
    match first {
        Ok(first) => Ok(Oldest(first)),
        // All that were left have just been deleted.
        Err(LogError::Gone) => Ok(Oldest(None)),
        Err(LogError::Store(error)) => Err(error),
    }
}

async fn first_after(
    log: &dyn EventLog,
    after: Option<Cursor>,
) -> Result<Option<OffsetDateTime>, LogError> {
    let query = LogQuery {
        after,
        names: kinds::events(),
        prefixes: kernel::Prefixes::ALL,
        limit: 1,
    };
    let page = log.read(&query).await?;
    Ok(page.events.first().map(|event| event.event.at))
}

pub(super) fn record(oldest: Option<Oldest>, now: OffsetDateTime) {
    describe_gauge!(
        LAG,
        Unit::Seconds,
        "The age of the oldest event that a consumer of the event log has not passed; 0 if it has \
         passed all"
    );
    if let Some(Oldest(oldest)) = oldest {
        let age = oldest.map_or(0.0, |at| (now - at).as_seconds_f64().max(0.0));
        gauge!(LAG, "consumer" => CONSUMER).set(age);
    }
}
