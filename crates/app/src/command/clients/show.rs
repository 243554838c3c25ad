//! Clients as text and as JSON.

use access::{Activity, ActivityLog, Client, Scope};
use adapters_http::client_data;
use serde::Serialize;

use crate::{output, text};

/// A client for an operator.
pub struct Shown {
    pub client: Client,
    pub activity: Activity,
}

impl Shown {
    /// Reads the activity of clients.
    pub async fn read(clients: Vec<Client>, log: &dyn ActivityLog) -> anyhow::Result<Vec<Self>> {
        let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
        let mut activities = log.activities(&ids).await?;
        let shown = clients.into_iter().map(|client| Self {
            activity: activities.remove(&client.id).unwrap_or_default(),
            client,
        });
        Ok(shown.collect())
    }

    /// The client, its secrets, its last days and its last refusals.
    pub fn text(&self) -> String {
        let mut text = settings(&self.client);
        let line = |name: &str, value: String| format!("\n{name:<20}{value}");
        let last_push = self.activity.last_push_at.map(output::time);
        text += &line(
            "last_push_at",
            last_push.unwrap_or_else(|| "never".to_owned()),
        );
        text += &line("created_at", output::time(self.client.created_at));
        if let Some(at) = self.client.revoked_at {
            text += &line("revoked_at", output::time(at));
        }
        for secret in &self.client.secrets {
            let used = secret.last_used_at.map(output::time);
            let used = used.unwrap_or_else(|| "never".to_owned());
            let end = secret.expires_at.map(output::time);
            let end = end.map(|end| format!(", valid until {end}"));
            let made = output::time(secret.created_at);
            let end = end.unwrap_or_default();
            text += &line("secret", format!("made {made}, last used {used}{end}"));
        }
        if !self.activity.days.is_empty() {
            text += "\n\n";
            text += &self.days();
        }
        if !self.activity.refusals.is_empty() {
            text += "\n\nThe last refusals:";
        }
        text.extend(self.activity.refusals.iter().map(|refusal| {
            let (at, status) = (output::time(refusal.at), refusal.status);
            let identifier = text::plain(&refusal.identifier);
            let message = text::plain(&refusal.message);
            format!("\n{at}  {status}  {identifier}\n    {message}")
        }));
        text
    }

    fn days(&self) -> String {
        let mut table = output::table([
            "DAY",
            "CREATED",
            "UPDATED",
            "UNCHANGED",
            "EXPIRED",
            "REOPENED",
            "REFUSED",
            "APPROVED",
            "REJECTED",
        ]);
        for day in &self.activity.days {
            let counts = &day.counts;
            let mut row = vec![day.date.to_string()];
            row.extend(
                [
                    counts.created,
                    counts.updated,
                    counts.unchanged,
                    counts.expired,
                    counts.reopened,
                    counts.refused,
                    counts.approved,
                    counts.rejected,
                ]
                .map(|count| count.to_string()),
            );
            table.add_row(row);
        }
        table.to_string()
    }
}

impl Serialize for Shown {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        client_data(&self.client, &self.activity).serialize(serializer)
    }
}

/// The settings of a client, as lines.
pub fn settings(client: &Client) -> String {
    let prefixes = match client.prefixes.as_slice() {
        [] => "the whole board".to_owned(),
        prefixes => text::plain(&prefixes.join(", ")),
    };
    let limit = client.requests_per_minute;
    let lines = [
        ("client_id", client.id.to_string()),
        ("name", text::plain(&client.name)),
        ("scopes", scopes(client)),
        ("postings", prefixes),
        (
            "requests_per_minute",
            limit.map_or_else(|| "any number".to_owned(), |limit| limit.to_string()),
        ),
    ];
    let lines = lines.map(|(name, value)| format!("{name:<20}{value}"));
    lines.join("\n")
}

fn scopes(client: &Client) -> String {
    let scopes: Vec<_> = client.scopes.iter().copied().map(Scope::as_str).collect();
    scopes.join(" ")
}

/// Clients as a table.
pub fn table(all: &[Client]) -> String {
    let mut table = output::table(["CLIENT", "NAME", "SCOPES", "PREFIXES", "CREATED", "REVOKED"]);
    for client in all {
        table.add_row([
            client.id.to_string(),
            text::plain(&client.name),
            scopes(client),
            text::plain(&client.prefixes.as_slice().join(" ")),
            output::time(client.created_at),
            client.revoked_at.map(output::time).unwrap_or_default(),
        ]);
    }
    table.to_string()
}
