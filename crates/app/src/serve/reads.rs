//! The sources of lists, exports and events: the store, and possibly a replica. While the replica
//! is down or lacks migrations, the primary is read. Each answer comes from one source.

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
use runtime::Loops;
use stores::Stores;
use tokio::sync::Notify;
use workers::{
    Feed, Wake,
    replica::{self, Lag},
};

const GRACE: Duration = Duration::from_secs(5);

struct Replicated {
    primary: ReadPorts,
    replica: ReadPorts,
    lag: Lag,
}

/// Starts the sources. The primary is read until the replica first answers. `wake` signals the
/// store's new events to waiting readers.
pub fn start(
    replica: Option<&PostgresUrl>,
    database: &Stores,
    wake: &Wake,
) -> anyhow::Result<(Arc<dyn ReadSource>, Loops)> {
    let mut loops = Loops::new(GRACE, "readers of events are not answered");
    let primary = source(
        Arc::clone(&database.postings),
        Arc::clone(&database.events),
        wake.recorded(),
        &mut loops,
    );
    let Some(url) = replica else {
        return Ok((Arc::new(primary), loops));
    };
    let store = PostgresStore::standby(url, &PostgresOptions::default());
    let store = Arc::new(store.context("POSTHASTE_READ_DATABASE_URL")?);
    // Commits reach a replica later, so its source polls instead of being woken.
    let replica = source(
        Arc::clone(&store) as _,
        Arc::clone(&store) as _,
        Arc::default(),
        &mut loops,
    );
    let standby = Arc::new(Standby {
        store,
        has_migrations: AtomicBool::new(false),
    });
    let lag = replica::compare(Arc::clone(&database.position), standby, &mut loops);
    let replicated = Replicated {
        primary,
        replica,
        lag,
    };
    Ok((Arc::new(replicated), loops))
}

fn source(
    postings: Arc<dyn PostingReader>,
    log: Arc<dyn EventLog>,
    recorded: Arc<Notify>,
    loops: &mut Loops,
) -> ReadPorts {
    ReadPorts {
        postings,
        events: Arc::new(Feed::start(log, recorded, loops)),
        lag: Duration::ZERO,
    }
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

/// A replica. It has no position while it lacks migrations of the primary.
struct Standby {
    store: Arc<PostgresStore>,
    has_migrations: AtomicBool,
}

#[async_trait]
impl ReplicaPosition for Standby {
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        // After an outage another server may answer.
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
