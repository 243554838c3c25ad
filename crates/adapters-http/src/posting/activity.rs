//! Records the outcome of a push for the log and for the client.

use access::activity::{Counts, Reasons, Refusal};
use domain::posting;
use http_server::RequestId;
use kernel::{ClientId, PutOutcome};
use uuid::Uuid;

use crate::{error::ApiError, ports::Ports, state::now};

/// The pushes of one request. When this value is dropped, their refusals are recorded by reason.
pub struct Pushes<'a> {
    ports: &'a Ports,
    client: ClientId,
    request_id: RequestId,
    dry_run: bool,
    reasons: Reasons,
}

impl<'a> Pushes<'a> {
    pub fn new(ports: &'a Ports, client: ClientId, request_id: &RequestId, dry_run: bool) -> Self {
        Self {
            ports,
            client,
            request_id: request_id.clone(),
            dry_run,
            reasons: Reasons::default(),
        }
    }

    pub fn record(&mut self, identifier: &str, answer: Result<&posting::Answer, &ApiError>) {
        let (now, recorder) = (now(), &self.ports.recorder);
        match answer {
            Ok(_) if self.dry_run => {}
            Ok(answer) => {
                log(self.client, identifier, answer);
                let counts = Counts::one(answer.outcome).with_fields(answer.fields);
                recorder.pushed(self.client, counts, now);
            }
            Err(error) => {
                if let Some(refusal) = error.refusal(Uuid::now_v7(), now, identifier) {
                    if !self.dry_run {
                        recorder.pushed(self.client, Counts::refused(), now);
                    }
                    self.reasons.add(refusal);
                }
            }
        }
    }
}

impl Drop for Pushes<'_> {
    fn drop(&mut self) {
        for mut refusal in self.reasons.take() {
            log_refused(self.client, &refusal);
            if !self.dry_run {
                refusal.request_id = Some(self.request_id.to_string());
                self.ports.recorder.explained(self.client, refusal);
            }
        }
    }
}

/// Logs a change, with the actors that created the posting and last changed it before. Most pushes
/// change nothing, and are not logged.
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

/// Logs refusals. An import has one line for each reason.
fn log_refused(client_id: ClientId, refusal: &Refusal) {
    tracing::info!(
        target: "posthaste::push",
        %client_id,
        identifier = refusal.identifier,
        status = refusal.status,
        reason = refusal.reason(),
        count = refusal.count,
        others = (!refusal.others.is_empty()).then(|| tracing::field::debug(&refusal.others)),
        "refused"
    );
}
