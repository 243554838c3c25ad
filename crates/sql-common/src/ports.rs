//! The ports of postings and companies.

/// The ports [`Store`](domain::store::Store), [`PostingReader`](domain::store::PostingReader) and
/// [`CompanyReader`](domain::company::CompanyReader). How a commit is written is each store's own:
/// `commit_postings`.
#[macro_export]
macro_rules! postings {
    ($store:ty) => {
        const _: () = {
            use domain::{
                company::{CompanyReader, CompanyView},
                posting::{
                    PostingView,
                    duplicate::{Candidate, Fingerprint},
                },
                store::{ListQuery, PostingPage, PostingReader, Snapshot, Store, WriteSet},
            };
            use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
            use time::OffsetDateTime;
            use $crate::{company, duplicate, posting};

            #[async_trait::async_trait]
            impl Store for $store {
                async fn load(
                    &self,
                    identifiers: &[SourceIdentifier],
                    companies: &[CompanyId],
                ) -> Result<Snapshot, StoreError> {
                    let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
                    self.query(async move |conn| {
                        Ok(posting::load(conn, &identifiers, &companies).await?)
                    })
                    .await
                }

                async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
                    let ids = ids.to_vec();
                    self.query(async move |conn| Ok(posting::load_by_id(conn, &ids).await?))
                        .await
                }

                async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
                    if writes.is_empty() {
                        return Ok(());
                    }
                    self.commit_postings(writes).await
                }

                async fn candidates(
                    &self,
                    fingerprints: &[Fingerprint],
                    named: &[PostingId],
                ) -> Result<Vec<Candidate>, StoreError> {
                    let (fingerprints, named) = (fingerprints.to_vec(), named.to_vec());
                    self.query(async move |conn| {
                        Ok(duplicate::candidates(conn, &fingerprints, &named).await?)
                    })
                    .await
                }

                async fn copies(
                    &self,
                    of: &[PostingId],
                    after: Option<PostingId>,
                    limit: usize,
                ) -> Result<Vec<Candidate>, StoreError> {
                    let of = of.to_vec();
                    self.query(async move |conn| {
                        Ok(duplicate::copies(conn, &of, after, limit).await?)
                    })
                    .await
                }

                async fn overdue(
                    &self,
                    now: OffsetDateTime,
                    limit: usize,
                ) -> Result<Vec<SourceIdentifier>, StoreError> {
                    self.query(async move |conn| Ok(posting::overdue(conn, now, limit).await?))
                        .await
                }
            }

            #[async_trait::async_trait]
            impl PostingReader for $store {
                async fn find(
                    &self,
                    identifier: &SourceIdentifier,
                ) -> Result<Option<PostingView>, StoreError> {
                    let identifier = identifier.clone();
                    self.query(async move |conn| Ok(posting::find(conn, &identifier).await?))
                        .await
                }

                async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
                    let query = query.clone();
                    self.query(async move |conn| Ok(posting::list(conn, &query).await?))
                        .await
                }
            }

            #[async_trait::async_trait]
            impl CompanyReader for $store {
                async fn companies(
                    &self,
                    after: &str,
                    limit: usize,
                ) -> Result<Vec<CompanyView>, StoreError> {
                    let after = after.to_owned();
                    self.query(async move |conn| Ok(company::list(conn, &after, limit).await?))
                        .await
                }

                async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError> {
                    self.query(async move |conn| Ok(company::find(conn, id).await?))
                        .await
                }
            }
        };
    };
}
