//! Ingests postings: `domain`'s use cases on tokio, behind ports.
//!
//! - [`Lanes`], the port [`domain::usecase::Ingest`]: queues of pushes that share reads and
//!   commits.
//! - [`Importer`], the port [`domain::usecase::Imports`]: passes a request's lines through the
//!   lanes. [`CatalogueCorrector`], the port [`domain::usecase::CatalogueCorrections`]: releases
//!   held-back postings, and undoes imports.

mod import;
mod keyed_queue;
mod lane;

pub use self::{
    import::{CatalogueCorrector, CataloguePorts, ImportPorts, ImportTasks, Importer},
    lane::{GroupSettings, LaneSettings, Lanes},
};
