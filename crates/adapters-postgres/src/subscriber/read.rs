//! Reading subscribers: for the rules, and for lists.

use std::{collections::HashMap, hash::Hash};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper,
    dsl::{AsSelect, IntoBoxed, sql},
    pg::Pg,
    sql_types::{BigInt, Bool, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use newsletter::{
    store::{StoreError, SubscriberCount, SubscriberFilter, SubscriberQuery, SubscriberReader},
    stored,
    subscriber::{Email, MigrationToken, Subscriber, SubscriberId},
};

use super::row::SubscriberRow;
use crate::{
    PostgresStore,
    error::Failure,
    schema::subscribers,
    statement::{self, statement},
};

/// The subscribers of these addresses.
pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    emails: &[Email],
) -> Result<HashMap<Email, Subscriber>, Failure> {
    if emails.is_empty() {
        return Ok(HashMap::new());
    }
    let emails: Vec<_> = emails.iter().map(Email::as_str).collect();
    let rows = subscribers::table
        .filter(subscribers::email.eq_any(emails))
        .select(SubscriberRow::as_select())
        .load(conn)
        .await?;
    by(rows, |subscriber| subscriber.email.clone())
}

/// The subscribers with these ids.
pub(super) async fn load_by_id(
    conn: &mut AsyncPgConnection,
    ids: &[SubscriberId],
) -> Result<HashMap<SubscriberId, Subscriber>, Failure> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let rows = subscribers::table
        .filter(subscribers::id.eq_any(ids))
        .select(SubscriberRow::as_select())
        .load(conn)
        .await?;
    by(rows, |subscriber| subscriber.id)
}

fn by<K: Eq + Hash>(
    rows: Vec<SubscriberRow>,
    key: impl Fn(&Subscriber) -> K,
) -> Result<HashMap<K, Subscriber>, Failure> {
    let mut known = HashMap::with_capacity(rows.len());
    for row in rows {
        let subscriber = Subscriber::try_from(row)?;
        known.insert(key(&subscriber), subscriber);
    }
    Ok(known)
}

/// The holder of a token.
pub(super) async fn find_by_token(
    conn: &mut AsyncPgConnection,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, Failure> {
    let row = subscribers::table
        .filter(subscribers::migration_token.eq(token.reveal()))
        .select(SubscriberRow::as_select())
        .first(conn)
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
        self.connections.run(async |conn| counts(conn).await).await
    }
}

statement! {
    Count =
    "SELECT migrated_at IS NOT NULL, status, \
     migrated_at IS NOT NULL AND NOT migration_arrived, count(*) \
     FROM subscribers WHERE reported_at IS NOT NULL GROUP BY 1, 2, 3",
    returns (Bool, Text, Bool, BigInt)
}

async fn counts(conn: &mut AsyncPgConnection) -> Result<Vec<SubscriberCount>, Failure> {
    let rows: Vec<(bool, String, bool, i64)> = statement::load::<Count, _>(conn, &[]).await?;
    let counts = rows
        .into_iter()
        .map(|row| stored::counts(row.0, row.1, row.2, row.3));
    let mut counts = counts.collect::<Result<Vec<_>, _>>()?;
    counts.sort_unstable();
    Ok(counts)
}

fn listed(query: &SubscriberQuery) -> IntoBoxed<'static, all, Pg> {
    let SubscriberQuery {
        filter,
        after,
        limit,
    } = query;
    let select = all()
        .order(subscribers::email.asc())
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
    let columns: AsSelect<SubscriberRow, Pg> = SubscriberRow::as_select();
    subscribers::table.select(columns)
}

#[cfg(test)]
mod tests {
    use diesel::debug_query;
    use newsletter::testing::email;

    use super::*;
    use crate::tests::plans::{goes_by, plan};

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
                goes_by(&plan, index);
                assert!(!plan.contains("Sort"), "{plan}");
            }
        }
    }
}
