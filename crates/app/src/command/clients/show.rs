//! `posthaste clients list`, `show` and `link`: clients as text and as JSON.

use access::{
    Client, Scope,
    activity::{Activity, Day},
};
use adapters_console::client_link;
use adapters_http::client_data;
use clap::Args;
use runtime::clock;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::named::{ClientArgs, ClientContext, find};
use crate::{
    cli::{
        JsonArgs, ListArgs, PublicUrlArgs, StoreArgs,
        values::{ClientRef, client},
    },
    output::{self, Fields},
    text,
};

/// List the clients, oldest first
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
        let mut all = database.clients.list(self.rows.most()).await?;
        let more = self.rows.cut(&mut all);
        let ids: Vec<_> = all.iter().map(|client| client.id).collect();
        let mut activities = database.activity.activities(&ids, true).await?;
        let shown = all.into_iter().map(|client| Shown {
            activity: activities.remove(&client.id).unwrap_or_default(),
            client,
        });
        self.rows.print(&shown.collect::<Vec<_>>(), "", more)
    }
}

/// Show a client and its activity
#[derive(Debug, Args)]
pub struct Show {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = client)]
    client: ClientRef,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let client = find(&*database.clients, &self.client).await?;
        let activity = database.activity.activity(client.id).await?;
        let shown = Shown { client, activity };
        self.json.print(&shown, || shown.text())
    }
}

/// Print a link to a client's own pages, for whoever runs it: good once, within 24 hours
#[derive(Debug, Args)]
pub struct Link {
    #[command(flatten)]
    place: PublicUrlArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    client: ClientArgs,
}

impl Link {
    pub async fn run(self) -> anyhow::Result<()> {
        let ClientContext {
            client,
            database,
            by,
        } = self.client.open().await?;
        let (tokens, url) = (&*database.sign_in_tokens, self.place.url());
        let (url, end) = client_link(tokens, &client, Some(&by), &url, clock::now()).await?;
        let shown = json!({ "url": url, "expires_at": output::time(end) });
        self.json.print(&shown, || url.clone())
    }
}

/// A client for an operator.
struct Shown {
    client: Client,
    activity: Activity,
}

impl Shown {
    /// The client, its secrets, its last days and its last refusals.
    fn text(&self) -> String {
        let Self { client, activity } = self;
        let mut fields = settings(client);
        let or_never = |at: Option<_>| at.map_or_else(|| "never".to_owned(), output::time);
        fields
            .add("last_push_at", or_never(activity.last_push_at))
            .add("created_at", output::time(client.created_at))
            .add("revoked_at", client.revoked_at.map(output::time));
        for secret in &client.secrets {
            let (made, used) = (
                output::time(secret.created_at),
                or_never(secret.last_used_at),
            );
            let end = secret.expires_at.map(output::time);
            let end = end.map(|end| format!(", valid until {end}"));
            let end = end.unwrap_or_default();
            fields.add("secret", format!("made {made}, last used {used}{end}"));
        }
        let mut text = fields.text();
        if !activity.days.is_empty() {
            let days: Vec<_> = activity.days.iter().map(day).collect();
            text = format!("{text}\n\n{}", output::columns(DAYS, &days));
        }
        if !activity.refusals.is_empty() {
            text += "\n\nThe last refusals:";
        }
        text.extend(activity.refusals.iter().map(|refusal| {
            let (at, status) = (output::time(refusal.at), refusal.status);
            let identifier = text::plain(&refusal.identifier);
            let message = text::plain(&refusal.message);
            let more = match refusal.count - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let request = refusal.request_id.as_deref().map(text::plain);
            let request = request
                .map(|id| format!("  request {id}"))
                .unwrap_or_default();
            format!("\n{at}  {status}  {identifier}{more}{request}\n    {message}")
        }));
        text
    }
}

impl output::Row for Shown {
    const HEADINGS: &'static str = "CLIENT  NAME  SCOPES  PREFIXES  CREATED  REVOKED";

    fn cells(&self) -> Vec<String> {
        let client = &self.client;
        vec![
            client.id.to_string(),
            client.name.clone(),
            scopes(client),
            client.prefixes.as_slice().join(" "),
            output::time(client.created_at),
            client.revoked_at.map(output::time).unwrap_or_default(),
        ]
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        client_data(&self.client, &self.activity).serialize(serializer)
    }
}

/// The columns of a client's days.
const DAYS: &str =
    "DAY  CREATED  UPDATED  UNCHANGED  EXPIRED  REOPENED  REFUSED  APPROVED  REJECTED";

/// What a client did on a day.
fn day(day: &Day) -> Vec<String> {
    let counts = &day.counts;
    let counts = [
        counts.created,
        counts.updated,
        counts.unchanged,
        counts.expired,
        counts.reopened,
        counts.refused,
        counts.approved,
        counts.rejected,
    ];
    let counts = counts.iter().map(ToString::to_string);
    [day.date.to_string()].into_iter().chain(counts).collect()
}

/// The settings of a client, as lines.
pub(super) fn settings(client: &Client) -> Fields {
    let prefixes = match client.prefixes.as_slice() {
        [] => "the whole board".to_owned(),
        prefixes => prefixes.join(", "),
    };
    let limit = client.requests_per_minute.map(|limit| limit.to_string());
    let mut fields = Fields::default();
    fields
        .add("client_id", client.id.to_string())
        .add("name", client.name.clone())
        .add("scopes", scopes(client))
        .add("postings", prefixes)
        .add(
            "requests_per_minute",
            limit.unwrap_or_else(|| "any number".to_owned()),
        );
    fields
}

fn scopes(client: &Client) -> String {
    let scopes: Vec<_> = client.scopes.iter().copied().map(Scope::as_str).collect();
    scopes.join(" ")
}
