use kernel::testing::{hours, noon, uuid};

use super::*;

fn client(n: u128) -> ClientId {
    ClientId::new(uuid(n))
}

fn refusal(n: u128) -> Refusal {
    Refusal::new(uuid(n), noon(), "job-1", 422, "No.", None)
}

#[test]
fn counts_are_added_up_by_client_and_day() {
    let mut gathered = Gathered::default();
    let approved = Counts {
        approved: 1,
        ..Counts::default()
    };
    let [created, unchanged] = [PutOutcome::Created, PutOutcome::Unchanged].map(Counts::one);
    for (n, counts, hour) in [
        (1, created, 0),
        (1, unchanged, 1),
        (1, unchanged, 12),
        (1, approved, 0),
        (2, approved, 0),
        (1, Counts::refused(), 0),
    ] {
        gathered.count(client(n), counts, noon() + hours(hour));
    }
    gathered.explain(client(1), refusal(1));
    let mut writes = gathered.take();
    writes
        .days
        .sort_by_key(|(client, date, _)| (*client, *date));
    let today = Counts {
        created: 1,
        unchanged: 1,
        refused: 1,
        hours: 1 << 12 | 1 << 13,
        ..approved
    };
    assert_eq!(today.accepted() + 1, today.pushes());
    let unchanged = Counts {
        hours: 1,
        ..unchanged
    };
    let (date, tomorrow) = (noon().date(), (noon() + hours(12)).date());
    let expect = [
        (client(1), date, today),
        (client(1), tomorrow, unchanged),
        (client(2), date, approved),
    ];
    assert_eq!(writes.days, expect);
    assert_eq!(writes.pushes, [(client(1), noon() + hours(12))]);
    assert_eq!(writes.refusals, [(client(1), refusal(1))]);
    assert!(gathered.take().is_empty());
}

#[test]
fn the_newest_refusals_are_kept_and_all_are_counted() {
    let mut gathered = Gathered::default();
    for n in 0..60 {
        gathered.count(client(1), Counts::refused(), noon());
        gathered.explain(client(1), refusal(n));
    }
    let writes = gathered.take();
    assert_eq!(writes.days[0].2.refused, 60);
    let ids: Vec<_> = writes.refusals.iter().map(|(_, kept)| kept.id).collect();
    assert_eq!(ids, (10..60).map(uuid).collect::<Vec<_>>());

    gathered.count(client(1), Counts::refused(), noon());
    gathered.explain(client(1), refusal(60));
    gathered.put_back(writes);
    let writes = gathered.take();
    assert_eq!(writes.days[0].2.refused, 61);
    let ids: Vec<_> = writes.refusals.iter().map(|(_, kept)| kept.id).collect();
    assert_eq!(ids, (11..=60).map(uuid).collect::<Vec<_>>());
}

#[test]
fn only_so_many_clients_are_remembered() {
    let (mut gathered, created) = (Gathered::default(), Counts::one(PutOutcome::Created));
    for n in 0..MOST_CLIENTS as u128 + 5 {
        gathered.count(client(n), created, noon());
    }
    gathered.count(client(1), created, noon());
    let writes = gathered.take();
    assert_eq!(writes.days.len(), MOST_CLIENTS);
    let of_one = writes.days.iter().find(|(id, ..)| *id == client(1));
    assert_eq!(of_one.unwrap().2.created, 2);
}

#[test]
fn the_last_use_of_the_newest_secrets_is_kept() {
    let mut gathered = Gathered::default();
    for (secret, hour) in [(1, 0), (2, 1), (3, 2), (2, 3)] {
        gathered.use_secret(client(1), [secret; 32], noon() + hours(hour));
    }
    let writes = gathered.take();
    let expect = [
        (client(1), [3; 32], noon() + hours(2)),
        (client(1), [2; 32], noon() + hours(3)),
    ];
    assert_eq!(writes.secrets, expect);
    gathered.use_secret(client(1), [2; 32], noon() + hours(4));
    gathered.put_back(writes);
    let expect = [
        (client(1), [3; 32], noon() + hours(2)),
        (client(1), [2; 32], noon() + hours(4)),
    ];
    assert_eq!(gathered.take().secrets, expect);
}

fn pushed_at(hours_since: &[i64]) -> Activity {
    let mut gathered = Gathered::default();
    for hour in hours_since {
        gathered.count(client(1), Counts::refused(), noon() + hours(*hour));
    }
    let writes = gathered.take();
    let day = |(_, date, counts)| Day { date, counts };
    Activity {
        last_push_at: writes.pushes.first().map(|(_, at)| *at),
        days: writes.days.into_iter().map(day).collect(),
        ..Activity::default()
    }
}

