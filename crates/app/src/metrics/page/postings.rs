//! Metrics of postings: how many there are of each status, counted up to a bound.

use std::time::Duration;

use domain::browse::PostingBrowser;
use kernel::{Status, StoreError};
use metrics::{Unit, describe_gauge, gauge};
use tokio::{sync::Mutex, time::Instant};

use super::stores::{Stores, in_time, number};

const POSTINGS: &str = "posthaste_postings";

/// The largest count of a status. It is read from the index of statuses alone.
const MOST: usize = 1_000_000;

/// The lifetime of the counts.
const LIFETIME: Duration = Duration::from_mins(1);

/// The postings of a status.
pub(super) type Counted = (Status, usize);

/// The cached counts.
#[derive(Default)]
pub(super) struct Watch {
    looked: Mutex<Option<(Instant, Vec<Counted>)>>,
}

impl Watch {
    /// The counts. A failure is cached too, as having none: to count may be what takes long.
    pub async fn look(&self, stores: &Stores) -> Vec<Counted> {
        let mut looked = self.looked.lock().await;
        if let Some((at, counts)) = looked.as_ref()
            && at.elapsed() < LIFETIME
        {
            return counts.clone();
        }
        let counts = in_time(count(&*stores.browser)).await;
        let counts = counts.unwrap_or_else(|error| {
            tracing::warn!(%error, "the metrics lack the postings");
            Vec::new()
        });
        *looked = Some((Instant::now(), counts.clone()));
        counts
    }
}

async fn count(browser: &dyn PostingBrowser) -> Result<Vec<Counted>, StoreError> {
    let mut counts = Vec::new();
    for status in Status::ALL {
        let count = browser.count_status(*status, MOST).await?;
        counts.push((*status, count));
    }
    Ok(counts)
}

pub(super) fn record(counts: &[Counted]) {
    describe_gauge!(
        POSTINGS,
        Unit::Count,
        "Postings by status, counted to 1000000 of each, once a minute"
    );
    for (status, count) in counts {
        gauge!(POSTINGS, "status" => status.as_str()).set(number(*count as u64));
    }
}
