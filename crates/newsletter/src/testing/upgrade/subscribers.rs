//! What the rows of the migration `subscribers` mean: five subscribers, what is remembered of
//! another, the lease of an account, and the tasks behind those of the migration `outbox`.

use domain::{
    audit::{AuditQuery, Deed},
    outbox::{EVENTS, Event, Outbox, Revive, Subject, TaskId, Work},
};
use time::macros::date;

use super::{claimed, claims, claims_suspect, row};
use crate::{
    audit,
    store::{SubscriberQuery, SubscriberReader},
    subscriber::{
        Account, Departure, Membership, MembershipStatus, Migrated, MigrationSource,
        MigrationToken, PlanCategory, Remembered, Subscriber, SubscriberId, SubscriberStatus,
    },
    tasks,
    testing::{AllPorts, deed, email, hours, minutes, noon, subscriber, uuid},
};

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let all = [full(), bare(), unreported(), under_way(), left()];
    let emails = all.each_ref().map(|one| one.email.clone());
    let known = store.load(&emails).await;
    let known = known.expect("the store works");
    let query = SubscriberQuery {
        limit: 1_000,
        ..SubscriberQuery::default()
    };
    let listed = SubscriberReader::list(store, &query).await;
    let listed = listed.expect("the store works");
    for one in &all {
        assert_eq!(known.get(&one.email), Some(one));
        let holder = store.find_by_token(&one.token).await;
        assert_eq!(holder.as_ref(), Ok(&Some(one.clone())));
        assert_eq!(listed.contains(one), one.reported_at.is_some());
    }
    let erased = email("erased@example.com");
    let remembered = store.remembered(std::slice::from_ref(&erased)).await;
    let status = SubscriberStatus::Bounced;
    let expect = Remembered { status, at: noon() };
    assert_eq!(remembered, Ok([(erased, expect)].into()));
    lease_comes_back(store).await;
    audit_comes_back(store).await;
    tasks_come_back(store).await;
}

/// With every column set.
fn full() -> Subscriber {
    Subscriber {
        version: 3,
        name: Some("Åsa 'Ann' O\"Brien".to_owned()),
        country: Some("Norway".to_owned()),
        membership: Some(Membership {
            plan_category: PlanCategory::Individual,
            status: MembershipStatus::Canceled,
            expires_at: Some(date!(2026 - 12 - 31)),
        }),
        status: SubscriberStatus::Unsubscribed,
        migrated: Some(Migrated {
            at: noon() + hours(1),
            source: MigrationSource::EmailConfirmation,
            arrived: true,
            was_found: false,
        }),
        synced_digest: Some([0xA5; 32]),
        updated_at: noon() + hours(2),
        ..numbered(0x401, "o'brien+news@xn--exmple-cua.com")
    }
}

/// With nothing set that need not be.
fn bare() -> Subscriber {
    numbered(0x402, "bare@example.com")
}

fn unreported() -> Subscriber {
    Subscriber {
        reported_at: None,
        status: SubscriberStatus::SpamReported,
        ..numbered(0x403, "unreported@example.com")
    }
}

fn under_way() -> Subscriber {
    Subscriber {
        version: 2,
        membership: Some(Membership {
            plan_category: PlanCategory::Team,
            status: MembershipStatus::Active,
            expires_at: None,
        }),
        migrated: Some(Migrated {
            at: noon(),
            source: MigrationSource::Launch,
            arrived: false,
            was_found: false,
        }),
        ..numbered(0x404, "moving@example.com")
    }
}

/// An address that is to go.
fn left() -> Subscriber {
    Subscriber {
        reported_at: None,
        status: SubscriberStatus::Bounced,
        departure: Some(Departure::Moved(SubscriberId::new(uuid(0x402)))),
        token: MigrationToken::from_text("departed 407"),
        ..numbered(0x407, "left@example.com")
    }
}

/// Its token is its number in 43 hexadecimal digits.
fn numbered(n: u128, address: &str) -> Subscriber {
    Subscriber {
        id: SubscriberId::new(uuid(n)),
        email: email(address),
        token: MigrationToken::from_text(&format!("{n:043x}")),
        ..subscriber(address)
    }
}

/// The old account is leased for an hour from noon.
async fn lease_comes_back<S: AllPorts>(store: &S) {
    let lease = async |after| {
        let now = noon() + after;
        let accounts = [Account::Old];
        store
            .lease(&accounts, uuid(0x406), now + hours(1), now)
            .await
    };
    assert_eq!(lease(minutes(59)).await, Ok(false));
    assert_eq!(lease(minutes(60)).await, Ok(true));
}

async fn audit_comes_back<S: AllPorts>(store: &S) {
    let deed = Deed {
        id: uuid(0x408),
        ..deed(1)
    };
    let entry = deed
        .entry(audit::SUBSCRIBERS_SUPPRESS, noon())
        .about(uuid(0x401))
        .with("reason", "asked by 'phone'");
    let query = AuditQuery {
        limit: 100,
        ..AuditQuery::default()
    };
    let entries = store.entries(&query).await.expect("the store works");
    assert!(entries.contains(&entry), "{entry:?} is not in {entries:?}");
}

/// A sync that failed twice, one that waits, a move whose worker died, and a dead event.
async fn tasks_come_back<S: AllPorts>(store: &S) {
    let id = |n| SubscriberId::new(uuid(n));
    let failed = Work::Effect(tasks::sync(id(0x401), Account::New));
    let waiting = Work::Effect(tasks::sync(id(0x402), Account::Old));
    let moving = Work::Effect(tasks::migrate(id(0x404)));
    let event = Work::Event(Event {
        name: tasks::INDIVIDUAL_MEMBERSHIP_UPDATED,
        subject: Subject::of(id(0x401).uuid()),
        at: noon(),
    });

    let listed = Outbox::list(store, false, None, usize::MAX)
        .await
        .expect("the store works");
    for task in [
        row(6, &failed, 2, noon() + minutes(1), Some("no answer")),
        row(7, &waiting, 0, noon(), None),
        row(8, &moving, 1, noon() + minutes(2), None),
    ] {
        assert!(listed.contains(&task), "{task:?} is not among {listed:?}");
    }
    let dead = row(9, &event, 7, noon() + hours(1), Some("no listener"));
    let listed = Outbox::list(store, true, None, usize::MAX)
        .await
        .expect("the store works");
    assert!(listed.contains(&dead), "{dead:?} is not among {listed:?}");

    for (queue, task) in [
        (
            tasks::syncs(Account::New),
            claimed(6, 4, failed, 3, Some(noon())),
        ),
        (tasks::syncs(Account::Old), claimed(7, 1, waiting, 1, None)),
    ] {
        claims(store, queue, &[task]).await;
    }
    claims_suspect(store, tasks::MIGRATE, claimed(8, 1, moving, 2, None)).await;
    let revived = store
        .revive(&Revive::Tasks(vec![TaskId(9)]), None, noon())
        .await;
    assert_eq!(revived, Ok(1));
    claims(store, EVENTS, &[claimed(9, 1, event, 1, None)]).await;
}
