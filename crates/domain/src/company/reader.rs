//! The port for answers about companies.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::{CompanyId, PostingId, SourceIdentifier, Status, StoreError};

use super::{Company, CompanyPairView, CompanyView, PairKind};

/// The port for answers about companies.
#[async_trait]
pub trait CompanyReader: Send + Sync {
    /// Up to `limit` companies whose keys follow a text, ascending by key, byte for byte. Aliases
    /// are left out, here and in the other lists.
    async fn companies(&self, after: &str, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Up to `limit` companies whose [`name_key`](super::name_key) begins with this text, ascending
    /// by it, then by the key of the website.
    async fn companies_named(
        &self,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<CompanyView>, StoreError>;

    /// One company, or an alias.
    async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError>;

    /// Up to `limit` aliases of a company, ascending by key.
    async fn aliases(&self, of: CompanyId, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Other companies with the same [`name_key`](super::name_key), up to `limit`, and up to
    /// `limit` with the same [`site`](super::site), each ascending by key.
    async fn alike(&self, to: &Company, limit: usize) -> Result<Vec<CompanyView>, StoreError>;

    /// Up to `limit` pairs of this kind whose ids follow these, ascending, without those that an
    /// operator marked as different.
    async fn company_pairs(
        &self,
        kind: PairKind,
        after: Option<[CompanyId; 2]>,
        limit: usize,
    ) -> Result<Vec<CompanyPairView>, StoreError>;

    /// The numbers of a company's postings by status, of at most `most` postings.
    async fn count_postings(
        &self,
        company: CompanyId,
        most: usize,
    ) -> Result<BTreeMap<Status, usize>, StoreError>;

    /// Up to `limit` postings that follow this one by id: of an alias those that it still has, of
    /// another company those that came by it to another one.
    async fn misplaced(
        &self,
        company: &Company,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<(PostingId, SourceIdentifier)>, StoreError>;
}
