//! Several workers, and workers that die.

use std::collections::{HashMap, HashSet};

use super::{LEASE, ONE, TWO, World, answers, secs};
use crate::{
    testing::endpoint,
    webhook::{WINDOW, Webhooks},
};

/// The attempts of a round that was not recorded are made again, and no others.
#[test]
fn a_crash_repeats_at_most_a_round() {
    pollster::block_on(async {
        let mut world = World::new("5", 1).await;
        world.publish((1..=600).map(|n| n % 50)).await;
        let mut receiver = |_, _: &_| answers(200);
        for crashes in [false, true, false] {
            let tracked = world.lease(TWO, 1).await.remove(0);
            let round = world.attempt(tracked, &mut receiver).await;
            if !crashes {
                assert_eq!(world.store.record(TWO, &round).await, Ok(true));
                continue;
            }
            assert!(world.lease(ONE, 1).await.is_empty());
            world.now += LEASE;
            // The lease is lost, to the next holder that comes.
            world.run(world.elapsed() + secs(1), &mut receiver).await;
            assert_eq!(world.store.record(TWO, &round).await, Ok(false));
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
    });
}

#[test]
fn two_workers_share_the_endpoints() {
    pollster::block_on(async {
        let mut world = World::new("5", 4).await;
        let mut receiver = |_, _: &_| answers(200);
        let mut worked = HashMap::from([(ONE, HashSet::new()), (TWO, HashSet::new())]);
        for turn in 0..40 {
            world.publish((1..=9).map(|n| n + turn % 5)).await;
            // Both have one at the same time.
            let [first, second] = [world.lease(ONE, 1).await, world.lease(TWO, 1).await];
            for (holder, leased) in [(ONE, first), (TWO, second)] {
                for tracked in leased {
                    worked.get_mut(&holder).unwrap().insert(tracked.endpoint.id);
                    let round = world.attempt(tracked, &mut receiver).await;
                    assert_eq!(world.store.record(holder, &round).await, Ok(true));
                }
            }
        }
        world.run(world.elapsed() + secs(10), &mut receiver).await;
        for n in 1..=4 {
            world.assert_complete(n).await;
        }
        assert!(worked.values().all(|endpoints| endpoints.len() > 1));
    });
}

/// The window is each endpoint's own, and a round of one does not wait for another's.
#[test]
fn attempts_under_way_are_limited() {
    pollster::block_on(async {
        let world = World::new("5", 1).await;
        world.publish(1..=100).await;
        let tracked = world.lease(ONE, 1).await.remove(0);
        let schedule = world.schedule.clone();
        let start =
            crate::usecase::start_round(&world.store, &world.store, tracked, schedule, world.now);
        let mut round = start.await.unwrap().round;
        let begun: Vec<_> = std::iter::from_fn(|| round.begin(world.now)).collect();
        assert_eq!(begun.len(), WINDOW);
        round.end(begun[0].number, &answers(200), world.now, 0.0);
        assert!(round.begin(world.now).is_some());
        assert!(round.begin(world.now).is_none());
        // An attempt that could not be made counts for nothing, and ends the round.
        assert!(!round.was_cut_short());
        round.withdraw(begun[2].number);
        assert!(round.was_cut_short() && round.begin(world.now).is_none());
        // Events not attempted, or still under way, come again.
        round.end(begun[1].number, &answers(200), world.now, 0.0);
        let round = round.finish(world.now, 0.0);
        assert_eq!(round.to, begun[1].event.cursor);
        assert_eq!(round.waiting, []);
        assert!(!round.is_idle());
        assert_eq!(world.store.record(ONE, &round).await, Ok(true));
        assert_eq!(world.lease(TWO, 1).await[0].endpoint.id, endpoint(1).id);
    });
}
