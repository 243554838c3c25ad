use std::time::Duration;

use domain::posting::event::COMPANY_UPDATED;
use fields::Patch;
use kernel::{
    Prefixes,
    event::{Cursor, EventLog, RecordedEvent, Subject},
    testing::{minutes, noon, uuid},
};

use super::{
    ONE, TWO, UNKNOWN, World, answers, begin_all, is_of, mins, named, secs, start, times_out, waits,
};
use crate::{
    Attempt, EndpointChange, EndpointState, FULL_REST, Health, MOST_WAITING, NoAnswer, ROUND_TIME,
    Recorded, Round, TrackedEndpoint, WINDOW, Webhooks, testing::endpoint,
};

#[pollster::test]
async fn a_refused_event_holds_back_its_posting_until_it_is_dead_and_can_be_replayed() {
    let mut world = World::new("5,60", 1).await;
    world.publish([1, 2, 1, 3, 2, 1]).await;
    let events = world.events().await;
    let poison = events[0].cursor;
    let mut refuses = |_, event: &RecordedEvent| {
        if event.cursor == poison {
            answers(500)
        } else {
            answers(200)
        }
    };
    world.run(secs(4), &mut refuses).await;
    let others = [1, 3, 4].map(|n| events[n].cursor);
    let taken: Vec<_> = world.taken(1).map(|seen| seen.event).collect();
    assert_eq!(taken, others);
    world.publish([1]).await;
    world.run(secs(60), &mut refuses).await;
    assert_eq!(world.taken(1).count(), 3);
    world.run(secs(85), &mut refuses).await;
    let taken: Vec<_> = world.taken(1).skip(3).map(|seen| seen.event).collect();
    let later = world.events().await[6].cursor;
    assert_eq!(taken, [events[2].cursor, events[5].cursor, later]);
    let attempts = world.deliveries().await;
    let of_poison = attempts.iter().rev().filter(|row| row.event == poison);
    let errors = of_poison.map(|row| (row.attempt, row.status, row.error.as_deref()));
    let given_up = "answered 500; it failed for good after 3 attempts";
    let expect = [(1, "answered 500"), (2, "answered 500"), (3, given_up)];
    assert!(errors.eq(expect.map(|(n, error)| (n, Some(500), Some(error)))));
    let start = world.store.cursor_at(noon()).await.unwrap();
    let replayed = world.store.replay(endpoint(1).id, start, None).await;
    assert_eq!(replayed, Ok(true));
    world.seen.clear();
    world.run(secs(90), &mut |_, _| answers(200)).await;
    world.assert_complete(1).await;
}

#[pollster::test]
async fn a_receiver_that_asks_for_a_pause_gets_it() {
    let mut world = World::new("5", 1).await;
    world.publish(1..=100).await;
    let busy = |asked| Attempt::answered(429, Some(asked), Duration::from_millis(20));
    let until = noon() + mins(2);
    let mut receiver = |now, _: &_| {
        if now < until {
            busy(mins(2))
        } else {
            answers(200)
        }
    };
    world.run(mins(5), &mut receiver).await;
    let early = world.seen.iter().filter(|seen| !seen.is_taken);
    // These attempts were in progress when the receiver requested the pause.
    assert_eq!(early.count(), WINDOW);
    world.assert_complete(1).await;
}

#[pollster::test]
async fn events_that_are_no_longer_kept_or_wanted_wait_no_longer() {
    let mut world = World::new("60,60", 2).await;
    world.publish([1, 1, 2]).await;
    world.now += mins(30);
    world.publish([3]).await;
    world.run(mins(31), &mut |_, _| answers(500)).await;
    let only_companies = EndpointChange {
        names: Patch::Set(vec![COMPANY_UPDATED]),
        ..EndpointChange::default()
    };
    let second = world.endpoint(2).await;
    let write = second.apply(&only_companies, world.now).unwrap();
    world.store.update(&write, None).await.unwrap();
    world.store.forget(noon() + mins(1), 9).await.unwrap();
    world.seen.clear();
    world.run(mins(40), &mut |_, _| answers(200)).await;
    let seen = world.seen.iter().map(|seen| (seen.endpoint, seen.subject));
    assert!(seen.eq([(endpoint(1).id, uuid(3))]));
    let deliveries = world.deliveries().await;
    let given_up = deliveries.iter().filter(|row| row.status.is_none());
    let errors: Vec<_> = given_up.map(|row| row.error.as_deref()).collect();
    let expect = Some("not delivered: the event is no longer kept");
    assert_eq!(errors, [expect; 3]);
    for backlog in world.store.backlog(9).await.unwrap() {
        assert_eq!(backlog.waiting, 0);
    }
}

