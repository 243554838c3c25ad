//! Several servers and workers on one database: any may be killed, and all must agree.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use adapters_postgres::testing;
use serde_json::json;
use tokio::time::sleep;

use super::{
    durability::{nothing_is_lost, was_approved_once},
    keys::generate,
};
use crate::harness::{
    Api, App, SCOPES, SETTLING, Server, Site, Store, WITHIN_TEN_SECONDS, alone, create_client,
    eventually,
    jwt::{self, Jwt},
    load::Load,
    outbox_is_empty, token,
};

on_postgres! {
    a_killed_server_and_a_killed_worker_lose_nothing,
    a_revoked_clients_token_stops_working_in_every_server,
    a_new_key_verifies_in_every_server,
}

/// The contract's lease of 30 seconds, and time for the work itself.
const LEASE_AND_WORK: Duration = Duration::from_mins(3);

/// Two servers on one database.
fn two(store: Store) -> (Site, Site) {
    let site = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    (site.beside(), site)
}

async fn a_killed_server_and_a_killed_worker_lose_nothing(store: Store) {
    let (dies, stays) = two(store);
    let dying_server = dies.serve(&["--no-worker"]);
    let _server = stays.serve(&["--no-worker"]);
    let app = App::at(stays);
    let dying_worker = app.site.work();
    let _worker = app.site.work();
    let alone = alone().await;
    let dying = Load::start(&Api::new(&dies.url(), app.api.token()), 6);
    let staying = Load::start(&app.api, 6);
    for load in [&dying, &staying] {
        eventually("postings are acknowledged", SETTLING, || async move {
            (load.count() > 100).then_some(())
        })
        .await;
    }
    dying_server.kill();
    let mut acknowledged = dying.finish().await;
    assert!(!acknowledged.is_empty());
    let leased = suspend_with_leases(&dying_worker, &app).await;
    dying_worker.kill();
    let killed = Instant::now();
    acknowledged.extend(staying.finish().await);
    drop(alone);

    let url = app.site.database.url().unwrap();
    let waiting = || leases(&url).intersection(&leased).count();
    assert!(waiting() > 0, "{leased:?}");
    let waiting = &waiting;
    eventually(
        "the other worker took over",
        LEASE_AND_WORK,
        || async move { (waiting() == 0).then_some(()) },
    )
    .await;
    println!("taken over after {:?}", killed.elapsed());
    nothing_is_lost(&app, &acknowledged).await;
    outbox_is_empty(&app).await;
    for id in acknowledged.keys() {
        was_approved_once(&app, id).await;
    }
}

/// The leased tasks in the outbox, with their leases.
fn leases(url: &str) -> BTreeSet<String> {
    let leases = "SELECT concat_ws(' ', id, lease) AS value FROM outbox WHERE lease IS NOT NULL";
    testing::texts(url, leases).into_iter().collect()
}

/// Suspends a worker while it has tasks, and returns them.
async fn suspend_with_leases(worker: &Server, app: &App) -> BTreeSet<String> {
    let url = app.site.database.url().unwrap();
    let start = Instant::now();
    while start.elapsed() < SETTLING {
        worker.suspend(true);
        let mut leased = leases(&url);
        // Tasks that other workers have leased are soon done.
        for _ in 0..3 {
            sleep(Duration::from_secs(2)).await;
            leased = leased.intersection(&leases(&url)).cloned().collect();
        }
        if !leased.is_empty() {
            return leased;
        }
        worker.suspend(false);
        sleep(Duration::from_millis(130)).await;
    }
    panic!("the worker never had anything to do");
}

async fn a_revoked_clients_token_stops_working_in_every_server(store: Store) {
    let (one, other) = two(store);
    let _servers = [&one, &other].map(|site| site.serve(&["--no-worker"]));
    let app = App::at(one);
    let (id, secret) = create_client(&other, &SCOPES);
    let revoked = token(&other, &id, &secret, None);
    for url in [app.site.url(), other.url()] {
        let answer = Api::new(&url, &revoked).get(Api::LIST).await;
        assert_eq!(answer.status, 200, "{answer:#?}");
    }
    app.run(&["clients", "revoke", &id]).succeeded();
    let start = Instant::now();
    for url in [app.site.url(), other.url()] {
        let api = &Api::new(&url, &revoked);
        let left = WITHIN_TEN_SECONDS.saturating_sub(start.elapsed());
        eventually("the token is refused", left, || async move {
            (api.get(Api::LIST).await.status == 401).then_some(())
        })
        .await;
        // Other clients are not affected.
        let others = Api::new(&url, app.api.token());
        assert_eq!(others.get(Api::LIST).await.status, 200);
    }
}

async fn a_new_key_verifies_in_every_server(store: Store) {
    let (one, other) = two(store);
    let _servers = [&one, &other].map(|site| site.serve(&["--no-worker"]));
    let app = App::at(one);
    let id = generate(&app.site);
    let key = jwt::read_key(&app.site.data().join("keys").join(&id));
    let mut signed = Jwt::parse(app.api.token());
    signed.header["kid"] = json!(id);
    let signed = signed.signed_by(&key);
    let start = Instant::now();
    for url in [app.site.url(), other.url()] {
        let api = &Api::new(&url, &signed);
        let left = WITHIN_TEN_SECONDS.saturating_sub(start.elapsed());
        eventually("the new key verifies", left, || async move {
            (api.get(Api::LIST).await.status == 200).then_some(())
        })
        .await;
    }
}
