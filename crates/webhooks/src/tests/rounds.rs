use std::time::Duration;

use kernel::{
    event::{Cursor, RecordedEvent},
    testing::{minutes, noon, uuid},
};

use super::{World, answers, begin_all, is_of, secs, start, times_out, waits};
use crate::{
    Attempt, DeliveryRecord, DeliveryRound, EndpointState, Health, NoAnswer, REST, Round,
    TrackedEndpoint, WANTS_NO_MORE, WaitingSubject, testing::endpoint,
};

fn attempt_each(
    round: &mut DeliveryRound,
    receiver: impl Fn(&RecordedEvent) -> Attempt,
) -> Vec<Cursor> {
    let mut seen = Vec::new();
    while let Some(begun) = round.begin(noon()) {
        round.end(begun.number, &receiver(&begun.event), noon(), 0.0);
        seen.push(begun.event.cursor);
    }
    seen
}

fn cursors(events: &[RecordedEvent], numbers: &[usize]) -> Vec<Cursor> {
    numbers.iter().map(|n| events[*n].cursor).collect()
}

fn record(event: &RecordedEvent, attempt: u32, status: u16, error: Option<&str>) -> DeliveryRecord {
    DeliveryRecord {
        at: noon(),
        event: event.cursor,
        name: event.event.name.clone(),
        attempt,
        status: Some(status),
        duration: Duration::from_millis(20),
        error: error.map(str::to_owned),
    }
}

/// The first event still waits as before; a later round reads the last event again.
#[pollster::test]
async fn a_round_that_ends_early_leaves_what_has_not_ended() {
    for (is_withdrawn, attempts, rest) in [(true, 0, REST), (false, 1, Duration::ZERO)] {
        let (world, events) = World::with_waiting(1..=4, &[(1, 0)]).await;
        let tracked = world.tracked(1).await;
        let mut round = start(&world, tracked.clone()).await;
        let begun = [(); 3].map(|()| round.begin(noon()).unwrap());
        if is_withdrawn {
            round.withdraw(begun[0].number);
            round.withdraw(begun[1].number);
        } else {
            round.stop();
        }
        round.end(begun[2].number, &answers(200), noon(), 0.0);
        assert_eq!(round.begin(noon()), None);
        let expect = Round {
            to: events[2].cursor,
            waiting: vec![waits(&events[1], attempts, noon())],
            deliveries: vec![record(&events[2], 1, 200, None)],
            health: Health {
                last_success_at: Some(noon()),
                ..Health::default()
            },
            again_at: noon() + rest,
            ..Round::idle(&tracked, noon())
        };
        assert_eq!(round.finish(noon(), 0.0), expect);
    }
}

/// With a closed circuit, a delivery allows the posting's next event, and a failure does not.
#[pollster::test]
async fn a_half_open_circuit_gets_one_attempt_whose_answer_closes_it() {
    let unsendable = || Attempt::unanswered(NoAnswer::Unsendable, "", Duration::ZERO);
    for (silent_rounds, attempt, calls, after, wakes_silent) in [
        (0, answers(200), 2, 0, false),
        (0, answers(500), 1, 0, false),
        (1, answers(200), 1, 0, false),
        (2, answers(200), 1, 0, true),
        (2, answers(500), 1, 0, true),
        (2, times_out(), 1, 3, false),
        (2, unsendable(), 1, 2, false),
    ] {
        let (world, _) = World::with_waiting([1, 1], &[]).await;
        let mut tracked = world.tracked(1).await;
        tracked.health.silent_rounds = silent_rounds;
        let mut round = start(&world, tracked).await;
        let seen = attempt_each(&mut round, |_| attempt.clone());
        let round = round.finish(noon(), 0.0);
        assert_eq!(
            (seen.len(), round.health.silent_rounds, round.wakes_silent),
            (calls, after, wakes_silent),
            "{silent_rounds} {attempt:?}"
        );
    }
}

