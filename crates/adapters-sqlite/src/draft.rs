//! The `DraftCache` port, on the table `drafts`.

use async_trait::async_trait;
use diesel::{
    Queryable, SqliteConnection,
    sql_types::{Binary, Nullable},
};
use enrichment::{DraftCache, DraftKey, Reservation};
use kernel::{PostingId, StoreError};
use sql_common::{
    draft::{Release, keep_values},
    keep_draft, statement,
    stored::corrupt,
    types::{Id, Moment, StoredId, StoredTime},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    SqliteStore,
    error::Failure,
    statement::{Value, execute, load},
};

/// After how long `used_at` of a draft is updated, so that most reads of a draft write nothing.
const TOUCH_AFTER: Duration = Duration::days(1);

/// The state of a key.
enum Lookup {
    /// The caller can reserve it.
    Free,
    /// It has a draft, whose `used_at` has to be updated.
    Stale(String),
    /// Nothing has to be written for this answer.
    Answer(Reservation),
}

statement! {
    Find =
    "SELECT holder, reserved_until, used_at, CAST(draft AS BLOB) FROM drafts WHERE key = ?",
    returns (Nullable<Id>, Nullable<Moment>, Moment, Nullable<Binary>)
}

#[derive(Queryable)]
struct Row {
    holder: Option<StoredId>,
    reserved_until: Option<StoredTime>,
    used_at: StoredTime,
    draft: Option<Vec<u8>>,
}

impl Row {
    fn lookup(self, holder: Uuid, now: OffsetDateTime) -> Result<Lookup, StoreError> {
        let Some(draft) = self.draft else {
            let holder_column = "drafts.holder";
            let held_by = self.holder.map(|held_by| held_by.uuid(holder_column));
            let held_by = held_by.unwrap_or_else(|| Err(corrupt(holder_column, "nothing")))?;
            let until = self.reserved_until.map(|until| until.time(UNTIL));
            let until = until.unwrap_or_else(|| Err(corrupt(UNTIL, self.reserved_until)))?;
            return Ok(if held_by == holder || until <= now {
                Lookup::Free
            } else {
                Lookup::Answer(Reservation::Taken)
            });
        };
        // Reports only the length, since drafts are large.
        let draft = String::from_utf8(draft).map_err(|error| {
            let bytes = error.as_bytes().len();
            corrupt("drafts.draft", format_args!("{bytes} bytes"))
        })?;
        Ok(if self.used_at < (now - TOUCH_AFTER).into() {
            Lookup::Stale(draft)
        } else {
            Lookup::Answer(Reservation::Kept(draft))
        })
    }
}

const UNTIL: &str = "drafts.reserved_until";

fn find(
    conn: &mut SqliteConnection,
    key: &DraftKey,
    holder: Uuid,
    now: OffsetDateTime,
) -> Result<Lookup, Failure> {
    let rows: Vec<Row> = load::<Find, _>(conn, &[key.as_bytes().into()])?;
    let row = rows.into_iter().next();
    Ok(row.map_or(Ok(Lookup::Free), |row| row.lookup(holder, now))?)
}

statement! {
    /// The caller has found the key free in the same transaction.
    Reserve =
    "INSERT INTO drafts (key, holder, reserved_until, used_at) VALUES (?, ?, ?, ?) \
     ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, \
     reserved_until = excluded.reserved_until"
}

statement! {
    Keep = keep_draft!("")
}

statement! {
    Touch = "UPDATE drafts SET used_at = ? WHERE key = ?"
}

statement! {
    Forget =
    "DELETE FROM drafts WHERE rowid IN (SELECT rowid FROM drafts WHERE used_at < ? \
     AND (reserved_until IS NULL OR reserved_until < ?) ORDER BY used_at LIMIT ?)"
}

#[async_trait]
impl DraftCache for SqliteStore {
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        let key = *key;
        // Reads first: a worker that waits for a draft asks repeatedly, and most drafts asked for
        // may exist. Only a change takes the write lock.
        let found = self
            .connections
            .read(move |conn| find(conn, &key, holder, now))
            .await?;
        if let Lookup::Answer(answer) = found {
            return Ok(answer);
        }
        self.connections
            .write(move |conn| match find(conn, &key, holder, now)? {
                Lookup::Answer(answer) => Ok(answer),
                Lookup::Stale(draft) => {
                    execute::<Touch>(conn, &[now.into(), key.as_bytes().into()])?;
                    Ok(Reservation::Kept(draft))
                }
                Lookup::Free => {
                    let values = [
                        key.as_bytes().into(),
                        holder.into(),
                        until.into(),
                        now.into(),
                    ];
                    execute::<Reserve>(conn, &values)?;
                    Ok(Reservation::Granted)
                }
            })
            .await
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let (key, draft) = (*key, draft.to_owned());
        self.connections
            .write(move |conn| {
                execute::<Keep>(conn, &keep_values(&key, &draft, of, now))?;
                Ok(())
            })
            .await
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        let key = *key;
        self.connections
            .write(move |conn| {
                execute::<Release>(conn, &Release::values(&key, holder))?;
                Ok(())
            })
            .await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .write(move |conn| {
                let before = Value::from(before);
                let values = [before, before, limit.into()];
                let forgotten = execute::<Forget>(conn, &values)?;
                Ok(forgotten as u64)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn a_key_is_looked_up() {
        assert_uses_index(Find::text(), "sqlite_autoindex_drafts_1").await;
    }

    #[tokio::test]
    async fn what_is_unused_is_found_in_order() {
        assert_uses_index(Forget::text(), "drafts_used").await;
    }
}
