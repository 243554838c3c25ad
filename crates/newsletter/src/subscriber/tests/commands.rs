use super::*;
use crate::{
    subscriber::{Migrated, Suppression, SuppressionSource},
    tasks,
};

fn member(plan_category: &str, status: &str) -> String {
    let membership = format!(r#"{{"plan_category":"{plan_category}","status":"{status}"}}"#);
    format!(r#"{{"membership":{membership}}}"#)
}

#[test]
fn a_first_report_makes_a_subscriber() {
    for (body, expect) in [
        ("{}", Written::bulk_sync()),
        (r#"{"name":"Ann"}"#, Written::bulk_sync()),
        (&member("team", "active"), Written::bulk_sync()),
        (
            &member("individual", "expired"),
            Written::bulk_sync().with_event(),
        ),
    ] {
        let mut ann = Ann::new();
        assert_eq!(ann.put(body), (true, expect), "{body}");
        let after = ann.get();
        assert_eq!(after.id, testing::subscriber_id(ADDRESS));
        assert_eq!(after.token, testing::token(ADDRESS));
        assert_eq!(after.reported_at, Some(ann.now));
        assert_eq!(after.updated_at, ann.now);
        assert_eq!(
            (after.status, after.synced_digest),
            (SubscriberStatus::Active, None)
        );
        assert_eq!(ann.put(body), (false, Written::nothing()), "{body}");
    }
}

#[test]
fn one_change_is_one_sync_at_most() {
    let individual = member("individual", "active");
    let team = member("team", "active");
    let dated =
        r#"{"membership":{"plan_category":"team","status":"active","expires_at":"2026-06-01"}}"#;
    let both = r#"{"name":"Bo","membership":null}"#;
    let old = || Written::sync(Account::Old);
    let rows = [
        // These reports change fields that the provider sees.
        ("{}", r#"{"name":"Ann"}"#, old()),
        (r#"{"name":"Ann"}"#, r#"{"name":null}"#, old()),
        (r#"{"name":"Ann"}"#, r#"{"country":"Norway"}"#, old()),
        ("{}", &team, old()),
        (&team, r#"{"membership":null}"#, old()),
        (&team, &member("team", "canceled"), old()),
        (&team, dated, old()),
        // A lapse of a team's membership is no change for the provider.
        (&team, &member("team", "expired"), Written::silent()),
        (&member("team", "expired"), &team, Written::silent()),
        // A membership that was or is individual: the event, and a sync if the provider sees the
        // change.
        ("{}", &individual, old().with_event()),
        (&individual, r#"{"membership":null}"#, old().with_event()),
        (&individual, &team, old().with_event()),
        (&team, &individual, old().with_event()),
        (
            &individual,
            &member("individual", "expired"),
            Written::silent().with_event(),
        ),
        (
            &individual,
            &member("individual", "canceled"),
            old().with_event(),
        ),
        (&individual, both, old().with_event()),
        (&individual, r#"{"name":"Ann"}"#, old()),
        (&individual, "{}", Written::nothing()),
        (&individual, &individual, Written::nothing()),
        (
            r#"{"name":"Ann"}"#,
            r#"{"name":" Ann ","age":5}"#,
            Written::nothing(),
        ),
    ];
    for (before, after, expect) in rows {
        let mut ann = Ann::after(&["{}", before]);
        let known = ann.get().clone();
        assert_eq!(ann.put(after), (false, expect.clone()), "{before} {after}");
        if expect == Written::nothing() {
            assert_eq!(*ann.get(), known, "{before} {after}");
        }
    }
}

#[test]
fn a_membership_is_replaced_as_a_whole() {
    let mut ann = Ann::after(&[
        r#"{"membership":{"plan_category":"team","status":"active","expires_at":"2026-06-01"}}"#,
    ]);
    ann.put(&member("team", "active"));
    assert_eq!(ann.get().membership.unwrap().expires_at, None);
}

#[test]
fn an_older_report_changes_nothing() {
    let mut ann = Ann::new();
    let body = |name: &str, as_of: &str| {
        format!(r#"{{"name":"{name}","as_of":"2026-03-01T{as_of}:00Z"}}"#)
    };
    for (body, name) in [
        (body("A", "11:00"), "A"),
        (body("B", "10:59"), "A"),
        (body("C", "11:00"), "C"),
        // An undated report always applies, and does not change the stored date.
        (r#"{"name":"D"}"#.to_owned(), "D"),
        (body("E", "10:59"), "D"),
        (body("F", "11:01"), "F"),
        (body("G", "11:00"), "F"),
        // A date in the future counts as now, so the next report of today applies.
        (
            r#"{"name":"H","as_of":"9999-12-31T23:59:59Z"}"#.to_owned(),
            "H",
        ),
        (body("I", "23:59"), "I"),
    ] {
        let before = ann.known.clone();
        let (_, written) = ann.put(&body);
        assert_eq!(ann.get().name.as_deref(), Some(name), "{body}");
        if before
            .as_ref()
            .is_some_and(|known| known.name == ann.get().name)
        {
            assert_eq!((ann.known.clone(), written), (before, Written::nothing()));
        }
    }
}

/// A later report makes earlier reports outdated, even if the later one changes nothing.
#[test]
fn an_unchanged_report_moves_the_moment() {
    let mut ann = Ann::after(&[r#"{"name":"A","as_of":"2026-03-01T10:00:00Z"}"#]);
    let later = r#"{"name":"A","as_of":"2026-03-01T12:00:00Z"}"#;
    assert_eq!(ann.put(later), (false, Written::silent()));
    assert_eq!(ann.put(later), (false, Written::nothing()));
    let between = r#"{"name":"B","as_of":"2026-03-01T11:00:00Z"}"#;
    assert_eq!(ann.put(between), (false, Written::nothing()));
}

#[test]
fn the_strongest_status_wins() {
    use SubscriberStatus::{Active, Bounced, SpamReported, Unsubscribed};

    let mut ann = Ann::after(&["{}"]);
    for (status, stands, expect) in [
        (Active, Active, Written::nothing()),
        (Bounced, Bounced, Written::sync(Account::Old)),
        (Bounced, Bounced, Written::nothing()),
        (Unsubscribed, Unsubscribed, Written::sync(Account::Old)),
        (Bounced, Unsubscribed, Written::nothing()),
        (SpamReported, SpamReported, Written::sync(Account::Old)),
        (Unsubscribed, SpamReported, Written::nothing()),
        (Active, SpamReported, Written::nothing()),
    ] {
        assert_eq!(ann.notice(status), expect, "{status}");
        assert_eq!(ann.get().status, stands);
    }
}

#[test]
fn a_suppression_waits_for_the_first_report() {
    let mut ann = Ann::new();
    assert_eq!(ann.notice(SubscriberStatus::Active), Written::nothing());
    assert_eq!(ann.known, None, "that is no suppression");
    assert_eq!(ann.notice(SubscriberStatus::Bounced), Written::silent());
    assert_eq!(ann.get().reported_at, None);
    assert_eq!(
        ann.notice(SubscriberStatus::Unsubscribed),
        Written::silent()
    );
    assert_eq!(ann.migrate(MigrationSource::Launch), Written::nothing());

    let (is_new, written) = ann.put("{}");
    assert_eq!((is_new, written), (true, Written::sync(Account::Old)));
    assert_eq!(ann.get().status, SubscriberStatus::Unsubscribed);
    assert_eq!(ann.get().reported_at, Some(ann.now));
    assert_eq!(ann.put("{}"), (false, Written::nothing()));
}

#[test]
fn a_reinstatement_outlasts_an_older_status_of_another_address() {
    let mut ann = Ann::after(&["{}"]);
    ann.known.as_mut().unwrap().reinstated_at = Some(ann.now);
    let shown = |at| Suppression::shown(SuppressionSource::Operator, None, at);
    for (from, stands) in [
        (None, SubscriberStatus::Active),
        (Some(shown(ann.now)), SubscriberStatus::Active),
        (Some(shown(ann.now + hours(1))), SubscriberStatus::Bounced),
    ] {
        let mut after = ann.get().clone();
        after.inherit(SubscriberStatus::Bounced, from.as_ref(), ann.now);
        assert_eq!(after.status, stands, "{from:?}");
    }
}

#[test]
fn a_move_is_made_once() {
    let mut ann = Ann::after(&["{}"]);
    let id = ann.get().id;
    let expect = Written {
        effects: vec![tasks::migrate(id)],
        ..Written::silent()
    };
    assert_eq!(ann.migrate(MigrationSource::Manual), expect);
    assert_eq!(ann.get().account(), Account::New);
    let migrated = Migrated {
        at: ann.now,
        source: MigrationSource::Manual,
        arrived: false,
        was_found: false,
        has_joined: false,
    };
    assert_eq!(ann.get().migrated, Some(migrated));
    for &source in MigrationSource::ALL {
        assert_eq!(ann.migrate(source), Written::nothing());
    }
    assert_eq!(ann.arrive(), Written::silent());
    let arrived = Migrated {
        arrived: true,
        ..migrated
    };
    assert_eq!(ann.get().migrated, Some(arrived));
    assert_eq!(ann.arrive(), Written::nothing());
    for &source in MigrationSource::ALL {
        assert_eq!(ann.migrate(source), Written::nothing());
    }
}

#[test]
fn a_moved_person_is_synced_to_the_new_account() {
    let mut ann = Ann::after(&["{}"]);
    ann.migrate(MigrationSource::EmailConfirmation);
    let mut new = Written::sync(Account::New);
    // A move in progress sends the present state, even if its task was dismissed.
    new.effects = vec![tasks::migrate(ann.get().id)];
    assert_eq!(ann.put(r#"{"name":"Ann"}"#).1, new);
    ann.arrive();
    new = Written::sync(Account::New);
    assert_eq!(ann.put(r#"{"name":"Bo"}"#).1, new);
    assert_eq!(ann.notice(SubscriberStatus::Bounced), new);
}
