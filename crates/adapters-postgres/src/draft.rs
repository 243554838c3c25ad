//! Reserves the keys of drafts. All other statements on drafts are in `sql_common::draft`.
//!
//! No statement waits for more than one row, so no deadlock can occur.

use diesel::sql_types::{Bool, Nullable, Text};
use enrichment::{DraftKey, Reservation};
use kernel::StoreError;
use sql_common::{
    binds,
    executor::Executor as _,
    read, statement,
    stored::corrupt,
    types::{Id, Moment},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::PostgresStore;

statement! {
    /// The statement reads before it writes, because an `INSERT` locks a conflicting row: if the
    /// key has a draft or another holder's reservation, no lock is needed. Another worker may
    /// reserve the key after the read, so the upsert checks again (`excluded.used_at` is the time
    /// of the request). A row with a draft has no holder and no end, so it never looks free.
    ///
    /// A draft's `used_at` changes at most once a day. The upsert and this update both see the row
    /// as first read, so at most one of them writes it.
    Reserve = r"
        WITH asked (key, holder, reserved_until, now) AS (
            VALUES (:key::bytea, :holder::uuid, :until::timestamptz, :now::timestamptz)
        ),
        known AS (SELECT drafts.* FROM asked JOIN drafts USING (key)),
        granted AS (
            INSERT INTO drafts (key, holder, reserved_until, used_at)
            SELECT asked.* FROM asked LEFT JOIN known USING (key)
            WHERE known.key IS NULL OR known.holder = asked.holder
                OR known.reserved_until <= asked.now
            ON CONFLICT (key) DO UPDATE
            SET holder = excluded.holder, reserved_until = excluded.reserved_until
            WHERE drafts.holder = excluded.holder OR drafts.reserved_until <= excluded.used_at
            RETURNING key
        ),
        used AS (
            UPDATE drafts SET used_at = asked.now FROM asked
            WHERE drafts.key = asked.key AND drafts.draft IS NOT NULL
                AND drafts.used_at < asked.now - interval '24 hours'
        )
        SELECT EXISTS (SELECT FROM granted), known.key IS NOT NULL, known.draft, known.holder,
            known.reserved_until
        FROM asked LEFT JOIN known USING (key)",
    returns DraftRow
}

read! {
    DraftRow = drafts {
        is_granted: Bool,
        was_known: Bool,
        draft: Nullable<Text>,
        holder: Nullable<Id>,
        reserved_until: Nullable<Moment>,
    }
}

impl TryFrom<DraftRow> for Reservation {
    type Error = StoreError;

    fn try_from(row: DraftRow) -> Result<Self, StoreError> {
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
        // Another worker may have reserved the key after the read.
        Ok(Self::Taken)
    }
}

impl PostgresStore {
    pub(crate) async fn reserve_draft(
        &self,
        key: DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        self.repeatable(async move |conn| {
            let asked = binds! { key: key.as_bytes(), holder, until, now };
            let rows = conn.load::<Reserve>(asked).await?;
            let row = rows.into_iter().next();
            let row = row.ok_or_else(|| StoreError::Broken("asked, and no answer".into()))?;
            Ok(Reservation::try_from(row)?)
        })
        .await
    }
}
