//! `posthaste webhooks show`: a webhook as text and as JSON.

use std::{collections::HashMap, slice};

use ::webhooks::{EndpointBacklog, EndpointId, Owner, TrackedEndpoint, Webhooks};
use access::{Client, Clients};
use adapters_http::endpoint_data;
use clap::Args;
use kernel::{ClientId, Prefixes, StoreError};
use serde::Serialize;

use super::context::find;
use crate::{
    cli::{JsonArgs, StoreArgs},
    config, output,
};

/// Show a webhook
#[derive(Debug, Args)]
pub struct Show {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
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
        let backlog = backlog(&*database.webhooks).await?;
        let owners = owners(&*database.clients, slice::from_ref(&tracked)).await?;
        let shown = Shown::new(&tracked, &owners, backlog.get(&self.id));
        if self.json.enabled {
            output::print_json(&shown)
        } else {
            output::print(shown.text())
        }
    }
}

/// The most endpoints whose backlog is read.
const MOST: usize = 1_000;

/// The backlogs of active endpoints.
pub(super) type Backlogs = HashMap<EndpointId, EndpointBacklog>;

/// Reads the backlogs of active endpoints.
pub(super) async fn backlog(webhooks: &dyn Webhooks) -> Result<Backlogs, StoreError> {
    let all = webhooks.backlog(MOST).await?;
    Ok(all.into_iter().map(|of| (of.endpoint, of)).collect())
}

/// The clients that own webhooks.
pub(super) type Owners = HashMap<ClientId, Client>;

/// Reads the clients that own these webhooks.
pub(super) async fn owners(
    clients: &dyn Clients,
    all: &[TrackedEndpoint],
) -> Result<Owners, StoreError> {
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
pub(super) struct Shown<'a> {
    pub tracked: &'a TrackedEndpoint,
    /// The prefixes, or the reason why there are no deliveries.
    prefixes: Result<Prefixes, &'static str>,
    pub backlog: Option<&'a EndpointBacklog>,
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
pub(super) fn owner(owner: Owner) -> String {
    match owner {
        Owner::Operator => "operator".to_owned(),
        Owner::Client(id) => format!("client:{id}"),
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
