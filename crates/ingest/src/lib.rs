//! Postings on their way in at run time: the use cases of `domain` on tokio, behind ports alone.
//!
//! - [`Lanes`], the port [`domain::usecase::Ingest`]: queues of pushed postings, which share reads
//!   and commits.
//! - [`Importer`], the port [`domain::usecase::Imports`]: the lines of one request on their way
//!   through the lanes. [`CatalogueCorrector`], the port [`domain::usecase::CatalogueCorrections`]:
//!   releases postings that an import held back, and reopens postings that one expired.

mod import;
mod keyed_queue;
mod lane;

pub use self::{
    import::{CatalogueCorrector, CataloguePorts, ImportPorts, ImportTasks, Importer},
    lane::{GroupSettings, LaneSettings, Lanes},
};
