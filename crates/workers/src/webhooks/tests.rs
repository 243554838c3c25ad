use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use ::webhooks::{
    AddressProblem, Attempt, CLIENT_REVOKED, Delivery, Endpoint, EndpointChange, EndpointState,
    EndpointUrl, Owner, Sender, WINDOW, WantedState, Webhooks, testing::endpoint,
};
use access::{ClientWrite, Clients, Scope, testing::client};
use async_trait::async_trait;
use domain::{
    posting::{
        AsOf, Ground, Lifetime, PostingVersion, PostingView, event::PUBLIC, moderation::Moderation,
    },
    store::{ListQuery, PostingPage, PostingReader},
    testing::{MemoryStore, create},
    usecase,
};
use fields::Patch;
use kernel::{
    Prefixes, SourceIdentifier, Version,
    event::{Cursor, EventLog as _, LogQuery, RecordedEvent, Subject},
    testing::{by_ann, identifier, noon},
};
use runtime::Clock;

use super::*;
use crate::{WorkerSettings, testing::TestStores};

mod slow;
mod world;

use self::world::*;

/// Four slow endpoints take all permits. The fifth still gets its events on time.
#[tokio::test(start_paused = true)]
async fn a_slow_endpoint_does_not_delay_another() {
    let slow = HOSTS[..4].iter().map(|host| (*host, secs(14)));
    let world = World::new(5, Receivers::new(slow)).await;
    let (stop, task) = world.worker();
    world.publish(0..500).await;
    sleep(secs(3)).await;
    world.publish(500..501).await;
    sleep(secs(1)).await;
    world.assert_complete(HOSTS[4]).await;
    let last = world.receivers.calls_of(HOSTS[4]).pop().unwrap();
    assert!(last.at < secs(4), "{last:?}");
    assert!(world.receivers.most.load(Ordering::SeqCst) <= FURTHER_ATTEMPTS + 5);
    sleep(secs(600)).await;
    for host in HOSTS {
        world.assert_complete(host).await;
    }
    stop.cancel();
    task.await.unwrap();
}

/// Five slow endpoints take all further permits first, but the sixth gets its share.
#[tokio::test(start_paused = true)]
async fn slow_endpoints_leave_permits_to_others() {
    let slow = HOSTS.map(|host| (host, Duration::from_millis(14_900)));
    let last = ("receiver-6.example", secs(1));
    let world = World::new(6, Receivers::new(slow.into_iter().chain([last]))).await;
    let (stop, task) = world.worker();
    world.publish(0..200).await;
    sleep(secs(28)).await;
    world.assert_complete(last.0).await;
    assert!(world.receivers.most.load(Ordering::SeqCst) <= FURTHER_ATTEMPTS + 6);
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn many_commits_are_few_questions_for_endpoints() {
    let world = World::new(0, Receivers::new([])).await;
    let (stop, task) = world.worker();
    for _ in 0..1_000 {
        world.notify();
        sleep(Duration::from_millis(1)).await;
    }
    let questions = world.questions.load(Ordering::SeqCst);
    assert!((10..=25).contains(&questions), "{questions}");
    stop.cancel();
    task.await.unwrap();
}

/// The round is longer than a lease. After the owner pauses the endpoint, attempts
/// are recorded once.
#[tokio::test(start_paused = true)]
async fn leases_are_renewed_and_a_paused_endpoint_ends_the_round() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(14))])).await;
    let (first, second) = (world.worker(), world.worker());
    world.publish(0..WINDOW * 4).await;
    sleep(secs(30)).await;
    assert_eq!(world.receivers.begun.load(Ordering::SeqCst), WINDOW * 3);
    world.set(WantedState::Paused).await;
    sleep(secs(60)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), WINDOW * 3);
    let deliveries = world.store.deliveries(endpoint(1).id, 100).await;
    assert_eq!(deliveries.unwrap().len(), WINDOW * 3);
    world.set(WantedState::Active).await;
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    for (stop, task) in [first, second] {
        stop.cancel();
        task.await.unwrap();
    }
}

