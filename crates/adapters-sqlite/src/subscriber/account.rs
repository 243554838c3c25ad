//! The `Accounts` port: leases of the e-mail provider's accounts, and their state.

use async_trait::async_trait;
use diesel::SqliteConnection;
use newsletter::{
    store::{AccountState, Accounts, StoreError},
    subscriber::Account,
};
use sql_common::account::{Keep, State, StateRow, state};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    SqliteStore,
    error::Failure,
    statement::{execute, load, row, statement},
};

statement! {
    /// Takes an account that is not leased, whose lease has expired, or that this holder leases
    /// already.
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
            until.into(),
            now.into(),
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
            // The rollback releases those that were leased.
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
        let rows: Vec<StateRow> = self
            .connections
            .read(move |conn| Ok(load::<State, _>(conn, &[account.as_str().into()])?))
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
            .write(move |conn| {
                execute::<Keep>(conn, &row::<StateRow>(&state))?;
                Ok(())
            })
            .await
    }
}
