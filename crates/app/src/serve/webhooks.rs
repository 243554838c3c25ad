//! Calls webhook receivers, and builds bodies.

use std::sync::Arc;

use ::webhooks::{Owner, PrivateAddresses};
use adapters_webhooks::WebhookClient;
use domain::posting::PostingView;
use kernel::event::Event;
use views::{attention::Pages, event::DeliveredEvent};
use workers::Body;

pub fn client(private: PrivateAddresses) -> anyhow::Result<Arc<WebhookClient>> {
    Ok(Arc::new(WebhookClient::new(private, 128)?))
}

/// The API's client for checking receivers. It shares nothing with deliveries, so unresolvable
/// names delay no delivery.
pub fn client_of_api(private: PrivateAddresses) -> anyhow::Result<Arc<WebhookClient>> {
    Ok(Arc::new(WebhookClient::new(private, 8)?))
}

pub fn warn_without_https(client: &WebhookClient) {
    if let Some(problem) = client.https_problem() {
        tracing::warn!(problem, "no webhook can be called over https");
    }
}

#[derive(Clone, Debug)]
pub struct LinkBases {
    /// The console's URL, for operators' endpoints.
    pub console: String,
    /// The API's URL, for clients' endpoints.
    pub public: String,
}

pub fn body(appeal: Option<Arc<str>>, links: LinkBases) -> Body {
    Arc::new(move |owner, event: &Event, posting: Option<&PostingView>| {
        let pages = match owner {
            Owner::Client(_) => Pages::Integration(&links.public),
            Owner::Operator => Pages::Console(&links.console),
        };
        let body = DeliveredEvent::new(event, posting, appeal.as_deref(), pages);
        let body = body.ok_or_else(|| format!("{} is not for readers outside", event.name))?;
        serde_json::to_vec(&body).map_err(|error| error.to_string())
    })
}