/// In the log, waiting events precede fresh events. No rest follows an early probe.
#[pollster::test]
async fn waiting_and_fresh_events_take_turns_but_a_probe_is_the_likeliest_to_be_answered() {
    let due = [(3, -2), (1, -1), (2, 0)];
    let early = [(1, 90), (2, 60), (1, 70)];
    for (silent_rounds, waiting, fresh, order, rest) in [
        (0, due, 2, &[0, 3, 1, 4, 2][..], Duration::ZERO),
        (0, due, 0, &[0, 1, 2], Duration::ZERO),
        (0, early, 1, &[3], REST),
        (0, early, 0, &[], REST),
        (1, due, 1, &[3], Duration::ZERO),
        (1, due, 0, &[1], Duration::ZERO),
        (1, early, 1, &[3], REST),
        (1, early, 0, &[1], Duration::ZERO),
    ] {
        let (world, events) = World::with_waiting(1..=3 + fresh, &waiting).await;
        let mut tracked = world.tracked(1).await;
        tracked.health.silent_rounds = silent_rounds;
        let mut round = start(&world, tracked).await;
        let seen = attempt_each(&mut round, |_| answers(200));
        let case = format!("{silent_rounds} {waiting:?} {fresh}");
        assert_eq!(seen, cursors(&events, order), "{case}");
        let again_at = round.finish(noon(), 0.0).again_at;
        assert_eq!(again_at, noon() + rest, "{case}");
    }
}

#[pollster::test]
async fn a_probe_before_its_time_without_an_answer_is_not_counted() {
    let (world, events) = World::with_waiting([1], &[(1, 60)]).await;
    let mut tracked = world.tracked(1).await;
    tracked.health.silent_rounds = 1;
    let mut round = start(&world, tracked).await;
    attempt_each(&mut round, |_| times_out());
    let expect = WaitingSubject {
        last_error: times_out().error,
        is_silent: true,
        ..waits(&events[0], 1, noon() + secs(3600))
    };
    assert_eq!(round.finish(noon(), 0.0).waiting, [expect]);
}

/// A page is full with 256 waiting and 256 fresh events.
#[pollster::test]
async fn an_endpoint_rests_unless_more_are_due_or_fresh() {
    for (waiting, fresh, rest) in [
        (255, 0, REST),
        (256, 0, Duration::ZERO),
        (0, 256, REST),
        (0, 257, Duration::ZERO),
    ] {
        // No event is done yet. The waiting events are due in reverse order.
        let all = waiting + fresh;
        let waiting: Vec<_> = (0..).take(waiting).map(|n: i64| (0, -n)).collect();
        let (world, _) = World::with_waiting(1..=all as u64, &waiting).await;
        let mut round = start(&world, world.tracked(1).await).await;
        let seen = attempt_each(&mut round, |_| answers(500));
        assert_eq!(seen.len(), all.min(256));
        let round = round.finish(noon(), 0.0);
        assert!(round.waiting.is_sorted_by_key(|it| it.next.cursor));
        assert_eq!(round.again_at, noon() + rest, "{} of {all}", waiting.len());
    }
}

/// This holds whether or not the waiting event is due, and even if this round delivers it.
#[pollster::test]
async fn a_fresh_event_waits_behind_one_of_its_posting() {
    for (wait, order) in [(60, &[2][..]), (0, &[0, 2])] {
        let (world, events) = World::with_waiting([1, 1, 2], &[(1, wait)]).await;
        let mut round = start(&world, world.tracked(1).await).await;
        let seen = attempt_each(&mut round, |_| answers(200));
        assert_eq!(seen, cursors(&events, order));
        let round = round.finish(noon(), 0.0);
        assert_eq!((round.to, &round.settled[..]), (events[2].cursor, &[][..]));
        let behind = WaitingSubject {
            later: vec![(&events[1]).into()],
            ..waits(&events[0], 1, noon() + minutes(wait))
        };
        let is_due = wait == 0;
        let expect = if is_due {
            waits(&events[1], 0, noon())
        } else {
            behind
        };
        assert_eq!(round.waiting, [expect]);
    }
}

