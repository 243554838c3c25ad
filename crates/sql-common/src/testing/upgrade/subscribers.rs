//! The subscribers, accounts and audit entries of the fixtures.

use kernel::audit::{Attribution, AuditQuery};
use newsletter::{
    audit,
    store::AccountState,
    subscriber::{
        Account, Departure, Membership, MembershipStatus, Migrated, MigrationSource,
        MigrationToken, Place, Places, PlanCategory, Remembered, Subscriber, SubscriberId,
        SubscriberStatus, Suppression, SuppressionSource, provider::ProviderId,
    },
    tasks,
    testing::{AllPorts, by_ann, email, hours, minutes, noon, subscriber, uuid},
};
use time::macros::date;

use super::{assert_claimed, claimed};

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    for expect in [full(), bare(), left()] {
        let known = store.load(std::slice::from_ref(&expect.email)).await;
        let known = known.expect("the store works");
        assert_eq!(known.get(&expect.email), Some(&expect));
    }
    let erased = email("erased@example.com");
    let remembered = store.remembered(std::slice::from_ref(&erased)).await;
    let status = SubscriberStatus::Bounced;
    let expect = Remembered { status, at: noon() };
    assert_eq!(remembered, Ok([(erased, expect)].into()));
    accounts_come_back(store).await;
    audit_comes_back(store).await;
    tasks_come_back(store).await;
}

/// A subscriber with every column set.
fn full() -> Subscriber {
    let place = |id: &str, is_quiet| Place {
        id: Some(ProviderId(id.to_owned())),
        is_quiet,
        is_withdrawn: !is_quiet,
    };
    Subscriber {
        version: 3,
        as_of: Some(noon() - hours(1)),
        name: Some("Åsa 'Ann' O\"Brien".to_owned()),
        country: Some("Norway".to_owned()),
        membership: Some(Membership {
            plan_category: PlanCategory::Individual,
            status: MembershipStatus::Canceled,
            expires_at: Some(date!(2026 - 12 - 31)),
        }),
        status: SubscriberStatus::Unsubscribed,
        suppression: Some(Suppression {
            source: SuppressionSource::Webhook,
            account: Some(Account::Old),
            at: noon() + hours(2),
            reason: Some("signed with 'one'".to_owned()),
        }),
        reinstated_at: Some(noon() - hours(2)),
        places: Places {
            old: place("31", true),
            new: place("32", false),
        },
        migrated: Some(Migrated {
            at: noon() + hours(1),
            source: MigrationSource::EmailConfirmation,
            arrived: true,
            was_found: true,
            has_joined: true,
        }),
        synced_digest: Some([0xA5; 32]),
        told_at: Some(noon() + hours(1)),
        updated_at: noon() + hours(2),
        ..numbered(0x401, "o'brien+news@xn--exmple-cua.com")
    }
}

/// A subscriber with only required columns set.
fn bare() -> Subscriber {
    Subscriber {
        reported_at: None,
        ..numbered(0x402, "bare@example.com")
    }
}

/// A subscriber whose old address is to be deleted.
fn left() -> Subscriber {
    Subscriber {
        reported_at: None,
        status: SubscriberStatus::Bounced,
        departure: Some(Departure::Moved(SubscriberId::new(uuid(0x402)))),
        ..numbered(0x403, "left@example.com")
    }
}

/// A subscriber whose token is its number in 43 hexadecimal digits.
fn numbered(n: u128, address: &str) -> Subscriber {
    Subscriber {
        id: SubscriberId::new(uuid(n)),
        token: MigrationToken::from_text(&format!("{n:043x}")),
        ..subscriber(address)
    }
}

/// The old account pauses, and is leased for an hour from noon.
async fn accounts_come_back<S: AllPorts>(store: &S) {
    let state = AccountState {
        paused_until: Some(noon() + hours(1)),
        pause_reason: Some("old account: 429".to_owned()),
        reconciled_at: Some(noon()),
    };
    assert_eq!(store.account_state(Account::Old).await, Ok(state));
    let lease = async |after| {
        let (accounts, now) = ([Account::Old], noon() + after);
        let leased = store.lease(&accounts, uuid(0x406), now + hours(1), now);
        leased.await
    };
    assert_eq!(lease(minutes(59)).await, Ok(false));
    assert_eq!(lease(minutes(60)).await, Ok(true));
}

async fn audit_comes_back<S: AllPorts>(store: &S) {
    let by = Attribution {
        id: uuid(0x408),
        ..by_ann(1)
    };
    let entry = by
        .entry(audit::SUBSCRIBERS_SUPPRESS, noon())
        .about(uuid(0x401))
        .with("reason", "asked by 'phone'");
    let query = AuditQuery {
        limit: 100,
        ..AuditQuery::default()
    };
    assert_eq!(store.entries(&query).await, Ok(vec![entry]));
}

/// A sync whose worker died.
async fn tasks_come_back<S: AllPorts>(store: &S) {
    let id = SubscriberId::new(uuid(0x401));
    let mut sync = claimed(6, tasks::sync(id, Account::New));
    (sync.attempts, sync.lost) = (2, 1);
    assert_claimed(store, tasks::syncs(Account::New), &[sync]).await;
}
