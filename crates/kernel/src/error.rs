//! Errors of ports to the state.

/// Why a call to a store failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another commit came first; nothing was written. Load and decide again.
    #[error("another commit changed the state")]
    Conflict,
    /// Another transaction kept a row locked; nothing was written. `domain::store::LockedRows`
    /// finds the locked rows.
    #[error("another transaction holds a lock: {0}")]
    Locked(String),
    /// The store is unreachable or overloaded. Nothing was written.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The connection was lost during the commit, which wrote everything or nothing. A new load
    /// shows which.
    #[error("the outcome of the write is unknown: {0}")]
    InDoubt(String),
    /// The store returned invalid data.
    #[error("the store failed: {0}")]
    Broken(String),
}

/// An error of a use case, which may come from the store.
pub trait StoreFailure: From<StoreError> {
    /// The store's error, if it is one.
    fn store_error(&self) -> Option<&StoreError>;

    /// Whether another transaction wrote first or holds a row, so that the use case must decide
    /// again.
    fn is_conflict(&self) -> bool {
        let failure = self.store_error();
        matches!(failure, Some(StoreError::Conflict | StoreError::Locked(_)))
    }
}

/// The largest number of attempts of [`decide_again`].
pub const ATTEMPTS: usize = 6;

/// Runs a use case, and repeats it without a pause after a conflict: at most [`ATTEMPTS`] times in
/// total. `runtime::decide_again` also waits between attempts.
pub async fn decide_again<T, E: StoreFailure, F>(mut attempt: impl FnMut() -> F) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    for _ in 1..ATTEMPTS {
        match attempt().await {
            Err(error) if error.is_conflict() => {}
            done => return done,
        }
    }
    attempt().await
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

#[cfg(test)]
mod tests {
    use std::{
        future::ready,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    #[test]
    fn a_conflict_and_a_held_row_are_decided_again_and_nothing_else_is() {
        let locked = || StoreError::Locked("a row".to_owned());
        let down = || StoreError::Unavailable("gone".to_owned());
        for (errors, expect) in [
            (vec![], Ok(1)),
            (vec![StoreError::Conflict, locked()], Ok(3)),
            (vec![locked(), down()], Err(down())),
            (vec![locked(); ATTEMPTS - 1], Ok(ATTEMPTS)),
            (vec![locked(); ATTEMPTS], Err(locked())),
        ] {
            let mut calls = 0;
            let attempt = || {
                calls += 1;
                ready(errors.get(calls - 1).cloned().map_or(Ok(calls), Err))
            };
            let mut context = Context::from_waker(Waker::noop());
            let done = pin!(decide_again(attempt)).poll(&mut context);
            assert_eq!(done, Poll::Ready(expect), "{errors:?}");
        }
    }
}
