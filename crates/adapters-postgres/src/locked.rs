use async_trait::async_trait;
use domain::store::{LockedRows, RowLocks};
use kernel::{CompanyId, PostingId, StoreError};
use sql_common::{
    each,
    executor::Executor as _,
    statement,
    types::{Id, StoredId},
};

use crate::PostgresStore;

/// Returns rows that another transaction has locked. Locks the free rows until the statement ends.
macro_rules! locked {
    ($table:literal) => {
        concat!(
            "WITH free AS MATERIALIZED (
                SELECT id FROM ",
            $table,
            " WHERE id = ANY(:id) FOR NO KEY UPDATE SKIP LOCKED
            )
            SELECT id FROM ",
            $table,
            " WHERE id = ANY(:id) AND id NOT IN (SELECT id FROM free)"
        )
    };
}

statement! {
    LockedPostings = locked!("postings"), returns (Id,);
    LockedCompanies = locked!("companies"), returns (Id,)
}

#[async_trait]
impl LockedRows for PostgresStore {
    async fn locked_rows(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        let RowLocks {
            postings,
            companies,
        } = locks.clone();
        self.query(async move |conn| {
            let postings = each! { &postings, id => id: id.uuid() };
            let companies = each! { &companies, id => id: id.uuid() };
            let (postings, companies): (Vec<(StoredId,)>, Vec<(StoredId,)>) = conn
                .load_two::<LockedPostings, LockedCompanies>([&postings, &companies], &[])
                .await?;
            let postings = postings.into_iter().map(|(id,)| id.uuid("postings.id"));
            let companies = companies.into_iter().map(|(id,)| id.uuid("companies.id"));
            Ok(RowLocks {
                postings: postings
                    .map(|id| id.map(PostingId::new))
                    .collect::<Result<_, _>>()?,
                companies: companies
                    .map(|id| id.map(CompanyId::new))
                    .collect::<Result<_, _>>()?,
            })
        })
        .await
    }
}
