//! The ports of the operators' console.

use std::slice;

use access::sign_in::{SignInToken, SignInTokenKind, SignInTokens, TokenDigest};
use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use domain::browse::{PostingBrowser, PostingSummary, Window};
use kernel::{Status, StoreError, audit::Entry};
use sql_common::console::{
    ByIdentifier, CountStatus, End, Find, Forget, Insert, Newest, NewestOfStatus, Order,
    SignInTokenRow, SummaryRow, Take, summary,
};
use time::OffsetDateTime;

use crate::{
    PostgresStore, audit,
    error::Failure,
    statement::{Value, execute, load, row},
};

async fn insert(
    conn: &mut AsyncPgConnection,
    pass: &SignInToken,
    entry: &Entry,
) -> Result<(), Failure> {
    execute::<Insert>(conn, &row::<SignInTokenRow>(pass)).await?;
    audit::write(conn, slice::from_ref(entry)).await
}

#[async_trait]
impl SignInTokens for PostgresStore {
    async fn add_token(&self, pass: &SignInToken, entry: &Entry) -> Result<(), StoreError> {
        let (pass, entry) = (pass.clone(), entry.clone());
        self.connections
            .transaction(async move |conn| insert(conn, &pass, &entry).await)
            .await
    }

    async fn find_token(
        &self,
        kind: SignInTokenKind,
        digest: &TokenDigest,
    ) -> Result<Option<SignInToken>, StoreError> {
        let digest = *digest;
        let found: Vec<SignInTokenRow> = self
            .connections
            .run(async move |conn| {
                let values = Find::values(kind, &digest).map(Value::from);
                Ok(load::<Find, _>(conn, &values).await?)
            })
            .await?;
        found
            .into_iter()
            .next()
            .map(SignInToken::try_from)
            .transpose()
    }

    async fn redeem_link(
        &self,
        link: &TokenDigest,
        session: &SignInToken,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let (link, session, entry) = (*link, session.clone(), entry.clone());
        self.connections
            .transaction(async move |conn| {
                let values = [(&link).into(), session.created_at.into()];
                let is_taken = execute::<Take>(conn, &values).await? > 0;
                if is_taken {
                    insert(conn, &session, &entry).await?;
                }
                Ok(is_taken)
            })
            .await
    }

    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError> {
        let (session, entry) = (*session, entry.clone());
        self.connections
            .transaction(async move |conn| {
                let is_ended = execute::<End>(conn, &[(&session).into()]).await? > 0;
                if is_ended {
                    audit::write(conn, slice::from_ref(&entry)).await?;
                }
                Ok(is_ended)
            })
            .await
    }

    async fn forget_tokens(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let values = Forget::values(before, limit).map(Value::from);
        self.connections
            .run(async move |conn| Ok(execute::<Forget>(conn, &values).await?))
            .await
    }
}

#[async_trait]
impl PostingBrowser for PostgresStore {
    async fn window(&self, window: &Window) -> Result<Vec<PostingSummary>, StoreError> {
        let (order, limit) = (Order::from(&window.order), window.limit);
        let rows: Vec<SummaryRow> = self
            .connections
            .run(async move |conn| {
                let values = order.values(limit);
                let values: Vec<_> = values.into_iter().map(Value::from).collect();
                Ok(match order {
                    Order::Newest(..) => load::<Newest, _>(conn, &values).await,
                    Order::NewestOfStatus(..) => load::<NewestOfStatus, _>(conn, &values).await,
                    Order::ByIdentifier(..) => load::<ByIdentifier, _>(conn, &values).await,
                }?)
            })
            .await?;
        rows.into_iter().map(summary).collect()
    }

    async fn count_status(&self, status: Status, most: usize) -> Result<usize, StoreError> {
        let values = CountStatus::values(status, most).map(Value::from);
        let counts: Vec<i64> = self
            .connections
            .run(async move |conn| Ok(load::<CountStatus, _>(conn, &values).await?))
            .await?;
        let count = counts.first().copied().unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan, plan_of_millions},
    };

    #[tokio::test]
    async fn windows_are_read_in_order() {
        for (query, index) in [
            (Newest::text(), "postings_by_update"),
            (NewestOfStatus::text(), "postings_by_status"),
            (ByIdentifier::text(), "postings_source_identifier_key"),
        ] {
            let plan = plan_of_millions(query).await;
            assert!(plan.contains(&format!("{index} on postings")), "{plan}");
            assert!(!plan.contains("Sort"), "{plan}");
            assert!(!plan.contains("Gather"), "{plan}");
        }
    }

    #[tokio::test]
    async fn passes_that_ended_are_found_by_their_end() {
        let plan = plan(Forget::text(), "").await;
        assert_uses_index(&plan, "console_passes_by_end");
    }
}
