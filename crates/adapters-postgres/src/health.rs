use async_trait::async_trait;
use diesel::{
    pg::Pg,
    sql_types::{BigInt, Bool, Nullable, Text},
};
use domain::store::{Health, ReplicaPosition, StoreClock};
use kernel::StoreError;
use sql_common::{executor::Executor as _, sql::Returning, statement};
use time::OffsetDateTime;

use crate::{
    PostgresStore,
    migrations::{self, MIGRATIONS},
};

statement! {
    /// Whether the server is a standby or read-only, and which privileges the role lacks.
    Writable = r"
        SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean, (
            SELECT string_agg(format('%s on %s', action, name), ', ') FROM (VALUES
                ('postings', 'INSERT'), ('postings', 'UPDATE'), ('posting_texts', 'INSERT'),
                ('posting_history', 'INSERT'), ('posting_decisions', 'INSERT'),
                ('statements', 'INSERT'), ('reports', 'INSERT'), ('reports', 'UPDATE'),
                ('companies', 'INSERT'), ('companies', 'UPDATE'),
                ('events', 'INSERT'), ('events', 'DELETE'), ('event_log', 'UPDATE'),
                ('outbox', 'INSERT'), ('outbox', 'UPDATE'), ('outbox', 'DELETE'),
                ('subscribers', 'INSERT'), ('subscribers', 'UPDATE'),
                ('clients', 'SELECT'), ('clients', 'UPDATE'), ('client_secrets', 'SELECT'),
                ('client_secrets', 'UPDATE'), ('client_days', 'INSERT'),
                ('client_days', 'UPDATE'), ('client_days', 'DELETE'),
                ('client_tallies', 'INSERT'), ('client_tallies', 'UPDATE'),
                ('client_refusals', 'INSERT'), ('client_refusals', 'DELETE')
            ) AS needed (name, action) WHERE NOT has_table_privilege(name, action)
        )",
    returns (Bool, Bool, Nullable<Text>);

    Clock = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
    returns (BigInt,);

    Place = r"
        SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
            ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn)::bigint",
    returns (BigInt,)
}

fn not_ready<T>(why: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Unavailable(why.into()))
}

#[async_trait]
impl Health for PostgresStore {
    async fn ready(&self) -> Result<(), StoreError> {
        let looked = self.connections.run(async |conn| {
            let pending = migrations::pending::<Pg>(conn, &MIGRATIONS).await?;
            if pending.is_empty() {
                let rows = conn.load::<Writable>(&[]).await?;
                Ok((pending, rows.into_iter().next()))
            } else {
                Ok((pending, None))
            }
        });
        let (pending, state) = looked.await?;
        if !pending.is_empty() {
            return not_ready(format!(
                "the schema lacks {}; run `posthaste migrate`",
                pending.join(", ")
            ));
        }
        match state {
            Some((true, _, _)) => not_ready(
                "the server is a standby; name all servers in the URL, with \
                 target_session_attrs=read-write",
            ),
            Some((_, true, _)) => not_ready("the database is read-only"),
            Some((_, _, Some(rights))) => {
                not_ready(format!("the role of the URL lacks rights: {rights}"))
            }
            _ => self.connections.check_commits(),
        }
    }
}

async fn number<S: Returning<Row = (i64,)>>(
    store: &PostgresStore,
) -> Result<Option<i64>, StoreError> {
    let asked = store.query(async |conn| Ok(conn.load::<S>(&[]).await?));
    Ok(asked.await?.first().map(|(number,)| *number))
}

#[async_trait]
impl StoreClock for PostgresStore {
    async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        let micros = number::<Clock>(self).await?;
        let now = micros.map(|micros| i128::from(micros) * 1_000);
        now.map(OffsetDateTime::from_unix_timestamp_nanos)
            .transpose()
            .map_err(|error| StoreError::Broken(error.to_string()))
    }
}

#[async_trait]
impl ReplicaPosition for PostgresStore {
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        let bytes = number::<Place>(self).await?;
        Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()))
    }
}
