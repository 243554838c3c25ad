//! The use cases on a store in memory, the way a worker runs them.

mod enrich;
mod webhooks;
