//! Writes the activity of clients.
//!
//! A transaction that writes a client's rows locks the client first, several clients by id: no two
//! wait for each other.

use access::activity::{ActivityWrites, DAYS_KEPT, REFUSALS_KEPT};
use diesel_async::AsyncPgConnection;
use kernel::StoreError;
use sql_common::{
    binds,
    client::{
        DayRow, PushNoted, RefusalRow, TallyRow, UseNoted, clients_of, days_of, refusals_of,
        tallies_of,
    },
    statement,
    stored::most,
};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{NamedValue, Value, arrays, execute},
};

statement! {
    Record = include_str!("record.sql"),
    over [DayRow, TallyRow, PushNoted, UseNoted, RefusalRow]
}

statement! {
    /// Deletes all but the newest rows of these clients. The inserting statement cannot see its own
    /// rows; other inserting processes wait for its locks.
    Trim = r"
        WITH days_trimmed AS (
            DELETE FROM client_days USING (
                SELECT client, oldest.date FROM unnest(:with_days::uuid[]) AS of (client)
                CROSS JOIN LATERAL (
                    SELECT date FROM client_days WHERE client_id = client
                    ORDER BY date DESC OFFSET :behind_days LIMIT 1
                ) AS oldest
            ) AS kept WHERE client_id = kept.client AND client_days.date < kept.date
        )
        DELETE FROM client_refusals USING (
            SELECT client, oldest.id FROM unnest(:with_refusals::uuid[]) AS of (client)
            CROSS JOIN LATERAL (
                SELECT id FROM client_refusals WHERE client_id = client
                ORDER BY id DESC OFFSET :behind_refusals LIMIT 1
            ) AS oldest
        ) AS kept WHERE client_id = kept.client AND client_refusals.id < kept.id"
}

async fn record(
    conn: &mut AsyncPgConnection,
    writes: &ActivityWrites,
    lock_timeout: &str,
) -> Result<(), Failure> {
    let clients = Value::Uuids(clients_of(writes).into_iter().collect());
    let mut values: Vec<NamedValue<'_>> = binds! { lock_timeout, clients }.to_vec();
    values.extend(arrays::<DayRow>(writes.days.iter()));
    let tallies = tallies_of(writes);
    values.extend(arrays::<TallyRow>(tallies.iter()));
    values.extend(arrays::<PushNoted>(writes.pushes.iter()));
    values.extend(arrays::<UseNoted>(writes.secrets.iter()));
    values.extend(arrays::<RefusalRow>(writes.refusals.iter()));
    execute::<Record>(conn, &values).await?;
    let behind = |kept: usize| most(kept.saturating_sub(1));
    let kept = binds! {
        with_days: Value::Uuids(days_of(writes).into_iter().collect()),
        behind_days: behind(DAYS_KEPT),
        with_refusals: Value::Uuids(refusals_of(writes).into_iter().collect()),
        behind_refusals: behind(REFUSALS_KEPT),
    };
    execute::<Trim>(conn, kept).await?;
    Ok(())
}

impl PostgresStore {
    pub(crate) async fn record_activity(&self, writes: ActivityWrites) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.transaction(async move |conn| record(conn, &writes, &lock_timeout).await)
            .await
    }
}
