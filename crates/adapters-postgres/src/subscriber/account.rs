//! The `Accounts` port: leases of the e-mail provider's accounts, and their state.

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{AccountState, Accounts, StoreError},
    subscriber::Account,
};
use sql_common::account::{Keep, State, StateRow, state};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, execute, load, row, statement, texts},
};

statement! {
    /// Takes accounts that are not leased, whose lease has expired, or that this holder leases
    /// already.
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
        Value::from(holder),
        Value::from(until),
        texts(accounts, |account| Some(account.as_str())),
        Value::from(now),
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
        // The order in which rows are locked.
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
            // The rollback releases those that were leased.
            Err(StoreError::Conflict) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn release(&self, holder: Uuid) -> Result<(), StoreError> {
        self.connections
            .run(async move |conn| {
                execute::<Release>(conn, &[Value::from(holder)]).await?;
                Ok(())
            })
            .await
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let rows: Vec<StateRow> = self
            .connections
            .run(async move |conn| Ok(load::<State, _>(conn, &[account.as_str().into()]).await?))
            .await?;
        state(rows)
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let state = (account, state.clone());
        self.connections
            .run(async move |conn| {
                execute::<Keep>(conn, &row::<StateRow>(&state)).await?;
                Ok(())
            })
            .await
    }
}
