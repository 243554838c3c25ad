//! The ports of the operators' console.

use access::sign_in::{SignInToken, SignInTokenKind, SignInTokens, TokenDigest};
use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::browse::{PostingBrowser, PostingSummary, Window};
use kernel::{Status, StoreError, audit::Entry};
use sql_common::console::{
    ByIdentifier, CountStatus, End, Find, Forget, Insert, Newest, NewestOfStatus, Order,
    SignInTokenRow, SummaryRow, Take, summary,
};
use time::OffsetDateTime;

use crate::{
    SqliteStore, audit,
    error::Failure,
    statement::{execute, load, row},
};

fn insert(conn: &mut SqliteConnection, pass: &SignInToken, entry: &Entry) -> Result<(), Failure> {
    execute::<Insert>(conn, &row::<SignInTokenRow>(pass))?;
    audit::write(conn, entry)
}

#[async_trait]
impl SignInTokens for SqliteStore {
    async fn add_token(&self, pass: &SignInToken, entry: &Entry) -> Result<(), StoreError> {
        let (pass, entry) = (pass.clone(), entry.clone());
        self.connections
            .write(move |conn| insert(conn, &pass, &entry))
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
            .read(move |conn| Ok(load::<Find, _>(conn, &Find::values(kind, &digest))?))
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
            .write(move |conn| {
                let values = [(&link).into(), session.created_at.into()];
                let is_taken = execute::<Take>(conn, &values)? > 0;
                if is_taken {
                    insert(conn, &session, &entry)?;
                }
                Ok(is_taken)
            })
            .await
    }

    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError> {
        let (session, entry) = (*session, entry.clone());
        self.connections
            .write(move |conn| {
                let is_ended = execute::<End>(conn, &[(&session).into()])? > 0;
                if is_ended {
                    audit::write(conn, &entry)?;
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
        let values = Forget::values(before, limit);
        self.connections
            .write(move |conn| Ok(execute::<Forget>(conn, &values)?))
            .await
    }
}

#[async_trait]
impl PostingBrowser for SqliteStore {
    async fn window(&self, window: &Window) -> Result<Vec<PostingSummary>, StoreError> {
        let (order, limit) = (Order::from(&window.order), window.limit);
        let rows: Vec<SummaryRow> = self
            .connections
            .read(move |conn| {
                let values = order.values(limit);
                Ok(match order {
                    Order::Newest(..) => load::<Newest, _>(conn, &values),
                    Order::NewestOfStatus(..) => load::<NewestOfStatus, _>(conn, &values),
                    Order::ByIdentifier(..) => load::<ByIdentifier, _>(conn, &values),
                }?)
            })
            .await?;
        rows.into_iter().map(summary).collect()
    }

    async fn count_status(&self, status: Status, most: usize) -> Result<usize, StoreError> {
        let values = CountStatus::values(status, most);
        let counts: Vec<i64> = self
            .connections
            .read(move |conn| Ok(load::<CountStatus, _>(conn, &values)?))
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
        tests::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn windows_are_read_in_order() {
        for (query, index) in [
            (Newest::text(), "postings_by_update"),
            (NewestOfStatus::text(), "postings_by_status"),
            (ByIdentifier::text(), "sqlite_autoindex_postings_2"),
        ] {
            assert_uses_index(query, index).await;
        }
        let plan = plan(CountStatus::text()).await;
        assert!(plan.contains("COVERING INDEX postings_by_status"), "{plan}");
    }

    #[tokio::test]
    async fn passes_that_ended_are_found_by_their_end() {
        let plan = plan(Forget::text()).await;
        assert!(plan.contains("INDEX console_passes_by_end"), "{plan}");
    }
}
