//! The sources of lists, exports and events: the store and, if there is one, a replica of it.
//!
//! Every second a task compares how far the replica and the primary have come. While the replica
//! does not answer, or lacks migrations, the primary is read instead; each answer is read from one
//! of them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adapters_http::{ReadPorts, ReadSource};
use adapters_postgres::{PostgresOptions, PostgresStore, PostgresUrl};
use anyhow::Context as _;
use domain::store::{PostingReader, ReplicaPosition};
use futures_util::future::join;
use kernel::{StoreError, event::EventLog};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use workers::{Feed, FeedTask, Wake};

use crate::{database::Database, metrics};

/// The time between two comparisons.
const INTERVAL: Duration = Duration::from_secs(1);
/// The time limit for one.
const PATIENCE: Duration = Duration::from_secs(3);
/// The number of positions of the primary that are remembered: those of an hour.
const MOST: usize = 3_600;

/// The primary and its replica.
struct Replicated {
    primary: ReadPorts,
    replica: ReadPorts,
    lag: Lag,
}

/// How far the replica is behind, as the last comparison found it; `None` while it is away.
type Lag = Arc<Mutex<Option<Duration>>>;

/// The tasks behind the sources.
pub struct ReadTasks {
    feeds: Vec<FeedTask>,
    _watch: Option<AbortOnDropHandle<()>>,
}

impl ReadTasks {
    /// Ends the tasks; readers that wait for events are answered.
    pub async fn stop(self) {
        for feed in self.feeds {
            feed.stop().await;
        }
    }
}

/// Starts what lists, exports and events are read from. The primary is read until the replica, if
/// there is one, has answered once. The store `wake`s those who wait for events.
pub fn start(
    replica: Option<&PostgresUrl>,
    database: &Database,
    wake: &Wake,
) -> anyhow::Result<(Arc<dyn ReadSource>, ReadTasks)> {
    let (primary, feed) = source(
        Arc::clone(&database.postings),
        Arc::clone(&database.events),
        wake.recorded(),
    );
    let Some(url) = replica else {
        let tasks = ReadTasks {
            feeds: vec![feed],
            _watch: None,
        };
        return Ok((Arc::new(primary), tasks));
    };
    let store = PostgresStore::standby(url, &PostgresOptions::default());
    let store = Arc::new(store.context("POSTHASTE_READ_DATABASE_URL")?);
    // It is not told of commits, which take a moment to come there, but looks by itself.
    let (replica, other_feed) = source(
        Arc::clone(&store) as _,
        Arc::clone(&store) as _,
        Arc::default(),
    );
    let lag = Lag::default();
    let primary_position = Arc::clone(&database.position);
    let watch = tokio::spawn(watch(primary_position, store, Arc::clone(&lag)));
    let tasks = ReadTasks {
        feeds: vec![feed, other_feed],
        _watch: Some(AbortOnDropHandle::new(watch)),
    };
    let replicated = Replicated {
        primary,
        replica,
        lag,
    };
    Ok((Arc::new(replicated), tasks))
}

/// A source, and the task of its feed. It is `told` of commits with events.
fn source(
    postings: Arc<dyn PostingReader>,
    log: Arc<dyn EventLog>,
    told: Arc<Notify>,
) -> (ReadPorts, FeedTask) {
    let (events, task) = Feed::start(log, told);
    let ports = ReadPorts {
        postings,
        events: Arc::new(events),
        lag: Duration::ZERO,
    };
    (ports, task)
}

impl ReadSource for Replicated {
    fn choose(&self) -> ReadPorts {
        match *self.lag.lock().unwrap_or_else(PoisonError::into_inner) {
            None => self.primary.clone(),
            Some(lag) => ReadPorts {
                lag,
                ..self.replica.clone()
            },
        }
    }
}

async fn watch(primary: Arc<dyn ReplicaPosition>, replica: Arc<PostgresStore>, lag: Lag) {
    let (mut track, mut has_migrations) = (Track::default(), false);
    let mut known = None;
    loop {
        let asked = join(
            in_time(primary.position()),
            in_time(position(&replica, &mut has_migrations)),
        );
        let (primary, replica) = asked.await;
        let now = Instant::now();
        // Without an answer of the primary, the positions that are known have to do.
        if let Ok(Some(position)) = primary {
            track.note(now, position);
        }
        let found = match replica {
            Ok(position) => position.map(|position| track.lag(now, position)),
            Err(error) => {
                has_migrations = false;
                if known != Some(false) {
                    tracing::warn!(%error, "the replica is away; the primary is read instead");
                }
                None
            }
        };
        if found.is_some() && known != Some(true) {
            tracing::info!("lists, exports and events are read from the replica");
        }
        known = Some(found.is_some());
        metrics::replica(found);
        *lag.lock().unwrap_or_else(PoisonError::into_inner) = found;
        sleep(INTERVAL).await;
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let answer = timeout(PATIENCE, answer).await;
    answer.unwrap_or_else(|elapsed| Err(StoreError::Unavailable(elapsed.to_string())))
}

/// How far the replica has come. Fails while it lacks migrations, which the primary has.
async fn position(
    replica: &PostgresStore,
    has_migrations: &mut bool,
) -> Result<Option<u64>, StoreError> {
    if !*has_migrations {
        let pending = replica.pending_migrations().await?;
        if !pending.is_empty() {
            let why = format!("it lacks {} yet", pending.join(", "));
            return Err(StoreError::Unavailable(why));
        }
        *has_migrations = true;
    }
    replica.position().await
}

/// When the primary was found where.
#[derive(Debug, Default)]
struct Track(VecDeque<(Instant, u64)>);

impl Track {
    fn note(&mut self, now: Instant, position: u64) {
        let has_moved = self.0.back().is_none_or(|(_, last)| *last < position);
        if has_moved && self.0.len() < MOST {
            self.0.push_back((now, position));
        }
    }

    /// The age of the first position that the replica has not reached.
    fn lag(&mut self, now: Instant, replica: u64) -> Duration {
        while self.0.front().is_some_and(|(_, place)| *place <= replica) {
            self.0.pop_front();
        }
        let first = self.0.front();
        first.map_or(Duration::ZERO, |(at, _)| now.saturating_duration_since(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_the_age_of_what_the_replica_has_not() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let seconds = Duration::from_secs;
        let mut track = Track::default();
        assert_eq!(track.lag(at(0), 0), seconds(0), "nothing is known");
        track.note(at(1), 100);
        assert_eq!(track.lag(at(1), 100), seconds(0));
        track.note(at(2), 150);
        track.note(at(3), 170);
        assert_eq!(track.lag(at(5), 149), seconds(3));
        assert_eq!(track.lag(at(6), 150), seconds(3));
        // The primary writes nothing, and the replica has all there is.
        track.note(at(7), 170);
        assert_eq!(track.lag(at(60), 170), seconds(0));
    }

    #[test]
    fn a_replica_that_stands_still_takes_no_memory() {
        let start = Instant::now();
        let mut track = Track::default();
        for second in 0..10_000 {
            track.note(start + Duration::from_secs(second), second + 1);
        }
        assert_eq!(track.0.len(), MOST);
        let lag = track.lag(start + Duration::from_secs(10_000), 0);
        assert_eq!(lag, Duration::from_secs(10_000));
    }
}
