//! How the activity of clients is written.
//!
//! Every transaction that writes rows of a client locks the row of the client first, and one that
//! locks several clients does so by id: no two wait for each other.

use access::activity::{DAYS_KEPT, REFUSALS_KEPT};
use diesel_async::AsyncPgConnection;
use kernel::StoreError;
use sql_common::{
    client::{ActivityRows, DayRow, RefusalRow},
    statement,
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

impl PostgresStore {
    /// Writes activity.
    pub(crate) async fn record_activity(&self, rows: ActivityRows) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.transaction(async move |conn| record(conn, &rows, &lock_timeout).await)
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
    async fn old_rows_are_found_by_their_client() {
        let plan = plan(Trim::text(), "").await;
        for index in ["client_days_pkey", "client_refusals_pkey"] {
            assert_uses_index(&plan, index);
        }
    }
}
