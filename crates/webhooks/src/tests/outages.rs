//! Receivers that do not answer for a while.

use kernel::testing::{noon, uuid};

use super::{World, answers, is_of, no_connection, secs, times_out};
use crate::{DEFAULT_RETRY_SECONDS, WINDOW};

/// This holds for any number of waiting events and any schedule.
#[pollster::test]
async fn a_silent_receiver_is_seldom_called_and_soon_gets_everything() {
    for (events, outage) in [(1, 20), (3, 20), (450, 20), (450, 1_200)] {
        let mut world = World::new(DEFAULT_RETRY_SECONDS, 1).await;
        let back = noon() + secs(outage);
        let mut receiver = |now, _: &_| {
            if now < back {
                no_connection()
            } else {
                answers(204)
            }
        };
        world.publish(1..=events).await;
        world.run(secs(2 * outage), &mut receiver).await;
        world.assert_complete(1).await;
        let refused = world.seen.iter().filter(|seen| !seen.is_taken).count();
        let late = world.taken(1).map(|seen| seen.at - back).max().unwrap();
        let (calls, wait) = if outage == 20 { (60, 10) } else { (80, 320) };
        assert!(refused <= calls, "{events} events, {refused} calls");
        assert!(
            late <= secs(wait),
            "{events} events, {late} after {outage} s"
        );
    }
}

/// The other events of the page stay in the log.
#[pollster::test]
async fn a_round_ends_with_a_window_of_silence() {
    let mut world = World::new("5", 1).await;
    world.publish(1..=200).await;
    let tracked = world.lease(super::ONE, 1).await.remove(0);
    let mut calls = 0;
    let mut receiver = |_, _: &_| {
        calls += 1;
        if calls == 9 {
            answers(500)
        } else {
            times_out()
        }
    };
    let round = world.attempt(tracked, &mut receiver).await;
    // A late answer allowed one more attempt.
    assert_eq!(world.seen.len(), WINDOW + 1);
    assert_eq!(round.waiting.len(), WINDOW + 1);
    assert_eq!(round.to, world.seen[WINDOW].event);
    assert!(round.waiting.iter().all(|event| event.attempts == 1));
    assert_eq!(round.health.silent_rounds, 1);
    assert!(round.health.is_open(round.at));
}

/// An event that is never answered is retried by its schedule. Other events pass it.
#[pollster::test]
async fn one_event_that_is_never_answered_holds_back_only_its_posting() {
    let mut world = World::new("5,60,600,3600", 1).await;
    let mut receiver = |_, event: &_| {
        if is_of(event, 1) {
            times_out()
        } else {
            answers(200)
        }
    };
    world.publish([1]).await;
    for second in 1..=600 {
        world.publish([1, 2 + second % 40]).await;
        world.run(secs(second), &mut receiver).await;
    }
    let events = world.events().await;
    for seen in world.taken(1) {
        let event = events.iter().find(|event| event.cursor == seen.event);
        let wait = seen.at - event.unwrap().event.at;
        assert!(wait <= time::Duration::seconds(45), "{wait}");
    }
    let others = events.iter().filter(|event| !is_of(event, 1));
    assert!(world.taken(1).count() + 50 >= others.count());
    let tries = world.seen.iter().filter(|seen| seen.subject == uuid(1));
    let tries: Vec<_> = tries.collect();
    assert!(tries.iter().all(|seen| seen.event == events[0].cursor));
    assert!((3..=4).contains(&tries.len()), "{tries:?}");
    assert_eq!(world.stored().await.len(), 1);
}
