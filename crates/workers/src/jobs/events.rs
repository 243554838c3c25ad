use async_trait::async_trait;
use kernel::StoreError;
use tokio_util::sync::CancellationToken;

use super::{deletions::Deletion, job::Job};
use crate::parts::WorkerParts;

pub(super) struct Events;

const DELETION: Deletion = Deletion {
    rows: "old events",
    batch: 5_000,
    before: |parts, newest| Some(newest - parts.settings.keep_events),
    delete: |parts, before, limit| parts.stores.events.forget(before, limit),
};

#[async_trait]
impl Job for Events {
    fn subject(&self) -> &'static str {
        DELETION.rows
    }

    /// Uses the newest event's time if it is earlier, so that fast clocks do not delete the log.
    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let end = parts.stores.events.end().await?;
        let newest = parts.stores.events.events_at(&[end]).await?;
        let before = newest.first().and_then(|newest| {
            let now = parts.earlier_now().min(newest.event.at);
            (DELETION.before)(parts, now)
        });
        DELETION.delete_before(before, parts, stop).await
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use domain::store::{Store as _, WriteSet};
    use kernel::{
        event::{Event, EventLog, EventName, LogQuery, Subject},
        testing::{noon, uuid},
    };

    use runtime::Clock;
    use time::OffsetDateTime;

    use super::*;
    use crate::{WorkerSettings, testing::TestStores};

    const DAY: time::Duration = time::Duration::DAY;
    const SAMPLE: EventName = EventName::new("Sample");

    async fn delete(
        stores: TestStores,
        machine: OffsetDateTime,
        server: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let settings = WorkerSettings {
            keep_events: Duration::from_hours(36),
            ..WorkerSettings::default()
        };
        let parts = WorkerParts {
            machine_clock: Arc::new(move || machine),
            ..stores.parts(&(Arc::new(move || server) as Clock), &settings)
        };
        Events.run(&parts, &CancellationToken::new()).await
    }

    /// Returns how many of three events remain. One is two days old and one is a day old. The third
    /// is new, from a machine whose clock is `author` days ahead. Events are kept for a day and a
    /// half.
    async fn left(author: i32, machine: i32, server: i32) -> usize {
        let stores = TestStores::new();
        let store = Arc::clone(&stores.faulty.memory);
        for at in [noon() - 2 * DAY, noon() - DAY, noon() + author * DAY] {
            let mut writes = WriteSet::new(at);
            let (name, subject) = (SAMPLE, Subject::Other(uuid(1)));
            writes.tasks.events.push(Event {
                name,
                subject,
                at,
                trace: None,
            });
            store.commit(writes).await.unwrap();
        }
        let deleted = delete(stores, noon() + machine * DAY, noon() + server * DAY);
        deleted.await.unwrap();
        let all = LogQuery {
            after: None,
            names: vec![SAMPLE],
            prefixes: kernel::Prefixes::ALL,
            reader: None,
            limit: 9,
        };
        EventLog::read(&*store, &all).await.unwrap().events.len()
    }

    #[tokio::test]
    async fn one_clock_that_is_ahead_deletes_nothing_too_early() {
        assert_eq!(left(0, 0, 0).await, 2);
        assert_eq!(left(0, 30, 0).await, 2, "this machine's");
        assert_eq!(left(0, 0, 30).await, 2, "the server's");
        assert_eq!(
            left(30, 0, 30).await,
            2,
            "the server's, by which events are written"
        );
        assert_eq!(left(0, -30, 0).await, 3, "behind");
    }

    #[tokio::test]
    async fn an_empty_log_has_nothing_to_delete() {
        let swept = delete(TestStores::new(), noon(), noon()).await;
        assert_eq!(swept, Ok(()));
    }
}
