//! Writing subscribers.

use diesel::SqliteConnection;
use domain::day;
use newsletter::{
    store::{StoreError, SubscriberWrite},
    subscriber::{Account, Departure, Subscriber, SubscriberId},
};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, execute, statement},
    value::micros,
};

statement! {
    Insert =
    "INSERT INTO subscribers (\
     version, reported_at, name, country, membership_plan_category, membership_status, \
     membership_expires_at, status, suppressed_by, suppressed_in, suppressed_at, \
     suppressed_because, reinstated_at, departure, moved_to, old_id, old_is_quiet, \
     old_is_withdrawn, new_id, new_is_quiet, new_is_withdrawn, as_of, migrated_at, \
     migration_source, migration_arrived, migration_shown_in, migration_token, told, told_at, \
     updated_at, email, id) \
     VALUES (\
     ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
}

statement! {
    Update =
    "UPDATE subscribers SET \
     version = ?, reported_at = ?, name = ?, country = ?, membership_plan_category = ?, \
     membership_status = ?, membership_expires_at = ?, status = ?, suppressed_by = ?, \
     suppressed_in = ?, suppressed_at = ?, suppressed_because = ?, reinstated_at = ?, \
     departure = ?, moved_to = ?, old_id = ?, old_is_quiet = ?, old_is_withdrawn = ?, \
     new_id = ?, new_is_quiet = ?, new_is_withdrawn = ?, as_of = ?, migrated_at = ?, \
     migration_source = ?, migration_arrived = ?, migration_shown_in = ?, migration_token = ?, \
     told = ?, told_at = ?, updated_at = ?, email = ? \
     WHERE id = ? AND version = ?"
}

/// Writes a subscriber. A version that is not the expected one is a conflict, and so is an
/// address that was taken.
pub(super) fn write(conn: &mut SqliteConnection, write: &SubscriberWrite) -> Result<(), Failure> {
    let SubscriberWrite {
        expected,
        subscriber,
    } = write;
    let id = subscriber.id.uuid();
    let membership = subscriber.membership;
    let expires_at = membership.and_then(|membership| membership.expires_at);
    let expires_at = expires_at.map(day::write);
    let successor = subscriber.departure.and_then(Departure::successor);
    let successor = successor.map(SubscriberId::uuid);
    let changing = changing(subscriber, expires_at.as_deref(), successor.as_ref());
    if let Some(expected) = expected {
        let key = [(&id).into(), (*expected).into()];
        if execute::<Update>(conn, &[&changing[..], &key].concat())? == 0 {
            return Err(StoreError::Conflict.into());
        }
    } else {
        execute::<Insert>(conn, &[&changing[..], &[(&id).into()]].concat())?;
    }
    Ok(())
}

/// The values of the columns that may change in the life of a subscriber, in the order of both
/// statements.
fn changing<'a>(
    subscriber: &'a Subscriber,
    expires_at: Option<&'a str>,
    successor: Option<&'a Uuid>,
) -> [Value<'a>; 31] {
    let Subscriber {
        membership,
        migrated,
        places,
        ..
    } = subscriber;
    let suppression = subscriber.suppression.as_ref();
    [
        subscriber.version.into(),
        subscriber.reported_at.map(micros).into(),
        (&subscriber.name).into(),
        (&subscriber.country).into(),
        membership
            .map(|membership| membership.plan_category.as_str())
            .into(),
        membership
            .map(|membership| membership.status.as_str())
            .into(),
        expires_at.into(),
        subscriber.status.as_str().into(),
        suppression.map(|it| it.source.as_str()).into(),
        suppression
            .and_then(|it| it.account)
            .map(Account::as_str)
            .into(),
        suppression.map(|it| micros(it.at)).into(),
        suppression.and_then(|it| it.reason.as_deref()).into(),
        subscriber.reinstated_at.map(micros).into(),
        subscriber.departure.map(|it| it.kind().as_str()).into(),
        Value::Blob(successor.map(|id| id.as_bytes().as_slice())),
        places.old.id.as_ref().map(|id| id.0.as_str()).into(),
        places.old.is_quiet.into(),
        places.old.is_withdrawn.into(),
        places.new.id.as_ref().map(|id| id.0.as_str()).into(),
        places.new.is_quiet.into(),
        places.new.is_withdrawn.into(),
        subscriber.as_of.map(micros).into(),
        migrated.map(|migrated| micros(migrated.at)).into(),
        migrated.map(|migrated| migrated.source.as_str()).into(),
        migrated.is_some_and(|migrated| migrated.arrived).into(),
        migrated.and_then(sql_common::subscriber::shown_in).into(),
        subscriber.token.reveal().into(),
        Value::Blob(subscriber.synced_digest.as_ref().map(<[u8; 32]>::as_slice)),
        subscriber.told_at.map(micros).into(),
        micros(subscriber.updated_at).into(),
        subscriber.email.as_str().into(),
    ]
}
