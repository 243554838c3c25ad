//! The store's port: loading what a batch names, and one transaction for each write set.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::{
    company::CompanyId,
    posting::{PostingId, SourceIdentifier},
    store::{Known, Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};
use time::OffsetDateTime;

use crate::{SqliteStore, audit, company, error::Failure, outbox, posting, subscriber};

#[async_trait]
impl Store for SqliteStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
        self.connections
            .read(move |conn| posting::load(conn, &identifiers, &companies))
            .await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .read(move |conn| posting::load_by_id(conn, &ids))
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        self.connections
            .write(move |conn| apply(conn, &writes))
            .await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .read(move |conn| posting::overdue(conn, now, limit))
            .await
    }

    async fn load_subscribers(
        &self,
        emails: &[Email],
    ) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .read(move |conn| subscriber::load(conn, &emails))
            .await
    }

    async fn load_subscribers_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .read(move |conn| subscriber::load_by_id(conn, &ids))
            .await
    }

    async fn find_subscriber_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let token = token.clone();
        self.connections
            .read(move |conn| subscriber::find_by_token(conn, &token))
            .await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .read(move |conn| subscriber::remembered(conn, &emails))
            .await
    }
}

/// Writes everything: companies before the postings that refer to them, and finished tasks
/// last, so that one that asks for itself again is due once more.
fn apply(conn: &mut SqliteConnection, writes: &WriteSet) -> Result<(), Failure> {
    let mut as_they_were = HashSet::new();
    for write in writes.companies.values() {
        if !company::upsert(conn, write)? {
            as_they_were.insert(write.company.id.uuid());
        }
    }
    for posting in writes.postings.values() {
        posting::write(conn, posting)?;
    }
    subscriber::write_erasures(conn, writes)?;
    // Those that leave an address before those that are new at one.
    let (changed, new): (Vec<_>, Vec<_>) = writes
        .subscribers
        .values()
        .partition(|write| write.expected.is_some());
    for write in changed.into_iter().chain(new) {
        subscriber::write(conn, write)?;
    }
    for effect in &writes.effects {
        outbox::ask(conn, *effect, writes.at)?;
    }
    for event in &writes.events {
        if !as_they_were.contains(&event.subject.uuid()) {
            outbox::record(conn, event, writes.at)?;
        }
    }
    for receipt in &writes.done {
        outbox::finish(conn, receipt, writes.at)?;
    }
    for entry in &writes.audit {
        audit::write(conn, entry)?;
    }
    Ok(())
}
