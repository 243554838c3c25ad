//! The tables `catalogues` and `missed_postings`, and the postings that belong to a catalogue.

mod lease;
mod missed;
mod read;
mod table;

pub use self::{
    lease::{delete, finish, finish_undo, hold, lease, renew},
    missed::{expired_last, forget, misses},
    read::{find, last_imports, list, open_postings},
    table::{CatalogueRecord, CatalogueRow},
};

/// The port [`Catalogues`](domain::catalogue::Catalogues).
#[macro_export]
macro_rules! catalogues {
    ($store:ty) => {
        const _: () = {
            use std::collections::HashMap;

            use domain::catalogue::{
                Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting,
                LastImport, Leased, OpenPosting, PastImport, Undone,
            };
            use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
            use time::OffsetDateTime;
            use $crate::catalogue;

            #[async_trait::async_trait]
            impl Catalogues for $store {
                async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
                    let query = query.clone();
                    self.transaction(async move |conn| Ok(catalogue::lease(conn, &query).await?))
                        .await
                }

                async fn renew(
                    &self,
                    lease: CatalogueLease,
                    until: OffsetDateTime,
                ) -> Result<bool, StoreError> {
                    self.write(async move |conn| Ok(catalogue::renew(conn, lease, until).await?))
                        .await
                }

                async fn finish(
                    &self,
                    lease: CatalogueLease,
                    import: &PastImport,
                ) -> Result<bool, StoreError> {
                    let import = import.clone();
                    self.write(async move |conn| Ok(catalogue::finish(conn, lease, &import).await?))
                        .await
                }

                async fn open_postings(
                    &self,
                    of: CatalogueId,
                    after: Option<PostingId>,
                    limit: usize,
                ) -> Result<Vec<OpenPosting>, StoreError> {
                    self.query(async move |conn| {
                        Ok(catalogue::open_postings(conn, of, after, limit).await?)
                    })
                    .await
                }

                async fn misses(
                    &self,
                    of: CatalogueId,
                    postings: &[PostingId],
                ) -> Result<HashMap<PostingId, u8>, StoreError> {
                    let postings = postings.to_vec();
                    self.query(async move |conn| Ok(catalogue::misses(conn, of, &postings).await?))
                        .await
                }

                async fn expired_last(
                    &self,
                    of: CatalogueId,
                    after: Option<PostingId>,
                    limit: usize,
                ) -> Result<Vec<ExpiredPosting>, StoreError> {
                    self.query(async move |conn| {
                        Ok(catalogue::expired_last(conn, of, after, limit).await?)
                    })
                    .await
                }

                async fn finish_undo(
                    &self,
                    lease: CatalogueLease,
                ) -> Result<Option<Undone>, StoreError> {
                    self.transaction(async move |conn| {
                        Ok(catalogue::finish_undo(conn, lease).await?)
                    })
                    .await
                }

                async fn forget_missed(&self, limit: usize) -> Result<usize, StoreError> {
                    self.write(async move |conn| Ok(catalogue::forget(conn, limit).await?))
                        .await
                }

                async fn find(
                    &self,
                    client: ClientId,
                    name: &CatalogueName,
                    now: OffsetDateTime,
                ) -> Result<Option<Catalogue>, StoreError> {
                    let name = name.clone();
                    self.query(async move |conn| {
                        Ok(catalogue::find(conn, client, &name, now).await?)
                    })
                    .await
                }

                async fn list(
                    &self,
                    client: ClientId,
                    now: OffsetDateTime,
                ) -> Result<Vec<Catalogue>, StoreError> {
                    self.query(async move |conn| Ok(catalogue::list(conn, client, now).await?))
                        .await
                }

                async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
                    self.query(async move |conn| Ok(catalogue::last_imports(conn, limit).await?))
                        .await
                }

                async fn delete(
                    &self,
                    client: ClientId,
                    name: &CatalogueName,
                    entry: Option<&Entry>,
                ) -> Result<bool, StoreError> {
                    let (name, entry) = (name.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(catalogue::delete(conn, client, &name, entry.as_ref()).await?)
                    })
                    .await
                }
            }
        };
    };
}
