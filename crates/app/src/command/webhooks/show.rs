use ::webhooks::{DELIVERIES_KEPT, EndpointBacklog, EndpointId, Owner, TrackedEndpoint, logged};
use access::Client;
use clap::Args;
use kernel::StoreError;
use serde::Serialize;
use stores::Stores;
use views::{
    attention::Pages,
    webhook::{Delivery, Endpoint},
};

use super::context::{endpoint_id, find};
use crate::{
    args::{JsonArgs, ListArgs, StoreArgs},
    output,
};

/// List all webhooks, including clients' webhooks, oldest first
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let mut all = database.webhooks.list(None, None, self.rows.most()).await?;
        let more = self.rows.cut(&mut all);
        let backlog = database.webhooks.backlog(MOST).await?;
        let mut rows = Vec::new();
        for tracked in &all {
            rows.push(shown(&database, tracked, &backlog, None).await?);
        }
        self.rows
            .print(COLUMNS, &rows, "There are no webhooks.", more)
    }
}

/// Show a webhook
#[derive(Debug, Args)]
pub struct Show {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = endpoint_id)]
    id: EndpointId,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let tracked = find(&database, self.id).await?;
        let backlog = database.webhooks.backlog(MOST).await?;
        let shown = shown(&database, &tracked, &backlog, None).await?;
        self.json.record(&shown, FIELDS)
    }
}

/// List the last attempts, newest first
#[derive(Debug, Args)]
pub struct Deliveries {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = endpoint_id)]
    id: EndpointId,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Deliveries {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let endpoint = find(&database, self.id).await?.endpoint;
        let most = self.rows.limit.min(DELIVERIES_KEPT);
        let records = database.webhooks.deliveries(self.id, most).await?;
        let (log, clients) = (&*database.events, &*database.clients);
        let deliveries = logged(endpoint, records, log, clients).await?;
        let rows: Vec<_> = (deliveries.iter())
            .map(|one| Delivery::new(one, Pages::Console("")))
            .collect();
        self.rows
            .print(ATTEMPTS, &rows, "Nothing was attempted.", None)
    }
}

const MOST: usize = 1_000;

const COLUMNS: &str = "ID=id  STATE=state  OWNER=owner  WAITING=waiting  URL=url";

const FIELDS: &str = "id  url  owner  types=all  prefixes|withheld=the whole board  \
                      include_posting  description  state  state_reason  waiting  behind_since  \
                      last_success_at  failing_since  created_at  updated_at";

const ATTEMPTS: &str = "AT=at  TYPE=type:20  POSTING=unique_source_identifier:20  TRY=attempt:5  \
                        STATUS=status:6  MS=duration_ms:6  EVENT=event_id:36  =error:below";

#[derive(Serialize)]
pub struct Shown<'a> {
    #[serde(flatten)]
    endpoint: Endpoint<'a>,
    owner: String,
    /// The prefixes of the postings whose events the webhook gets; `None` for no events.
    prefixes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
    waiting: Option<usize>,
    behind_since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

pub async fn shown<'a>(
    database: &Stores,
    tracked: &'a TrackedEndpoint,
    backlog: &[EndpointBacklog],
    secret: Option<&'a str>,
) -> Result<Shown<'a>, StoreError> {
    let owner = match tracked.endpoint.owner {
        Owner::Client(id) => database.clients.find(id).await?,
        Owner::Operator => None,
    };
    let mut backlog = backlog.iter();
    let backlog = backlog.find(|of| of.endpoint == tracked.endpoint.id);
    Ok(with_owner(tracked, owner.as_ref(), backlog, secret))
}

fn with_owner<'a>(
    tracked: &'a TrackedEndpoint,
    client: Option<&Client>,
    backlog: Option<&EndpointBacklog>,
    secret: Option<&'a str>,
) -> Shown<'a> {
    let of_owner = tracked.endpoint.clone().of_owner(client);
    let behind_since = backlog.and_then(|of| of.behind_since);
    Shown {
        endpoint: Endpoint::from(tracked),
        owner: owner(tracked.endpoint.owner),
        withheld: of_owner.as_ref().err().copied(),
        prefixes: of_owner.ok().map(|of| of.prefixes.as_slice().to_vec()),
        waiting: backlog.map(|of| of.waiting),
        behind_since: behind_since.map(output::time),
        secret,
    }
}

fn owner(owner: Owner) -> String {
    match owner {
        Owner::Operator => "operator".to_owned(),
        Owner::Client(id) => format!("client:{id}"),
    }
}

#[cfg(test)]
mod tests {
    use ::webhooks::{Health, testing::endpoint};
    use access::{Scope, testing::client};
    use kernel::{Prefixes, event::Cursor, testing::noon};
    use serde_json::{Value, json};

    use super::*;

    fn shown(tracked: &TrackedEndpoint, owner: Option<&Client>) -> (String, Value) {
        let shown = serde_json::to_value(with_owner(tracked, owner, None, None)).unwrap();
        let text = output::record(&shown, FIELDS).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("prefixes"));
        (line.unwrap().trim().to_owned(), shown["prefixes"].clone())
    }

    #[test]
    fn the_webhook_of_a_client_is_shown_with_what_the_client_may_read() {
        let mut owner = client(1);
        owner.scopes.push(Scope::WebhooksManage);
        let mut tracked = TrackedEndpoint {
            endpoint: endpoint(1),
            cursor: Cursor::START,
            health: Health::default(),
        };
        let all = || ("the whole board".to_owned(), json!([]));
        assert_eq!(shown(&tracked, None), all());
        tracked.endpoint.owner = Owner::Client(owner.id);
        assert_eq!(shown(&tracked, Some(&owner)), all());
        owner.prefixes = Prefixes::new(&["acme-", "b-"]).unwrap();
        let some = ("acme-, b-".to_owned(), json!(["acme-", "b-"]));
        assert_eq!(shown(&tracked, Some(&owner)), some);
        let revoked = owner.revoke(noon()).unwrap().client;
        let none = ("its client was revoked".to_owned(), Value::Null);
        assert_eq!(shown(&tracked, Some(&revoked)), none);
    }
}
