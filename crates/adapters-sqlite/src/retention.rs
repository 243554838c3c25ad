//! The `Retention` port.

use async_trait::async_trait;
use domain::store::{Purge, Retention, StoreError};
use sql_common::{
    forget_texts, old_texts, statement,
    types::{Id, StoredId},
};
use time::OffsetDateTime;

use crate::{
    SqliteStore, audit,
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
    DropSketches = concat!("DELETE FROM posting_sketches WHERE posting_id IN (", found!(), ")")
}

statement! {
    /// Runs after the other two, which would not find the postings any more.
    Clear = concat!("UPDATE postings SET ", forget_texts!(), " WHERE id IN (", found!(), ")")
}

statement! {
    /// Texts, history and fingerprint go with it.
    Delete = "DELETE FROM postings WHERE id = ? AND version = ? AND status = 'expired'"
}

statement! {
    DeleteTask = "DELETE FROM outbox WHERE kind = 'enrich' AND subject = ? AND lease IS NULL"
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
                    audit::write(conn, &purge.entry(purged))?;
                }
                Ok(purged)
            })
            .await
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
