//! The activity of clients.

use std::collections::BTreeSet;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection};
use domain::{
    client::{
        Activity, ActivityLog, ClientId,
        activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT},
    },
    store::StoreError,
};
use sql_common::{
    client::{
        ActivityRows, DayRow, FindDays, FindLastPush, FindRefusals, RefusalRow, activity as of,
        clients,
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
        execute::<AddRefusal>(conn, &row::<RefusalRow>(refusal))?;
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

fn activity(conn: &mut SqliteConnection, client: ClientId) -> Result<Activity, Failure> {
    let last_push: Vec<_> = load::<FindLastPush, _>(conn, &[client.uuid().into()])?;
    let days: Vec<DayRow> = load::<FindDays, _>(conn, &FindDays::values(client))?;
    let refusals: Vec<RefusalRow> = load::<FindRefusals, _>(conn, &FindRefusals::values(client))?;
    Ok(of(&last_push, days, refusals)?)
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

    async fn activity(&self, client: ClientId) -> Result<Activity, StoreError> {
        self.connections
            .read(move |conn| activity(conn, client))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn rows_are_found_by_their_client_in_order() {
        for query in [
            FindDays::text(),
            FindRefusals::text(),
            TrimDays::text(),
            TrimRefusals::text(),
        ] {
            let plan = plan(query).await;
            assert!(plan.contains("USING PRIMARY KEY (client_id=?"), "{plan}");
            assert!(
                !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
                "{plan}"
            );
        }
    }
}
