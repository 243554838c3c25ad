use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::BigInt;
use domain::store::{Erasure, Purge, Retention};
use kernel::StoreError;
use sql_common::{
    audit, binds,
    commit::write_tasks,
    erase_drafts,
    executor::{Executor, Outcome},
    forget_texts, old_texts,
    posting::forget_versions,
    report, statement,
    stored::most,
    types::Id,
};
use time::OffsetDateTime;

use crate::{SqliteStore, event};

/// The hint names the index. Without the hint and statistics, SQLite would use another index.
macro_rules! found {
    () => {
        old_texts!("INDEXED BY postings_with_old_texts ")
    };
}

statement! {
    OldTexts = found!(), returns (Id,);
    DropTexts = concat!("DELETE FROM posting_texts WHERE posting_id IN (", found!(), ")");
    DropSketches = concat!("DELETE FROM posting_signatures WHERE posting_id IN (", found!(), ")");

    /// Runs last: after it, the other two statements would not find the postings.
    Clear = concat!("UPDATE postings SET ", forget_texts!(), " WHERE id IN (", found!(), ")");

    /// Deletes an expired posting with all that belongs to it.
    Delete = r"
        DELETE FROM postings
        WHERE id = :id AND version = :version AND status = 'expired' AND NOT moderated";

    DeleteTask = "DELETE FROM outbox WHERE kind = 'enrich' AND subject = :id AND lease IS NULL";
    Erase = "DELETE FROM postings WHERE id = :id AND version = :version";
    EraseDrafts = erase_drafts!(":id");
    EraseRefusals = "DELETE FROM client_refusals WHERE identifier = :identifier";

    EraseFromAudit = r"
        UPDATE audit SET details = json_remove(details, '$.reason')
        WHERE subject = :identifier AND (action LIKE 'postings.%' OR action LIKE 'reports.%')";

    /// No index on identifiers is needed, because only erasures search by them.
    EventsOf = r"
        SELECT number FROM events
        WHERE number > :after AND number <= :last AND source_identifier = :identifier
            AND (status_reason IS NOT NULL OR decision_code IS NOT NULL)
            AND reported_posting IS NULL",
    returns (BigInt,);

    EraseReason = r"
        UPDATE events SET status_reason = NULL, decision_code = NULL WHERE number = :number"
}

/// How many events a transaction examines.
const LOOKED_AT: i64 = 50_000;

/// The numbers of a posting's events with a reason or code. A later event of this kind comes with
/// another version of the posting, so the erasure fails.
async fn events_of(store: &SqliteStore, identifier: &str) -> Result<Vec<i64>, StoreError> {
    let mut found = Vec::new();
    let (mut after, end) = store.query(async |conn| event::ends(conn).await).await?;
    while after < end {
        let identifier = identifier.to_owned();
        let page = store.query(async move |conn| {
            let last = after.saturating_add(LOOKED_AT);
            let asked = binds! { after, last, identifier: &identifier };
            conn.load::<EventsOf>(asked).await
        });
        found.extend(page.await?.into_iter().map(|(number,)| number));
        after = after.saturating_add(LOOKED_AT);
    }
    Ok(found)
}

async fn erase(conn: &mut impl Executor, erasure: &Erasure, events: &[i64]) -> Outcome<()> {
    let posting = binds! {
        id: erasure.posting.uuid(),
        version: erasure.version,
        identifier: erasure.identifier.as_str(),
    };
    if conn.execute::<Erase>(posting).await? == 0 {
        return Err(StoreError::Conflict.into());
    }
    conn.execute::<EraseDrafts>(posting).await?;
    conn.execute::<EraseRefusals>(posting).await?;
    conn.execute::<EraseFromAudit>(posting).await?;
    for number in events {
        conn.execute::<EraseReason>(binds! { number: *number })
            .await?;
    }
    report::write(conn, &erasure.reports).await?;
    report::erase(conn, erasure).await?;
    write_tasks(conn, &erasure.tasks, &HashMap::new()).await
}

#[async_trait]
impl Retention for SqliteStore {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        // First reads only, as usually there is nothing to delete. Only a deletion takes the write
        // lock.
        let found = self.query(async move |conn| {
            let old = binds! { before: expired_before, limit: 1_i64 };
            conn.load::<OldTexts>(old).await
        });
        if found.await?.is_empty() {
            return Ok(0);
        }
        self.transaction(async move |conn| {
            let old = binds! { before: expired_before, limit: most(limit) };
            conn.execute::<DropTexts>(old).await?;
            conn.execute::<DropSketches>(old).await?;
            conn.execute::<Clear>(old).await
        })
        .await
    }

    async fn forget_versions(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.write(async move |conn| forget_versions(conn, before, limit).await)
            .await
    }

    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError> {
        let purge = purge.clone();
        self.transaction(async move |conn| {
            let mut purged = 0;
            for (id, version) in &purge.postings {
                let posting = binds! { id: id.uuid(), version: *version };
                if conn.execute::<Delete>(posting).await? > 0 {
                    conn.execute::<DeleteTask>(posting).await?;
                    purged += 1;
                }
            }
            if purged > 0 {
                audit::write(conn, &[purge.entry(purged)]).await?;
            }
            Ok(purged)
        })
        .await
    }

    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError> {
        let erasure = erasure.clone();
        let events = events_of(self, erasure.identifier.as_str()).await?;
        self.transaction(async move |conn| erase(conn, &erasure, &events).await)
            .await
    }

    async fn overwrite_deleted(&self) -> Result<bool, StoreError> {
        self.connections.empty_log().await
    }
}
