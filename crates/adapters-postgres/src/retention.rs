//! The `Retention` port.

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection as _};
use domain::store::{Erasure, Purge, Retention, WriteSet};
use kernel::{SourceIdentifier, StoreError};
use sql_common::{audit, forget_texts, old_texts, statement};
use time::OffsetDateTime;

use crate::{
    PostgresStore,
    commit::finish,
    error::Failure,
    statement::{Value, bigints, execute, load, uuids},
};

statement! {
    /// Skips postings that another transaction is writing: they come with the next call.
    /// `MATERIALIZED` keeps the `LIMIT` in force.
    DropTexts =
    concat!(
        "WITH old AS MATERIALIZED (", old_texts!(""), " FOR NO KEY UPDATE SKIP LOCKED), \
         texts AS (DELETE FROM posting_texts USING old WHERE posting_id = old.id), \
         signatures AS (DELETE FROM posting_signatures USING old WHERE posting_id = old.id), \
         cleared AS (UPDATE postings SET ", forget_texts!(), " FROM old \
         WHERE postings.id = old.id RETURNING postings.id) \
         SELECT count(*) FROM cleared"
    ),
    returns (BigInt,)
}

statement! {
    /// Texts, decision, history and fingerprint go with a posting. The rows are found by their ids alone,
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

statement! {
    /// Locks a posting before anything else of it, as commits do. `FOR UPDATE` also keeps drafts of
    /// it from being stored meanwhile.
    Lock =
    "WITH lock_timeout AS MATERIALIZED (SELECT set_config('lock_timeout', ?, true)) \
     SELECT version FROM postings \
     WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = ? FOR UPDATE",
    returns (BigInt,)
}

statement! {
    /// Texts, decision, history and fingerprint go with the posting.
    Erase =
    concat!(
        "WITH asked AS MATERIALIZED (SELECT ?::uuid AS id, ?::text COLLATE \"C\" AS identifier), \
         refusals AS (DELETE FROM client_refusals USING asked \
         WHERE client_refusals.identifier = asked.identifier), \
         drafts AS (", sql_common::erase_drafts!("(SELECT id FROM asked)"), "), \
         entries AS (UPDATE audit SET details = (details::jsonb - 'reason')::json FROM asked \
         WHERE subject = asked.identifier AND action LIKE 'postings.%') \
         DELETE FROM postings USING asked WHERE postings.id = asked.id"
    )
}

statement! {
    /// The next events in the order of the log: whether each is of the posting with a reason or a code, and
    /// the last one of as many as one statement looks at. There is no index on identifiers, and
    /// there need not be: only erasures look for them.
    EventsOf =
    "WITH page AS MATERIALIZED (SELECT commit_seq, number, \
     (status_reason IS NOT NULL OR decision_code IS NOT NULL) AND source_identifier = ? \
     AS is_meant FROM events \
     WHERE (commit_seq, number) > (?, ?) ORDER BY commit_seq, number LIMIT ?) \
     SELECT commit_seq, number, is_meant FROM page WHERE is_meant \
     OR (commit_seq, number) = (SELECT commit_seq, number FROM page \
     ORDER BY commit_seq DESC, number DESC LIMIT 1) ORDER BY commit_seq, number",
    returns (BigInt, BigInt, Bool)
}

statement! {
    EraseReasons =
    "UPDATE events SET status_reason = NULL, decision_code = NULL \
     WHERE (commit_seq, number) IN (SELECT * FROM unnest(?, ?))"
}

/// How many events one statement looks at.
const LOOKED_AT: i64 = 50_000;

/// The places of a posting's events that have a reason or a code. Later ones would come with another version
/// of the posting.
async fn events_of(
    store: &PostgresStore,
    identifier: &SourceIdentifier,
) -> Result<Vec<(i64, i64)>, StoreError> {
    let (mut found, mut after) = (Vec::new(), (0, 0));
    loop {
        let identifier = identifier.clone();
        let page = store.connections.run(async move |conn| {
            let values = [
                identifier.as_str().into(),
                after.0.into(),
                after.1.into(),
                LOOKED_AT.into(),
            ];
            Ok(load::<EventsOf, _>(conn, &values).await?)
        });
        let page: Vec<(i64, i64, bool)> = page.await?;
        let Some((commit_seq, number, _)) = page.last() else {
            return Ok(found);
        };
        after = (*commit_seq, *number);
        let meant = page.into_iter().filter(|(.., is_meant)| *is_meant);
        found.extend(meant.map(|(commit_seq, number, _)| (commit_seq, number)));
    }
}

async fn erase(
    conn: &mut AsyncPgConnection,
    erasure: &Erasure,
    events: &[(i64, i64)],
    lock_timeout: &str,
) -> Result<(), Failure> {
    let id = Value::from(erasure.posting.uuid());
    let found: Vec<(i64,)> = load::<Lock, _>(conn, &[lock_timeout.into(), id.clone()]).await?;
    if found != [(erasure.version,)] {
        return Err(StoreError::Conflict.into());
    }
    // Refusals that are being written: afterwards they are there, or see the entry of the audit.
    conn.batch_execute("LOCK TABLE client_refusals IN SHARE ROW EXCLUSIVE MODE")
        .await?;
    execute::<Erase>(conn, &[id, erasure.identifier.as_str().into()]).await?;
    let places = [
        bigints(events, |(commit_seq, _)| Some(*commit_seq)),
        bigints(events, |(_, number)| Some(*number)),
    ];
    execute::<EraseReasons>(conn, &places).await?;
    let tasks = erasure.tasks.clone();
    let writes = WriteSet {
        tasks,
        ..WriteSet::new(erasure.tasks.at)
    };
    finish(conn, &writes, lock_timeout).await
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
                    audit::write(conn, &[purge.entry(purged)]).await?;
                }
                Ok(purged)
            })
            .await
    }

    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError> {
        let events = events_of(self, &erasure.identifier).await?;
        let (erasure, lock_timeout) = (erasure.clone(), self.connections.row_lock_timeout());
        self.connections
            .transaction(async move |conn| erase(conn, &erasure, &events, &lock_timeout).await)
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
            "posting_signatures_pkey",
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
