//! Sample commits.

use domain::{
    company::Company,
    store::{PostingWrite, WriteSet},
    testing::{company_write, posting},
};
use kernel::testing::noon;
use newsletter::{
    store::SubscriberWrite,
    subscriber::{
        Membership, MembershipStatus, Migrated, MigrationSource, PlanCategory, Subscriber,
    },
    testing::subscriber,
};
use time::macros::date;

/// The company of all sample postings.
///
/// # Panics
/// Never: its website is valid.
pub fn company() -> Company {
    Company {
        name: "Company".to_owned(),
        ..domain::testing::company("company")
    }
}

/// A commit that adds one posting of the company, without a history.
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
            decision: None,
            history: Vec::new(),
        },
    );
    writes
}

/// A commit that adds a subscriber who has a membership and has moved.
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
