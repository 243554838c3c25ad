//! The ports of postings and companies.

/// Implements [`Reads`](domain::store::Reads), [`Store`](domain::store::Store),
/// [`PostingReader`](domain::store::PostingReader) and
/// [`CompanyReader`](domain::company::CompanyReader).
#[macro_export]
macro_rules! postings {
    ($store:ty) => {
        const _: () = {
            use domain::{
                company::{Company, CompanyPairView, CompanyReader, CompanyView, PairKind},
                posting::{
                    AsOf, PostingVersion, PostingView, RepeatAnswer,
                    duplicate::{Apart, Candidate, Fingerprint, Number},
                },
                store::{ListQuery, PostingPage, PostingReader, Reads, Snapshot, Store, WriteSet},
            };
            use kernel::{
                ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, Status, StoreError,
                Version,
            };
            use std::collections::{BTreeMap, HashMap, HashSet};
            use time::OffsetDateTime;
            use uuid::Uuid;
            use $crate::{client, company, duplicate, posting};

            $crate::port! {
                impl Reads for $store {
                    query posting::load(
                        identifiers: &[SourceIdentifier], companies: &[CompanyId]
                    ) -> Snapshot;
                    query posting::load_by_id(ids: &[PostingId]) -> Snapshot;
                    query posting::repeat_answers(
                        identifiers: &[SourceIdentifier]
                    ) -> HashMap<SourceIdentifier, RepeatAnswer>;
                    query duplicate::candidates(
                        fingerprints: &[Fingerprint], named: &[PostingId]
                    ) -> Vec<Candidate>;
                    query duplicate::numbered(numbers: &[Number]) -> Vec<Candidate>;
                    query duplicate::copies(
                        of: &[PostingId], after: Option<PostingId>, limit: usize
                    ) -> Vec<Candidate>;
                    query duplicate::told_apart(pairs: &[Apart]) -> HashSet<Apart>;
                    query client::prefixes(clients: &[ClientId]) -> HashMap<ClientId, Prefixes>;
                    query posting::overdue(
                        now: OffsetDateTime, limit: usize
                    ) -> Vec<SourceIdentifier>;
                    query posting::held(
                        before: OffsetDateTime, limit: usize
                    ) -> Vec<SourceIdentifier>;
                    query posting::records(
                        import: Uuid, postings: &[PostingId]
                    ) -> Vec<PostingVersion>;
                    query posting::records_after(
                        versions: &[(PostingId, Version)]
                    ) -> Vec<PostingVersion>;
                }
            }

            #[async_trait::async_trait]
            impl Store for $store {
                async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
                    if writes.is_empty() {
                        return Ok(());
                    }
                    self.write_commit(writes).await
                }
            }

            $crate::port! {
                impl PostingReader for $store {
                    query posting::find(identifier: &SourceIdentifier) -> Option<PostingView>;
                    query posting::list(asked: &ListQuery) -> PostingPage;
                    query posting::as_of(
                        identifier: &SourceIdentifier, moment: AsOf
                    ) -> Option<PostingView>;
                    query posting::versions(
                        identifier: &SourceIdentifier, before: Option<Version>, limit: usize
                    ) -> Option<Vec<PostingVersion>>;
                }
            }

            $crate::port! {
                impl CompanyReader for $store {
                    query company::companies(after: &str, limit: usize) -> Vec<CompanyView>;
                    query company::companies_named(
                        beginning: &str, limit: usize
                    ) -> Vec<CompanyView>;
                    query company::company(id: CompanyId) -> Option<CompanyView>;
                    query company::aliases(of: CompanyId, limit: usize) -> Vec<CompanyView>;
                    query company::alike(to: &Company, limit: usize) -> Vec<CompanyView>;
                    query company::company_pairs(
                        kind: PairKind, after: Option<[CompanyId; 2]>, limit: usize
                    ) -> Vec<CompanyPairView>;
                    query company::count_postings(
                        company: CompanyId, most: usize
                    ) -> BTreeMap<Status, usize>;
                    query company::misplaced(
                        company: &Company, after: Option<PostingId>, limit: usize
                    ) -> Vec<(PostingId, SourceIdentifier)>;
                }
            }
        };
    };
}
