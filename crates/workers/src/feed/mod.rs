//! The feed: readers follow the event log, and wait for events without each polling the store.
//!
//! [`Feed`] reads the log for a reader that does not wait, or whose cursor is before the
//! [buffer](buffer). A waiting reader holds no thread or connection: one [task](poll) polls the
//! store for all readers, and keeps the newest events in the buffer.

mod buffer;
mod poll;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kernel::{
    StoreError,
    event::{Cursor, EventFeed, EventLog, LogError, LogPage, LogQuery},
};
use runtime::Loops;
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::{
    buffer::{Buffer, Found},
    poll::Poller,
};

/// After this time, a reader ahead of the buffer reads the log: its cursor is from a process that
/// has read further, or the log was restored from an older backup.
const CATCH_UP: Duration = Duration::from_millis(300);

pub struct Feed {
    log: Arc<dyn EventLog>,
    buffer: Arc<watch::Sender<Buffer>>,
    joined: Arc<Notify>,
    stop: CancellationToken,
}

impl Feed {
    /// Adds the feed to these loops. A stop answers waiting readers. `recorded` signals new events.
    pub fn start(log: Arc<dyn EventLog>, recorded: Arc<Notify>, loops: &mut Loops) -> Self {
        let buffer = Arc::new(watch::Sender::new(Buffer::at(Cursor::START)));
        let joined = Arc::<Notify>::default();
        let poller = Poller {
            log: Arc::clone(&log),
            buffer: Arc::clone(&buffer),
            joined: Arc::clone(&joined),
            recorded,
        };
        loops.spawn(|stop| poller.run(stop));
        Self {
            log,
            buffer,
            joined,
            stop: loops.token(),
        }
    }

    fn is_over(&self, deadline: Instant) -> bool {
        self.stop.is_cancelled() || Instant::now() >= deadline
    }

    async fn wait(&self, mut query: LogQuery, deadline: Instant) -> Result<LogPage, LogError> {
        // The reader subscribes before it looks at the buffer, so it misses no event.
        let mut news = self.buffer.subscribe();
        self.joined.notify_one();
        let mut check_at = Instant::now() + CATCH_UP;
        while !self.is_over(deadline) {
            let found = news.borrow_and_update().look(&query);
            let mut wake_at = deadline;
            match found {
                Found::Page(page) => return Ok(page),
                Found::Nothing(cursor) => query.after = Some(cursor),
                Found::Ahead if Instant::now() < check_at => wake_at = check_at.min(deadline),
                Found::Ahead | Found::Outside => {
                    check_at = deadline;
                    let read = timeout_at(deadline, self.log.read(&query)).await;
                    match read {
                        Ok(Ok(page)) if is_at_end(&page) => query.after = Some(page.next),
                        Ok(read) => return read,
                        Err(_) => break,
                    }
                }
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { break },
                () = sleep_until(wake_at) => {}
                () = self.stop.cancelled() => break,
            }
        }
        Ok(LogPage {
            events: Vec::new(),
            next: query.after.unwrap_or(Cursor::START),
            has_more: false,
        })
    }
}

#[async_trait]
impl EventFeed for Feed {
    async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError> {
        let deadline = Instant::now() + wait;
        let mut query = query.clone();
        if wait.is_zero() || query.after.is_none() {
            let page = self.log.read(&query).await?;
            if wait.is_zero() || !is_at_end(&page) {
                return Ok(page);
            }
            query.after = Some(page.next);
        }
        self.wait(query, deadline).await
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        self.log.end().await
    }
}

const fn is_at_end(page: &LogPage) -> bool {
    page.events.is_empty() && !page.has_more
}
