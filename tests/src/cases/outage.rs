//! The database server is restarted, and crashes, under load: pushes are answered 503, and the
//! service recovers by itself once the server is back.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use pg_cluster::{Cluster, Shutdown};
use serde_json::json;
use tokio::{task::JoinSet, time::sleep};

use super::{
    console::{Browser, free},
    durability::all_is_well,
};
use crate::harness::{Api, App, Database, Site, Store, alone, eventually, fresh, minimal};

on_postgres! {
    a_restart_and_a_crash_of_the_database_lose_nothing,
}

/// The time limit for pushes to succeed again once the server is back.
const BACK_AGAIN: Duration = Duration::from_secs(30);

/// Clients that push each posting twice, and repeat a push after a 503.
pub(super) struct Integrators {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    /// The last acknowledged title of each identifier.
    acknowledged: Mutex<BTreeMap<String, String>>,
    refusals: AtomicUsize,
}

impl Integrators {
    pub(super) fn start(apis: &[&Api], many: usize) -> Self {
        let (stop, seen) = (Arc::<AtomicBool>::default(), Arc::<Seen>::default());
        let mut tasks = JoinSet::new();
        for api in apis.iter().copied().cycle().take(many) {
            let (api, seen, stop) = (api.clone(), Arc::clone(&seen), Arc::clone(&stop));
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let id = fresh("outage");
                    for title in ["Created", "Updated"] {
                        let mut payload = minimal();
                        payload["title"] = json!(title);
                        insist(&api, &id, &payload, &seen).await;
                        let mut acknowledged = seen.acknowledged.lock().unwrap();
                        acknowledged.insert(id.clone(), title.to_owned());
                    }
                    // Limits the number of postings, so that all can be enriched in the end.
                    sleep(Duration::from_millis(20)).await;
                }
            });
        }
        Self { tasks, stop, seen }
    }

    pub(super) fn refusals(&self) -> usize {
        self.seen.refusals.load(Ordering::Relaxed)
    }

    fn count(&self) -> usize {
        self.seen.acknowledged.lock().unwrap().len()
    }

    pub(super) async fn until_acknowledged(&self, more: usize) {
        let before = self.count();
        eventually("postings are acknowledged", BACK_AGAIN * 2, || async move {
            (self.count() >= before + more).then_some(())
        })
        .await;
    }

    pub(super) async fn finish(self) -> BTreeMap<String, String> {
        self.stop.store(true, Ordering::Relaxed);
        // Panics if a client got an unexpected answer.
        self.tasks.join_all().await;
        std::mem::take(&mut *self.seen.acknowledged.lock().unwrap())
    }
}

/// Pushes until it succeeds. Only a 503 with `Retry-After` may be repeated.
async fn insist(api: &Api, id: &str, payload: &serde_json::Value, seen: &Seen) {
    loop {
        let answer = api.put(id, payload).await;
        if [200, 201].contains(&answer.status) {
            return;
        }
        answer.error(503);
        let seconds: u64 = answer.header("retry-after").parse().unwrap();
        assert!(seconds <= 60, "{answer:#?}");
        seen.refusals.fetch_add(1, Ordering::Relaxed);
        // Sooner than `Retry-After`, to send more requests during the outage.
        sleep(Duration::from_millis(200)).await;
    }
}

async fn a_restart_and_a_crash_of_the_database_lose_nothing(_: Store) {
    let programs = pg_cluster::programs().expect("missing: apt-get install postgresql");
    // The server ends with the thread that starts it, so that must be this test's thread.
    let mut cluster = Cluster::start(&programs).unwrap();
    let site = Site::with_database(Database::Other(cluster.url().to_owned()))
        .with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    site.run(&["migrate"]).succeeded();
    let other = site.beside();
    let console = free();
    let site = site.with("POSTHASTE_CONSOLE_BIND", &console);
    let console = format!("http://{console}");
    let mut processes = [site.serve(&[]), other.serve(&["--no-worker"]), site.work()];
    let app = App::at(site);
    let other = Api::new(&other.url(), app.api.token());
    let operator = Browser::signed_in(&app, &console).await;
    let alone = alone().await;
    let load = Integrators::start(&[&app.api, &other], 8);

    for shutdown in [Shutdown::Fast, Shutdown::Immediate] {
        load.until_acknowledged(60).await;
        let before = load.refusals();
        cluster.stop(shutdown).unwrap();
        sleep(Duration::from_secs(3)).await;
        for api in [&app.api, &other] {
            let ready = api.get("/readyz").await;
            assert_eq!(ready.status, 503, "{ready:#?}");
            assert_eq!(api.get("/healthz").await.status, 200);
        }
        let (status, page) = operator.get(&console).await;
        assert_eq!(status, 503, "{page}");
        assert!(page.contains("The store is away"), "{page}");
        cluster.start_again().unwrap();
        // Each server recovers by itself.
        for api in [&app.api, &other] {
            eventually("pushes succeed again", BACK_AGAIN, || async move {
                let answer = api.put(&fresh("back"), &minimal()).await;
                (answer.status == 201).then_some(())
            })
            .await;
        }
        assert!(load.refusals() > before, "{shutdown:?}: nobody noticed");
        let (status, page) = operator.get(&console).await;
        assert_eq!(status, 200, "the operator is still signed in: {page}");
    }
    load.until_acknowledged(60).await;
    let acknowledged = load.finish().await;
    drop(alone);

    all_is_well(&app, &acknowledged, &mut processes).await;
    let log = cluster.log();
    assert!(log.contains("redo done"), "it did not crash: {log}");
    assert!(!log.contains("deadlock detected"), "{log}");
    drop(processes);
}
