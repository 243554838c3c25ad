//! The use cases on a store in memory, as a worker runs them.

mod duplicates;
mod enrich;
mod history;
mod ingest;
mod merge;
