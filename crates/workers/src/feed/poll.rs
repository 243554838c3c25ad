use std::{future::Ready, sync::Arc, time::Duration};

use domain::posting::event::PUBLIC;
use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogQuery},
};
use runtime::{Rounds, panics};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;

const TICK: Duration = Duration::from_millis(50);
/// Added to the tick for each waiting reader, because all readers ask again when they are woken.
const TICK_PER_READER: Duration = Duration::from_micros(100);
const LONGEST_TICK: Duration = Duration::from_millis(150);
const PAGE: usize = 1_000;
/// How long the buffer is kept without readers. In this time, it misses erasures.
const KEPT: Duration = Duration::from_secs(1);

pub(super) struct Poller {
    pub log: Arc<dyn EventLog>,
    pub buffer: Arc<watch::Sender<Buffer>>,
    pub joined: Arc<Notify>,
    pub recorded: Arc<Notify>,
}

impl Poller {
    pub async fn run(self, stop: CancellationToken) {
        let mut rounds = Rounds::new("the feed of events", stop);
        let mut read_at = None::<Instant>;
        while rounds.go_on() {
            if self.buffer.receiver_count() == 0 {
                let joined = self.joined.notified();
                let Some(at) = read_at else {
                    rounds.wait(joined).await;
                    continue;
                };
                if let Some(Err(_)) = rounds.wait(timeout_at(at + KEPT, joined)).await {
                    self.buffer.send_replace(Buffer::at(Cursor::START));
                    read_at = None;
                }
                continue;
            }
            let read = panics::caught_as(
                |why| LogError::Store(StoreError::Broken(why)),
                self.catch_up(read_at.is_some()),
            );
            match rounds.wait(read).await {
                Some(Ok(())) => {
                    let now = Instant::now();
                    read_at = Some(now);
                    rounds.end(Ok::<_, StoreError>(self.pause(now))).await;
                }
                // The log no longer has the event at the end of the buffer.
                Some(Err(LogError::Gone)) => read_at = None,
                Some(Err(LogError::Store(error))) => rounds.end(Err::<Ready<()>, _>(error)).await,
                None => {}
            }
        }
    }

    /// Waits until the next read. A commit of this process shortens the wait to one tick.
    async fn pause(&self, read_at: Instant) {
        let readers = u32::try_from(self.buffer.receiver_count()).unwrap_or(u32::MAX);
        let tick = TICK.saturating_add(TICK_PER_READER.saturating_mul(readers));
        let commit = async {
            self.recorded.notified().await;
            sleep_until(read_at + TICK).await;
        };
        tokio::select! {
            () = sleep_until(read_at + tick.min(LONGEST_TICK)) => {}
            () = commit => {}
        }
    }

    /// Reads to the end of the log. The first time, only finds the end.
    async fn catch_up(&self, has_begun: bool) -> Result<(), LogError> {
        if !has_begun {
            let end = self.log.end().await?;
            self.buffer.send_replace(Buffer::at(end));
            return Ok(());
        }
        loop {
            let query = LogQuery {
                after: Some(self.buffer.borrow().end()),
                names: PUBLIC.to_vec(),
                prefixes: kernel::Prefixes::ALL,
                reader: None,
                limit: PAGE,
            };
            let page = self.log.read(&query).await?;
            let has_more = page.has_more;
            self.buffer.send_if_modified(|buffer| {
                // A page without events wakes no reader.
                let has_events = !page.events.is_empty();
                buffer.append(page);
                has_events
            });
            if !has_more {
                return Ok(());
            }
        }
    }
}
