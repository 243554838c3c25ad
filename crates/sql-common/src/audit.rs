//! The table `audit`.

use diesel::sql_types::{Nullable, Text};
use kernel::{
    StoreError,
    audit::{Action, AuditPosition, AuditQuery, Entry},
};
use uuid::Uuid;

use crate::{
    entity,
    entity::Entity,
    statement,
    stored::details,
    types::{Id, Moment, StoredTime},
    value::Value,
};

entity! {
    /// An action of an operator.
    AuditRow = audit (id) of Entry {
        fixed {
            id: Id = Id(|entry| Some(entry.id)),
            at: Moment = Time(|entry| Some(entry.at)),
            operator: Text = Text(|entry| Some(&entry.by)),
            action: Text = Text(|entry| Some(entry.action.as_str())),
            subject: Nullable<Text> = Text(|entry| entry.subject.as_deref()),
        }
        changing {
            details: Text = Document(|entry| &entry.details),
        }
        apart {}
    }
}

impl TryFrom<AuditRow> for Entry {
    type Error = StoreError;

    fn try_from(row: AuditRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.uuid("audit.id")?,
            at: row.at.time("audit.at")?,
            by: row.operator,
            action: Action::from_store(row.action),
            subject: row.subject,
            details: details(&row.details, "audit.details")?,
        })
    }
}

statement! {
    /// Reads a page, newest first.
    pub Read =
    "SELECT {audit} FROM audit \
     WHERE at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?",
    over [AuditRow],
    returns <AuditRow as Entity>::Row
}

impl Read {
    /// The values for a query of the log.
    pub fn values(query: &AuditQuery) -> [Value<'static>; 4] {
        let before = query.before;
        let (at, id) = before.map_or(
            (StoredTime::MAX, Uuid::max()),
            |AuditPosition { at, id }| (at.into(), id),
        );
        [
            query.since.map_or(StoredTime::MIN, StoredTime::from).into(),
            at.into(),
            id.into(),
            i64::try_from(query.limit).unwrap_or(i64::MAX).into(),
        ]
    }
}
