//! The use cases on a store in memory, the way a worker runs them.

mod duplicates;
mod enrich;
mod history;
mod ingest;
mod merge;
