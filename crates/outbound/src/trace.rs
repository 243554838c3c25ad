use reqwest::header::HeaderValue;
use tokio::task_local;

task_local! {
    static CURRENT: HeaderValue;
}

pub const TRACEPARENT: &str = "traceparent";

/// Runs `work`. Its requests belong to this trace, if there is one.
pub async fn traced<T>(traceparent: Option<&str>, work: impl Future<Output = T>) -> T {
    let header = traceparent.and_then(|text| HeaderValue::from_str(text).ok());
    match header {
        Some(header) => CURRENT.scope(header, work).await,
        None => work.await,
    }
}

/// The trace of the current task, as a header's value.
pub fn traceparent() -> Option<HeaderValue> {
    CURRENT.try_with(HeaderValue::clone).ok()
}
