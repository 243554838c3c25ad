//! Concurrent pushes, with a record of the answers.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::json;
use tokio::task::JoinSet;

use super::{Api, fresh, minimal};

/// Many clients that push until they are stopped.
pub struct Load {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Load {
    /// Starts the clients. Every posting is created and then updated, so an update could be lost.
    pub fn start(api: &Api, sides: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let acknowledged = Arc::new(Mutex::new(BTreeMap::new()));
        let mut tasks = JoinSet::new();
        for _ in 0..sides {
            let (api, stop) = (api.clone(), Arc::clone(&stop));
            let acknowledged = Arc::clone(&acknowledged);
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let id = fresh("load");
                    for title in ["Created", "Updated"] {
                        let mut payload = minimal();
                        payload["title"] = json!(title);
                        match api.try_put(&id, &payload).await {
                            Ok(200 | 201) => {
                                acknowledged
                                    .lock()
                                    .unwrap()
                                    .insert(id.clone(), title.to_owned());
                            }
                            // The queue is full, or the server is stopping.
                            Ok(503) => {}
                            Ok(status) => panic!("{status}"),
                            Err(_) => return,
                        }
                    }
                }
            });
        }
        Self {
            tasks,
            stop,
            acknowledged,
        }
    }

    /// The number of acknowledged postings so far.
    pub fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// The last acknowledged title of every identifier so far.
    pub fn acknowledged(&self) -> BTreeMap<String, String> {
        self.acknowledged.lock().unwrap().clone()
    }

    /// Stops the clients. Returns the last acknowledged title of every identifier.
    pub async fn finish(self) -> BTreeMap<String, String> {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
        std::mem::take(&mut *self.acknowledged.lock().unwrap())
    }
}
