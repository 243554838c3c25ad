//! Reading subscribers: for the rules, and for lists.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SelectableHelper,
    SqliteConnection,
    dsl::{AsSelect, IntoBoxed, sql},
    sql_types::{BigInt, Bool, Text},
    sqlite::Sqlite,
};
use newsletter::{
    store::{StoreError, SubscriberCount, SubscriberFilter, SubscriberQuery, SubscriberReader},
    stored,
    subscriber::{Email, MigrationToken, Subscriber, SubscriberId},
};

use super::row::SubscriberRow;
use crate::{
    IN_LIST, SqliteStore,
    error::Failure,
    schema::subscribers,
    statement::{self, statement},
};

/// The subscribers of these addresses.
pub(super) fn load(
    conn: &mut SqliteConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Subscriber>, Failure> {
    let mut known = HashMap::with_capacity(emails.len());
    for emails in emails.chunks(IN_LIST) {
        let rows = subscribers::table
            .filter(subscribers::email.eq_any(emails.iter().map(Email::as_str)))
            .select(SubscriberRow::as_select())
            .load(conn)?;
        for row in rows {
            let subscriber = Subscriber::try_from(row)?;
            known.insert(subscriber.email.clone(), subscriber);
        }
    }
    Ok(known)
}

/// The subscribers with these ids.
pub(super) fn load_by_id(
    conn: &mut SqliteConnection,
    ids: &[SubscriberId],
) -> Result<HashMap<SubscriberId, Subscriber>, Failure> {
    let mut known = HashMap::with_capacity(ids.len());
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    for ids in ids.chunks(IN_LIST) {
        let rows = subscribers::table
            .filter(subscribers::id.eq_any(ids.iter().map(|id| id.as_bytes().as_slice())))
            .select(SubscriberRow::as_select())
            .load(conn)?;
        for row in rows {
            let subscriber = Subscriber::try_from(row)?;
            known.insert(subscriber.id, subscriber);
        }
    }
    Ok(known)
}

/// The holder of a token.
pub(super) fn find_by_token(
    conn: &mut SqliteConnection,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, Failure> {
    let row = subscribers::table
        .filter(subscribers::migration_token.eq(token.reveal()))
        .select(SubscriberRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(Subscriber::try_from).transpose()?)
}

#[async_trait]
impl SubscriberReader for SqliteStore {
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        let query = query.clone();
        self.connections.read(move |conn| list(conn, &query)).await
    }

    async fn counts(&self) -> Result<Vec<SubscriberCount>, StoreError> {
        self.connections.read(counts).await
    }
}

statement! {
    Count =
    "SELECT migrated_at IS NOT NULL, status, \
     migrated_at IS NOT NULL AND migration_arrived = 0, count(*) \
     FROM subscribers WHERE reported_at IS NOT NULL GROUP BY 1, 2, 3",
    returns (Bool, Text, Bool, BigInt)
}

fn counts(conn: &mut SqliteConnection) -> Result<Vec<SubscriberCount>, Failure> {
    let rows: Vec<(bool, String, bool, i64)> = statement::load::<Count, _>(conn, &[])?;
    let counts = rows
        .into_iter()
        .map(|row| stored::counts(row.0, row.1, row.2, row.3));
    let mut counts = counts.collect::<Result<Vec<_>, _>>()?;
    counts.sort_unstable();
    Ok(counts)
}

fn list(conn: &mut SqliteConnection, query: &SubscriberQuery) -> Result<Vec<Subscriber>, Failure> {
    let rows = listed(query).load::<SubscriberRow>(conn)?;
    Ok(rows
        .into_iter()
        .map(Subscriber::try_from)
        .collect::<Result<_, _>>()?)
}

fn listed(query: &SubscriberQuery) -> IntoBoxed<'static, all, Sqlite> {
    let SubscriberQuery {
        filter,
        after,
        limit,
    } = query;
    let select = all()
        .order(subscribers::email)
        .limit(i64::try_from(*limit).unwrap_or(i64::MAX))
        .into_boxed();
    // The conditions are those of the indexes, literally.
    let mut select = match filter {
        SubscriberFilter::Reported => select.filter(subscribers::reported_at.is_not_null()),
        SubscriberFilter::Unmigrated => select
            .filter(subscribers::reported_at.is_not_null())
            .filter(subscribers::migrated_at.is_null()),
        SubscriberFilter::Suppressed => select.filter(sql::<Bool>("status <> 'active'")),
    };
    if let Some(after) = after {
        select = select.filter(subscribers::email.gt(after.as_str().to_owned()));
    }
    select
}

#[diesel::dsl::auto_type]
fn all() -> _ {
    let columns: AsSelect<SubscriberRow, Sqlite> = SubscriberRow::as_select();
    subscribers::table.select(columns)
}

#[cfg(test)]
mod tests {
    use diesel::debug_query;
    use newsletter::testing::email;

    use super::*;
    use crate::tests::uses_index;

    #[tokio::test]
    async fn lists_are_read_in_order() {
        for after in [None, Some(email("a@example.com"))] {
            for (filter, index) in [
                // Which SQLite made for the unique address.
                (SubscriberFilter::Reported, "sqlite_autoindex_subscribers_2"),
                (SubscriberFilter::Unmigrated, "subscribers_unmigrated"),
                (SubscriberFilter::Suppressed, "subscribers_suppressed"),
            ] {
                let query = SubscriberQuery {
                    filter,
                    after: after.clone(),
                    limit: 50,
                };
                let text = debug_query::<Sqlite, _>(&listed(&query)).to_string();
                uses_index(&text, index).await;
            }
        }
    }
}
