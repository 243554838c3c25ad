//! The tables `account_leases` and `account_states`: leases of the e-mail provider's accounts, and
//! the state of the accounts.

use std::collections::BTreeSet;

use diesel::sql_types::{Nullable, Text};
use newsletter::{
    store::{AccountState, StoreError},
    subscriber::Account,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds, each, entity,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::decoded,
    types::Moment,
};

entity! {
    StateRow = account_states of (Account, AccountState) {
        fixed {
            account: Text = Text(|(account, _)| Some(account.as_str())),
        }
        changing {
            paused_until: Nullable<Moment> = Time(|(_, state)| state.paused_until),
            pause_reason: Nullable<Text> = Text(|(_, state)| state.pause_reason.as_deref()),
            reconciled_at: Nullable<Moment> = Time(|(_, state)| state.reconciled_at),
        }
    }
}

statement! {
    /// Leases free accounts and those with expired leases, and renews this holder's leases.
    Lease = {
        postgres: r"
            INSERT INTO account_leases (account, holder, ends_at)
            SELECT account, :holder, :until FROM unnest(:account::text[]) AS wanted (account)
            ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
            WHERE account_leases.holder = excluded.holder OR account_leases.ends_at <= :now",
        sqlite: r"
            INSERT INTO account_leases (account, holder, ends_at) VALUES (:account, :holder, :until)
            ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
            WHERE holder = excluded.holder OR ends_at <= :now",
    }
}

/// Leases all of these accounts, in the order of locks, in the caller's transaction. A conflict if
/// an account is already leased.
pub async fn lease(
    conn: &mut impl Executor,
    accounts: &BTreeSet<&'static str>,
    holder: Uuid,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Outcome<()> {
    let rows = each! { accounts.iter().copied(), account => account };
    let lease = binds! { holder, until, now };
    if conn.execute_each::<Lease>(&rows, lease).await? == accounts.len() {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    Release = {
        postgres: r"
            WITH own AS MATERIALIZED (
                SELECT account FROM account_leases WHERE holder = :holder
                ORDER BY account FOR UPDATE
            )
            DELETE FROM account_leases USING own WHERE account_leases.account = own.account",
        sqlite: "DELETE FROM account_leases WHERE holder = :holder",
    }
}

pub async fn release(conn: &mut impl Executor, holder: Uuid) -> Outcome<()> {
    conn.execute::<Release>(binds! { holder }).await?;
    Ok(())
}

statement! {
    State = "SELECT {account_states} FROM account_states WHERE account = :account",
    returns StateRow
}

pub async fn account_state(conn: &mut impl Executor, account: Account) -> Outcome<AccountState> {
    let account = binds! { account: account.as_str() };
    let rows = conn.load::<State>(account).await?;
    let Some(row) = rows.into_iter().next() else {
        return Ok(AccountState::default());
    };
    Ok(decoded!(row of account_states => AccountState {
        paused_until, pause_reason, reconciled_at,
    }))
}

statement! {
    Keep = r"
        INSERT INTO account_states ({account_states}) VALUES ({account_states :})
        ON CONFLICT (account) DO UPDATE SET {account_states.changing = excluded}",
    over [StateRow]
}

pub async fn keep_account_state(
    conn: &mut impl Executor,
    account: Account,
    state: &AccountState,
) -> Outcome<()> {
    let state = (account, state.clone());
    conn.execute::<Keep>(&row::<StateRow>(&state)).await?;
    Ok(())
}
