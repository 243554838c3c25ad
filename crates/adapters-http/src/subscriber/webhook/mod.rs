//! The provider's webhook, for bounces, unsubscribes, spam reports and deletions.
//!
//! A delivery that is signed with one of the secrets comes from the provider. If it is JSON, such a
//! delivery gets 200 even without relevant events, because after any other answer the provider
//! sends it again. If the store fails, the answer is 503, so that the provider retries.

mod delivery;
mod signature;

use std::{sync::Arc, time::Duration};

use actix_web::{
    http::{Method, StatusCode, header::HeaderValue},
    web,
};
use newsletter::{
    subscriber::{ProviderEvent, ReceivedEvent},
    usecase::NewsletterError,
};
use serde_json::json;
use tokens::new_subscriber;
use tokio::time::timeout;
use tracing::Instrument;

#[cfg(fuzzing)]
pub use self::delivery::read as read_delivery;
use self::signature::Signature;
pub use self::signature::Signatures;
use crate::{
    answer::{self, Answer},
    body::{Body, expect_uncompressed},
    error::{ApiError, RETRY_SWITCHED_OFF, refusals},
    resource::open,
    state::State,
};

pub const PATH: &str = "/api/webhooks/newsletter/update-subscriber-status";

/// The largest delivery in bytes. The limit is low because anyone may send a delivery. The
/// provider's batches have at most some hundred events of about a kilobyte.
const MOST_BYTES: usize = 256 * 1024;

/// The time limit for the store. The provider waits three seconds, and the contract promises an
/// answer within one second.
const PATIENCE: Duration = Duration::from_millis(900);

pub fn routes(config: &mut web::ServiceConfig) {
    config.service(open(PATH).on(Method::POST, receive));
}

async fn receive(body: Body, state: web::Data<State>, signatures: web::Data<Signatures>) -> Answer {
    if signatures.is_off() {
        return Err(ApiError::webhook_off());
    }
    let headers = body.head().headers();
    let signature = Signature::of(headers).ok_or_else(ApiError::bad_signature)?;
    expect_uncompressed(headers)?;
    let body = body.read(state.anonymous_limit(MOST_BYTES)).await?;
    let signed_with = signatures.verify(&signature, &body);
    let signed_with = Some(signed_with.ok_or_else(ApiError::bad_signature)?);
    let notices = delivery::read(&body)?.into_iter().map(|event| {
        let (new_id, new_token) = new_subscriber();
        ReceivedEvent {
            event: ProviderEvent {
                signed_with,
                ..event
            },
            new_id,
            new_token,
        }
    });
    let notices: Vec<_> = notices.collect();
    tracing::debug!(news = notices.len(), "a delivery of the provider");
    if !notices.is_empty() {
        let newsletter = Arc::clone(&state.ports.newsletter);
        written(async move { newsletter.notice(notices).await }).await?;
    }
    answer::json(StatusCode::OK, &json!({}))
}

/// Waits for the write within the time limit. After the limit, the write continues although the
/// provider will retry. Otherwise a slow store would never finish a write.
async fn written(
    writing: impl Future<Output = Result<(), NewsletterError>> + Send + 'static,
) -> Result<(), ApiError> {
    match timeout(PATIENCE, tokio::spawn(writing.in_current_span())).await {
        Ok(Ok(written)) => Ok(written?),
        Ok(Err(failed)) => Err(failed.into()),
        Err(elapsed) => Err(NewsletterError::Unavailable(elapsed.to_string()).into()),
    }
}

refusals! {
    /// 401 of the webhook. RFC 9110 §15.5.2 requires a challenge; it is not that of bearer tokens.
    bad_signature: UNAUTHORIZED,
        "The header Signature must be the lower-case hex HMAC-SHA256 of the body, made with the \
         webhook's secret.",
        WWW_AUTHENTICATE: HeaderValue::from_static("HMAC-SHA256 header=\"Signature\"");
    webhook_off: SERVICE_UNAVAILABLE,
        "The newsletter webhook is switched off: no secret is configured.",
        RETRY_AFTER: RETRY_SWITCHED_OFF;
}

#[cfg(test)]
mod tests {
    use actix_web::ResponseError;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_answered_in_time_and_written_all_the_same() {
        let (go_on, may_go_on) = oneshot::channel();
        let (done, is_done) = oneshot::channel();
        let slow = async {
            let may = may_go_on.await;
            done.send(may).unwrap();
            Ok(())
        };
        let error = written(slow).await.unwrap_err();
        assert_eq!(error.status_code(), StatusCode::SERVICE_UNAVAILABLE);
        go_on.send(()).unwrap();
        assert_eq!(is_done.await, Ok(Ok(())), "it goes on");
    }
}
