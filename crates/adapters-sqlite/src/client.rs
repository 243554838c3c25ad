//! How the activity of clients is written.

use std::collections::BTreeSet;

use access::activity::{DAYS_KEPT, REFUSALS_KEPT, Refusal};
use diesel::sql_types::Bool;
use kernel::StoreError;
use sql_common::{
    binds,
    client::{ActivityRows, DayRow, RefusalRow},
    entity::row,
    executor::{Executor, Outcome},
    statement,
    types::{Id, StoredId},
};

use crate::SqliteStore;

statement! {
    Snapshot = "SELECT id FROM clients WHERE id = :id", returns (Id,)
}

statement! {
    AddDay = r"
        INSERT INTO client_days ({client_days}) VALUES ({client_days :})
        ON CONFLICT (client_id, date) DO UPDATE SET {client_days.changing += excluded}",
    over [DayRow]
}

statement! {
    NotePush = r"
        UPDATE clients SET last_push_at = :at
        WHERE id = :client AND (last_push_at IS NULL OR last_push_at < :at)"
}

statement! {
    NoteUse = r"
        UPDATE client_secrets SET last_used_at = :at
        WHERE client_id = :client AND digest = :digest
            AND (last_used_at IS NULL OR last_used_at < :at)"
}

statement! {
    /// Whether the posting of an identifier was erased at this time or later.
    IsErased = r"
        SELECT EXISTS (
            SELECT 1 FROM audit
            WHERE at >= :at AND action = 'postings.erase' AND subject = :identifier
        )",
    returns (Bool,)
}

statement! {
    /// One that is there already came with a commit whose answer was lost.
    AddRefusal = r"
        INSERT INTO client_refusals ({client_refusals}) VALUES ({client_refusals :})
        ON CONFLICT (client_id, id) DO NOTHING",
    over [RefusalRow]
}

statement! {
    /// Deletes the days of a client behind the newest ones.
    TrimDays = r"
        DELETE FROM client_days WHERE client_id = :client AND date < (
            SELECT date FROM client_days WHERE client_id = :client
            ORDER BY date DESC LIMIT 1 OFFSET :behind
        )"
}

statement! {
    /// Deletes the refusals of a client behind the newest ones.
    TrimRefusals = r"
        DELETE FROM client_refusals WHERE client_id = :client AND id < (
            SELECT id FROM client_refusals WHERE client_id = :client
            ORDER BY id DESC LIMIT 1 OFFSET :behind
        )"
}

impl SqliteStore {
    /// Writes activity.
    pub(crate) async fn record_activity(&self, rows: ActivityRows) -> Result<(), StoreError> {
        self.transaction(async move |conn| record(conn, rows).await)
            .await
    }
}

async fn record(conn: &mut impl Executor, mut rows: ActivityRows) -> Outcome<()> {
    let asked = rows.clients().into_iter();
    let asked: Vec<_> = asked.map(|id| binds! { id }.to_vec()).collect();
    let known: Vec<(StoredId,)> = conn.load_each::<Snapshot, _>(&asked, &[]).await?;
    let known = known.into_iter().map(|(id,)| id.uuid("clients.id"));
    rows.retain(&known.collect::<Result<BTreeSet<_>, _>>()?);
    for day in &rows.days {
        conn.execute::<AddDay>(&row::<DayRow>(day)).await?;
    }
    for push in &rows.pushes {
        let push = binds! { at: push.at, client: push.client };
        conn.execute::<NotePush>(push).await?;
    }
    for used in &rows.secrets {
        let used = binds! { at: used.at, client: used.client, digest: &used.digest };
        conn.execute::<NoteUse>(used).await?;
    }
    for refusal in &rows.refusals {
        let Refusal { at, identifier, .. } = refusal.refusal();
        let asked = binds! { at: *at, identifier: identifier.as_str() };
        let is_erased: Vec<(bool,)> = conn.load::<IsErased, _>(asked).await?;
        if is_erased == [(false,)] {
            conn.execute::<AddRefusal>(&row::<RefusalRow>(refusal))
                .await?;
        }
    }
    let behind = |kept: usize| i64::try_from(kept.saturating_sub(1)).unwrap_or(i64::MAX);
    for client in rows.with_days() {
        let kept = binds! { client, behind: behind(DAYS_KEPT) };
        conn.execute::<TrimDays>(kept).await?;
    }
    for client in rows.with_refusals() {
        let kept = binds! { client, behind: behind(REFUSALS_KEPT) };
        conn.execute::<TrimRefusals>(kept).await?;
    }
    Ok(())
}
