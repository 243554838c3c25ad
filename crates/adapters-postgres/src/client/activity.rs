//! The activity of clients.

use std::collections::HashMap;

use access::{
    Activity, ActivityLog,
    activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT},
};
use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use kernel::{ClientId, StoreError};
use sql_common::{
    client::{ActivityRows, DayRow, LastPushRow, RefusalRow, activities as of, stored_ids},
    statement,
    types::StoredId,
};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, binaries, columns, execute, times, uuids},
};

statement! {
    Record = include_str!("record.sql"),
    over [DayRow, RefusalRow]
}

statement! {
    /// Deletes the rows behind the newest ones of these clients. The statement that added rows
    /// cannot see them itself; other processes that add rows wait for its locks.
    Trim =
    "WITH days_trimmed AS ( \
         DELETE FROM client_days USING ( \
             SELECT client, oldest.date FROM unnest(?::uuid[]) AS of (client) \
             CROSS JOIN LATERAL (SELECT date FROM client_days WHERE client_id = client \
                 ORDER BY date DESC OFFSET ? LIMIT 1) AS oldest \
         ) AS kept WHERE client_id = kept.client AND client_days.date < kept.date \
     ) \
     DELETE FROM client_refusals USING ( \
         SELECT client, oldest.id FROM unnest(?::uuid[]) AS of (client) \
         CROSS JOIN LATERAL (SELECT id FROM client_refusals WHERE client_id = client \
             ORDER BY id DESC OFFSET ? LIMIT 1) AS oldest \
     ) AS kept WHERE client_id = kept.client AND client_refusals.id < kept.id"
}

/// The values of [`Trim`].
fn trim_values(rows: &ActivityRows) -> [Value<'_>; 4] {
    let behind = |kept: usize| {
        i64::try_from(kept.saturating_sub(1))
            .unwrap_or(i64::MAX)
            .into()
    };
    let [days, refusals] = [rows.with_days(), rows.with_refusals()];
    [
        Value::Uuids(days.into_iter().collect()),
        behind(DAYS_KEPT),
        Value::Uuids(refusals.into_iter().collect()),
        behind(REFUSALS_KEPT),
    ]
}

/// Writes activity, in a transaction of the caller's.
async fn record(
    conn: &mut AsyncPgConnection,
    rows: &ActivityRows,
    lock_timeout: &str,
) -> Result<(), Failure> {
    let mut values = vec![
        Value::from(lock_timeout),
        Value::Uuids(rows.clients().into_iter().collect()),
    ];
    values.extend(columns::<DayRow>(rows.days.iter()));
    values.extend([
        uuids(&rows.pushes, |push| push.client),
        times(&rows.pushes, |push| push.at),
        uuids(&rows.secrets, |used| used.client),
        binaries(&rows.secrets, |used| Some(&used.digest)),
        times(&rows.secrets, |used| used.at),
    ]);
    values.extend(columns::<RefusalRow>(rows.refusals.iter()));
    execute::<Record>(conn, &values).await?;
    execute::<Trim>(conn, &trim_values(rows)).await?;
    Ok(())
}

/// The activity of clients. The parts may be from different moments.
async fn activities(
    conn: &mut AsyncPgConnection,
    clients: Vec<StoredId>,
) -> Result<HashMap<ClientId, Activity>, Failure> {
    let pushes: Vec<LastPushRow> = queries::last_pushes(clients.clone()).load(conn).await?;
    let days: Vec<DayRow> = queries::days(clients.clone()).load(conn).await?;
    let refusals: Vec<RefusalRow> = queries::refusals(clients).load(conn).await?;
    Ok(of(pushes, days, refusals)?)
}

mod queries {
    sql_common::activity_queries!(diesel::pg::Pg);
}

#[async_trait]
impl ActivityLog for PostgresStore {
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let rows = ActivityRows::from(writes);
        let lock_timeout = self.connections.row_lock_timeout();
        self.connections
            .transaction(async move |conn| record(conn, &rows, &lock_timeout).await)
            .await
    }

    async fn activities(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Activity>, StoreError> {
        let clients = stored_ids(clients);
        self.connections
            .run(async move |conn| activities(conn, clients).await)
            .await
    }
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, pg::Pg};

    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn rows_are_found_by_their_client() {
        let (days, refusals) = (queries::days(Vec::new()), queries::refusals(Vec::new()));
        for (query, index) in [
            (debug_query::<Pg, _>(&days).to_string(), "client_days_pkey"),
            (
                debug_query::<Pg, _>(&refusals).to_string(),
                "client_refusals_pkey",
            ),
        ] {
            let plan = plan(&query, "").await;
            assert!(plan.contains(&format!(" on {index} ")), "{plan}");
            assert!(!plan.contains("Seq Scan"), "{plan}");
        }
    }

    #[tokio::test]
    async fn old_rows_are_found_by_their_client() {
        let plan = plan(Trim::text(), "").await;
        for index in ["client_days_pkey", "client_refusals_pkey"] {
            assert_uses_index(&plan, index);
        }
    }
}