#[pollster::test]
async fn an_endpoint_that_is_behind_what_is_kept_goes_on_there() {
    let mut world = World::new("60", 1).await;
    world.publish([1, 2]).await;
    world.now += mins(2);
    world.publish([3]).await;
    assert_eq!(world.store.forget(noon() + mins(1), 9).await, Ok(2));
    let has_gap = async |world: &World| start(world, world.tracked(1).await).await.has_gap;
    assert!(has_gap(&world).await);
    world.run(mins(3), &mut |_, _| answers(200)).await;
    assert!(!has_gap(&world).await);
    world.assert_complete(1).await;
    assert_eq!(world.taken(1).count(), 1);
}

/// The other events stay in the log until fewer events wait.
#[pollster::test]
async fn a_limited_number_of_events_waits() {
    let mut world = World::new("3600", 1).await;
    world
        .publish((1..=MOST_WAITING as u64).chain([1, 2, 3]))
        .await;
    let events = world.events().await;
    let tracked = world.lease(ONE, 1).await.remove(0);
    let mut full = Round::idle(&tracked, world.now);
    full.to = events[MOST_WAITING - 1].cursor;
    let in_an_hour = noon() + mins(60);
    full.waiting = events[..MOST_WAITING]
        .iter()
        .map(|event| waits(event, 1, in_an_hour))
        .collect();
    assert_eq!(world.store.record(ONE, &full).await, Ok(Recorded::Done));
    world.run(mins(1), &mut |_, _| answers(200)).await;
    assert_eq!(world.tracked(1).await.cursor, full.to);
    let tracked = world.lease(ONE, 1).await.remove(0);
    let nothing = start(&world, tracked.clone()).await;
    let nothing = nothing.finish(world.now, 0.0);
    assert!(nothing.is_idle());
    assert_eq!(nothing.again_at, world.now + FULL_REST);
    // The cursor does not move, so the gap remains.
    let behind = TrackedEndpoint {
        cursor: UNKNOWN,
        ..tracked.clone()
    };
    assert!(!start(&world, behind).await.has_gap);
    let mut fewer = Round::idle(&tracked, world.now);
    fewer.settled = vec![uuid(3)];
    assert_eq!(world.store.record(ONE, &fewer).await, Ok(Recorded::Done));
    world.run(mins(2), &mut |_, _| answers(200)).await;
    let seen: Vec<_> = world.seen.iter().map(|seen| seen.event).collect();
    assert_eq!(seen, [events[MOST_WAITING + 2].cursor]);
    assert_eq!(world.tracked(1).await.cursor, seen[0]);
}

/// Each endpoint has its own window, so rounds do not wait for each other.
#[pollster::test]
async fn attempts_under_way_are_limited() {
    let mut world = World::new("5", 1).await;
    world.publish(1..=100).await;
    let tracked = world.lease(ONE, 1).await.remove(0);
    let mut round = start(&world, tracked).await;
    let begun = begin_all(&mut round, world.now);
    assert_eq!(begun.len(), WINDOW);
    round.end(begun[0].number, &answers(200), world.now, 0.0);
    assert!(round.begin(world.now).is_some());
    assert!(round.begin(world.now).is_none());
    // Events that were not attempted, or whose attempt has not ended, come again.
    round.end(begun[1].number, &answers(200), world.now, 0.0);
    let round = round.finish(world.now, 0.0);
    assert_eq!(round.to, begun[1].event.cursor);
    assert_eq!(round.waiting, []);
    assert!(!round.is_idle());
    world.now = round.again_at;
    assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
    assert_eq!(world.lease(TWO, 1).await[0].endpoint.id, endpoint(1).id);
}