/// Failures and the answer 410 concern the former endpoint, and events without attempts are read
/// again. A new description does not affect the receiver.
#[pollster::test]
async fn failures_do_not_count_after_a_move_or_a_pause() {
    let (world, events) = World::with_waiting([1, 2, 3, 4, 1], &[(1, 0), (1, 0)]).await;
    let mut tracked = world.tracked(1).await;
    tracked.health.failing_since = Some(noon() - secs(9));
    let mut round = start(&world, tracked.clone()).await;
    let seen = attempt_each(&mut round, |event| {
        answers(match () {
            () if is_of(event, 1) => 500,
            () if is_of(event, 4) => 410,
            () => 200,
        })
    });
    assert_eq!(seen, cursors(&events, &[0, 2, 1, 3]));
    let gone = answers(410).error;
    let deliveries = |last: &str| {
        vec![
            record(&events[0], 2, 500, Some(last)),
            record(&events[2], 1, 200, None),
            record(&events[1], 2, 200, None),
            record(&events[3], 1, 410, gone.as_deref()),
        ]
    };
    let failed = WaitingSubject {
        last_error: gone.clone(),
        ..waits(&events[3], 1, noon() + secs(60))
    };
    let health = Health {
        last_success_at: Some(noon()),
        ..Health::default()
    };
    let counted = |changed: &TrackedEndpoint| Round {
        to: events[4].cursor,
        waiting: vec![failed.clone(), waits(&events[4], 0, noon())],
        settled: vec![uuid(2)],
        dead_letters: 1,
        deliveries: deliveries("answered 500; it failed for good after 2 attempts"),
        health,
        disabled: Some(WANTS_NO_MORE.to_owned()),
        ..Round::idle(changed, noon())
    };
    let uncounted = |changed: &TrackedEndpoint| Round {
        from: tracked.cursor,
        to: events[3].cursor,
        waiting: vec![waits(&events[3], 0, noon())],
        settled: vec![uuid(2)],
        deliveries: deliveries("answered 500"),
        ..Round::idle(changed, noon())
    };
    let result = round.finish(noon(), 0.0);
    assert_eq!(result, counted(&tracked));
    let changed = |change: fn(&mut TrackedEndpoint)| {
        let mut changed = tracked.clone();
        changed.endpoint.version += 1;
        change(&mut changed);
        changed
    };
    let described = changed(|it| it.endpoint.description = Some("Ours.".to_owned()));
    let result = round.finish_changed(&described, world.stored().await, noon(), 0.0);
    assert_eq!(result, counted(&described));
    for changed in [
        changed(|it| it.endpoint.url = endpoint(2).url),
        changed(|it| it.endpoint.state = EndpointState::Paused),
        // The endpoint is paused and resumed, and its cursor moved back.
        changed(|it| {
            it.health = Health::default();
            it.cursor = Cursor::START;
        }),
    ] {
        let result = round.finish_changed(&changed, world.stored().await, noon(), 0.0);
        assert_eq!(result, uncounted(&changed));
    }
}

/// Resending an event allows a probe at once.
#[pollster::test]
async fn a_probe_counts_when_it_is_asked_for_again() {
    let (world, _) = World::with_waiting([1], &[]).await;
    let mut tracked = world.tracked(1).await;
    tracked.health.back_off(1.0, noon() - secs(9));
    let mut round = start(&world, tracked.clone()).await;
    assert_eq!(begin_all(&mut round, noon()).len(), 1);
    round.end(0, &times_out(), noon(), 0.0);
    for health in [tracked.health, tracked.health.probed_now()] {
        let mut changed = tracked.clone();
        (changed.endpoint.version, changed.health) = (2, health);
        let expect = Round {
            version: 2,
            ..round.finish(noon(), 0.0)
        };
        let result = round.finish_changed(&changed, world.stored().await, noon(), 0.0);
        assert_eq!(result, expect);
    }
}
