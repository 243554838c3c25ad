//! Reports of readers about postings: content, limits and decisions.
//!
//! The board's own site sends them for its readers. Only operators see the reporter's name and
//! address. No event, log or answer to a client contains them, and [`Reporter`] does not print
//! them.

mod new;
mod store;

use std::fmt;

use fields::vocabulary::vocabulary;
use kernel::{
    Operator, PostingId, ReportId, SourceIdentifier,
    audit::Attribution,
    event::{ReportState as DecidedReport, Subject},
    outbox::TaskWrites,
};
use time::{Duration, OffsetDateTime};

pub use self::{
    new::{NewReport, PostingName, parse_objection},
    store::{Reports, StatementPosition, WaitingObjection},
};
use crate::posting::event::REPORT_DECIDED;

/// The largest number of reports of one reporter in [`REPORTER_WINDOW`].
pub const MOST_OF_REPORTER: usize = 20;
/// The time in which reports of one reporter are counted.
pub const REPORTER_WINDOW: Duration = Duration::days(1);
/// The largest number of waiting reports about one posting.
pub const MOST_OF_POSTING: usize = 50;
/// The largest number of waiting reports of the board.
pub const MOST_WAITING: usize = 10_000;

vocabulary! {
    /// The reason of a report.
    ReportReason {
        /// The posting is fraud.
        Fraud = "fraud",
        /// It discriminates.
        Discrimination = "discrimination",
        /// It is illegal in another way.
        Illegal = "illegal",
        /// It misleads.
        Misleading = "misleading",
        /// The job is not offered any more.
        Closed = "closed",
        /// Another reason.
        Other = "other",
    }
}

vocabulary! {
    /// The state of a report.
    ReportState {
        /// It waits for an operator.
        Waiting = "waiting",
        /// An operator left the posting as it is.
        Dismissed = "dismissed",
        /// An operator rejected or removed the posting.
        Acted = "acted",
    }
}

/// The reader who sent a report.
#[derive(Clone, PartialEq, Eq)]
pub struct Reporter {
    /// The name, if the reader gave one.
    pub name: Option<String>,
    /// The address, in lower case.
    pub email: String,
}

/// Writes neither name nor address, so that no log contains them.
impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reporter(..)")
    }
}

/// A report about a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its id.
    pub id: ReportId,
    /// The posting, possibly deleted.
    pub posting: PostingId,
    /// The posting's identifier.
    pub source_identifier: SourceIdentifier,
    /// The reason.
    pub reason: ReportReason,
    /// The reader's words; empty after the posting is erased.
    pub statement: String,
    /// Where the reader saw the posting.
    pub url: Option<String>,
    /// The reader; `None` if unknown or erased.
    pub reporter: Option<Reporter>,
    /// When it was sent.
    pub at: OffsetDateTime,
    /// The decision, once made.
    pub decision: Option<ReportDecision>,
}

/// The end of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportDecision {
    /// Whether an operator acted on the report; otherwise it was dismissed.
    pub acted: bool,
    /// When it was decided.
    pub at: OffsetDateTime,
    /// Who decided.
    pub by: Operator,
    /// The answer to the reporter.
    pub sentence: String,
}

impl ReportDecision {
    /// An operator acted on the report.
    pub fn acted(sentence: &str, by: &Attribution, at: OffsetDateTime) -> Self {
        Self {
            acted: true,
            at,
            by: by.operator.clone(),
            sentence: sentence.to_owned(),
        }
    }
}

impl Report {
    /// Its state.
    pub fn state(&self) -> ReportState {
        match &self.decision {
            None => ReportState::Waiting,
            Some(decision) if decision.acted => ReportState::Acted,
            Some(_) => ReportState::Dismissed,
        }
    }

    /// Decides the report, and raises its event.
    pub(crate) fn decide(
        mut self,
        decision: ReportDecision,
        tasks: &mut TaskWrites,
    ) -> ReportWrite {
        let subject = Subject::Report(DecidedReport {
            id: self.id,
            posting: self.posting,
            source_identifier: self.source_identifier.clone(),
            acted: decision.acted,
            sentence: decision.sentence.clone(),
        });
        tasks.raise(REPORT_DECIDED, subject);
        self.decision = Some(decision);
        ReportWrite::Decided(self)
    }
}

/// A report to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportWrite {
    /// A new report. The commit conflicts if the reporter has already reported the posting.
    New(Report),
    /// A decided report. The commit conflicts if the report no longer waits.
    Decided(Report),
}

impl ReportWrite {
    /// The report afterwards.
    pub const fn report(&self) -> &Report {
        match self {
            Self::New(report) | Self::Decided(report) => report,
        }
    }
}

/// Why a report is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// The reporter has sent too many.
    #[error("This reporter has sent {MOST_OF_REPORTER} reports in a day. Send it tomorrow.")]
    OfReporter,
    /// Too many reports about the posting wait.
    #[error("{MOST_OF_POSTING} reports about this posting wait for an operator already.")]
    OfPosting,
    /// Too many reports wait.
    #[error("{MOST_WAITING} reports wait for an operator. Send it later.")]
    OfBoard,
}

impl TooMany {
    /// The seconds after which to retry.
    pub const fn retry_after(self) -> u32 {
        match self {
            Self::OfReporter => 86_400,
            Self::OfPosting | Self::OfBoard => 3_600,
        }
    }
}

/// The numbers that limit a new report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The reporter's report about the same posting.
    pub same: Option<ReportId>,
    /// The number of the reporter's reports since a time.
    pub of_reporter: usize,
    /// The number of waiting reports about the posting.
    pub of_posting: usize,
    /// The number of all waiting reports.
    pub waiting: usize,
}

impl Standing {
    /// Whether one more report is accepted.
    pub const fn admit(&self) -> Result<(), TooMany> {
        if self.of_reporter >= MOST_OF_REPORTER {
            Err(TooMany::OfReporter)
        } else if self.of_posting >= MOST_OF_POSTING {
            Err(TooMany::OfPosting)
        } else if self.waiting >= MOST_WAITING {
            Err(TooMany::OfBoard)
        } else {
            Ok(())
        }
    }
}

/// The reports or objections that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The number.
    pub count: usize,
    /// The time of the oldest one.
    pub since: Option<OffsetDateTime>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reporter_is_printed() {
        let reporter = Reporter {
            name: Some("Ann Reader".to_owned()),
            email: "ann@reader.example".to_owned(),
        };
        assert_eq!(format!("{reporter:?}"), "Reporter(..)");
    }

    #[test]
    fn reports_have_limits_by_reporter_posting_and_board() {
        let most = Standing {
            same: None,
            of_reporter: MOST_OF_REPORTER - 1,
            of_posting: MOST_OF_POSTING - 1,
            waiting: MOST_WAITING - 1,
        };
        assert_eq!(most.admit(), Ok(()));
        for (standing, why) in [
            (
                Standing {
                    of_reporter: MOST_OF_REPORTER,
                    ..most
                },
                TooMany::OfReporter,
            ),
            (
                Standing {
                    of_posting: MOST_OF_POSTING,
                    ..most
                },
                TooMany::OfPosting,
            ),
            (
                Standing {
                    waiting: MOST_WAITING,
                    ..most
                },
                TooMany::OfBoard,
            ),
        ] {
            assert_eq!(standing.admit(), Err(why));
        }
    }
}
