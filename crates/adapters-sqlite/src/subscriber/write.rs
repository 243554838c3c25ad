//! Writes subscribers.

use diesel::SqliteConnection;
use newsletter::store::{StoreError, SubscriberWrite};
use sql_common::{statement, subscriber::SubscriberRow};

use crate::{
    error::Failure,
    statement::{changing, execute, row},
};

statement! {
    Insert = "INSERT INTO subscribers ({subscribers}) VALUES ({subscribers ?})",
    over [SubscriberRow]
}

statement! {
    Update = "UPDATE subscribers SET {subscribers.changing = ?} WHERE id = ? AND version = ?",
    over [SubscriberRow]
}

/// Writes a subscriber. An unexpected version is a conflict, and so is an address that is taken.
pub(super) fn write(conn: &mut SqliteConnection, write: &SubscriberWrite) -> Result<(), Failure> {
    let subscriber = &write.subscriber;
    if let Some(expected) = write.expected {
        let mut values = changing::<SubscriberRow>(subscriber);
        values.push(subscriber.id.uuid().into());
        values.push(expected.into());
        if execute::<Update>(conn, &values)? == 0 {
            return Err(StoreError::Conflict.into());
        }
    } else {
        execute::<Insert>(conn, &row::<SubscriberRow>(subscriber))?;
    }
    Ok(())
}
