//! The leases of the e-mail provider's accounts.

use async_trait::async_trait;
use diesel::{
    Queryable, SqliteConnection,
    sql_types::{BigInt, Nullable, Text},
};
use newsletter::{
    store::{AccountState, Accounts, StoreError},
    subscriber::Account,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    SqliteStore,
    error::Failure,
    statement::{execute, load, statement},
    value::{micros, time},
};

statement! {
    /// Takes one that is free, that has lapsed, or that is one's own.
    Lease =
    "INSERT INTO account_leases (account, holder, ends_at) VALUES (?, ?, ?) \
     ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at \
     WHERE holder = excluded.holder OR ends_at <= ?"
}

/// Leases all of these accounts, or fails with a conflict.
fn lease(
    conn: &mut SqliteConnection,
    accounts: &[Account],
    holder: Uuid,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    for account in accounts {
        let values = [
            account.as_str().into(),
            (&holder).into(),
            micros(until).into(),
            micros(now).into(),
        ];
        if execute::<Lease>(conn, &values)? == 0 {
            return Err(StoreError::Conflict.into());
        }
    }
    Ok(())
}

statement! {
    Release = "DELETE FROM account_leases WHERE holder = ?"
}

statement! {
    State =
    "SELECT paused_until, pause_reason, reconciled_at FROM account_states WHERE account = ?",
    returns (Nullable<BigInt>, Nullable<Text>, Nullable<BigInt>)
}

statement! {
    Keep =
    "INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) \
     VALUES (?, ?, ?, ?) ON CONFLICT (account) DO UPDATE SET \
     paused_until = excluded.paused_until, pause_reason = excluded.pause_reason, \
     reconciled_at = excluded.reconciled_at"
}

#[derive(Queryable)]
struct Row {
    paused_until: Option<i64>,
    pause_reason: Option<String>,
    reconciled_at: Option<i64>,
}

impl TryFrom<Row> for AccountState {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let at = |value: Option<i64>, column| value.map(|value| time(value, column)).transpose();
        Ok(Self {
            paused_until: at(row.paused_until, "account_states.paused_until")?,
            pause_reason: row.pause_reason,
            reconciled_at: at(row.reconciled_at, "account_states.reconciled_at")?,
        })
    }
}

#[async_trait]
impl Accounts for SqliteStore {
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        if accounts.is_empty() {
            return Ok(true);
        }
        let accounts = accounts.to_vec();
        let leased = self
            .connections
            .write(move |conn| lease(conn, &accounts, holder, until, now))
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
            .write(move |conn| {
                execute::<Release>(conn, &[(&holder).into()])?;
                Ok(())
            })
            .await
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let rows: Vec<Row> = self
            .connections
            .read(move |conn| Ok(load::<State, _>(conn, &[account.as_str().into()])?))
            .await?;
        let row = rows.into_iter().next();
        row.map_or_else(|| Ok(AccountState::default()), AccountState::try_from)
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let state = state.clone();
        self.connections
            .write(move |conn| {
                let values = [
                    account.as_str().into(),
                    state.paused_until.map(micros).into(),
                    (&state.pause_reason).into(),
                    state.reconciled_at.map(micros).into(),
                ];
                execute::<Keep>(conn, &values)?;
                Ok(())
            })
            .await
    }
}
