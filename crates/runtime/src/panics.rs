use std::{any::Any, future::Future, panic::AssertUnwindSafe};

use futures_util::FutureExt as _;
use kernel::StoreError;

/// Turns a panic into [`StoreError::Broken`]. Shared state must stay valid even if the future stops
/// half-way, as it does in stores.
pub async fn caught<T, E: From<StoreError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    caught_as(|message| StoreError::Broken(message).into(), work).await
}

pub async fn caught_as<T, E>(
    error: impl FnOnce(String) -> E,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(error(message(panic.as_ref()))))
}

pub fn message(panic: &(dyn Any + Send)) -> String {
    format!("it panicked: {}", text(panic))
}

pub fn text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
