//! Numbers of postings by status, counted up to a limit.

use std::time::Duration;

use kernel::{Status, StoreError};
use metrics::gauge;
use stores::Stores;

use super::reading::number;

runtime::metrics! {
    gauge POSTINGS in Count = "posthaste_postings",
        "Postings by status, counted to 1000000 of each, once a minute";
}

/// The limit for each status. The count reads only an index.
const MOST: usize = 1_000_000;

pub(super) const LIFETIME: Duration = Duration::from_mins(1);

pub(super) type Counted = (Status, usize);

pub(super) async fn read(stores: &Stores) -> Result<Vec<Counted>, StoreError> {
    let mut counts = Vec::new();
    for status in Status::ALL {
        let count = stores.browser.count_status(*status, MOST).await?;
        counts.push((*status, count));
    }
    Ok(counts)
}

pub(super) fn record(counts: &[Counted]) {
    for (status, count) in counts {
        gauge!(POSTINGS, "status" => status.as_str()).set(number(*count as u64));
    }
}
