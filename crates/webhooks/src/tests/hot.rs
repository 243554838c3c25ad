//! Subjects with more events than a round may attempt.

use std::time::Duration;

use domain::{
    posting::event::COMPANY_UPDATED,
    store::{Store, WriteSet},
    testing::{company, company_state},
};
use kernel::{
    event::{Cursor, Event, EventLog, RecordedEvent, Subject},
    testing::{noon, uuid},
};

use super::{ONE, World, answers, is_of, mins, no_connection, secs, start, waits};
use crate::{Attempt, MOST_LATER, Recorded, Round, WaitingSubject, Webhooks, testing::endpoint};

fn slow() -> Attempt {
    Attempt::answered(200, None, Duration::from_millis(50))
}

async fn rename(world: &World, website: &str, times: usize) {
    let mut writes = WriteSet::new(world.now);
    let renamed = Event {
        name: COMPANY_UPDATED,
        subject: Subject::Company(company_state(&company(website))),
        at: world.now,
        trace: None,
    };
    writes.tasks.events.extend(vec![renamed; times]);
    world.store.commit(writes).await.unwrap();
}

fn before(world: &World, posting: u128) -> usize {
    let mut taken = world.taken(1);
    taken
        .position(|seen| seen.subject == uuid(posting))
        .unwrap()
}

/// One waiting subject covers any number of events, in order.
#[pollster::test]
async fn a_posting_that_changes_over_and_over_waits_aside() {
    let mut world = World::new("5", 1).await;
    world.publish(vec![1; 3_000]).await;
    world.publish([2]).await;
    world.run(secs(20), &mut |_, _| slow()).await;
    assert!(before(&world, 2) <= 30, "{}", before(&world, 2));
    // Later events are not delayed either.
    world.publish([1, 3]).await;
    world.run(secs(22), &mut |_, _| slow()).await;
    assert!(world.taken(1).any(|seen| seen.subject == uuid(3)));
    let waiting = world.stored().await;
    assert_eq!(waiting.len(), 1);
    assert!(waiting[0].later.len() <= MOST_LATER);
    world.run(mins(10), &mut |_, _| slow()).await;
    world.assert_complete(1).await;
    assert_eq!(world.stored().await, []);
    assert_eq!(
        world.tracked(1).await.cursor,
        world.store.end().await.unwrap()
    );
}

/// All postings of a tenant change, so many subjects wait at once.
#[pollster::test]
async fn many_postings_that_change_over_and_over_let_others_pass() {
    let mut world = World::new("5", 1).await;
    for _ in 0..30 {
        world.publish((0..10).flat_map(|_| 100..140)).await;
    }
    world.publish([2]).await;
    world.run(mins(9), &mut |_, _| slow()).await;
    assert!(before(&world, 2) <= 2_000, "{}", before(&world, 2));
    world.assert_complete(1).await;
}

/// After a failure, all later events wait behind the failed event.
#[pollster::test]
async fn a_posting_that_fails_and_changes_over_and_over_is_delivered_in_order() {
    let mut world = World::new("60", 1).await;
    let back = noon() + secs(50);
    let mut receiver = |now, event: &RecordedEvent| {
        if is_of(event, 1) && now < back {
            answers(500)
        } else {
            answers(200)
        }
    };
    world.publish([1]).await;
    for second in 1..=40 {
        world.publish([1; 9].into_iter().chain([2])).await;
        world.run(secs(second), &mut receiver).await;
    }
    assert_eq!(
        world
            .taken(1)
            .filter(|seen| seen.subject == uuid(2))
            .count(),
        40
    );
    assert_eq!(world.stored().await[0].later.len(), MOST_LATER);
    world.run(mins(3), &mut receiver).await;
    world.assert_complete(1).await;
}

#[pollster::test]
async fn of_a_companys_waiting_changes_the_newest_is_delivered() {
    let mut world = World::new("60", 1).await;
    rename(&world, "flood", 3_000).await;
    world.publish([2]).await;
    rename(&world, "other", 1).await;
    world.run(secs(3), &mut |_, _| slow()).await;
    assert!(before(&world, 2) <= 15, "{}", before(&world, 2));
    let events = world.events().await;
    let newest = |n: usize| events[events.len() - n].cursor;
    let taken: Vec<_> = world.taken(1).map(|seen| seen.event).collect();
    assert!(
        taken.ends_with(&[newest(2), newest(3), newest(1)]),
        "{taken:?}"
    );
}

