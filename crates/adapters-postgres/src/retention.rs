//! The `Retention` port.

use std::slice;

use async_trait::async_trait;
use diesel::sql_types::BigInt;
use domain::store::{Purge, Retention, StoreError};
use sql_common::{forget_texts, old_texts, statement};
use time::OffsetDateTime;

use crate::{
    PostgresStore, audit,
    statement::{bigints, load, uuids},
};

statement! {
    /// Skips postings that another transaction is writing: they come with the next call.
    /// `MATERIALIZED` keeps the `LIMIT` in force.
    DropTexts =
    concat!(
        "WITH old AS MATERIALIZED (", old_texts!(""), " FOR NO KEY UPDATE SKIP LOCKED), \
         texts AS (DELETE FROM posting_texts USING old WHERE posting_id = old.id), \
         sketches AS (DELETE FROM posting_sketches USING old WHERE posting_id = old.id), \
         cleared AS (UPDATE postings SET ", forget_texts!(), " FROM old \
         WHERE postings.id = old.id RETURNING postings.id) \
         SELECT count(*) FROM cleared"
    ),
    returns (BigInt,)
}

statement! {
    /// Texts, history and fingerprint go with a posting. The rows are found by their ids alone,
    /// whatever the planner believes of statuses.
    Delete =
    "WITH found AS MATERIALIZED (SELECT id, version, status FROM postings WHERE id = ANY(?) \
     ORDER BY id FOR UPDATE SKIP LOCKED), \
     old AS MATERIALIZED (SELECT id FROM found WHERE status = 'expired' \
     AND (id, version) IN (SELECT * FROM unnest(?, ?))), \
     tasks AS (DELETE FROM outbox WHERE kind = 'enrich' \
     AND subject = ANY(ARRAY(SELECT id FROM old)) AND lease IS NULL), \
     gone AS (DELETE FROM postings WHERE id = ANY(ARRAY(SELECT id FROM old)) RETURNING id) \
     SELECT count(*) FROM gone",
    returns (BigInt,)
}

#[async_trait]
impl Retention for PostgresStore {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let dropped: Vec<(i64,)> = self
            .connections
            .run(async move |conn| {
                let values = [expired_before.into(), limit.into()];
                Ok(load::<DropTexts, _>(conn, &values).await?)
            })
            .await?;
        Ok(count(&dropped))
    }

    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError> {
        let purge = purge.clone();
        self.connections
            .transaction(async move |conn| {
                let ids = || uuids(&purge.postings, |(id, _)| id.uuid());
                let values = [
                    ids(),
                    ids(),
                    bigints(&purge.postings, |(_, version)| Some(*version)),
                ];
                let purged = count(&load::<Delete, _>(conn, &values).await?);
                if purged > 0 {
                    audit::write(conn, slice::from_ref(&purge.entry(purged))).await?;
                }
                Ok(purged)
            })
            .await
    }
}

fn count(rows: &[(i64,)]) -> usize {
    let count = rows.first().map_or(0, |(count,)| *count);
    usize::try_from(count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn old_texts_are_found_in_order() {
        let plan = plan(DropTexts::text(), "").await;
        assert_uses_index(&plan, "postings_with_old_texts");
        for index in [
            "posting_texts_pkey",
            "posting_sketches_pkey",
            "postings_pkey",
        ] {
            assert_uses_index(&plan, index);
        }
        assert!(!plan.contains("Sort"), "{plan}");
    }

    #[tokio::test]
    async fn purged_postings_are_found_by_their_keys() {
        let plan = plan(Delete::text(), "(uuid[], uuid[], bigint[])").await;
        for index in ["postings_pkey", "outbox_effects"] {
            assert!(plan.contains(index), "not by {index}:\n{plan}");
        }
        for other in ["Seq Scan", "postings_by"] {
            assert!(!plan.contains(other), "{plan}");
        }
    }
}
