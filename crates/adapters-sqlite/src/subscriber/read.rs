//! Loads subscribers, for use cases and for lists.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SqliteConnection};
use newsletter::{
    store::{StoreError, SubscriberCount, SubscriberQuery, SubscriberReader},
    subscriber::{Email, MigrationToken, Subscriber, SubscriberId},
};
use sql_common::{
    subscriber::{self, Count, SubscriberRow, subscribers},
    types::StoredId,
};

use self::queries::{all, listed};
use crate::{IN_LIST, SqliteStore, error::Failure, statement};

/// Loads the subscribers with these addresses.
pub(super) fn load(
    conn: &mut SqliteConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Subscriber>, Failure> {
    let mut known = HashMap::with_capacity(emails.len());
    for emails in emails.chunks(IN_LIST) {
        let emails = emails.iter().map(Email::as_str);
        let found = all().filter(subscribers::email.eq_any(emails));
        known.extend(subscriber::by(found.load(conn)?, |it| it.email.clone())?);
    }
    Ok(known)
}

/// Loads the subscribers with these ids.
pub(super) fn load_by_id(
    conn: &mut SqliteConnection,
    ids: &[SubscriberId],
) -> Result<HashMap<SubscriberId, Subscriber>, Failure> {
    let mut known = HashMap::with_capacity(ids.len());
    for ids in ids.chunks(IN_LIST) {
        let ids = ids.iter().map(|id| StoredId::from(id.uuid()));
        let found = all().filter(subscribers::id.eq_any(ids));
        known.extend(subscriber::by(found.load(conn)?, |it| it.id)?);
    }
    Ok(known)
}

/// Finds the subscriber that a token belongs to.
pub(super) fn find_by_token(
    conn: &mut SqliteConnection,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, Failure> {
    let row = all()
        .filter(subscribers::migration_token.eq(token.reveal()))
        .first::<SubscriberRow>(conn)
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
        let counted = self
            .connections
            .read(|conn| Ok(statement::load::<Count, _>(conn, &[])?));
        subscriber::counts(counted.await?)
    }
}

fn list(conn: &mut SqliteConnection, query: &SubscriberQuery) -> Result<Vec<Subscriber>, Failure> {
    let rows = listed(query).load::<SubscriberRow>(conn)?;
    Ok(rows
        .into_iter()
        .map(Subscriber::try_from)
        .collect::<Result<_, _>>()?)
}

mod queries {
    sql_common::subscriber_queries!(diesel::sqlite::Sqlite);
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, sqlite::Sqlite};
    use newsletter::{store::SubscriberFilter, testing::email};

    use super::*;
    use crate::tests::assert_uses_index;

    #[tokio::test]
    async fn lists_are_read_in_order() {
        for after in [None, Some(email("a@example.com"))] {
            for (filter, index) in [
                // The index that SQLite made for the unique address.
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
                assert_uses_index(&text, index).await;
            }
        }
    }
}
