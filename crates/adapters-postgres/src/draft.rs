//! The table `drafts`, and the port to it.
//!
//! No statement waits for more than one row, so no two of them wait for each other.

use async_trait::async_trait;
use diesel::{
    Queryable,
    sql_types::{Bool, Nullable, Text},
};
use domain::{
    enrichment::{DraftCache, DraftKey, Reservation},
    store::StoreError,
};
use sql_common::{
    draft::{Keep, Release},
    statement,
    stored::corrupt,
    types::{Id, Moment, StoredId, StoredTime},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore,
    statement::{execute, load},
};

statement! {
    /// Looks first, so that whoever finds a draft, or somebody at it, writes nothing: an `INSERT`
    /// locks the row that is in its way. What looked free may be somebody else's meanwhile, so
    /// that is checked once more (`excluded.used_at` is the time of asking). A draft has no holder
    /// and no end, so it is never free.
    ///
    /// A draft that is in use has its time set once a day. Whether there is one is decided by what
    /// there was when this began, both times, so no row is written twice.
    Reserve =
    "WITH asked (key, holder, reserved_until, now) AS (VALUES (?, ?, ?, ?)), \
     known AS (SELECT drafts.* FROM asked JOIN drafts USING (key)), \
     granted AS (INSERT INTO drafts (key, holder, reserved_until, used_at) \
     SELECT asked.* FROM asked LEFT JOIN known USING (key) \
     WHERE known.key IS NULL OR known.holder = asked.holder \
     OR known.reserved_until <= asked.now \
     ON CONFLICT (key) DO UPDATE \
     SET holder = excluded.holder, reserved_until = excluded.reserved_until \
     WHERE drafts.holder = excluded.holder OR drafts.reserved_until <= excluded.used_at \
     RETURNING key), \
     used AS (UPDATE drafts SET used_at = asked.now FROM asked \
     WHERE drafts.key = asked.key AND drafts.draft IS NOT NULL \
     AND drafts.used_at < asked.now - interval '24 hours') \
     SELECT EXISTS (SELECT FROM granted), known.key IS NOT NULL, known.draft, known.holder, \
     known.reserved_until FROM asked LEFT JOIN known USING (key)",
    returns (
        Bool,
        Bool,
        Nullable<Text>,
        Nullable<Id>,
        Nullable<Moment>,
    )
}

/// Whether it was granted, and what there was before.
#[derive(Queryable)]
struct Row {
    is_granted: bool,
    was_known: bool,
    draft: Option<String>,
    holder: Option<StoredId>,
    reserved_until: Option<StoredTime>,
}

impl TryFrom<Row> for Reservation {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        if row.is_granted {
            return Ok(Self::Granted);
        }
        if let Some(draft) = row.draft {
            return Ok(Self::Kept(draft));
        }
        if row.was_known {
            if row.holder.is_none() {
                return Err(corrupt("drafts.holder", row.holder));
            }
            let until = row.reserved_until;
            let until = until.ok_or_else(|| corrupt("drafts.reserved_until", "nothing"))?;
            until.time("drafts.reserved_until")?;
        }
        // Also what looked free: somebody else was quicker.
        Ok(Self::Taken)
    }
}

statement! {
    /// Passes by what somebody else is writing at this moment: that is in use. The rows are found
    /// once and for all (`MATERIALIZED`), or they would not be limited.
    Forget =
    "WITH unused AS MATERIALIZED (\
     SELECT key FROM drafts WHERE used_at < ? AND (reserved_until IS NULL OR reserved_until < ?) \
     ORDER BY used_at LIMIT ? FOR UPDATE SKIP LOCKED) \
     DELETE FROM drafts USING unused WHERE drafts.key = unused.key"
}

#[async_trait]
impl DraftCache for PostgresStore {
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        let key = *key;
        self.connections
            .run(async move |conn| {
                let values = [
                    key.as_bytes().into(),
                    holder.into(),
                    until.into(),
                    now.into(),
                ];
                let rows: Vec<Row> = load::<Reserve, _>(conn, &values).await?;
                let row = rows.into_iter().next();
                let row = row.ok_or_else(|| StoreError::Broken("asked, and no answer".into()))?;
                Ok(Reservation::try_from(row)?)
            })
            .await
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let (key, draft) = (*key, draft.to_owned());
        self.connections
            .run(async move |conn| {
                let values = Keep::values(&key, &draft, now).map(Into::into);
                execute::<Keep>(conn, &values).await?;
                Ok(())
            })
            .await
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        let key = *key;
        self.connections
            .run(async move |conn| {
                let values = Release::values(&key, holder).map(Into::into);
                execute::<Release>(conn, &values).await?;
                Ok(())
            })
            .await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| {
                let values = [before.into(), before.into(), limit.into()];
                Ok(execute::<Forget>(conn, &values).await? as u64)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{goes_by, plan},
    };

    #[tokio::test]
    async fn a_key_is_looked_up() {
        let plan = plan(Reserve::text(), "(bytea, uuid, timestamptz, timestamptz)").await;
        goes_by(&plan, "drafts_pkey");
        assert_eq!(plan.matches("using drafts_pkey ").count(), 2, "{plan}");
    }

    #[tokio::test]
    async fn what_is_unused_is_found_in_order() {
        let plan = plan(Forget::text(), "(timestamptz, timestamptz, bigint)").await;
        goes_by(&plan, "drafts_used");
        goes_by(&plan, "drafts_pkey");
        assert!(!plan.contains("Sort"), "{plan}");
    }
}
