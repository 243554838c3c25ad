//! Why a port to the state did not do as asked.

/// Why a store did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else wrote first; nothing was written. Load and decide again.
    #[error("the state moved meanwhile")]
    Conflict,
    /// A row that had to be written stayed locked by another transaction, so nothing was written.
    /// That is the trouble of this row alone: [`Store::held`](crate::store::Store::held) tells which it is.
    #[error("another transaction holds a lock: {0}")]
    Locked(String),
    /// The store cannot be reached, or has no time for this. Nothing was written.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The store was lost while it committed: everything was written, or nothing. Whoever needs
    /// to know has to load again.
    #[error("whether it was written is not known: {0}")]
    InDoubt(String),
    /// The store answered what it never should.
    #[error("the store failed: {0}")]
    Broken(String),
}
