use ::webhooks::EndpointState;
use kernel::StoreError;
use metrics::gauge;
use stores::Stores;
use time::OffsetDateTime;

use super::reading::number;

runtime::metrics! {
    gauge ENDPOINTS in Count = "posthaste_webhook_endpoints",
        "Webhooks by state: active, paused and disabled; counted to 1000";
    gauge WAITING in Count = "posthaste_webhook_waiting_events",
        "Events that wait for an attempt at an active webhook, after a failure or in a backlog";
    gauge LAG in Seconds = "posthaste_webhook_lag_seconds",
        "The age of the oldest event that an active webhook has not reached; 0 if there is none";
}

const MOST: usize = 1_000;

#[derive(Clone)]
pub(super) struct Endpoints {
    states: Vec<EndpointState>,
    waiting: usize,
    /// The time of the oldest event that an active endpoint has not passed.
    behind_since: Option<OffsetDateTime>,
}

pub(super) async fn read(stores: &Stores) -> Result<Endpoints, StoreError> {
    let webhooks = &stores.webhooks;
    let all = webhooks.list(None, None, MOST).await?;
    let backlog = webhooks.backlog(MOST).await?;
    Ok(Endpoints {
        states: all.iter().map(|tracked| tracked.endpoint.state).collect(),
        waiting: backlog.iter().map(|of| of.waiting).sum(),
        behind_since: backlog.iter().filter_map(|of| of.behind_since).min(),
    })
}

pub(super) fn record(endpoints: Option<&Endpoints>, now: OffsetDateTime) {
    let Some(endpoints) = endpoints else {
        return;
    };
    for &state in EndpointState::ALL {
        let many = endpoints.states.iter().filter(|own| **own == state).count();
        gauge!(ENDPOINTS, "state" => state.as_str()).set(number(many as u64));
    }
    gauge!(WAITING).set(number(endpoints.waiting as u64));
    let age = endpoints.behind_since;
    let age = age.map_or(0.0, |at| (now - at).as_seconds_f64().max(0.0));
    gauge!(LAG).set(age);
}
