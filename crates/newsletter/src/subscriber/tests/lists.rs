use super::*;
use crate::{
    subscriber::reconciliation::{ConcurrentWrites, look_for, take_in},
    tasks,
};

fn right(ann: &Ann) -> Found {
    Found {
        fields: ann.get().profile().fields,
        ..found(ProviderStatus::Active)
    }
}

fn show(ann: &mut Ann, found: &Found, concurrent: ConcurrentWrites) -> Written {
    let change = take_in(ann.get(), Account::Old, found, concurrent, ann.now);
    ann.record(change)
}

#[test]
fn equal_fields_count_as_synced_without_concurrent_writes() {
    let rows = [
        (ConcurrentWrites::Excluded, Written::silent()),
        (ConcurrentWrites::Possible, Written::bulk_sync()),
    ];
    for (concurrent, expect) in rows {
        let mut ann = Ann::new();
        ann.put(r#"{"name":"Ann"}"#);
        let shown = right(&ann);
        assert_eq!(show(&mut ann, &shown, concurrent), expect);
        let is_synced = !ann.get().needs_sync();
        assert_eq!(is_synced, concurrent == ConcurrentWrites::Excluded);
        if is_synced {
            assert_eq!(show(&mut ann, &shown, concurrent), Written::nothing());
        }
    }
}

#[test]
fn different_fields_are_synced_again() {
    for concurrent in [ConcurrentWrites::Excluded, ConcurrentWrites::Possible] {
        let mut ann = Ann::after(&[r#"{"name":"Ann"}"#]);
        let mut other = right(&ann);
        other.fields.name = Some("Anne".to_owned());
        assert_eq!(show(&mut ann, &other, concurrent), Written::bulk_sync());
        assert!(ann.get().needs_sync());
    }
}

#[test]
fn a_person_deleted_there_is_not_synced() {
    let mut ann = Ann::new();
    ann.put("{}");
    let deleted = Found {
        is_deleted: true,
        ..right(&ann)
    };
    let written = show(&mut ann, &deleted, ConcurrentWrites::Excluded);
    assert_eq!(written, Written::nothing());
    assert!(ann.get().needs_sync());
}

#[test]
fn a_moved_person_in_the_old_account_is_removed() {
    let mut ann = Ann::after(&["{}"]);
    let shown = right(&ann);
    ann.migrate(MigrationSource::Launch);
    ann.arrive();
    let expect = Written {
        effects: vec![tasks::migrate(ann.get().id)],
        ..Written::silent()
    };
    assert_eq!(show(&mut ann, &shown, ConcurrentWrites::Excluded), expect);
    assert!(migration::due(ann.get()).is_some());
}

#[test]
fn a_person_missing_from_the_list_is_looked_up() {
    type Past = fn(&mut Ann);
    let rows: [(&str, Past, bool); 6] = [
        ("synced", |_| {}, true),
        ("never shown", |ann| *ann = Ann::reported(), false),
        (
            "on the way",
            |ann| _ = ann.migrate(MigrationSource::Launch),
            false,
        ),
        (
            "moved",
            |ann| {
                ann.migrate(MigrationSource::Launch);
                ann.arrive();
            },
            false,
        ),
        (
            "suppressed",
            |ann| _ = ann.notice(SubscriberStatus::Bounced),
            false,
        ),
        ("changed", |ann| _ = ann.put(r#"{"name":"Bo"}"#), true),
    ];
    for (what, happens, is_looked_for) in rows {
        let mut ann = Ann::after(&["{}"]);
        happens(&mut ann);
        let (known, now) = (ann.get().clone(), ann.now + hours(1));
        // A subscriber written while the list is read may be missing from it.
        let during = look_for(&known, Account::Old, known.updated_at, now);
        assert_eq!(during, None, "{what}");
        let change = look_for(&known, Account::Old, now, now);
        assert_eq!(change.is_some(), is_looked_for, "{what}");
        if change.is_some() {
            assert_eq!(ann.record(change), Written::bulk_sync(), "{what}");
            assert!(ann.get().needs_sync(), "{what}");
        }
    }
}
