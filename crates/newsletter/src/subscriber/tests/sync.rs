use super::{super::ProviderState, *};
use crate::{
    subscriber::{
        migration::Next,
        sync::{begin, record},
    },
    tasks,
};

const MEMBER: &str =
    r#"{"membership":{"plan_category":"individual","status":"active","expires_at":"2026-06-01"}}"#;

#[test]
fn a_digest_differs_with_every_field() {
    let mut states = vec![Ann::after(&["{}"]).get().provider_state()];
    for body in [
        r#"{"name":"Ann"}"#,
        r#"{"name":"An","country":"n"}"#,
        r#"{"country":"Ann"}"#,
        MEMBER,
        r#"{"membership":{"plan_category":"individual","status":"active"}}"#,
        r#"{"membership":{"plan_category":"individual","status":"canceled"}}"#,
        r#"{"membership":{"plan_category":"team","status":"active"}}"#,
    ] {
        states.push(Ann::after(&[body]).get().provider_state());
    }
    let plain = states[0].clone();
    states.push(ProviderState {
        account: Account::New,
        ..plain.clone()
    });
    for &status in &SubscriberStatus::ALL[1..] {
        states.push(ProviderState {
            status,
            ..plain.clone()
        });
    }
    let mut other = plain;
    other.profile.email = testing::email("bo@example.com");
    states.push(other);

    for (n, one) in states.iter().enumerate() {
        assert_eq!(one.digest(), one.clone().digest());
        for other in &states[..n] {
            assert_ne!(one.digest(), other.digest(), "{one:?} {other:?}");
        }
    }
}

#[test]
fn an_unknown_outcome_is_synced_again() {
    let mut ann = Ann::after(&[r#"{"name":"A"}"#]);
    ann.put(r#"{"name":"B"}"#);
    let change = begin(ann.get(), ann.now);
    assert_eq!(ann.record(change), Written::silent());
    assert_eq!(begin(ann.get(), ann.now), None);
    ann.put(r#"{"name":"A"}"#);
    assert!(ann.get().needs_sync());
}

#[test]
fn a_change_during_the_call_is_synced_next() {
    let mut ann = Ann::after(&[r#"{"name":"A"}"#]);
    let sent = ann.get().provider_state();
    ann.put(r#"{"name":"B"}"#);
    let change = record(
        ann.get(),
        &sent,
        &observed(SubscriberStatus::Active),
        ann.now,
    );
    assert_eq!(ann.record(Some(change)), Written::sync(Account::Old));
    assert_eq!(ann.sync(), Written::silent());
    assert!(!ann.get().needs_sync());
}

#[test]
fn a_status_that_the_account_shows_is_recorded_and_not_synced_back() {
    for (own, seen, stands) in [
        ("active", "unsubscribed", "unsubscribed"),
        ("unsubscribed", "active", "unsubscribed"),
        ("bounced", "spam_reported", "spam_reported"),
        ("spam_reported", "bounced", "spam_reported"),
    ] {
        let [own, seen, stands] =
            [own, seen, stands].map(|name| SubscriberStatus::parse(name).unwrap());
        let mut ann = Ann::after(&["{}"]);
        ann.notice(own);
        let sent = ann.get().provider_state();
        let change = record(ann.get(), &sent, &observed(seen), ann.now);
        assert_eq!(ann.record(Some(change)), Written::silent(), "{own} {seen}");
        assert_eq!(ann.get().status, stands);
        assert!(!ann.get().needs_sync());
    }
}

#[test]
fn nothing_is_synced_during_a_move() {
    let mut ann = Ann::after(&["{}"]);
    ann.migrate(MigrationSource::Launch);
    ann.put(r#"{"name":"Ann"}"#);
    assert!(!ann.get().needs_sync());
    assert_eq!(ann.arrive(), Written::silent());
    assert!(!ann.get().needs_sync());
}

#[test]
fn a_change_during_a_move_is_synced_after_arrival() {
    let mut ann = Ann::after(&["{}"]);
    ann.migrate(MigrationSource::Launch);
    let sent = ann.get().provider_state();
    ann.put(r#"{"name":"Ann"}"#);
    let change = migration::arrive(ann.get(), &sent, ann.now);
    assert_eq!(ann.record(change), Written::sync(Account::New));
    assert!(ann.get().needs_sync());
}

#[test]
fn a_suppression_found_on_the_way_ends_it() {
    for &status in ProviderStatus::ALL {
        let mut ann = Ann::after(&["{}"]);
        ann.migrate(MigrationSource::Launch);
        let state = migration::due(ann.get()).unwrap();
        assert_eq!(state.account, Account::New);
        let found = found(status);
        let (after, next) = migration::look(ann.get(), Some(&found), false, ann.now);
        assert_eq!(
            after.status,
            status.suppression().unwrap_or(SubscriberStatus::Active)
        );
        let expect = match status {
            ProviderStatus::Active => matches!(next, Next::GoOn),
            ProviderStatus::Unconfirmed => matches!(next, Next::Stuck(_)),
            _ => next == Next::Stay,
        };
        assert!(expect, "{status}: {next:?}");
        let stay = migration::stay(ann.get(), after, ann.now);
        ann.record(Some(stay));
        assert_eq!(migration::due(ann.get()), None);
    }
}

#[test]
fn a_move_is_of_the_address_that_it_began_with() {
    let mut ann = Ann::after(&["{}"]);
    assert!(!migration::is_of(ann.get(), &ann.get().provider_state()));
    ann.migrate(MigrationSource::Launch);
    let state = migration::due(ann.get()).unwrap();
    assert!(migration::is_of(ann.get(), &state));
    let other = Subscriber {
        email: testing::email("bo@example.com"),
        ..ann.get().clone()
    };
    assert!(!migration::is_of(&other, &state));
}

/// A sync to the old account runs concurrently with the removal from that account.
#[test]
fn a_person_recreated_in_the_old_account_is_moved_again() {
    let mut ann = Ann::after(&["{}"]);
    let late = ann.get().provider_state();
    ann.migrate(MigrationSource::Launch);
    ann.arrive();
    let change = record(
        ann.get(),
        &late,
        &observed(SubscriberStatus::Active),
        ann.now,
    );
    let expect = Written {
        effects: vec![tasks::migrate(ann.get().id)],
        ..Written::silent()
    };
    assert_eq!(ann.record(Some(change)), expect);
    assert!(migration::due(ann.get()).is_some());
    assert_eq!(ann.arrive(), Written::silent());
}
