mod commits;
mod lists;
mod loading;

use kernel::{Version, testing::Checked};
use time::{OffsetDateTime, macros::date};

pub use self::{commits::*, lists::*, loading::*};
use crate::{
    store::{Store, SubscriberQuery, SubscriberReader, SubscriberWrite, WriteSet},
    subscriber::{
        Account, Membership, MembershipStatus, Migrated, MigrationSource, Place, Places,
        PlanCategory, Subscriber, SubscriberStatus, Suppression, SuppressionSource,
        provider::ProviderId,
    },
    testing::{email, hours, noon, report, subscriber, text},
    usecase::{self, Reported},
};

kernel::contract_cases!(subscribers: commits lists loading);

const A: &str = "a@example.com";
const B: &str = "b@example.com";

fn writing(expected: Option<Version>, subscriber: Subscriber) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let id = subscriber.id;
    let write = SubscriberWrite {
        expected,
        subscriber,
    };
    writes.subscribers.insert(id, write);
    writes
}

async fn insert<S: Store>(store: &S, subscriber: &Subscriber) -> Checked {
    let writes = writing(None, subscriber.clone());
    store.commit(writes).await?;
    Ok(())
}

async fn update<S: Store>(
    store: &S,
    before: &Subscriber,
    after: Subscriber,
) -> Checked<Subscriber> {
    let after = Subscriber {
        version: before.version + 1,
        ..after
    };
    let writes = writing(Some(before.version), after.clone());
    store.commit(writes).await?;
    Ok(after)
}

async fn load<S: Store>(store: &S, address: &str) -> Checked<Option<Subscriber>> {
    let email = email(address);
    let mut known = store.load(std::slice::from_ref(&email)).await?;
    Ok(known.remove(&email))
}

async fn put<S: Store>(
    store: &S,
    address: &str,
    body: &str,
    now: OffsetDateTime,
) -> Checked<Reported> {
    let put = report(address, body);
    Ok(usecase::put_subscriber(store, &put, now).await?)
}

async fn list<S: SubscriberReader>(store: &S, query: &SubscriberQuery) -> Checked<Vec<Subscriber>> {
    Ok(SubscriberReader::list(store, query).await?)
}

fn full(address: &str) -> Subscriber {
    Subscriber {
        name: Some(text(255)),
        country: Some("Côte d'Ivoire \" \\ 🦀".to_owned()),
        membership: Some(Membership {
            plan_category: PlanCategory::Individual,
            status: MembershipStatus::Canceled,
            expires_at: Some(date!(2026 - 12 - 31)),
        }),
        status: SubscriberStatus::Bounced,
        suppression: Some(Suppression {
            source: SuppressionSource::Operator,
            account: Some(Account::New),
            at: noon() + hours(3),
            reason: Some("\"asked\" by 'phone' 🦀".to_owned()),
        }),
        reinstated_at: Some(noon() + hours(4)),
        as_of: Some(noon() + hours(5)),
        places: Places {
            old: Place {
                id: Some(ProviderId("165968862226941797".to_owned())),
                is_quiet: true,
                is_withdrawn: true,
            },
            new: Place {
                id: Some(ProviderId("31".to_owned())),
                is_quiet: true,
                is_withdrawn: true,
            },
        },
        migrated: Some(Migrated {
            at: noon() + hours(1),
            source: MigrationSource::EmailConfirmation,
            arrived: true,
            was_found: true,
            has_joined: true,
        }),
        synced_digest: Some([0xA5; 32]),
        told_at: Some(noon() + hours(6)),
        updated_at: noon() + hours(2),
        ..subscriber(address)
    }
}
