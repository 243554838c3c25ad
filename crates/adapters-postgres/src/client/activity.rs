//! The activity of clients.

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
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
    },
    statement,
};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, binaries, columns, execute, load, times, uuids},
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

/// The activity of a client. The parts may be from different moments.
async fn activity(conn: &mut AsyncPgConnection, client: ClientId) -> Result<Activity, Failure> {
    let last_push: Vec<_> = load::<FindLastPush, _>(conn, &[client.uuid().into()]).await?;
    let days = FindDays::values(client).map(Value::from);
    let days: Vec<DayRow> = load::<FindDays, _>(conn, &days).await?;
    let refusals = FindRefusals::values(client).map(Value::from);
    let refusals: Vec<RefusalRow> = load::<FindRefusals, _>(conn, &refusals).await?;
    Ok(of(&last_push, days, refusals)?)
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

    async fn activity(&self, client: ClientId) -> Result<Activity, StoreError> {
        self.connections
            .run(async move |conn| activity(conn, client).await)
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn rows_are_found_by_their_client_in_order() {
        for (query, index) in [
            (FindDays::text(), "client_days_pkey"),
            (FindRefusals::text(), "client_refusals_pkey"),
        ] {
            let plan = plan(query, "").await;
            assert_uses_index(&plan, index);
            assert!(!plan.contains("Sort"), "{plan}");
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
