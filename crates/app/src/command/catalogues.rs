//! `posthaste catalogues`: shows catalogues, and undoes what an import of one expired.

use std::sync::Arc;

use access::ClientRef;
use adapters_http::catalogue_data;
use clap::Args;
use domain::usecase::{CatalogueError, UndoCatalogue as _, UndoOrder};
use ingest::CatalogueUndo;
use kernel::{CatalogueName, ClientId, Prefixes};
use runtime::{Throttle, clock};

use crate::{
    cli::{JsonArgs, ListArgs, OperatorArgs, StoreArgs, values::catalogue},
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
    #[arg(long, value_name = "ID")]
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
            Some(client) => vec![client.find(&*database.clients).await?],
            None => database.clients.list(usize::MAX).await?,
        };
        let mut all = Vec::new();
        for client in &clients {
            if all.len() > self.rows.limit {
                break;
            }
            let of_client = database.catalogues.list(client.id, clock::now());
            let of_client = of_client.await?.into_iter();
            all.extend(of_client.map(|catalogue| (client.id, catalogue)));
        }
        let more = self.rows.cut(&mut all);
        let rows = all
            .iter()
            .map(|(client, catalogue)| catalogue_data(*client, catalogue));
        let rows: Vec<_> = rows.collect();
        self.rows
            .print(COLUMNS, &rows, "There are no catalogues.", more)
    }
}

/// What a list shows of a catalogue.
const COLUMNS: &str = "CLIENT=client  NAME=name  POSTINGS=postings  \
                       LAST IMPORT (UTC)=last_import/finished_at  MISSING=last_import/missing";

/// The keys of a catalogue's JSON, as `show` prints them.
const FIELDS: &str = "name  client  postings  running  last_import/finished_at=never  \
                      last_import/lines  last_import/missing";

/// The catalogue that is meant.
#[derive(Debug, Args)]
struct Named {
    /// The catalogue's name
    #[arg(value_name = "NAME", value_parser = catalogue)]
    name: CatalogueName,
    /// Its client's id, or its name if no other client has it
    #[arg(long, value_name = "ID")]
    client: ClientRef,
    #[command(flatten)]
    store: StoreArgs,
}

impl Named {
    async fn open(&self) -> anyhow::Result<(Database, ClientId)> {
        let database = self.store.open().await?;
        let client = self.client.find(&*database.clients).await?.id;
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
        let shown = catalogue_data(client, &catalogue);
        self.json.record(&shown, FIELDS)
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
