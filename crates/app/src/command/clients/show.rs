//! `posthaste clients show`: a client as text and as JSON.

use access::{
    ActivityLog, Client, Scope,
    activity::{Activity, Day},
};
use adapters_http::client_data;
use clap::Args;
use serde::{Serialize, Serializer};

use super::named::find;
use crate::{
    cli::{JsonArgs, StoreArgs},
    config::{self, ClientRef},
    output::{self, Fields},
    text,
};

/// Show a client and its activity
#[derive(Debug, Args)]
pub struct Show {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID", value_parser = config::client)]
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
        if self.json.enabled {
            output::print_json(&shown)
        } else {
            output::print(shown.text()?)
        }
    }
}

/// A client for an operator.
pub(super) struct Shown {
    pub client: Client,
    pub activity: Activity,
}

impl Shown {
    /// Reads the activity of clients.
    pub async fn read(clients: Vec<Client>, log: &dyn ActivityLog) -> anyhow::Result<Vec<Self>> {
        let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
        let mut activities = log.activities(&ids, true).await?;
        let shown = clients.into_iter().map(|client| Self {
            activity: activities.remove(&client.id).unwrap_or_default(),
            client,
        });
        Ok(shown.collect())
    }

    /// The client, its secrets, its last days and its last refusals.
    fn text(&self) -> anyhow::Result<String> {
        let Self { client, activity } = self;
        let mut fields = settings(client);
        let never = || "never".to_owned();
        let last_push = activity.last_push_at.map(output::time);
        fields
            .add("last_push_at", last_push.unwrap_or_else(never))
            .add("created_at", output::time(client.created_at))
            .add("revoked_at", client.revoked_at.map(output::time));
        for secret in &client.secrets {
            let made = output::time(secret.created_at);
            let used = secret.last_used_at.map(output::time);
            let used = used.unwrap_or_else(never);
            let end = secret.expires_at.map(output::time);
            let end = end.map(|end| format!(", valid until {end}"));
            let end = end.unwrap_or_default();
            fields.add("secret", format!("made {made}, last used {used}{end}"));
        }
        let mut text = fields.text();
        if !activity.days.is_empty() {
            text.push('\n');
            let mut days = output::List::new(false, |line| {
                text = format!("{text}\n{line}");
                Ok(())
            });
            days.page(&activity.days.iter().map(DayRow::new).collect::<Vec<_>>())?;
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
        Ok(text)
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        client_data(&self.client, &self.activity).serialize(serializer)
    }
}

/// What a client did on a day, in text.
#[derive(Serialize)]
struct DayRow(Vec<String>);

impl DayRow {
    fn new(day: &Day) -> Self {
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
        Self([day.date.to_string()].into_iter().chain(counts).collect())
    }
}

impl output::Row for DayRow {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("DAY", 0),
        ("CREATED", 0),
        ("UPDATED", 0),
        ("UNCHANGED", 0),
        ("EXPIRED", 0),
        ("REOPENED", 0),
        ("REFUSED", 0),
        ("APPROVED", 0),
        ("REJECTED", 0),
    ];

    fn cells(&self) -> Vec<String> {
        self.0.clone()
    }
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

pub(super) fn scopes(client: &Client) -> String {
    let scopes: Vec<_> = client.scopes.iter().copied().map(Scope::as_str).collect();
    scopes.join(" ")
}