/// The outage is longer than a lease. The round ends with its lease, and is recorded afterwards.
#[tokio::test(start_paused = true)]
async fn a_round_outlives_an_outage_of_the_store() {
    for workers in [1, 2] {
        let world = World::new(1, Receivers::new([(HOSTS[0], secs(5))])).await;
        let workers: Vec<_> = (0..workers).map(|_| world.worker()).collect();
        world.publish(0..WINDOW * 7).await;
        sleep(secs(1)).await;
        world.is_away.store(true, Ordering::SeqCst);
        sleep(secs(59)).await;
        // After 24 seconds, the round began no more attempts.
        assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), WINDOW * 5);
        world.is_away.store(false, Ordering::SeqCst);
        sleep(secs(40)).await;
        world.assert_complete(HOSTS[0]).await;
        for (stop, task) in workers {
            stop.cancel();
            task.await.unwrap();
        }
    }
}

/// The round read the reason before the erasure.
#[tokio::test(start_paused = true)]
async fn a_reason_that_was_erased_is_not_sent() {
    for (takes, words) in [(2, "words"), (12, "")] {
        let world = World::new(1, Receivers::new([(HOSTS[0], secs(takes))])).await;
        world.put(["a".to_owned()]).await;
        let (store, lifetime) = (&*world.store, Lifetime::NEVER);
        let (id, by) = (identifier("a"), by_ann(1));
        let reject = Moderation::Reject {
            reason: "words".to_owned(),
            ground: Ground::Terms,
        };
        let moderated = usecase::moderate(store, &id, &reject, None, &by, lifetime, noon());
        moderated.await.unwrap();
        let (stop, task) = world.worker();
        sleep(secs(3)).await;
        let erased = usecase::erase(
            (store, store, store),
            &id,
            "request",
            Ground::Terms,
            &by,
            noon(),
        )
        .await;
        assert_eq!(erased, Ok(true));
        sleep(secs(60)).await;
        let calls = world.receivers.calls_of(HOSTS[0]);
        let bodies: Vec<_> = calls.iter().map(|call| call.body.as_str()).collect();
        let rejection = format!("JobPostingRejected None{words}");
        let expect = [
            "JobPostingCreated None",
            &rejection,
            "JobPostingErased None",
        ];
        assert_eq!(bodies, expect);
        stop.cancel();
        task.await.unwrap();
    }
}

/// The stop does not wait for slow attempts. The others are recorded.
#[tokio::test(start_paused = true)]
async fn a_stop_records_what_is_delivered_by_then() {
    let world = World::new(
        2,
        Receivers::new([(HOSTS[0], secs(4)), (HOSTS[1], secs(14))]),
    )
    .await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 2).await;
    sleep(secs(5)).await;
    stop.cancel();
    let start = Instant::now();
    task.await.unwrap();
    assert!(start.elapsed() < secs(10));
    let of = |n| world.store.deliveries(endpoint(n).id, 100);
    assert_eq!(of(1).await.unwrap().len(), WINDOW * 2);
    assert_eq!(of(2).await.unwrap().len(), 0);
}

/// There are more endpoints than places. Each makes about one round a second, with few commits.
#[tokio::test(start_paused = true)]
async fn endpoints_that_want_nothing_cost_few_commits() {
    const ENDPOINTS: u8 = 200;
    let world = World::new(0, Receivers::new([])).await;
    for n in 1..=ENDPOINTS {
        world.add_client(n, &["other-"]).await;
    }
    let (stop, task) = world.worker();
    for n in 0..200 {
        world.publish(n..n + 1).await;
        sleep(Duration::from_millis(50)).await;
    }
    let commits = world.commits.load(Ordering::SeqCst);
    assert!(commits <= 60, "{commits}");
    let behind = world.events().await[140].cursor;
    for n in 1..=ENDPOINTS {
        let found = Webhooks::find(&*world.store, endpoint(n).id).await;
        assert!(found.unwrap().unwrap().cursor > behind, "{n}");
    }
    stop.cancel();
    task.await.unwrap();
}

