//! The leases of the e-mail provider's accounts.

use async_trait::async_trait;
use diesel::{
    Queryable,
    pg::data_types::PgTimestamp,
    sql_types::{Nullable, Text, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{AccountState, Accounts, StoreError},
    subscriber::Account,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, execute, load, statement, texts, times},
    value::{time, timestamp},
};

statement! {
    /// Takes what is free, what has lapsed, and what is one's own.
    Lease =
    "INSERT INTO account_leases (account, holder, ends_at) \
     SELECT account, ?, ? FROM unnest(?) AS wanted (account) \
     ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at \
     WHERE account_leases.holder = excluded.holder OR account_leases.ends_at <= ?"
}

/// Leases all of these accounts, or fails with a conflict.
async fn lease(
    conn: &mut AsyncPgConnection,
    accounts: &[Account],
    holder: Uuid,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let values = [
        Value::Uuid(holder),
        Value::Time(timestamp(until)),
        texts(accounts, |account| Some(account.as_str())),
        Value::Time(timestamp(now)),
    ];
    if execute::<Lease>(conn, &values).await? == accounts.len() {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    Release =
    "WITH own AS MATERIALIZED (\
     SELECT account FROM account_leases WHERE holder = ? ORDER BY account FOR UPDATE) \
     DELETE FROM account_leases USING own WHERE account_leases.account = own.account"
}

statement! {
    State =
    "SELECT paused_until, pause_reason, reconciled_at FROM account_states WHERE account = ?",
    returns (Nullable<Timestamptz>, Nullable<Text>, Nullable<Timestamptz>)
}

statement! {
    Keep =
    "INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) \
     SELECT * FROM unnest(?, ?, ?, ?) ON CONFLICT (account) DO UPDATE SET \
     paused_until = excluded.paused_until, pause_reason = excluded.pause_reason, \
     reconciled_at = excluded.reconciled_at"
}

#[derive(Queryable)]
struct Row {
    paused_until: Option<PgTimestamp>,
    pause_reason: Option<String>,
    reconciled_at: Option<PgTimestamp>,
}

impl TryFrom<Row> for AccountState {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let at =
            |value: Option<PgTimestamp>, column| value.map(|value| time(value, column)).transpose();
        Ok(Self {
            paused_until: at(row.paused_until, "account_states.paused_until")?,
            pause_reason: row.pause_reason,
            reconciled_at: at(row.reconciled_at, "account_states.reconciled_at")?,
        })
    }
}

#[async_trait]
impl Accounts for PostgresStore {
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut accounts = accounts.to_vec();
        // The order in which their rows are locked.
        accounts.sort_unstable_by_key(|account| account.as_str());
        accounts.dedup();
        if accounts.is_empty() {
            return Ok(true);
        }
        let leased = self
            .connections
            .transaction(async move |conn| lease(conn, &accounts, holder, until, now).await)
            .await;
        match leased {
            Ok(()) => Ok(true),
            // Those that were leased are given back with the transaction.
            Err(StoreError::Conflict) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn release(&self, holder: Uuid) -> Result<(), StoreError> {
        self.connections
            .run(async move |conn| {
                execute::<Release>(conn, &[Value::Uuid(holder)]).await?;
                Ok(())
            })
            .await
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let rows: Vec<Row> = self
            .connections
            .run(async move |conn| {
                Ok(load::<State, _>(conn, &[Value::Text(account.as_str())]).await?)
            })
            .await?;
        let row = rows.into_iter().next();
        row.map_or_else(|| Ok(AccountState::default()), AccountState::try_from)
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let state = [state.clone()];
        self.connections
            .run(async move |conn| {
                let values = [
                    texts(&state, |_| Some(account.as_str())),
                    times(&state, |state| state.paused_until.map(timestamp)),
                    texts(&state, |state| state.pause_reason.as_deref()),
                    times(&state, |state| state.reconciled_at.map(timestamp)),
                ];
                execute::<Keep>(conn, &values).await?;
                Ok(())
            })
            .await
    }
}
