//! JSON answers, and values that have the same format in all answers.

use std::sync::LazyLock;

use actix_web::{
    HttpResponse,
    body::{BodySize, MessageBody as _},
    http::{
        StatusCode,
        header::{CACHE_CONTROL, ContentType, HeaderValue},
    },
};
use http_server::PIECE;
use runtime::cores;
use serde::Serialize;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::error::ApiError;

pub type Answer = Result<HttpResponse, ApiError>;

pub fn json(status: StatusCode, body: &impl Serialize) -> Answer {
    let json = serde_json::to_vec(body)?;
    Ok(HttpResponse::build(status)
        .content_type(ContentType::json())
        .body(json))
}

/// The form of most bodies: an object with the value under `data`.
#[derive(Serialize)]
pub struct Data<T> {
    pub data: T,
}

pub fn data(data: impl Serialize) -> Answer {
    data_with(StatusCode::OK, data)
}

pub fn data_with(status: StatusCode, data: impl Serialize) -> Answer {
    json(status, &Data { data })
}

pub fn no_store(mut answer: HttpResponse) -> HttpResponse {
    let no_store = HeaderValue::from_static("no-store");
    answer.headers_mut().insert(CACHE_CONTROL, no_store);
    answer
}

/// Marks an answer whose body is shared, so that the answer takes no memory of its own.
struct IsShared;

pub fn shared(mut answer: HttpResponse) -> HttpResponse {
    answer.extensions_mut().insert(IsShared);
    answer
}

/// Returns how many bytes of memory a long answer holds until the client has read it.
pub fn held(answer: &HttpResponse) -> Option<usize> {
    let BodySize::Sized(bytes) = answer.body().size() else {
        return None;
    };
    let is_shared = answer.extensions().get::<IsShared>().is_some();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    (bytes > PIECE).then_some(if is_shared { PIECE } else { bytes })
}

pub async fn large_json<T: Send + 'static>(
    value: T,
    bytes: usize,
    write: impl FnOnce(&T) -> Result<Vec<u8>, serde_json::Error> + Send + 'static,
) -> Answer {
    // The value is dropped on the other thread, too, because dropping takes time.
    let json = large(bytes, move || write(&value)).await??;
    Ok(HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(json))
}

/// Runs `work` on this many bytes. Much work runs on another thread, because this one also answers
/// health checks. Few such threads run at a time: each needs several times the bytes in memory.
pub async fn large<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    static AT_ONCE: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(cores::half()));
    const LARGE: usize = 64 * 1024;
    if bytes < LARGE {
        return Ok(work());
    }
    let turn = AT_ONCE
        .acquire()
        .await
        .map_err(|closed| ApiError::internal(&closed))?;
    let done = spawn_blocking(work).await?;
    drop(turn);
    Ok(done)
}
