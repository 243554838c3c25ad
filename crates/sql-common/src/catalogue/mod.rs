//! Catalogues, their imports, missed postings, and the postings of a catalogue.

mod lease;
mod missed;
mod read;
mod table;

pub use self::{
    lease::{delete, finish, finish_release, finish_undo, hold, lease, renew},
    missed::{changed_last, expired_last, forget_missed, misses, missing},
    read::{find, find_by_id, last_imports, list, open_postings},
    table::{CatalogueRow, ImportRecord, ImportRow},
};

#[macro_export]
macro_rules! catalogues {
    ($store:ty) => {
        const _: () = {
            use std::collections::HashMap;

            use domain::catalogue::{
                Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting,
                Forgotten, LastImport, Leased, MissingPosting, OpenPosting, PastImport, Released,
                Undone,
            };
            use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
            use time::OffsetDateTime;
            use uuid::Uuid;
            use $crate::catalogue;

            $crate::port! {
                impl Catalogues for $store {
                    transaction catalogue::lease(query: &CatalogueQuery) -> Leased;
                    write catalogue::renew(lease: CatalogueLease, until: OffsetDateTime) -> bool;
                    transaction catalogue::finish(
                        lease: CatalogueLease, import: &PastImport, keeps_held: bool
                    ) -> bool;
                    query catalogue::open_postings(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<OpenPosting>;
                    query catalogue::misses(
                        of: CatalogueId, postings: &[PostingId]
                    ) -> HashMap<PostingId, u8>;
                    query catalogue::missing(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<MissingPosting>;
                    query catalogue::expired_last(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<ExpiredPosting>;
                    query catalogue::changed_last(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Option<(Uuid, Vec<ExpiredPosting>)>;
                    transaction catalogue::finish_undo(lease: CatalogueLease) -> Option<Undone>;
                    transaction catalogue::finish_release(
                        lease: CatalogueLease
                    ) -> Option<Released>;
                    write catalogue::forget_missed(limit: usize) -> usize;
                    query catalogue::find(
                        client: ClientId, name: &CatalogueName, now: OffsetDateTime
                    ) -> Option<Catalogue>;
                    query catalogue::find_by_id(
                        id: CatalogueId, now: OffsetDateTime
                    ) -> Option<Catalogue>;
                    query catalogue::list(client: ClientId, now: OffsetDateTime) -> Vec<Catalogue>;
                    query catalogue::last_imports(limit: usize) -> Vec<LastImport>;
                    transaction catalogue::delete(
                        client: ClientId,
                        name: &CatalogueName,
                        now: OffsetDateTime,
                        entry: Option<&Entry>
                    ) -> Forgotten;
                }
            }
        };
    };
}
