//! Webhooks and deliveries as text and as JSON.

use std::collections::HashMap;

use ::webhooks::{DeliveryRecord, EndpointBacklog, EndpointId, Owner, TrackedEndpoint, Webhooks};
use access::{Client, Clients};
use adapters_http::endpoint_data;
use kernel::{ClientId, Prefixes, StoreError};
use serde::Serialize;

use crate::{output, text};

/// The most endpoints whose backlog is read.
const MOST: usize = 1_000;

/// The backlogs of active endpoints.
pub type Backlogs = HashMap<EndpointId, EndpointBacklog>;

/// Reads the backlogs of active endpoints.
pub async fn backlog(webhooks: &dyn Webhooks) -> Result<Backlogs, StoreError> {
    let all = webhooks.backlog(MOST).await?;
    Ok(all.into_iter().map(|of| (of.endpoint, of)).collect())
}

/// The clients that own webhooks.
pub type Owners = HashMap<ClientId, Client>;

/// Reads the clients that own these webhooks.
pub async fn owners(clients: &dyn Clients, all: &[TrackedEndpoint]) -> Result<Owners, StoreError> {
    let mut owners = Owners::new();
    for tracked in all {
        if let Owner::Client(id) = tracked.endpoint.owner
            && !owners.contains_key(&id)
            && let Some(client) = clients.find(id).await?
        {
            owners.insert(id, client);
        }
    }
    Ok(owners)
}

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
    pub fn new(
        tracked: &'a TrackedEndpoint,
        owners: &Owners,
        backlog: Option<&'a EndpointBacklog>,
    ) -> Self {
        let owner = match tracked.endpoint.owner {
            Owner::Client(id) => owners.get(&id),
            Owner::Operator => None,
        };
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
    pub fn text(&self) -> String {
        let TrackedEndpoint {
            endpoint, health, ..
        } = self.tracked;
        let names = endpoint.names.as_ref();
        let names = names.map_or_else(
            || "all".to_owned(),
            |names| {
                let names: Vec<_> = names.iter().map(ToString::to_string).collect();
                names.join(", ")
            },
        );
        let prefixes = match self.prefixes.as_ref().map(Prefixes::as_slice) {
            Ok([]) => "the whole board".to_owned(),
            Ok(prefixes) => text::plain(&prefixes.join(", ")),
            Err(reason) => format!("none: {reason}"),
        };
        let optional = |text: &Option<String>| text.as_deref().map(text::plain);
        let lines = [
            ("id", Some(endpoint.id.to_string())),
            ("url", Some(text::plain(endpoint.url.as_str()))),
            ("owner", Some(owner(endpoint.owner))),
            ("types", Some(names)),
            ("postings", Some(prefixes)),
            (
                "include_posting",
                Some(endpoint.include_posting.to_string()),
            ),
            ("description", optional(&endpoint.description)),
            ("state", Some(endpoint.state.to_string())),
            ("state_reason", optional(&endpoint.state_reason)),
            ("waiting", self.backlog.map(|of| of.waiting.to_string())),
            (
                "behind_since",
                self.backlog
                    .and_then(|of| of.behind_since)
                    .map(output::time),
            ),
            ("last_success_at", health.last_success_at.map(output::time)),
            ("failing_since", health.failing_since.map(output::time)),
            ("created_at", Some(output::time(endpoint.created_at))),
            ("updated_at", Some(output::time(endpoint.updated_at))),
        ];
        let lines = lines
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name:<17}{}", value?)));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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

/// The webhooks as a table.
pub fn table(all: &[TrackedEndpoint], backlogs: &Backlogs) -> String {
    if all.is_empty() {
        return "There are no webhooks.".to_owned();
    }
    let mut table = output::table(["ID", "STATE", "OWNER", "WAITING", "URL"]);
    for TrackedEndpoint { endpoint, .. } in all {
        let waiting = backlogs.get(&endpoint.id);
        table.add_row([
            endpoint.id.to_string(),
            endpoint.state.to_string(),
            owner(endpoint.owner),
            waiting.map(|of| of.waiting.to_string()).unwrap_or_default(),
            text::plain(endpoint.url.as_str()),
        ]);
    }
    table.to_string()
}

/// Deliveries as a table. An error has a line of its own below its attempt.
pub fn deliveries(deliveries: &[DeliveryRecord]) -> String {
    if deliveries.is_empty() {
        return "Nothing was attempted.".to_owned();
    }
    let line = |at: &str, name: &str, attempt: &str, status: &str, time: &str, event: &str| {
        format!("{at:<20}  {name:<20}  {attempt:>5}  {status:>6}  {time:>6}  {event}")
    };
    let mut lines = vec![line("AT (UTC)", "TYPE", "TRY", "STATUS", "MS", "EVENT")];
    for delivery in deliveries {
        let at = output::time(delivery.at);
        lines.push(line(
            at.get(..19).unwrap_or(&at),
            delivery.name.as_str(),
            &delivery.attempt.to_string(),
            &delivery
                .status
                .map_or_else(|| "-".to_owned(), |status| status.to_string()),
            &delivery.duration.as_millis().to_string(),
            &delivery.event.to_string(),
        ));
        if let Some(error) = &delivery.error {
            lines.push(format!("    {}", text::plain(error)));
        }
    }
    lines.join("\n")
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
        let owners = owner.map(|client| (client.id, client.clone()));
        let shown = Shown::new(tracked, &owners.into_iter().collect(), None);
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