/// The newest event has no attempts yet, and takes the due time of the failed event.
#[pollster::test]
async fn a_change_of_a_company_that_failed_is_superseded() {
    let mut world = World::new("60,60", 1).await;
    rename(&world, "acme", 1).await;
    world.run(secs(1), &mut |_, _| answers(500)).await;
    let failed = world.stored().await.remove(0);
    rename(&world, "acme", 200).await;
    world.run(secs(3), &mut |_, _| answers(200)).await;
    assert_eq!(world.taken(1).count(), 0);
    let newest = world.events().await.pop().unwrap();
    assert_eq!(world.stored().await, [waits(&newest, 0, failed.next_at)]);
    world.run(mins(2), &mut |_, _| answers(200)).await;
    assert!(world.taken(1).map(|seen| seen.event).eq([newest.cursor]));
    // A replaced event is delivered if its owner resends it.
    let older = &world.events().await[0];
    let again = waits(older, 0, world.now);
    let resent = world.store.resend(endpoint(1).id, &again, None).await;
    assert_eq!(resent, Ok(true));
    world.run(mins(3), &mut |_, _| answers(200)).await;
    assert_eq!(world.taken(1).last().unwrap().event, older.cursor);
}

/// A failure in between does not stop the company's deliveries.
#[pollster::test]
async fn a_company_that_changes_all_the_time_is_delivered_now_and_then() {
    let mut world = World::new("1", 1).await;
    for second in 1..=20 {
        rename(&world, "acme", 3).await;
        let mut receiver = |_, _: &_| answers(if second == 1 { 500 } else { 200 });
        world.run(secs(second), &mut receiver).await;
    }
    assert!(world.taken(1).count() >= 10, "{}", world.taken(1).count());
}

/// After a replay, each later event comes once more.
#[pollster::test]
async fn a_replay_while_a_posting_waits_aside_gives_each_event_once() {
    let mut world = World::new("5", 1).await;
    world.publish(vec![1; 600]).await;
    world.run(secs(10), &mut |_, _| slow()).await;
    let events = world.events().await;
    let delivered = world.taken(1).count();
    for to in [Cursor::START, events[delivered + 20].cursor] {
        let replayed = world.store.replay(endpoint(1).id, to, None).await;
        assert_eq!(replayed, Ok(true));
    }
    // The second replay changes nothing: its place is after the cursor.
    world.seen.clear();
    world.run(secs(30), &mut |_, _| slow()).await;
    let next = world.stored().await[0].next.cursor;
    let place = events
        .iter()
        .position(|event| event.cursor == next)
        .unwrap();
    let to = events[place + 20].cursor;
    let replayed = world.store.replay(endpoint(1).id, to, None).await;
    assert_eq!(replayed, Ok(true));
    world.run(mins(5), &mut |_, _| slow()).await;
    world.assert_complete(1).await;
}

/// The probe may be an event whose posting has more events on the page.
#[pollster::test]
async fn a_probe_of_a_posting_with_further_events_gives_each_once() {
    let mut world = World::new("60", 1).await;
    world.publish([1]).await;
    world.run(secs(1), &mut |_, _| no_connection()).await;
    world.publish([1, 1]).await;
    world.run(mins(3), &mut |_, _| answers(200)).await;
    world.assert_complete(1).await;
    assert_eq!(world.stored().await, []);
}

/// The event is resent after the round began.
#[pollster::test]
async fn an_event_that_is_sent_again_during_a_round_is_not_lost() {
    let world = World::new("5", 1).await;
    world.publish([1; 20]).await;
    let events = world.events().await;
    let leased = world.lease(ONE, 1).await.remove(0);
    let mut passed = Round::idle(&leased, noon());
    passed.to = events[4].cursor;
    passed.waiting = vec![waits(&events[4], 1, noon())];
    assert_eq!(world.store.record(ONE, &passed).await, Ok(Recorded::Done));
    let leased = world.lease(ONE, 1).await.remove(0);
    let mut round = start(&world, leased).await;
    let begun = round.begin(noon()).unwrap();
    round.end(begun.number, &answers(200), noon(), 0.0);
    let again = waits(&events[1], 0, noon());
    let resent = world.store.resend(endpoint(1).id, &again, None).await;
    assert_eq!(resent, Ok(true));
    let changed = world.tracked(1).await;
    let result = round.finish_changed(&changed, world.stored().await, noon(), 0.0);
    assert_eq!(world.store.record(ONE, &result).await, Ok(Recorded::Done));
    let later = events[5..].iter().map(Into::into).collect();
    let expect = WaitingSubject {
        later,
        ..waits(&events[1], 0, noon())
    };
    assert_eq!(world.stored().await, [expect]);
}
