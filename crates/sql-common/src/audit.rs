//! The table `audit`.

use std::slice;

use diesel::sql_types::{Nullable, Text};
use kernel::audit::{AuditPosition, AuditQuery, Entry};
use uuid::Uuid;

use crate::{
    binds, entity,
    entity::row,
    executor::{Executor, Outcome, values},
    statement,
    stored::{decode, most},
    types::{Id, Moment, StoredTime},
};

entity! {
    AuditRow = audit of Entry {
        fixed {
            id: Id = Id(|entry| Some(entry.id)),
            run: Id = Id(|entry| Some(entry.run)),
            at: Moment = Time(|entry| Some(entry.at)),
            operator: Text = Text(|entry| Some(&entry.by)),
            action: Text = Text(|entry| Some(entry.action.as_str())),
            subject: Nullable<Text> = Text(|entry| entry.subject.as_deref()),
        }
        changing {
            details: Text = Document(|entry| Some(&entry.details)),
        }
    }
}

decode! { row: AuditRow of audit => Entry { id, run, at, by: operator, action, subject, details } }

statement! {
    Write = r"
        INSERT INTO audit ({audit}) {audit rows}
        ON CONFLICT (id) DO UPDATE SET {audit.changing = excluded}",
    over [AuditRow]
}

pub async fn write(conn: &mut impl Executor, entries: &[Entry]) -> Outcome<()> {
    let rows: Vec<_> = entries.iter().map(row::<AuditRow>).collect();
    conn.execute_each::<Write>(&rows, &[]).await?;
    Ok(())
}

pub async fn write_entry(conn: &mut impl Executor, entry: Option<&Entry>) -> Outcome<()> {
    write(conn, entry.map_or(&[], slice::from_ref)).await
}

statement! {
    Read = r"
        SELECT {audit} FROM audit WHERE at >= :since AND (at, id) < (:before, :before_id)
        ORDER BY at DESC, id DESC LIMIT :limit",
    returns AuditRow
}

/// Selects a page by operator, action or subject, with a range condition on the column's index.
/// With `=`, PostgreSQL might instead scan all entries from the newest.
fn page_of(column: &str, rest: &str) -> String {
    format!(
        "SELECT {{audit}} FROM audit
        WHERE ({column}, at) >= (:{column}, :since)
            AND ({column}, at, id) < (:{column}, :before, :before_id){rest}
        ORDER BY {column} DESC, at DESC, id DESC LIMIT :limit"
    )
}

statement! {
    ReadOperator = &page_of("operator", ""),
    returns AuditRow;

    ReadAction = &page_of("action", ""),
    returns AuditRow;

    ReadBoth = &page_of("operator", " AND action = :action"),
    returns AuditRow;

    ReadSubject = &page_of(
        "subject",
        " AND operator = coalesce(:operator, operator) AND action = coalesce(:action, action)"
    ),
    returns AuditRow
}

pub async fn entries(conn: &mut impl Executor, query: &AuditQuery) -> Outcome<Vec<Entry>> {
    let (before, before_id) = query.before.map_or(
        (StoredTime::MAX, Uuid::max()),
        |AuditPosition { at, id }| (at.into(), id),
    );
    let since = query.since.map_or(StoredTime::MIN, StoredTime::from);
    let limit = most(query.limit);
    let (operator, action) = (query.by.as_deref(), query.action.as_deref());
    if let Some(subject) = query.subject.as_deref() {
        let page = binds! { subject, operator, action, since, before, before_id, limit };
        return values(conn.load::<ReadSubject>(page).await?);
    }
    values(match (operator, action) {
        (None, None) => {
            let page = binds! { since, before, before_id, limit };
            conn.load::<Read>(page).await?
        }
        (Some(operator), None) => {
            let page = binds! { operator, since, before, before_id, limit };
            conn.load::<ReadOperator>(page).await?
        }
        (None, Some(action)) => {
            let page = binds! { action, since, before, before_id, limit };
            conn.load::<ReadAction>(page).await?
        }
        (Some(operator), Some(action)) => {
            let page = binds! { operator, action, since, before, before_id, limit };
            conn.load::<ReadBoth>(page).await?
        }
    })
}
