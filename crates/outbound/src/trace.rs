//! The trace that a task's requests belong to.

use reqwest::header::HeaderValue;
use tokio::task_local;

task_local! {
    static CURRENT: HeaderValue;
}

/// The header of W3C Trace Context.
pub const TRACEPARENT: &str = "traceparent";

/// Runs work whose requests belong to a trace, if there is one.
pub async fn traced<T>(traceparent: Option<&str>, work: impl Future<Output = T>) -> T {
    let header = traceparent.and_then(|text| HeaderValue::from_str(text).ok());
    match header {
        Some(header) => CURRENT.scope(header, work).await,
        None => work.await,
    }
}

/// The value of [`TRACEPARENT`] for a request of this task.
pub fn traceparent() -> Option<HeaderValue> {
    CURRENT.try_with(HeaderValue::clone).ok()
}