/// A receiver that is slow for one posting gets other events meanwhile, and the round ends soon.
#[pollster::test]
async fn a_round_is_limited_in_time() {
    let mut world = World::new("5", 1).await;
    world.publish((0..20).flat_map(|n| [1, 2 + n])).await;
    let mut slow = |_, event: &RecordedEvent| {
        if is_of(event, 1) {
            Attempt::answered(200, None, secs(14))
        } else {
            answers(200)
        }
    };
    let tracked = world.lease(ONE, 1).await.remove(0);
    let round = world.attempt(tracked, &mut slow).await;
    let longest = noon() + ROUND_TIME + secs(14);
    assert!(round.at <= longest, "{}", round.at);
    assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
    let others = world.taken(1).filter(|seen| seen.subject != uuid(1));
    assert_eq!(others.count(), 20);
    world.run(mins(6), &mut slow).await;
    world.assert_complete(1).await;
}

/// The event counts neither as an attempt nor as a probe, because the service could not send it.
#[pollster::test]
async fn an_event_that_cannot_be_sent_dies_and_does_not_count_against_the_receiver() {
    let mut world = World::new("60,60", 1).await;
    let unsendable = || Attempt::unanswered(NoAnswer::Unsendable, "", Duration::ZERO);
    world.publish([1]).await;
    world.run(mins(4), &mut |_, _| unsendable()).await;
    let deliveries = world.deliveries().await;
    assert_eq!(deliveries.len(), 3);
    let expect = "the request cannot be made; it failed for good after 3 attempts";
    assert_eq!(deliveries[0].error.as_deref(), Some(expect));
    assert_eq!(world.tracked(1).await.health, Health::default());
    world.publish([2]).await;
    world.run(mins(4) + secs(1), &mut |_, _| times_out()).await;
    let silent = world.tracked(1).await.health;
    assert!(silent.is_half_open());
    world.now += mins(1);
    world.publish([3]).await;
    let tracked = world.lease(ONE, 1).await.remove(0);
    let round = world.attempt(tracked, &mut |_, _| unsendable()).await;
    assert_eq!((round.deliveries.len(), round.health), (1, silent));
}

#[pollster::test]
async fn an_endpoint_gets_the_events_of_its_names_and_prefixes() {
    let mut world = World::new("5", 0).await;
    let mut some = endpoint(1);
    some.prefixes = Prefixes::new(&["job-7"]).unwrap();
    let mut none = endpoint(2);
    none.names = Some(vec![named("JobPostingCreated")]);
    for endpoint in [&some, &none] {
        let start = Cursor::START;
        world.store.insert(endpoint, start, None).await.unwrap();
    }
    world.publish((1..=4_000).map(|n| n % 80)).await;
    // The log also has subjects that belong to other modules.
    world.publish_of([Subject::Other(uuid(5))]).await;
    world.run(secs(60), &mut |_, _| answers(200)).await;
    let seen = world.seen.iter();
    let expect = [70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 7].map(uuid);
    assert!(seen.clone().all(|seen| expect.contains(&seen.subject)));
    assert_eq!(seen.count(), 11 * 50);
    let end = world.store.end().await.unwrap();
    for n in [1, 2] {
        assert_eq!(world.tracked(n).await.cursor, end);
    }
}

#[test]
fn an_endpoint_that_is_disabled_or_fails_for_an_hour_needs_attention() {
    use EndpointState::{Active, Disabled, Paused};
    for (state, failing_minutes, expect) in [
        (Active, None, false),
        (Active, Some(59), false),
        (Active, Some(60), true),
        (Paused, Some(60), false),
        (Disabled, None, true),
    ] {
        let mut tracked = TrackedEndpoint {
            endpoint: endpoint(1),
            cursor: Cursor::START,
            health: Health::default(),
        };
        tracked.endpoint.state = state;
        tracked.health.failing_since = failing_minutes.map(|ago| noon() - minutes(ago));
        assert_eq!(
            tracked.needs_attention(noon()),
            expect,
            "{state} {failing_minutes:?}"
        );
    }
}
