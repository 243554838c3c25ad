use async_trait::async_trait;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection as _};
use domain::store::{Erasure, Purge, Retention, WriteSet};
use kernel::{SourceIdentifier, StoreError};
use sql_common::{
    audit, binds, commit, each, erase_drafts,
    executor::{Executor as _, Outcome, counted},
    forget_texts, old_texts,
    posting::forget_versions,
    report, statement,
    stored::most,
};
use time::OffsetDateTime;

use crate::PostgresStore;

statement! {
    /// Skips postings that another transaction is writing; the next call includes them.
    /// `MATERIALIZED` enforces the `LIMIT`.
    DropTexts = concat!(
        "WITH old AS MATERIALIZED (", old_texts!(""), " FOR NO KEY UPDATE SKIP LOCKED),
        texts AS (DELETE FROM posting_texts USING old WHERE posting_id = old.id),
        signatures AS (DELETE FROM posting_signatures USING old WHERE posting_id = old.id),
        cleared AS (
            UPDATE postings SET ", forget_texts!(), " FROM old
            WHERE postings.id = old.id RETURNING postings.id
        )
        SELECT count(*) FROM cleared"
    ),
    returns (BigInt,);

    /// Deletes expired postings with all that belongs to them. Rows are found only by ids, so the
    /// planner's estimates of statuses do not matter.
    Delete = r"
        WITH sent AS MATERIALIZED (
            SELECT * FROM unnest(:id::uuid[], :version::bigint[]) AS sent (id, version)
        ),
        found AS MATERIALIZED (
            SELECT id, version, status, moderated FROM postings WHERE id = ANY(ARRAY(SELECT id FROM sent))
            ORDER BY id FOR UPDATE SKIP LOCKED
        ),
        old AS MATERIALIZED (
            SELECT id FROM found
            WHERE status = 'expired' AND NOT moderated
                AND (id, version) IN (SELECT id, version FROM sent)
        ),
        tasks AS (
            DELETE FROM outbox
            WHERE kind = 'enrich' AND subject = ANY(ARRAY(SELECT id FROM old)) AND lease IS NULL
        ),
        history AS (
            DELETE FROM posting_history WHERE posting_id = ANY(ARRAY(SELECT id FROM old))
        ),
        versions AS (
            DELETE FROM posting_versions WHERE posting_id = ANY(ARRAY(SELECT id FROM old))
        ),
        gone AS (DELETE FROM postings WHERE id = ANY(ARRAY(SELECT id FROM old)) RETURNING id)
        SELECT count(*) FROM gone",
    returns (BigInt,);

    /// Locks the posting first, as commits do. `FOR UPDATE` also blocks storing the posting's
    /// drafts.
    Lock = r"
        WITH lock_timeout AS MATERIALIZED (SELECT set_config('lock_timeout', :lock_timeout, true))
        SELECT version FROM postings
        WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = :id FOR UPDATE",
    returns (BigInt,);

    Erase = concat!(
        "WITH asked AS MATERIALIZED (
            SELECT :id::uuid AS id, :identifier::text COLLATE \"C\" AS identifier
        ),
        refusals AS (
            DELETE FROM client_refusals USING asked
            WHERE client_refusals.identifier = asked.identifier
        ),
        history AS (
            DELETE FROM posting_history USING asked WHERE posting_id = asked.id
        ),
        versions AS (
            DELETE FROM posting_versions USING asked WHERE posting_id = asked.id
        ),
        drafts AS (", erase_drafts!("(SELECT id FROM asked)"), "),
        entries AS (
            UPDATE audit SET details = (details::jsonb - 'reason')::json FROM asked
            WHERE subject = asked.identifier
                AND (action LIKE 'postings.%' OR action LIKE 'reports.%')
        )
        DELETE FROM postings USING asked WHERE postings.id = asked.id"
    );

    /// Examines the next events in log order. Returns the posting's events with a reason or code,
    /// and the last examined event. No index on identifiers is needed, because only erasures search
    /// by them.
    EventsOf = r"
        WITH page AS MATERIALIZED (
            SELECT commit_seq, number,
                (status_reason IS NOT NULL OR decision_code IS NOT NULL)
                AND reported_posting IS NULL AND source_identifier = :identifier AS is_meant
            FROM events WHERE (commit_seq, number) > (:commit_seq, :number)
            ORDER BY commit_seq, number LIMIT :limit
        )
        SELECT commit_seq, number, is_meant FROM page
        WHERE is_meant OR (commit_seq, number) = (
            SELECT commit_seq, number FROM page ORDER BY commit_seq DESC, number DESC LIMIT 1
        )
        ORDER BY commit_seq, number",
    returns (BigInt, BigInt, Bool);

    EraseReasons = r"
        UPDATE events SET status_reason = NULL, decision_code = NULL
        WHERE (commit_seq, number)
            IN (SELECT * FROM unnest(:commit_seq::bigint[], :number::bigint[]))"
}

const LOOKED_AT: i64 = 50_000;

/// The places of a posting's events with a reason or code. A later event of this kind comes with
/// another version of the posting, so the erasure fails.
async fn events_of(
    store: &PostgresStore,
    identifier: &SourceIdentifier,
) -> Result<Vec<(i64, i64)>, StoreError> {
    let (mut found, mut after) = (Vec::new(), (0, 0));
    loop {
        let identifier = identifier.clone();
        let page = store.query(async move |conn| {
            let (commit_seq, number) = after;
            let identifier = identifier.as_str();
            let asked = binds! { identifier, commit_seq, number, limit: LOOKED_AT };
            conn.load::<EventsOf>(asked).await
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
) -> Outcome<()> {
    let (id, identifier) = (erasure.posting.uuid(), erasure.identifier.as_str());
    let posting = binds! { id, identifier, lock_timeout };
    let found = conn.load::<Lock>(posting).await?;
    if found != [(erasure.version,)] {
        return Err(StoreError::Conflict.into());
    }
    // The lock waits for transactions that are writing refusals, so their rows are visible
    // afterwards. Later writers find this erasure's audit entry, and write no refusal of the
    // posting.
    conn.batch_execute("LOCK TABLE client_refusals IN SHARE ROW EXCLUSIVE MODE")
        .await?;
    conn.execute::<Erase>(posting).await?;
    let places = each! { events, &(commit_seq, number) => commit_seq, number };
    conn.execute_each::<EraseReasons>(&places, &[]).await?;
    let mut writes = WriteSet::new(erasure.tasks.at);
    writes.tasks = erasure.tasks.clone();
    writes.optional.reports.clone_from(&erasure.reports);
    commit::write(conn, &writes).await?;
    report::erase(conn, erasure).await
}

#[async_trait]
impl Retention for PostgresStore {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.query(async move |conn| {
            let old = binds! { before: expired_before, limit: most(limit) };
            Ok(counted(&conn.load::<DropTexts>(old).await?))
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
            let sent = each! { &purge.postings, (id, version) => id: id.uuid(), version: *version };
            let purged = counted(&conn.load_each::<Delete>(&sent, &[]).await?);
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
        self.transaction(async move |conn| erase(conn, &erasure, &events, &lock_timeout).await)
            .await
    }
}