#[test]
fn silence_is_longer_than_a_client_says_or_three_times_its_usual_interval() {
    let daily = [0, 24, 48, 72];
    let hourly = [0, 1, 2, 24, 25, 48];
    let minute = Duration::MINUTE;
    for (pushes, expect_every, longest) in [
        (&daily[..], None, Some(hours(72))),
        (&hourly, None, Some(hours(24))),
        (&hourly, Some(hours(3)), Some(hours(3))),
        (&daily, Some(hours(200)), Some(hours(200))),
        (&daily[..2], None, None),
        (&daily[..1], Some(hours(1)), Some(hours(1))),
    ] {
        let (activity, mut client) = (pushed_at(pushes), crate::testing::client(1));
        client.expect_every = expect_every;
        let last = activity.last_push_at.unwrap();
        let silent = |after| activity.silent_since(&client, last + after);
        let longest_or = longest.unwrap_or(hours(9_999));
        assert_eq!(silent(longest_or), None, "{pushes:?}");
        assert_eq!(
            silent(longest_or + minute),
            longest.map(|_| last),
            "{pushes:?}"
        );
    }
    // For a client that has never pushed, the silence counts from its creation.
    let mut client = crate::testing::client(1);
    let nothing = Activity::default();
    assert_eq!(nothing.silent_since(&client, noon() + hours(99)), None);
    client.expect_every = Some(hours(1));
    let since = nothing.silent_since(&client, client.created_at + hours(2));
    assert_eq!(since, Some(client.created_at));
}

#[test]
fn more_than_twenty_and_thirty_percent_of_a_day_or_two_is_a_large_share() {
    let day = |ago: i64, refused, unchanged, withdrawn| Day {
        date: (noon() - hours(24 * ago)).date(),
        counts: Counts {
            unchanged,
            refused,
            withdrawn,
            ..Counts::default()
        },
    };
    let share = |count, of| Some(Part { count, of });
    for (days, refused, withdrawn) in [
        (vec![day(0, 20, 0, 20)], None, None),
        (vec![day(0, 21, 49, 21)], None, None),
        (vec![day(0, 21, 48, 22)], share(21, 69), share(22, 71)),
        (
            vec![day(0, 1, 9, 1), day(1, 40, 0, 40)],
            share(41, 50),
            share(41, 90),
        ),
        (
            vec![day(0, 80, 20, 0), day(1, 0, 900, 0)],
            share(80, 100),
            None,
        ),
        (vec![day(2, 80, 20, 80)], None, None),
    ] {
        let activity = Activity {
            days,
            visible: 49,
            ..Activity::default()
        };
        assert_eq!(activity.many_refused(noon()), refused);
        let found = activity.many_withdrawn(noon());
        assert_eq!(found, withdrawn, "{activity:?}");
    }
    let held = Activity {
        visible: 100,
        held: 31,
        ..Activity::default()
    };
    assert_eq!(held.many_withdrawn(noon()), share(31, 100));
}

#[test]
fn fields_of_the_last_days_are_compared_with_those_of_the_week_before() {
    let fields = |n: u64, bits| {
        (0..n).fold(Counts::default(), |mut sum, _| {
            sum += Counts::one(PutOutcome::Unchanged).with_fields(bits);
            sum
        })
    };
    let day = |ago: i64, counts| Day {
        date: (noon() - hours(24 * ago)).date(),
        counts,
    };
    let days = vec![
        day(0, fields(2, 0b1)),
        day(1, fields(2, 0b101)),
        day(2, fields(3, 0b111)),
        day(8, fields(1, 0b11)),
        day(9, fields(9, 0b1)),
    ];
    let activity = Activity {
        days,
        ..Activity::default()
    };
    let compared = activity.compared(noon());
    let [recent, before] = compared.map(|counts| (counts.fields.sum(), counts.accepted()));
    assert_eq!((recent, before), ((6, 4), (11, 4)));
    let named: Vec<_> = activity.sums().fields.named(&["a", "b"]).collect();
    assert_eq!(named, [("a", 17), ("b", 4)]);
}

#[test]
fn single_pushes_with_one_mistake_are_one_reason() {
    let refused = |n: u128, field: &str, why: &str| {
        let errors = fields::validation::FieldErrors::one(field, why);
        let message = format!("{field} {why}.");
        Refusal::new(
            uuid(n),
            noon(),
            &format!("job-{n}"),
            422,
            &message,
            Some(&errors),
        )
    };
    let refusals = vec![
        refused(3, "title", "is required"),
        refused(2, "employment_types.1", "must be one of a, not \"x1\""),
        refused(1, "employment_types.0", "must be one of a, not \"y\""),
        Refusal::new(uuid(5), noon(), "job-5", 400, "Not JSON at 5.", None),
        Refusal::new(uuid(4), noon(), "job-4", 400, "Not JSON at 17.", None),
    ];
    let activity = Activity {
        refusals,
        ..Activity::default()
    };
    let reasons = activity.reasons();
    let reasons: Vec<_> = reasons
        .iter()
        .map(|(count, of)| (*count, &*of.identifier))
        .collect();
    assert_eq!(reasons, [(2, "job-2"), (2, "job-5"), (1, "job-3")]);
}
