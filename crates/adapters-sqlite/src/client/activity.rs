//! The activity of clients.

use std::collections::{BTreeSet, HashMap};

use access::{
    Activity, ActivityLog,
    activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT, Refusal},
};
use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection, sql_types::Bool};
use kernel::{ClientId, StoreError};
use sql_common::{
    client::{
        ActivityRows, DayRow, LastPushRow, RefusalRow, activities as of, clients, stored_ids,
    },
    statement,
    types::StoredId,
};
use uuid::Uuid;

use crate::{
    IN_LIST, SqliteStore,
    error::Failure,
    statement::{execute, load, row},
};

statement! {
    AddDay =
    "INSERT INTO client_days ({client_days}) VALUES ({client_days ?}) \
     ON CONFLICT (client_id, date) DO UPDATE SET {client_days.changing += excluded}",
    over [DayRow]
}

statement! {
    NotePush =
    "UPDATE clients SET last_push_at = ? \
     WHERE id = ? AND (last_push_at IS NULL OR last_push_at < ?)"
}

statement! {
    NoteUse =
    "UPDATE client_secrets SET last_used_at = ? \
     WHERE client_id = ? AND digest = ? AND (last_used_at IS NULL OR last_used_at < ?)"
}

statement! {
    /// Whether the posting of an identifier was erased at this time or later.
    IsErased =
    "SELECT EXISTS (SELECT 1 FROM audit \
     WHERE at >= ? AND action = 'postings.erase' AND subject = ?)",
    returns (Bool,)
}

statement! {
    /// One that is there already came with a commit whose answer was lost.
    AddRefusal =
    "INSERT INTO client_refusals ({client_refusals}) VALUES ({client_refusals ?}) \
     ON CONFLICT (client_id, id) DO NOTHING",
    over [RefusalRow]
}

statement! {
    /// Deletes the days of a client behind the newest ones.
    TrimDays =
    "DELETE FROM client_days WHERE client_id = ? AND date < (\
     SELECT date FROM client_days WHERE client_id = ? ORDER BY date DESC LIMIT 1 OFFSET ?)"
}

statement! {
    /// Deletes the refusals of a client behind the newest ones.
    TrimRefusals =
    "DELETE FROM client_refusals WHERE client_id = ? AND id < (\
     SELECT id FROM client_refusals WHERE client_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"
}

/// Those of these clients that are stored.
fn known(conn: &mut SqliteConnection, asked: &BTreeSet<Uuid>) -> Result<BTreeSet<Uuid>, Failure> {
    let asked: Vec<_> = asked.iter().copied().map(StoredId::from).collect();
    let mut known = BTreeSet::new();
    for ids in asked.chunks(IN_LIST) {
        let found: Vec<StoredId> = clients::table
            .filter(clients::id.eq_any(ids))
            .select(clients::id)
            .load(conn)?;
        for id in found {
            known.insert(id.uuid("clients.id")?);
        }
    }
    Ok(known)
}

fn record(conn: &mut SqliteConnection, mut rows: ActivityRows) -> Result<(), Failure> {
    rows.retain(&known(conn, &rows.clients())?);
    for day in &rows.days {
        execute::<AddDay>(conn, &row::<DayRow>(day))?;
    }
    for push in &rows.pushes {
        let at = push.at.into();
        execute::<NotePush>(conn, &[at, push.client.into(), at])?;
    }
    for used in &rows.secrets {
        let at = used.at.into();
        execute::<NoteUse>(conn, &[at, used.client.into(), (&used.digest).into(), at])?;
    }
    for refusal in &rows.refusals {
        let Refusal { at, identifier, .. } = refusal.refusal();
        let values = [(*at).into(), identifier.as_str().into()];
        let is_erased: Vec<(bool,)> = load::<IsErased, _>(conn, &values)?;
        if is_erased == [(false,)] {
            execute::<AddRefusal>(conn, &row::<RefusalRow>(refusal))?;
        }
    }
    let behind = |kept: usize| {
        i64::try_from(kept.saturating_sub(1))
            .unwrap_or(i64::MAX)
            .into()
    };
    for client in rows.with_days() {
        execute::<TrimDays>(conn, &[client.into(), client.into(), behind(DAYS_KEPT)])?;
    }
    for client in rows.with_refusals() {
        let behind = behind(REFUSALS_KEPT);
        execute::<TrimRefusals>(conn, &[client.into(), client.into(), behind])?;
    }
    Ok(())
}

fn activities(
    conn: &mut SqliteConnection,
    clients: &[StoredId],
) -> Result<HashMap<ClientId, Activity>, Failure> {
    let (mut pushes, mut days, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
    for ids in clients.chunks(IN_LIST) {
        let ids = || ids.to_vec();
        pushes.extend(queries::last_pushes(ids()).load::<LastPushRow>(conn)?);
        days.extend(queries::days(ids()).load::<DayRow>(conn)?);
        refusals.extend(queries::refusals(ids()).load::<RefusalRow>(conn)?);
    }
    Ok(of(pushes, days, refusals)?)
}

mod queries {
    sql_common::activity_queries!(diesel::sqlite::Sqlite);
}

#[async_trait]
impl ActivityLog for SqliteStore {
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let rows = ActivityRows::from(writes);
        self.connections.write(move |conn| record(conn, rows)).await
    }

    async fn activities(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Activity>, StoreError> {
        let clients = stored_ids(clients);
        self.connections
            .read(move |conn| activities(conn, &clients))
            .await
    }
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, sqlite::Sqlite};

    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn erasures_are_looked_for_among_the_newest_entries() {
        let plan = plan(IsErased::text()).await;
        assert!(plan.contains("INDEX audit_newest (at>?)"), "{plan}");
    }

    #[tokio::test]
    async fn rows_are_found_by_their_client() {
        let ids = || vec![StoredId::from(Uuid::nil())];
        for query in [
            debug_query::<Sqlite, _>(&queries::days(ids())).to_string(),
            debug_query::<Sqlite, _>(&queries::refusals(ids())).to_string(),
            TrimDays::text().to_owned(),
            TrimRefusals::text().to_owned(),
        ] {
            let plan = plan(&query).await;
            assert!(plan.contains("USING PRIMARY KEY (client_id=?"), "{plan}");
            assert!(
                !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
                "{plan}"
            );
        }
    }
}
