use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{task::JoinSet, time::sleep};

use super::{Api, SETTLING, eventually, fresh, minimal};

pub struct Load {
    tasks: JoinSet<()>,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    is_over: AtomicBool,
    acknowledged: Mutex<BTreeMap<String, String>>,
    refusals: AtomicUsize,
    lost_connections: AtomicUsize,
}

impl Load {
    /// Each client creates postings and then updates them, so that an update could be lost. A
    /// client ends when its server is gone.
    pub fn start(servers: &[&Api], clients: usize) -> Self {
        let seen = Arc::<Seen>::default();
        let mut tasks = JoinSet::new();
        for server in servers.iter().copied().cycle().take(clients) {
            let (server, seen) = (server.clone(), Arc::clone(&seen));
            tasks.spawn(async move {
                if push(&server, &seen).await.is_err() {
                    seen.lost_connections.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        Self { tasks, seen }
    }

    pub fn acknowledged(&self) -> BTreeMap<String, String> {
        self.seen.acknowledged.lock().unwrap().clone()
    }

    pub fn refusals(&self) -> usize {
        self.seen.refusals.load(Ordering::Relaxed)
    }

    pub fn lost_connections(&self) -> usize {
        self.seen.lost_connections.load(Ordering::Relaxed)
    }

    pub async fn until_acknowledged(&self, more: usize) {
        let wanted = self.acknowledged().len() + more;
        eventually("postings are acknowledged", SETTLING, || async {
            (self.acknowledged().len() >= wanted).then_some(())
        })
        .await;
    }

    pub async fn finish(self) -> BTreeMap<String, String> {
        self.seen.is_over.store(true, Ordering::Relaxed);
        // Panics if a client got an unexpected answer.
        self.tasks.join_all().await;
        std::mem::take(&mut *self.seen.acknowledged.lock().unwrap())
    }
}

async fn push(server: &Api, seen: &Seen) -> reqwest::Result<()> {
    while !seen.is_over.load(Ordering::Relaxed) {
        let id = fresh("load");
        for title in ["Created", "Updated"] {
            let mut payload = minimal();
            payload["title"] = json!(title);
            loop {
                let answer = server.try_put(&id, &payload).await?;
                if [200, 201].contains(&answer.status) {
                    break;
                }
                assert!(answer.is_temporary(), "{answer:#?}");
                seen.refusals.fetch_add(1, Ordering::Relaxed);
                // Retries earlier than requested, to send more requests during an outage.
                sleep(Duration::from_millis(200)).await;
            }
            let mut acknowledged = seen.acknowledged.lock().unwrap();
            acknowledged.insert(id.clone(), title.to_owned());
        }
        // The pause limits the number of postings, so that all can be enriched in the end.
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
