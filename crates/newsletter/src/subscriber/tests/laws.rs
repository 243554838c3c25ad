//! Properties of every sequence of commands.

use proptest::{prelude::*, sample::select};

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put(String),
    Notice(SubscriberStatus),
    Migrate(MigrationSource),
    Sync(SubscriberStatus),
    Found(SubscriberStatus),
    Begin,
    Arrive,
}

fn status() -> impl Strategy<Value = SubscriberStatus> {
    select(SubscriberStatus::ALL)
}

fn body() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        select(vec!["A", "B"]).prop_map(|name| format!(r#""name":"{name}""#)),
        Just(r#""name":null"#.to_owned()),
        select(vec!["Norway", "Mali"]).prop_map(|name| format!(r#""country":"{name}""#)),
        Just(r#""membership":null"#.to_owned()),
        (
            select(vec!["individual", "team"]),
            select(vec!["active", "expired", "canceled"]),
            select(vec!["null", r#""2026-06-01""#]),
        )
            .prop_map(|(plan_category, status, day)| format!(
                r#""membership":{{"plan_category":"{plan_category}","status":"{status}","expires_at":{day}}}"#
            )),
    ];
    prop::option::of(field).prop_map(|field| format!("{{{}}}", field.unwrap_or_default()))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => body().prop_map(Step::Put),
        2 => status().prop_map(Step::Notice),
        1 => select(MigrationSource::ALL).prop_map(Step::Migrate),
        2 => status().prop_map(Step::Sync),
        1 => status().prop_map(Step::Found),
        1 => Just(Step::Begin),
        1 => Just(Step::Arrive),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 0..12)
}

fn take(ann: &mut Ann, step: &Step) -> Written {
    ann.now += hours(1);
    let now = ann.now;
    let change = match (step, &ann.known) {
        (Step::Put(body), _) => return ann.put(body).1,
        (Step::Notice(status), _) => return ann.notice(*status),
        (_, None) => None,
        (Step::Migrate(source), Some(known)) => migration::migrate(known, *source, now),
        (Step::Sync(seen), Some(known)) => {
            let (sent, observed) = (known.provider_state(), observed(*seen));
            known
                .needs_sync()
                .then(|| syncing::record(known, &sent, &observed, now))
        }
        (Step::Found(seen), Some(known)) => {
            let found = found(*seen);
            migration::due(known).and_then(|_| {
                let (after, _) = migration::look(known, Some(&found), false, now);
                migration::change(known, after, now)
            })
        }
        (Step::Begin, Some(known)) => syncing::begin(known, now),
        (Step::Arrive, Some(known)) => migration::arrive(known, &known.provider_state(), now),
    };
    ann.record(change)
}

fn after(steps: &[Step]) -> Ann {
    let mut ann = Ann::new();
    for step in steps {
        take(&mut ann, step);
    }
    ann
}

proptest! {
    #[test]
    fn the_order_of_events_does_not_matter(
        before in steps(),
        mut seen in prop::collection::vec(status(), 1..6),
        seed in any::<usize>(),
    ) {
        let outcome = |seen: &[SubscriberStatus]| {
            let mut ann = after(&before);
            for status in seen {
                ann.notice(*status);
            }
            ann.known.map(|known| known.status)
        };
        let expect = outcome(&seen);
        let by = seed % seen.len();
        seen.rotate_left(by);
        prop_assert_eq!(outcome(&seen), expect);
        seen.reverse();
        seen.extend(seen.clone());
        prop_assert_eq!(outcome(&seen), expect);
    }

    #[test]
    fn nothing_makes_anybody_less_suppressed(steps in steps()) {
        let mut ann = Ann::new();
        let mut strongest = SubscriberStatus::Active;
        for step in &steps {
            take(&mut ann, step);
            let status = ann.known.as_ref().map_or(SubscriberStatus::Active, |known| known.status);
            prop_assert!(status >= strongest, "{step:?}");
            strongest = status;
        }
    }

    #[test]
    fn a_repeated_report_writes_nothing(before in steps(), body in body()) {
        let mut ann = after(&before);
        ann.put(&body);
        let known = ann.known.clone();
        prop_assert_eq!(ann.put(&body), (false, Written::nothing()));
        prop_assert_eq!(ann.known, known);
    }

    #[test]
    fn a_report_is_followed_by_one_sync_at_most(before in steps(), body in body()) {
        let mut ann = after(&before);
        let seen = ann.known.as_ref().map(Subscriber::profile);
        let (is_new, written) = ann.put(&body);
        prop_assert!(written.events.len() <= 1 && written.effects.len() <= 1);
        let follows = !written.events.is_empty() || !written.effects.is_empty();
        if is_new || seen != Some(ann.get().profile()) {
            prop_assert!(follows, "what the provider sees is never left unsynced");
        }
    }

    #[test]
    fn without_a_pending_sync_the_account_holds_the_stored_state(steps in steps()) {
        let mut ann = Ann::new();
        let mut held = None;
        for step in &steps {
            let sent = ann.known.as_ref().map(Subscriber::provider_state);
            let was_unsynced = ann.known.as_ref().is_some_and(Subscriber::needs_sync);
            let was_under_way = ann.known.as_ref().and_then(migration::due).is_some();
            take(&mut ann, step);
            match step {
                Step::Sync(_) if was_unsynced => held = sent,
                Step::Arrive if was_under_way => held = sent,
                _ => {}
            }
            if let Some(known) = &ann.known
                && known.reported_at.is_some()
                && !known.needs_sync()
                && migration::due(known).is_none()
            {
                let held = held.as_ref().unwrap();
                prop_assert_eq!(&held.profile, &known.profile());
                prop_assert_eq!(held.account, known.account());
            }
        }
    }

    #[test]
    fn every_unsynced_change_has_a_task(steps in steps()) {
        let mut ann = Ann::new();
        let mut waits = false;
        for step in &steps {
            let was_unsynced = ann.known.as_ref().is_some_and(Subscriber::needs_sync);
            let written = take(&mut ann, step);
            waits |= !written.effects.is_empty();
            match step {
                Step::Sync(_) if was_unsynced => waits = !written.effects.is_empty(),
                // A claimed task lasts until it has synced.
                Step::Begin => waits = true,
                _ => {}
            }
            if ann.known.as_ref().is_some_and(Subscriber::needs_sync) {
                prop_assert!(waits, "{step:?}");
            }
        }
    }
}
