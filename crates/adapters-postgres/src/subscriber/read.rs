//! Loads subscribers, for use cases and for lists.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use newsletter::{
    store::{StoreError, SubscriberCount, SubscriberQuery, SubscriberReader},
    subscriber::{Email, MigrationToken, Subscriber, SubscriberId},
};
use sql_common::{
    subscriber::{self, Count, SubscriberRow, subscribers},
    types::StoredId,
};

use self::queries::{all, listed};
use crate::{PostgresStore, error::Failure, statement};

/// Loads the subscribers with these addresses.
pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Subscriber>, Failure> {
    if emails.is_empty() {
        return Ok(HashMap::new());
    }
    let emails: Vec<_> = emails.iter().map(Email::as_str).collect();
    let found = all().filter(subscribers::email.eq_any(emails));
    let found = subscriber::by(found.load(conn).await?, |it| it.email.clone())?;
    Ok(found.into_iter().collect())
}

/// Loads the subscribers with these ids.
pub(super) async fn load_by_id(
    conn: &mut AsyncPgConnection,
    ids: &[SubscriberId],
) -> Result<HashMap<SubscriberId, Subscriber>, Failure> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<_> = ids.iter().map(|id| StoredId::from(id.uuid())).collect();
    let found = all().filter(subscribers::id.eq_any(ids));
    let found = subscriber::by(found.load(conn).await?, |it| it.id)?;
    Ok(found.into_iter().collect())
}

/// Finds the subscriber that a token belongs to.
pub(super) async fn find_by_token(
    conn: &mut AsyncPgConnection,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, Failure> {
    let row = all()
        .filter(subscribers::migration_token.eq(token.reveal()))
        .first::<SubscriberRow>(conn)
        .await
        .optional()?;
    Ok(row.map(Subscriber::try_from).transpose()?)
}

#[async_trait]
impl SubscriberReader for PostgresStore {
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        let query = query.clone();
        self.connections
            .run(async move |conn| {
                let rows = listed(&query).load::<SubscriberRow>(conn).await?;
                Ok(rows
                    .into_iter()
                    .map(Subscriber::try_from)
                    .collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn counts(&self) -> Result<Vec<SubscriberCount>, StoreError> {
        let counted = self
            .connections
            .run(async |conn| Ok(statement::load::<Count, _>(conn, &[]).await?));
        subscriber::counts(counted.await?)
    }
}

mod queries {
    sql_common::subscriber_queries!(diesel::pg::Pg);
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, pg::Pg};
    use newsletter::{store::SubscriberFilter, testing::email};

    use super::*;
    use crate::tests::plans::{assert_uses_index, plan};

    #[tokio::test]
    async fn lists_are_read_in_order() {
        for after in [None, Some(email("a@example.com"))] {
            for (filter, index) in [
                (SubscriberFilter::Reported, "subscribers_email_key"),
                (SubscriberFilter::Unmigrated, "subscribers_unmigrated"),
                (SubscriberFilter::Suppressed, "subscribers_suppressed"),
            ] {
                let query = SubscriberQuery {
                    filter,
                    after: after.clone(),
                    limit: 50,
                };
                let text = debug_query::<Pg, _>(&listed(&query)).to_string();
                let plan = plan(&text, "").await;
                assert_uses_index(&plan, index);
                assert!(!plan.contains("Sort"), "{plan}");
            }
        }
    }
}
