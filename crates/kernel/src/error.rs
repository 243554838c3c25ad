//! Why a port to the state did not do as asked.

/// The reason why a call to a store failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another commit came first; nothing was written. Load and decide again.
    #[error("the state moved meanwhile")]
    Conflict,
    /// Another transaction kept a row locked; nothing was written. It concerns this row alone,
    /// which `domain::store::LockedRows` identifies.
    #[error("another transaction holds a lock: {0}")]
    Locked(String),
    /// The store cannot be reached or is overloaded. Nothing was written.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The connection was lost during the commit: everything was written, or nothing. Load again to
    /// find out.
    #[error("whether it was written is not known: {0}")]
    InDoubt(String),
    /// The store returned invalid data.
    #[error("the store failed: {0}")]
    Broken(String),
}

/// An error of a use case, which may be one of the store.
pub trait StoreFailure: From<StoreError> {
    /// The error of the store, if it is one.
    fn store_error(&self) -> Option<&StoreError>;
}

/// Implements [`StoreFailure`] for an error that has a variant `Store`.
#[macro_export]
macro_rules! store_failure {
    ($error:ty) => {
        impl $crate::StoreFailure for $error {
            fn store_error(&self) -> Option<&$crate::StoreError> {
                match self {
                    Self::Store(error) => Some(error),
                    _ => None,
                }
            }
        }
    };
}

impl StoreFailure for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}
