//! The port to reports, statements and objections. Reports are written by the commits of
//! [`Store`](crate::store::Store).

use async_trait::async_trait;
use kernel::{PostingId, ReportId, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use super::{Report, ReportState, Standing, Waiting};
use crate::posting::Statement;

/// A posting whose client has objected, and waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingObjection {
    /// The posting.
    pub posting: PostingId,
    /// Its identifier.
    pub source_identifier: SourceIdentifier,
    /// When the client objected.
    pub at: OffsetDateTime,
}

/// A place in the order of statements.
pub type StatementPosition = (OffsetDateTime, PostingId);

/// The port to reports.
#[async_trait]
pub trait Reports: Send + Sync {
    /// A report by its id.
    async fn report(&self, id: ReportId) -> Result<Option<Report>, StoreError>;

    /// The numbers that limit a new report about a posting by this address. Counts stop at the
    /// limits of [`Standing::admit`].
    async fn standing(
        &self,
        posting: PostingId,
        email: Option<&String>,
        since: OffsetDateTime,
    ) -> Result<Standing, StoreError>;

    /// The waiting reports about these postings, each posting's oldest first.
    async fn waiting_reports(&self, postings: &[PostingId]) -> Result<Vec<Report>, StoreError>;

    /// Reports of this state that follow the given report, oldest first.
    async fn reports(
        &self,
        state: ReportState,
        after: Option<(OffsetDateTime, ReportId)>,
        limit: usize,
    ) -> Result<Vec<Report>, StoreError>;

    /// Counts the waiting reports.
    async fn count_waiting(&self) -> Result<Waiting, StoreError>;

    /// Erases name and address of up to `limit` reporters whose reports were decided before a time.
    /// Returns their number.
    async fn forget_reporters(
        &self,
        decided_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Statements since a time that follow the given position, oldest first.
    async fn statements(
        &self,
        since: OffsetDateTime,
        after: Option<StatementPosition>,
        limit: usize,
    ) -> Result<Vec<Statement>, StoreError>;

    /// The objections that wait, oldest first.
    async fn waiting_objections(&self, limit: usize) -> Result<Vec<WaitingObjection>, StoreError>;
}
