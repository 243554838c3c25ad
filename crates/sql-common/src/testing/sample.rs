use std::mem;

use domain::{
    company::Company,
    posting::Findings,
    store::{PostingWrite, WriteSet},
    testing::{company_write, posting},
};
use kernel::{
    PostingId,
    event::{Event, EventName, Subject},
    testing::{noon, uuid},
};
use newsletter::{
    store::SubscriberWrite,
    subscriber::{
        Membership, MembershipStatus, Migrated, MigrationSource, PlanCategory, Subscriber,
        SubscriberId,
    },
    testing::{subscriber, token},
};
use time::macros::date;
use uuid::Uuid;

pub fn company() -> Company {
    Company {
        name: "Company".to_owned(),
        ..domain::testing::company("company")
    }
}

/// A commit that adds one posting, without a history.
pub fn create(n: u128) -> WriteSet {
    let company = company();
    let posting = posting(n, company.id);
    let mut writes = WriteSet::new(noon());
    let write = company_write(&company, true, false);
    writes.companies.insert(company.id, write);
    writes.postings.insert(
        posting.id,
        PostingWrite {
            expected: None,
            posting,
            sets_description: true,
            enriched: None,
            findings: Findings::default(),
            decision: None,
            replaced: None,
            history: Vec::new(),
        },
    );
    writes
}

/// A commit that adds the `n`-th posting with this id, without its company. With a company, all
/// commits would queue for the company's row and not meet elsewhere.
pub fn create_as(n: u128, id: u128) -> WriteSet {
    let mut writes = create(n);
    writes.companies.clear();
    let postings = mem::take(&mut writes.postings);
    for mut write in postings.into_values() {
        write.posting.id = PostingId::new(uuid(id));
        writes.postings.insert(write.posting.id, write);
    }
    writes
}

pub fn join(commits: impl IntoIterator<Item = WriteSet>) -> WriteSet {
    let mut all = WriteSet::new(noon());
    for one in commits {
        all.companies.extend(one.companies);
        all.postings.extend(one.postings);
        for effect in one.tasks.asked() {
            all.tasks.ask(effect);
        }
        all.tasks.events.extend(one.tasks.events);
        all.tasks.done.extend(one.tasks.done);
        all.tasks.audit.extend(one.tasks.audit);
    }
    all
}

/// An event that readers of postings do not want.
pub fn event(n: u128) -> Event {
    Event {
        name: TOLD,
        subject: Subject::Other(Uuid::from_u128(n)),
        at: noon(),
        trace: None,
    }
}

pub const TOLD: EventName = EventName::new("Told");

/// A commit of subscribers: the number of each address, its id, and the version it changes, if any.
pub fn subscribers(
    all: impl IntoIterator<Item = (u128, u128, Option<i64>)>,
) -> newsletter::store::WriteSet {
    let mut writes = newsletter::store::WriteSet::new(noon());
    for (n, id, expected) in all {
        let address = format!("{n:04}@example.com");
        let id = SubscriberId::new(uuid(id));
        let subscriber = Subscriber {
            id,
            token: token(&format!("{address} of {id}")),
            version: expected.map_or(1, |expected| expected + 1),
            ..subscriber(&address)
        };
        writes.tasks.ask(subscriber.sync());
        let write = SubscriberWrite {
            expected,
            subscriber,
        };
        writes.subscribers.insert(id, write);
    }
    writes
}

pub fn subscribe() -> newsletter::store::WriteSet {
    let subscriber = Subscriber {
        name: Some("Ann".to_owned()),
        country: Some("Norway".to_owned()),
        membership: Some(Membership {
            plan_category: PlanCategory::Individual,
            status: MembershipStatus::Active,
            expires_at: Some(date!(2026 - 12 - 31)),
        }),
        migrated: Some(Migrated {
            at: noon(),
            source: MigrationSource::Launch,
            arrived: true,
            was_found: true,
            has_joined: true,
        }),
        synced_digest: Some([7; 32]),
        ..subscriber("a@example.com")
    };
    let mut writes = newsletter::store::WriteSet::new(noon());
    writes.subscribers.insert(
        subscriber.id,
        SubscriberWrite {
            expected: None,
            subscriber,
        },
    );
    writes
}
