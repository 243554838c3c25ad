use access::sign_in::LinkMaker;
use access::{Client, ClientRef};
use adapters_console::client_link;
use clap::Args;
use runtime::clock;
use serde_json::{Value, json};
use views::client::ClientOfOperator;

use super::named::{ClientArgs, ClientContext, find};
use crate::{
    args::{JsonArgs, ListArgs, PublicUrlArgs, StoreArgs},
    output,
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
        let mut activity = |client: &Client| activities.remove(&client.id).unwrap_or_default();
        let all: Vec<_> = all
            .iter()
            .map(|client| (client, activity(client)))
            .collect();
        let rows = all
            .iter()
            .map(|(client, activity)| ClientOfOperator::new(client, activity));
        self.rows
            .print(COLUMNS, &rows.collect::<Vec<_>>(), "", more)
    }
}

/// Show a client and its activity
#[derive(Debug, Args)]
pub struct Show {
    /// The client's id, or its name if no other client has it
    #[arg(value_name = "ID")]
    client: ClientRef,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let client = find(&self.client, &*database.clients).await?;
        let activity = database.activity.activity(client.id).await?;
        let shown = ClientOfOperator::new(&client, &activity);
        if self.json.enabled {
            return output::print_json(&shown);
        }
        print(&serde_json::to_value(shown)?)
    }
}

/// Print a link to a client's own pages, for its integrator; the link works once, within 24 hours
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
        let (url, end) = client_link(
            tokens,
            &client,
            LinkMaker::Operator(&by),
            &url,
            clock::now(),
        )
        .await?;
        let shown = json!({ "url": url, "expires_at": output::time(end) });
        self.json.print(&shown, || url.clone())
    }
}

const COLUMNS: &str = "CLIENT=client_id  NAME=name  SCOPES=scopes  PREFIXES=prefixes  \
                       CREATED=created_at  REVOKED=revoked_at";

pub(super) const SETTINGS: &str = "client_id  name  scopes  prefixes=the whole board  requests_per_minute=any number  \
     expect_every=its usual interval";

const TIMES: &str = "last_push_at=never  visible  created_at  revoked_at";
const PARTS: [(&str, &str); 3] = [
    (
        "secrets",
        "SECRET CREATED=created_at  LAST USED=last_used_at  VALID UNTIL=expires_at",
    ),
    (
        "days",
        "DAY=date  CREATED=created  UPDATED=updated  UNCHANGED=unchanged  EXPIRED=expired  \
         REOPENED=reopened  REFUSED=refused  APPROVED=approved  REJECTED=rejected",
    ),
    (
        "refusals",
        "REFUSED=at  STATUS=status  IDENTIFIER=unique_source_identifier  TIMES=count  \
         REQUEST=request_id  =message:below",
    ),
];

fn print(shown: &Value) -> anyhow::Result<()> {
    output::print(output::record(shown, SETTINGS)?)?;
    output::print(output::record(shown, TIMES)?)?;
    for (key, columns) in PARTS {
        if let Some(rows @ [_, ..]) = shown[key].as_array().map(Vec::as_slice) {
            output::print(format_args!("\n{}", output::table(columns, rows)?))?;
        }
    }
    Ok(())
}
