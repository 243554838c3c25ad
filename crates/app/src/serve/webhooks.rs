//! Deliveries of events to webhooks: the client that calls receivers, and bodies.

use std::sync::Arc;

use ::webhooks::PrivateAddresses;
use adapters_webhooks::WebhookClient;
use domain::posting::PostingView;
use kernel::event::Event;
use views::event::DeliveredEvent;
use workers::Body;

/// Builds the client that calls receivers.
pub fn client(private: PrivateAddresses) -> anyhow::Result<Arc<WebhookClient>> {
    Ok(Arc::new(WebhookClient::new(private, 128)?))
}

/// Builds the client that checks and tries receivers for the API. It shares nothing with the one of
/// deliveries, so that requests with names that nobody resolves hold up no delivery.
pub fn client_of_api(private: PrivateAddresses) -> anyhow::Result<Arc<WebhookClient>> {
    Ok(Arc::new(WebhookClient::new(private, 8)?))
}

/// Warns if a client cannot call receivers over HTTPS.
pub fn warn_without_https(client: &WebhookClient) {
    if let Some(problem) = client.https_problem() {
        tracing::warn!(problem, "no webhook can be called over https");
    }
}

/// The bodies of deliveries, with where decisions can be contested.
pub fn body(appeal: Option<Arc<str>>) -> Body {
    Arc::new(move |event: &Event, posting: Option<&PostingView>| {
        let body = DeliveredEvent::new(event, posting, appeal.as_deref());
        let body = body.ok_or_else(|| format!("{} is not for readers outside", event.name))?;
        serde_json::to_vec(&body).map_err(|error| error.to_string())
    })
}
