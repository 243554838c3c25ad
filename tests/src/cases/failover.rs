//! The primary of a database is killed under load and its synchronous standby promoted: the service
//! finds it by itself, and nothing that was acknowledged is lost.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use pg_cluster::{Cluster, Shutdown};

use super::{durability::all_is_well, outage::Integrators};
use crate::harness::{
    Api, App, Database, SETTLING, Site, Store, alone, eventually, follower::Follower, fresh,
    minimal,
};

on_postgres! {
    a_promoted_standby_has_everything_that_was_acknowledged,
}

/// The time limit for pushes to succeed again once the standby accepts writes.
const BACK_AGAIN: Duration = Duration::from_secs(5);

async fn a_promoted_standby_has_everything_that_was_acknowledged(_: Store) {
    // A machine that stands still for seconds is not the service's fault three times. Everything
    // but the time must hold each time.
    let mut times = Vec::new();
    for _ in 0..3 {
        let took = fail_over().await;
        if took < BACK_AGAIN {
            return;
        }
        times.push(took);
    }
    panic!("pushes succeeded again after {times:?}, not within {BACK_AGAIN:?}");
}

/// Kills a primary under load and promotes its standby; the time from then until pushes succeed on
/// two servers.
async fn fail_over() -> Duration {
    let programs = pg_cluster::programs().expect("missing: apt-get install postgresql");
    // The servers end with the thread that starts them, so that must be this test's thread.
    let mut primary = Cluster::start(&programs).unwrap();
    let standby = primary.synchronous_standby().unwrap();
    let url = primary.url().replace(
        &primary.address(),
        &format!("{},{}", primary.address(), standby.address()),
    );
    let site = Site::with_database(Database::Other(format!(
        "{url}?target_session_attrs=read-write"
    )))
    .with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    site.run(&["migrate"]).succeeded();
    let other = site.beside();
    let mut processes = [site.serve(&[]), other.serve(&["--no-worker"]), site.work()];
    let app = App::at(site);
    let other = Api::new(&other.url(), app.api.token());
    let alone = alone().await;
    let load = Integrators::start(&[&app.api, &other], 8);
    let follower = Follower::start(vec![app.api.clone(), other.clone()], None, 50);

    load.until_acknowledged(60).await;
    let before = load.refusals();
    primary.stop(Shutdown::Kill).unwrap();
    eventually("pushes are refused", SETTLING, || {
        let refusals = load.refusals();
        async move { (refusals > before).then_some(()) }
    })
    .await;
    standby.promote().unwrap();
    let promoted = Instant::now();
    for api in [&app.api, &other] {
        eventually("pushes succeed again", SETTLING, || async move {
            let answer = api.put(&fresh("back"), &minimal()).await;
            (answer.status == 201).then_some(())
        })
        .await;
    }
    let took = promoted.elapsed();
    load.until_acknowledged(60).await;
    let acknowledged = load.finish().await;
    drop(alone);

    all_is_well(&app, &acknowledged, &mut processes).await;
    let events = follower.finish().await;
    let numbers: BTreeSet<_> = events.iter().map(|event| event["id"].as_str()).collect();
    assert_eq!(numbers.len(), events.len(), "an event was read twice");
    assert_eq!(events, app.all_events().await);
    drop(processes);
    took
}
