//! `posthaste webhooks deliveries`.

use ::webhooks::{DELIVERIES_KEPT, EndpointId, LoggedDelivery, logged};
use adapters_http::delivery_data;
use clap::Args;
use serde::{Serialize, Serializer};

use super::context::find;
use crate::{
    cli::{JsonArgs, StoreArgs},
    config, output,
};

/// List the last attempts, newest first
#[derive(Debug, Args)]
pub struct Deliveries {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
    id: EndpointId,

    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_WEBHOOKS_LIMIT",
        default_value_t = 100
    )]
    limit: usize,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Deliveries {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let endpoint = find(&database, self.id).await?.endpoint;
        let most = self.limit.min(DELIVERIES_KEPT);
        let records = database.webhooks.deliveries(self.id, most).await?;
        let (log, clients) = (&*database.events, &*database.clients);
        let deliveries = logged(endpoint, records, log, clients).await?;
        let mut list = output::List::new(self.json.enabled, output::print);
        if !deliveries.is_empty() {
            list.page(&deliveries.iter().map(Row).collect::<Vec<_>>())?;
        }
        list.end("Nothing was attempted.", None)
    }
}

/// An attempt.
struct Row<'a>(&'a LoggedDelivery);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        delivery_data(self.0).serialize(serializer)
    }
}

impl output::Row for Row<'_> {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("AT (UTC)", 20),
        ("TYPE", 20),
        ("POSTING", 20),
        ("TRY", 5),
        ("STATUS", 6),
        ("MS", 6),
        ("EVENT", 36),
    ];

    fn cells(&self) -> Vec<String> {
        let delivery = &self.0.record;
        let identifier = self.0.identifier().map(ToString::to_string);
        let at = output::time(delivery.at);
        let status = delivery.status.map(|status| status.to_string());
        vec![
            at.get(..19).unwrap_or(&at).to_owned(),
            delivery.name.to_string(),
            identifier.unwrap_or_else(|| "-".to_owned()),
            delivery.attempt.to_string(),
            status.unwrap_or_else(|| "-".to_owned()),
            delivery.duration.as_millis().to_string(),
            delivery.event.to_string(),
        ]
    }

    fn below(&self) -> Option<String> {
        self.0.record.error.clone()
    }
}
