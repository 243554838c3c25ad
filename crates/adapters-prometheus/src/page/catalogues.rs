//! Metrics of each catalogue's last import. They come from the store, so they survive restarts.

use std::time::Duration;

use domain::{catalogue::LastImport, import::LineCounts};
use kernel::StoreError;
use metrics::gauge;
use stores::Stores;
use time::OffsetDateTime;

use super::reading::number;

runtime::metrics! {
    gauge LAST in Seconds = "posthaste_catalogue_last_import_timestamp_seconds",
        "The end of the last import, in seconds since 1970, by client and catalogue; of the 500 \
         oldest catalogues";
    gauge POSTINGS in Count = "posthaste_catalogue_postings",
        "Postings that the last import listed, by client and catalogue";
    gauge HELD in Count = "posthaste_catalogue_held_back",
        "Postings that the last complete import held back and that are not released, by client \
         and catalogue";
}

/// The metrics cover at most this many catalogues, the oldest.
const MOST: usize = 500;

pub(super) const LIFETIME: Duration = Duration::from_secs(30);

pub(super) async fn read(stores: &Stores) -> Result<Vec<LastImport>, StoreError> {
    stores.catalogues.last_imports(MOST).await
}

/// The number of accepted lines, except those that expired a posting.
const fn listed(counts: &LineCounts) -> u64 {
    counts.created + counts.updated + counts.unchanged + counts.reopened
}

pub(super) fn record(imports: Vec<LastImport>) {
    for last in imports {
        let labels = [
            ("client", last.client.to_string()),
            ("catalogue", last.name.as_str().to_owned()),
        ];
        let import = &last.import;
        let ended = (import.finished_at - OffsetDateTime::UNIX_EPOCH).as_seconds_f64();
        gauge!(LAST, &labels).set(ended);
        gauge!(POSTINGS, &labels).set(number(listed(&import.summary.counts)));
        gauge!(HELD, &labels).set(number(last.held_back().unwrap_or_default()));
    }
}
