//! Metrics of clients' last pushes. They come from the store, so they survive restarts.

use std::time::Duration;

use kernel::StoreError;
use metrics::gauge;
use stores::Stores;
use time::OffsetDateTime;

runtime::metrics! {
    gauge LAST_PUSH in Seconds = "posthaste_last_push_timestamp_seconds",
        "The time of the last push, accepted or refused, in seconds since 1970, by client and \
         name; of the 200 oldest clients";
}

/// The metric covers at most this many clients, the oldest.
const MOST: usize = 200;

pub(super) const LIFETIME: Duration = Duration::from_secs(30);

pub(super) type LastPush = (String, String, OffsetDateTime);

pub(super) async fn read(stores: &Stores) -> Result<Vec<LastPush>, StoreError> {
    let mut clients = stores.clients.list(MOST).await?;
    clients.retain(|client| client.revoked_at.is_none());
    let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
    let activities = stores.activity.activities(&ids, false).await?;
    let last = clients.into_iter().filter_map(|client| {
        let at = activities.get(&client.id)?.last_push_at?;
        Some((client.id.to_string(), client.name, at))
    });
    Ok(last.collect())
}

pub(super) fn record(pushes: Vec<LastPush>) {
    for (client, name, at) in pushes {
        let at = (at - OffsetDateTime::UNIX_EPOCH).as_seconds_f64();
        gauge!(LAST_PUSH, "client" => client, "name" => name).set(at);
    }
}
