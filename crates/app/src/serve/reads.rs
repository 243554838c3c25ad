//! The sources of lists, exports and events: the store and, if there is one, a replica of it. While
//! the replica does not answer, or lacks migrations, the primary is read instead; each answer is
//! read from one of them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adapters_http::{ReadPorts, ReadSource};
use adapters_postgres::{PostgresOptions, PostgresStore, PostgresUrl};
use anyhow::Context as _;
use async_trait::async_trait;
use domain::store::{PostingReader, ReplicaPosition};
use kernel::{StoreError, event::EventLog};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;
use workers::{
    Feed, FeedTask, Wake,
    replica::{self, Lag},
};

use crate::database::Database;

/// The primary and its replica.
struct Replicated {
    primary: ReadPorts,
    replica: ReadPorts,
    lag: Lag,
}

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
    let standby = Arc::new(Standby {
        store,
        has_migrations: AtomicBool::new(false),
    });
    let (lag, watch) = replica::compare(Arc::clone(&database.position), standby);
    let tasks = ReadTasks {
        feeds: vec![feed, other_feed],
        _watch: Some(watch),
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
        match self.lag.get() {
            None => self.primary.clone(),
            Some(lag) => ReadPorts {
                lag,
                ..self.replica.clone()
            },
        }
    }
}

/// A replica, which has no position while it lacks migrations that the primary has.
struct Standby {
    store: Arc<PostgresStore>,
    has_migrations: AtomicBool,
}

#[async_trait]
impl ReplicaPosition for Standby {
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        // Another server may answer after one that did not, or not in time.
        if !self.has_migrations.swap(false, Ordering::Relaxed) {
            let pending = self.store.pending_migrations().await?;
            if !pending.is_empty() {
                let why = format!("it lacks {} yet", pending.join(", "));
                return Err(StoreError::Unavailable(why));
            }
        }
        let position = self.store.position().await?;
        self.has_migrations.store(true, Ordering::Relaxed);
        Ok(position)
    }
}
