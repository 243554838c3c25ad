//! `posthaste webhooks list`, `show` and `deliveries`: webhooks as text and as JSON.

use ::webhooks::{
    DELIVERIES_KEPT, EndpointBacklog, EndpointId, LoggedDelivery, Owner, TrackedEndpoint, logged,
};
use access::Client;
use adapters_http::{delivery_data, endpoint_data};
use clap::Args;
use kernel::{Prefixes, StoreError};
use serde::{Serialize, Serializer};

use super::context::{endpoint_id, find};
use crate::{
    cli::{JsonArgs, ListArgs, StoreArgs},
    database::Database,
    output,
};

/// List the webhooks, those of clients too, oldest first
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
        let mut shown = Vec::new();
        for tracked in &all {
            shown.push(Shown::of(&database, tracked, &backlog).await?);
        }
        self.rows.print(&shown, "There are no webhooks.", more)
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
        let shown = Shown::of(&database, &tracked, &backlog).await?;
        self.json.print(&shown, || shown.text())
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
        let rows: Vec<_> = deliveries.iter().map(Row).collect();
        self.rows.print(&rows, "Nothing was attempted.", None)
    }
}

/// The most endpoints whose backlog is read.
const MOST: usize = 1_000;

/// A webhook for an operator: the fields of the API, its owner, the prefixes of the postings whose
/// events it gets, and its backlog.
pub struct Shown<'a> {
    tracked: &'a TrackedEndpoint,
    /// The prefixes, or the reason why there are no deliveries.
    prefixes: Result<Prefixes, &'static str>,
    backlog: Option<&'a EndpointBacklog>,
    secret: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// A webhook with its owner, and its backlog if that is among these.
    pub async fn of(
        database: &Database,
        tracked: &'a TrackedEndpoint,
        backlog: &'a [EndpointBacklog],
    ) -> Result<Self, StoreError> {
        let owner = match tracked.endpoint.owner {
            Owner::Client(id) => database.clients.find(id).await?,
            Owner::Operator => None,
        };
        let mut backlog = backlog.iter();
        let backlog = backlog.find(|of| of.endpoint == tracked.endpoint.id);
        Ok(Self::new(tracked, owner.as_ref(), backlog))
    }

    fn new(
        tracked: &'a TrackedEndpoint,
        owner: Option<&Client>,
        backlog: Option<&'a EndpointBacklog>,
    ) -> Self {
        let of_owner = tracked.endpoint.clone().of_owner(owner);
        Self {
            tracked,
            prefixes: of_owner.map(|endpoint| endpoint.prefixes),
            backlog,
            secret: None,
        }
    }

    /// The same with its secret.
    pub fn with_secret(self, secret: &'a str) -> Self {
        Self {
            secret: Some(secret),
            ..self
        }
    }

    /// The webhook as lines.
    fn text(&self) -> String {
        let TrackedEndpoint {
            endpoint, health, ..
        } = self.tracked;
        let names = endpoint.names.as_ref().map(|names| {
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            names.join(", ")
        });
        let prefixes = match self.prefixes.as_ref().map(Prefixes::as_slice) {
            Ok([]) => "the whole board".to_owned(),
            Ok(prefixes) => prefixes.join(", "),
            Err(reason) => format!("none: {reason}"),
        };
        let behind_since = self.backlog.and_then(|of| of.behind_since);
        let mut fields = output::Fields::default();
        fields
            .add("id", endpoint.id.to_string())
            .add("url", endpoint.url.as_str().to_owned())
            .add("owner", owner(endpoint.owner))
            .add("types", names.unwrap_or_else(|| "all".to_owned()))
            .add("postings", prefixes)
            .add("include_posting", endpoint.include_posting.to_string())
            .add("description", endpoint.description.clone())
            .add("state", endpoint.state.to_string())
            .add("state_reason", endpoint.state_reason.clone())
            .add("waiting", self.backlog.map(|of| of.waiting.to_string()))
            .add("behind_since", behind_since.map(output::time))
            .add("last_success_at", health.last_success_at.map(output::time))
            .add("failing_since", health.failing_since.map(output::time))
            .add("created_at", output::time(endpoint.created_at))
            .add("updated_at", output::time(endpoint.updated_at));
        fields.text()
    }
}

impl output::Row for Shown<'_> {
    const HEADINGS: &'static str = "ID  STATE  OWNER  WAITING  URL";

    fn cells(&self) -> Vec<String> {
        let endpoint = &self.tracked.endpoint;
        let waiting = self.backlog.map(|of| of.waiting.to_string());
        vec![
            endpoint.id.to_string(),
            endpoint.state.to_string(),
            owner(endpoint.owner),
            waiting.unwrap_or_default(),
            endpoint.url.as_str().to_owned(),
        ]
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Json<'a, T> {
            #[serde(flatten)]
            endpoint: T,
            owner: String,
            prefixes: Option<&'a [String]>,
            waiting: Option<usize>,
            behind_since: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            secret: Option<&'a str>,
        }
        let json = Json {
            endpoint: endpoint_data(self.tracked),
            owner: owner(self.tracked.endpoint.owner),
            prefixes: self.prefixes.as_ref().ok().map(Prefixes::as_slice),
            waiting: self.backlog.map(|of| of.waiting),
            behind_since: self
                .backlog
                .and_then(|of| of.behind_since)
                .map(output::time),
            secret: self.secret,
        };
        json.serialize(serializer)
    }
}

/// An owner in the words of the history of postings.
fn owner(owner: Owner) -> String {
    match owner {
        Owner::Operator => "operator".to_owned(),
        Owner::Client(id) => format!("client:{id}"),
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
    const HEADINGS: &'static str = "AT (UTC)  TYPE  POSTING  TRY  STATUS  MS  EVENT";
    const WIDTHS: &'static [usize] = &[20, 20, 20, 5, 6, 6, 36];

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

#[cfg(test)]
mod tests {
    use ::webhooks::{Health, testing::endpoint};
    use access::{Scope, testing::client};
    use kernel::{event::Cursor, testing::noon};
    use serde_json::{Value, json};

    use super::*;

    /// The line `postings` and the prefixes.
    fn shown(tracked: &TrackedEndpoint, owner: Option<&Client>) -> (String, Value) {
        let shown = Shown::new(tracked, owner, None);
        let text = shown.text();
        let line = text.lines().find_map(|line| line.strip_prefix("postings"));
        let json = serde_json::to_value(&shown).unwrap();
        (line.unwrap().trim().to_owned(), json["prefixes"].clone())
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
        let none = ("none: its client was revoked".to_owned(), Value::Null);
        assert_eq!(shown(&tracked, Some(&revoked)), none);
    }
}
