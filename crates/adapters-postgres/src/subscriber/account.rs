//! The leases of the e-mail provider's accounts.

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use domain::{
    store::{Accounts, StoreError},
    subscriber::Account,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, execute, statement, texts},
    value::timestamp,
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
}
