//! Several workers, and workers that die.

use std::collections::HashMap;

use super::{LEASE, ONE, TWO, World, answers, secs};
use crate::{REST, Recorded, WINDOW, Webhooks, testing::endpoint};

/// The attempts of a round that was not recorded are made again, and no others.
#[pollster::test]
async fn a_crash_repeats_at_most_a_round() {
    let mut world = World::new("5", 1).await;
    world.publish((1..=600).map(|n| n % 50)).await;
    let mut receiver = |_, _: &_| answers(200);
    for crashes in [false, true, false] {
        let tracked = world.lease(TWO, 1).await.remove(0);
        let round = world.attempt(tracked, &mut receiver).await;
        if !crashes {
            assert_eq!(world.store.record(TWO, &round).await, Ok(Recorded::Done));
            continue;
        }
        assert!(world.lease(ONE, 1).await.is_empty());
        world.now += LEASE;
        // The lease is lost, to the next holder that comes.
        world.run(world.elapsed() + secs(1), &mut receiver).await;
        assert_eq!(world.store.record(TWO, &round).await, Ok(Recorded::Lost));
        world.publish((1..=300).map(|n| n % 50)).await;
    }
    world.run(world.elapsed() + secs(10), &mut receiver).await;
    let mut times = HashMap::<_, usize>::new();
    for seen in world.taken(1) {
        *times.entry(seen.event).or_default() += 1;
    }
    let events = world.events().await;
    assert_eq!(times.len(), events.len());
    let twice = events.iter().enumerate().filter(|(_, event)| {
        let times = times[&event.cursor];
        assert!(times <= 2);
        times == 2
    });
    // Exactly the second round: the events after the first page.
    let places: Vec<_> = twice.map(|(place, _)| place).collect();
    assert_eq!(places, (256..512).collect::<Vec<_>>());
}

/// The window is each endpoint's own, and a round of one does not wait for another's.
#[pollster::test]
async fn attempts_under_way_are_limited() {
    let mut world = World::new("5", 1).await;
    world.publish(1..=100).await;
    let tracked = world.lease(ONE, 1).await.remove(0);
    let schedule = world.schedule.clone();
    let start = crate::start_round(&world.store, &world.store, tracked, schedule, world.now);
    let mut round = start.await.unwrap().round;
    let begun: Vec<_> = std::iter::from_fn(|| round.begin(world.now)).collect();
    assert_eq!(begun.len(), WINDOW);
    round.end(begun[0].number, &answers(200), world.now, 0.0);
    assert!(round.begin(world.now).is_some());
    assert!(round.begin(world.now).is_none());
    // An attempt that could not be made counts for nothing, and ends the round.
    round.withdraw(begun[2].number);
    assert!(round.begin(world.now).is_none());
    // Events not attempted, or still under way, come again.
    round.end(begun[1].number, &answers(200), world.now, 0.0);
    let round = round.finish(world.now, 0.0);
    assert_eq!(round.to, begun[1].event.cursor);
    assert_eq!(round.waiting, []);
    assert!(!round.is_idle());
    world.now = round.again_at;
    assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
    assert_eq!(world.lease(TWO, 1).await[0].endpoint.id, endpoint(1).id);
}

/// Under constant pushes, whether it wants them or not; and a backlog is worked off without rests.
#[pollster::test]
async fn an_endpoint_makes_about_a_round_a_second() {
    for prefix in ["job-", "other-"] {
        let mut world = World::new("5", 0).await;
        let mut some = endpoint(1);
        some.prefixes = kernel::Prefixes::new(&[prefix]).unwrap();
        let inserted = world.store.insert(&some, super::Cursor::START, None).await;
        inserted.unwrap();
        let mut rounds = 0;
        for turn in 0..200 {
            world.publish([1 + turn % 7]).await;
            world.now += std::time::Duration::from_millis(50);
            for tracked in world.lease(ONE, 1).await {
                rounds += 1;
                let round = world.attempt(tracked, &mut |_, _| answers(200)).await;
                assert_eq!(round.is_idle(), prefix == "other-");
                assert!(round.again_at <= round.at + REST);
                assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
            }
        }
        assert!((9..=11).contains(&rounds), "{prefix}: {rounds}");
    }
    let mut world = World::new("5", 1).await;
    world.publish((0..5_000).map(|n| n % 300)).await;
    world.run(secs(4), &mut |_, _| answers(200)).await;
    world.assert_complete(1).await;
}
