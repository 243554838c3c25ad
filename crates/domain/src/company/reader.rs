//! The port for answers about companies.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::{CompanyId, PostingId, SourceIdentifier, Status, StoreError};

use super::{Company, CompanyPairView, CompanyView, PairKind};

/// The port for answers about companies.
#[async_trait]
pub trait CompanyReader: Send + Sync {
    /// Up to `limit` companies after a key, in byte order. Aliases are omitted here and in the
    /// other lists, except [`Self::aliases`].
    async fn companies(&self, after: &str, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Up to `limit` companies whose [`name_key`](super::name_key) begins with this text, in the
    /// order of the name key, then of the website key.
    async fn companies_named(
        &self,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<CompanyView>, StoreError>;

    /// A company or an alias.
    async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError>;

    /// Up to `limit` aliases of a company, ascending by key.
    async fn aliases(&self, of: CompanyId, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Other companies: up to `limit` with the same [`name_key`](super::name_key), and up to
    /// `limit` with the same [`site`](super::site), each ascending by key.
    async fn alike(&self, to: &Company, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Up to `limit` pairs of this kind after these ids, ascending. Pairs that an operator marked
    /// as different are omitted.
    async fn company_pairs(
        &self,
        kind: PairKind,
        after: Option<[CompanyId; 2]>,
        limit: usize,
    ) -> Result<Vec<CompanyPairView>, StoreError>;

    /// The numbers of a company's postings by status. At most `most` postings are counted.
    async fn count_postings(
        &self,
        company: CompanyId,
        most: usize,
    ) -> Result<BTreeMap<Status, usize>, StoreError>;

    /// Up to `limit` postings after `after`, by id, that must change their company. For an alias,
    /// these are all its postings. For a former alias, these are the postings that came to its
    /// target by it.
    async fn misplaced(
        &self,
        company: &Company,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<(PostingId, SourceIdentifier)>, StoreError>;
}
