//! What came of a push, for the log and for the client to read later.

use domain::posting::{self};
use kernel::{ClientId, PutOutcome};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{error::ApiError, ports::Ports};

/// Logs the outcome of a push, and records it as the client's activity. `logged` is the identifier
/// as the log shows it, which has no line breaks.
pub fn record(
    ports: &Ports,
    client: ClientId,
    identifier: &str,
    logged: &str,
    answer: Result<&posting::Answer, &ApiError>,
) {
    let now = kernel::microseconds(OffsetDateTime::now_utc());
    match answer {
        Ok(answer) => {
            log(client, logged, answer);
            ports.recorder.pushed(client, answer.outcome, now);
        }
        Err(error) => {
            if let Some(refusal) = error.refusal(Uuid::now_v7(), now, identifier) {
                ports.recorder.refused(client, refusal);
            }
        }
    }
}

/// Logs the client and its change, with the actors of the posting's first and last change before,
/// in the request's span with the request id. Unchanged pushes, which are the majority, are not
/// logged.
fn log(client_id: ClientId, identifier: &str, answer: &posting::Answer) {
    let outcome = answer.outcome;
    if outcome == PutOutcome::Unchanged {
        return;
    }
    tracing::info!(
        target: "posthaste::push",
        %client_id,
        identifier,
        outcome = outcome.as_str(),
        created_by = answer.created_by.as_ref().map(tracing::field::display),
        updated_by = answer.updated_by.as_ref().map(tracing::field::display),
        "pushed"
    );
}
