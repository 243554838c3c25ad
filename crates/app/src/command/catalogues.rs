//! `posthaste catalogues`: shows catalogues, and undoes what an import of one expired.

use std::sync::Arc;

use adapters_http::catalogue_data;
use clap::Args;
use domain::{
    catalogue::{Catalogue, PastImport},
    usecase::{CatalogueError, UndoCatalogue as _, UndoOrder},
};
use ingest::CatalogueUndo;
use kernel::{CatalogueName, ClientId, Prefixes};
use runtime::{Throttle, clock};
use serde::{Serialize, Serializer};

use super::clients;
use crate::{
    cli::{
        JsonArgs, ListArgs, OperatorArgs, StoreArgs,
        values::{ClientRef, catalogue, client},
    },
    database::Database,
    output,
};

commands! {
    /// Look at catalogues, and undo what the import of one expired
    Catalogues {
        List(List),
        Show(Show),
        Undo(Undo),
    }
}

/// List catalogues by client and name
#[derive(Debug, Args)]
pub struct List {
    /// Only those of this client: its id, or its name if no other client has it
    #[arg(long, value_name = "ID", value_parser = client)]
    client: Option<ClientRef>,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let clients = match &self.client {
            Some(client) => vec![clients::find(&*database.clients, client).await?],
            None => database.clients.list(usize::MAX).await?,
        };
        let mut all = Vec::new();
        for client in &clients {
            if all.len() > self.rows.limit {
                break;
            }
            let of_client = database.catalogues.list(client.id, clock::now());
            let of_client = of_client.await?.into_iter();
            all.extend(of_client.map(|catalogue| Shown(client.id, catalogue)));
        }
        let more = self.rows.cut(&mut all);
        self.rows.print(&all, "There are no catalogues.", more)
    }
}

/// A catalogue of a client.
struct Shown(ClientId, Catalogue);

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        catalogue_data(self.0, &self.1).serialize(serializer)
    }
}

impl output::Row for Shown {
    const HEADINGS: &'static str = "CLIENT  NAME  POSTINGS  LAST IMPORT  MISSING";

    fn cells(&self) -> Vec<String> {
        let Self(client, catalogue) = self;
        let last = catalogue.last_import.as_ref();
        vec![
            client.to_string(),
            catalogue.name.to_string(),
            catalogue.postings.to_string(),
            last.map_or_else(
                || "never".to_owned(),
                |last| output::minute(last.finished_at),
            ),
            last.map(missing).unwrap_or_default(),
        ]
    }
}

/// What an import missed, in a few words.
fn missing(last: &PastImport) -> String {
    match last.summary.missing {
        Some(missing) if missing.held => format!("{}, held back", missing.count),
        Some(missing) => format!("{}, of which {} expired", missing.count, missing.expired),
        None => "incomplete".to_owned(),
    }
}

/// The catalogue that is meant.
#[derive(Debug, Args)]
struct Named {
    /// The catalogue's name
    #[arg(value_name = "NAME", value_parser = catalogue)]
    name: CatalogueName,
    /// Its client's id, or its name if no other client has it
    #[arg(long, value_name = "ID", value_parser = client)]
    client: ClientRef,
    #[command(flatten)]
    store: StoreArgs,
}

impl Named {
    async fn open(&self) -> anyhow::Result<(Database, ClientId)> {
        let database = self.store.open().await?;
        let client = clients::find(&*database.clients, &self.client).await?.id;
        Ok((database, client))
    }
}

/// Show a catalogue and its last import
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    named: Named,
    #[command(flatten)]
    json: JsonArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let (database, client) = self.named.open().await?;
        let found = database
            .catalogues
            .find(client, &self.named.name, clock::now());
        let catalogue = found.await?.ok_or(CatalogueError::NotFound)?;
        let shown = Shown(client, catalogue);
        self.json.print(&shown, || shown.text())
    }
}

impl Shown {
    fn text(&self) -> String {
        let Self(client, catalogue) = self;
        let last = catalogue.last_import.as_ref();
        let is_running = if catalogue.is_running { "yes" } else { "no" };
        let finished = last.map(|last| output::time(last.finished_at));
        let lines = last.map(|last| last.summary.counts.lines.to_string());
        let mut fields = output::Fields::default();
        fields
            .add("name", catalogue.name.to_string())
            .add("client", client.to_string())
            .add("postings", catalogue.postings.to_string())
            .add("running", is_running.to_owned())
            .add("last_import", finished)
            .add("lines", lines)
            .add("missing", last.map(missing));
        fields.text()
    }
}

/// Reopen what the last import that expired anything had expired, as far as nothing has changed it
/// since
#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    named: Named,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Undo {
    pub async fn run(self) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let (database, client) = self.named.open().await?;
        let throttle = Throttle(Arc::new(|| false));
        let undo = CatalogueUndo::new(database.for_catalogues(throttle));
        let order = UndoOrder {
            client,
            name: self.named.name,
            prefixes: Prefixes::ALL,
            by: Some(by),
        };
        let undone = undo.undo(order).await?;
        output::print(format!(
            "{} postings are open again; {} were left as they are.",
            undone.reopened, undone.left
        ))
    }
}
