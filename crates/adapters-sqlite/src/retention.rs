//! The `Retention` port.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::sql_types::BigInt;
use domain::store::{Erasure, Purge, Retention};
use kernel::StoreError;
use sql_common::{
    audit,
    executor::at_once,
    forget_texts, old_texts, statement,
    types::{Id, StoredId},
};
use time::OffsetDateTime;

use crate::{
    SqliteStore,
    commit::write_tasks,
    event,
    statement::{Value, execute, load},
};

/// Without statistics SQLite takes another index.
macro_rules! found {
    () => {
        old_texts!("INDEXED BY postings_with_old_texts ")
    };
}

statement! {
    OldTexts = found!(), returns (Id,)
}

statement! {
    DropTexts = concat!("DELETE FROM posting_texts WHERE posting_id IN (", found!(), ")")
}

statement! {
    DropSketches = concat!("DELETE FROM posting_signatures WHERE posting_id IN (", found!(), ")")
}

statement! {
    /// Runs after the other two, which would not find the postings any more.
    Clear = concat!("UPDATE postings SET ", forget_texts!(), " WHERE id IN (", found!(), ")")
}

statement! {
    /// Texts, decision, history and fingerprint go with it.
    Delete = "DELETE FROM postings WHERE id = ? AND version = ? AND status = 'expired'"
}

statement! {
    DeleteTask = "DELETE FROM outbox WHERE kind = 'enrich' AND subject = ? AND lease IS NULL"
}

statement! {
    Erase = "DELETE FROM postings WHERE id = ? AND version = ?"
}

statement! {
    EraseDrafts = sql_common::erase_drafts!("?")
}

statement! {
    EraseRefusals = "DELETE FROM client_refusals WHERE identifier = ?"
}

statement! {
    EraseFromAudit =
    "UPDATE audit SET details = json_remove(details, '$.reason') \
     WHERE subject = ? AND action LIKE 'postings.%'"
}

statement! {
    /// There is no index on identifiers, and there need not be: only erasures look for them.
    EventsOf =
    "SELECT number FROM events WHERE number > ? AND number <= ? AND source_identifier = ? \
     AND (status_reason IS NOT NULL OR decision_code IS NOT NULL)",
    returns (BigInt,)
}

statement! {
    EraseReason = "UPDATE events SET status_reason = NULL, decision_code = NULL WHERE number = ?"
}

/// How many events one transaction looks at.
const LOOKED_AT: i64 = 50_000;

/// The numbers of a posting's events that have a reason or a code. Later ones would come with another version
/// of the posting.
async fn events_of(store: &SqliteStore, identifier: &str) -> Result<Vec<i64>, StoreError> {
    let mut found = Vec::new();
    let (mut after, end) = store.connections.read(event::ends).await?;
    while after < end {
        let identifier = identifier.to_owned();
        let page = store.connections.read(move |conn| {
            let until = after.saturating_add(LOOKED_AT);
            let values = [after.into(), until.into(), identifier.as_str().into()];
            Ok(load::<EventsOf, _>(conn, &values)?)
        });
        let page: Vec<(i64,)> = page.await?;
        found.extend(page.into_iter().map(|(number,)| number));
        after = after.saturating_add(LOOKED_AT);
    }
    Ok(found)
}

#[async_trait]
impl Retention for SqliteStore {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = move |limit: i64| [Value::from(expired_before), limit.into()];
        // Reads first: mostly there is nothing, and only a drop takes the write lock.
        let found: Vec<(StoredId,)> = self
            .connections
            .read(move |conn| Ok(load::<OldTexts, _>(conn, &values(1))?))
            .await?;
        if found.is_empty() {
            return Ok(0);
        }
        self.connections
            .write(move |conn| {
                execute::<DropTexts>(conn, &values(limit))?;
                execute::<DropSketches>(conn, &values(limit))?;
                Ok(execute::<Clear>(conn, &values(limit))?)
            })
            .await
    }

    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError> {
        let purge = purge.clone();
        self.connections
            .write(move |conn| {
                let mut purged = 0;
                for (id, version) in &purge.postings {
                    let id = Value::from(id.uuid());
                    if execute::<Delete>(conn, &[id, (*version).into()])? > 0 {
                        execute::<DeleteTask>(conn, &[id])?;
                        purged += 1;
                    }
                }
                if purged > 0 {
                    at_once(audit::write(conn, &[purge.entry(purged)]))?;
                }
                Ok(purged)
            })
            .await
    }

    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError> {
        let erasure = erasure.clone();
        let events = events_of(self, erasure.identifier.as_str()).await?;
        self.connections
            .write(move |conn| {
                let id = Value::from(erasure.posting.uuid());
                let identifier = [erasure.identifier.as_str().into()];
                if execute::<Erase>(conn, &[id, erasure.version.into()])? == 0 {
                    return Err(StoreError::Conflict.into());
                }
                execute::<EraseDrafts>(conn, &[id])?;
                execute::<EraseRefusals>(conn, &identifier)?;
                execute::<EraseFromAudit>(conn, &identifier)?;
                for number in events {
                    execute::<EraseReason>(conn, &[number.into()])?;
                }
                write_tasks(conn, &erasure.tasks, &HashSet::new())
            })
            .await
    }

    async fn overwrite_deleted(&self) -> Result<bool, StoreError> {
        self.connections.empty_log().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn old_texts_are_found_in_order() {
        for text in [
            OldTexts::text(),
            DropTexts::text(),
            DropSketches::text(),
            Clear::text(),
        ] {
            let plan = plan(text).await;
            assert!(plan.contains("INDEX postings_with_old_texts ("), "{plan}");
            assert!(!plan.contains("SCAN posting"), "{plan}");
            assert!(!plan.contains("FOR ORDER BY"), "{plan}");
        }
    }
}
