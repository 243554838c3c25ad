//! The table `account_states`.

use diesel::sql_types::{Nullable, Text};
use newsletter::{
    store::{AccountState, StoreError},
    subscriber::Account,
};

use crate::{
    entity,
    entity::Entity,
    statement,
    types::{Moment, optional_time},
};

entity! {
    /// The state of an account of the e-mail provider.
    StateRow = account_states (account) of (Account, AccountState) {
        fixed {
            account: Text = Text(|(account, _)| Some(account.as_str())),
        }
        changing {
            paused_until: Nullable<Moment> = Time(|(_, state)| state.paused_until),
            pause_reason: Nullable<Text> = Text(|(_, state)| state.pause_reason.as_deref()),
            reconciled_at: Nullable<Moment> = Time(|(_, state)| state.reconciled_at),
        }
        apart {}
    }
}

statement! {
    /// Reads the state of an account.
    pub State = "SELECT {account_states} FROM account_states WHERE account = ?",
    over [StateRow],
    returns <StateRow as Entity>::Row
}

statement! {
    /// Keeps the state of an account.
    pub Keep =
    "INSERT INTO account_states ({account_states}) VALUES ({account_states ?}) \
     ON CONFLICT (account) DO UPDATE SET {account_states.changing = excluded}",
    over [StateRow]
}

/// The state of an account, from the rows that were read.
pub fn state(rows: Vec<StateRow>) -> Result<AccountState, StoreError> {
    let Some(row) = rows.into_iter().next() else {
        return Ok(AccountState::default());
    };
    Ok(AccountState {
        paused_until: optional_time(row.paused_until, "account_states.paused_until")?,
        pause_reason: row.pause_reason,
        reconciled_at: optional_time(row.reconciled_at, "account_states.reconciled_at")?,
    })
}
