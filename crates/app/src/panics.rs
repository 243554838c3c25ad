//! Panics as failures: a defect in handling one thing must not end what handles everything.

use std::{any::Any, future::Future, panic::AssertUnwindSafe};

use domain::store::StoreError;
use futures_util::FutureExt as _;

/// Runs a future, and takes a panic in it for a broken store.
///
/// What the future shares must bear to be left half-way; here that is only stores, whose
/// commits are all or nothing.
pub async fn caught<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    caught_as(StoreError::Broken, work).await
}

/// The same with another error.
pub async fn caught_as<T, E>(
    error: impl FnOnce(String) -> E,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(error(message(panic.as_ref()))))
}

/// The message of a panic that was caught.
pub fn message(panic: &(dyn Any + Send)) -> String {
    format!("it panicked: {}", adapters_http::panic_message(panic))
}