/// Attempts in progress end. No attempt begins after the lease is renewed.
#[tokio::test(start_paused = true)]
async fn a_round_ends_when_its_client_changes() {
    let world = World::new(0, Receivers::new([(HOSTS[1], secs(14))])).await;
    let client = world.add_client(2, &[]).await;
    let (stop, task) = world.worker();
    world.publish(0..WINDOW * 4).await;
    sleep(secs(2)).await;
    world.write(client.revoke(noon())).await;
    sleep(secs(100)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[1]).len(), WINDOW);
    let deliveries = world.store.deliveries(endpoint(2).id, 100).await;
    assert_eq!(deliveries.unwrap().len(), WINDOW);
    let found = Webhooks::find(&*world.store, endpoint(2).id).await;
    let endpoint = found.unwrap().unwrap().endpoint;
    assert_eq!(endpoint.state, EndpointState::Disabled);
    assert_eq!(endpoint.state_reason.as_deref(), Some(CLIENT_REVOKED));
    stop.cancel();
    task.await.unwrap();
}

/// The round is not recorded, so its attempts are repeated.
#[tokio::test(start_paused = true)]
async fn a_replay_during_a_round_does_not_wait_for_its_lease() {
    let world = World::new(1, Receivers::new([(HOSTS[0], secs(2))])).await;
    let (stop, task) = world.worker();
    world.publish(0..5).await;
    sleep(secs(4)).await;
    world.publish(5..10).await;
    sleep(secs(1)).await;
    let replayed = world
        .store
        .replay(endpoint(1).id, Cursor::START, None)
        .await;
    assert_eq!(replayed, Ok(true));
    sleep(secs(6)).await;
    let called = world.receivers.calls_of(HOSTS[0]).len();
    assert_eq!(called, 5 + 5 + 10);
    stop.cancel();
    task.await.unwrap();
}

/// There are more slow endpoints than places.
#[tokio::test(start_paused = true)]
async fn slow_endpoints_leave_places_to_others() {
    const SLOW: u8 = 200;
    let world = World::new(0, Receivers::with_others([(HOSTS[0], secs(0))], secs(14))).await;
    for n in 2..SLOW {
        world.add_client(n, &[]).await;
    }
    world.publish(0..WINDOW * 2).await;
    let (stop, task) = world.worker();
    sleep(secs(3)).await;
    register(&world.store, &endpoint(1)).await;
    sleep(secs(45)).await;
    world.assert_complete(HOSTS[0]).await;
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_carries_the_posting_as_it_is_when_it_can_be_read() {
    let world = World::new(1, Receivers::new([])).await;
    let mut with_posting = endpoint(2);
    with_posting.include_posting = true;
    register(&world.store, &with_posting).await;
    world.postings.1.store(true, Ordering::SeqCst);
    let (stop, task) = world.worker();
    world.publish(0..3).await;
    sleep(secs(30)).await;
    world.assert_complete(HOSTS[0]).await;
    assert!(world.receivers.calls_of(HOSTS[1]).is_empty());
    world.postings.1.store(false, Ordering::SeqCst);
    sleep(secs(3)).await;
    world.assert_complete(HOSTS[1]).await;
    // A posting that cannot be read is not the receiver's failure.
    let deliveries = world.store.deliveries(endpoint(2).id, 9).await.unwrap();
    assert!(deliveries.iter().all(|row| row.attempt == 1));
    let body = |host| world.receivers.calls_of(host)[0].body.clone();
    assert_eq!(body(HOSTS[0]), "JobPostingCreated None");
    assert_eq!(
        body(HOSTS[1]),
        r#"JobPostingCreated Some("Engineer job-0")"#
    );
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_whose_posting_is_broken_dies() {
    let world = World::new(0, Receivers::new([])).await;
    let mut with_posting = endpoint(1);
    with_posting.include_posting = true;
    register(&world.store, &with_posting).await;
    let (stop, task) = world.worker();
    world.put([BROKEN.to_owned()]).await;
    world.publish(0..3).await;
    sleep(secs(3)).await;
    assert_eq!(world.receivers.calls_of(HOSTS[0]).len(), 3);
    sleep(secs(100)).await;
    let deliveries = world.store.deliveries(endpoint(1).id, 9).await.unwrap();
    let broken = deliveries.iter().filter(|row| row.error.is_some());
    let errors: Vec<_> = broken.map(|row| row.error.as_deref()).collect();
    let why = "the request cannot be made: an internal error";
    let last = format!("{why}; it failed for good after 3 attempts");
    assert_eq!(errors, [Some(last.as_str()), Some(why), Some(why)]);
    stop.cancel();
    task.await.unwrap();
}
