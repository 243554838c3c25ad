use diesel::sql_types::{Binary, Nullable};
use enrichment::{DraftKey, Reservation};
use kernel::StoreError;
use sql_common::{
    binds,
    executor::{Executor, Outcome},
    read, statement,
    stored::corrupt,
    types::{Id, Moment},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::SqliteStore;

/// A draft's `used_at` changes at most this often, so that most reads write nothing.
const TOUCH_AFTER: Duration = Duration::days(1);

enum Lookup {
    Free,
    Stale(String),
    /// The caller gets this answer, and no write is needed.
    Answer(Reservation),
}

statement! {
    Find = r"
        SELECT holder, reserved_until, used_at, CAST(draft AS BLOB) FROM drafts WHERE key = :key",
    returns DraftRow
}

read! {
    DraftRow = drafts {
        holder: Nullable<Id>,
        reserved_until: Nullable<Moment>,
        used_at: Moment,
        draft: Nullable<Binary>,
    }
}

impl DraftRow {
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
        // The error shows only the length, because drafts are large.
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

async fn find(
    conn: &mut impl Executor,
    key: &DraftKey,
    holder: Uuid,
    now: OffsetDateTime,
) -> Outcome<Lookup> {
    let key = binds! { key: key.as_bytes() };
    let rows = conn.load::<Find>(key).await?;
    let row = rows.into_iter().next();
    Ok(row.map_or(Ok(Lookup::Free), |row| row.lookup(holder, now))?)
}

statement! {
    /// Runs after the same transaction has found the key free.
    Reserve = r"
        INSERT INTO drafts (key, holder, reserved_until, used_at)
        VALUES (:key, :holder, :until, :now)
        ON CONFLICT (key) DO UPDATE SET holder = excluded.holder,
            reserved_until = excluded.reserved_until";

    Touch = "UPDATE drafts SET used_at = :now WHERE key = :key"
}

impl SqliteStore {
    /// Reserves a draft's key, or returns the draft.
    ///
    /// First reads only: waiting workers ask often, and most drafts may already exist. Only a
    /// change takes the write lock.
    pub(crate) async fn reserve_draft(
        &self,
        key: DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        let found = self.query(async move |conn| find(conn, &key, holder, now).await);
        if let Lookup::Answer(answer) = found.await? {
            return Ok(answer);
        }
        self.transaction(async move |conn| {
            let found = find(conn, &key, holder, now).await?;
            let key = key.as_bytes();
            Ok(match found {
                Lookup::Answer(answer) => answer,
                Lookup::Stale(draft) => {
                    conn.execute::<Touch>(binds! { now, key }).await?;
                    Reservation::Kept(draft)
                }
                Lookup::Free => {
                    let reserved = binds! { key, holder, until, now };
                    conn.execute::<Reserve>(reserved).await?;
                    Reservation::Granted
                }
            })
        })
        .await
    }
}
