//! The use cases: they load, decide and commit. Each takes ports, a batch and the time.

mod board;
mod catalogue;
mod company;
mod duplicate;
mod enrich;
mod erase;
mod import;
mod ingest;
mod lapse;
mod lookalikes;
mod merge;
mod moderate;
mod objection;
mod report;
mod restore;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;

pub use self::{
    board::Board,
    catalogue::{
        CatalogueCorrections, CatalogueError, CorrectionOrder, forget_catalogue, record_missed,
        release_held, undo_changes, undo_expiries,
    },
    company::{CompanyError, find_company, update_company},
    duplicate::{finish_idle_searches, look_up, tell_postings_apart},
    enrich::{
        Assignment, GivenUp, Outcome, Submission, assignments, end_holds, give_up, preview,
        record_outcomes,
    },
    erase::erase,
    import::{CatalogueOrder, Import, ImportError, ImportOrder, Imports},
    ingest::{Answers, Batch, ingest},
    lapse::{Delisted, delist_missing, expire},
    merge::{
        MOST_ALIASES, Settling, company_lookalikes, merge_companies, settle_batch,
        tell_companies_apart, unmerge_company,
    },
    moderate::{ModerationError, moderate},
    objection::{answer_objection, object},
    report::{act_on_report, dismiss_report, find_named, report},
    restore::{Restoration, restore_version},
};
use crate::{
    catalogue::CatalogueLease,
    posting::{Answer, PutPosting},
};
pub use crate::{
    decision::{
        company::CompanyChange,
        objection::{ObjectionAnswer, Refused},
    },
    posting::IngestError,
};

/// The driving port of pushes: takes commands, and answers after the commit.
#[async_trait]
pub trait Ingest: Send + Sync {
    /// Carries out one command.
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError>;

    /// Decides one command on the present state, and writes nothing. If it would create a posting,
    /// the answer has the command's id.
    async fn dry_run(&self, put: PutPosting) -> Result<Answer, IngestError>;

    /// Executes an import's commands in order, and returns their answers in order. Waits for room
    /// instead of refusing commands. A dry run writes nothing, and nothing is written after the
    /// catalogue's `lease` is lost. The commands are shared, because an import may retry them.
    async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        dry_run: bool,
        lease: Option<CatalogueLease>,
    ) -> Vec<Result<Answer, IngestError>>;
}
