use access::ClientRef;
use clap::Args;
use domain::{
    catalogue::Catalogue,
    posting::Lifetime,
    usecase::{CatalogueCorrections as _, CatalogueError, CorrectionOrder},
};
use ingest::{CatalogueCorrector, CataloguePorts};
use kernel::{CatalogueName, ClientId, Prefixes};
use runtime::clock;
use stores::Stores;
use views::import::{CatalogueOfOperator, MissingView};

use crate::{
    args::{JsonArgs, LifetimeArgs, ListArgs, OperatorArgs, StoreArgs, values::catalogue},
    output,
};

commands! {
    /// Show catalogues, release held-back postings, and undo imports
    Catalogues {
        List(List),
        Show(Show),
        Missing(Missing),
        Release(Release),
        Undo(Undo),
    }
}

/// List catalogues by client and name
#[derive(Debug, Args)]
pub struct List {
    /// Only catalogues of this client: its id, or its name if no other client has it
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
            all.extend(of_client.await?);
        }
        let more = self.rows.cut(&mut all);
        let rows: Vec<_> = all.iter().map(CatalogueOfOperator::new).collect();
        self.rows
            .print(COLUMNS, &rows, "There are no catalogues.", more)
    }
}

const COLUMNS: &str = "CLIENT=client  NAME=name  POSTINGS=postings  \
                       LAST IMPORT (UTC)=last_import/finished_at  COMPLETE=last_import/complete  \
                       MISSING=last_import/missing?/count  HELD=held";

const FIELDS: &str = "name  client  postings  running  held=none  \
                      last_import/finished_at=never  last_import/complete  last_import/lines  \
                      last_import/missing?/count  last_import/missing?/expired";

/// The catalogue to work on.
#[derive(Debug, Args)]
struct Named {
    /// The catalogue's name
    #[arg(value_name = "NAME", value_parser = catalogue)]
    name: CatalogueName,
    /// The id of the catalogue's client, or its name if no other client has it
    #[arg(long, value_name = "ID")]
    client: ClientRef,
    #[command(flatten)]
    store: StoreArgs,
}

impl Named {
    async fn open(&self) -> anyhow::Result<(Stores, ClientId)> {
        let database = self.store.open().await?;
        let client = self.client.find(&*database.clients).await?.id;
        Ok((database, client))
    }

    async fn find(&self) -> anyhow::Result<(Stores, Catalogue)> {
        let (database, client) = self.open().await?;
        let found = database.catalogues.find(client, &self.name, clock::now());
        let catalogue = found.await?.ok_or(CatalogueError::NotFound)?;
        Ok((database, catalogue))
    }

    async fn correct(
        self,
        operator: OperatorArgs,
        lifetime: Lifetime,
    ) -> anyhow::Result<(CatalogueCorrector, CorrectionOrder)> {
        let by = operator.attribution()?;
        let (database, client) = self.open().await?;
        let order = CorrectionOrder {
            client,
            name: self.name,
            prefixes: Prefixes::ALL,
            by: Some(by),
        };
        let corrector = CatalogueCorrector::new(CataloguePorts::of(&database, lifetime));
        Ok((corrector, order))
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
        let (_, catalogue) = self.named.find().await?;
        let shown = CatalogueOfOperator::new(&catalogue);
        self.json.record(&shown, FIELDS)
    }
}

/// List the postings that the last complete import of a catalogue did not name
#[derive(Debug, Args)]
pub struct Missing {
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    named: Named,
}

impl Missing {
    pub async fn run(self) -> anyhow::Result<()> {
        let (database, catalogue) = self.named.find().await?;
        let wanted = self.rows.limit.saturating_add(1);
        let missing = database.catalogues.missing(catalogue.id, None, wanted);
        let mut missing = missing.await?;
        let more = self.rows.cut(&mut missing);
        let rows: Vec<_> = missing.iter().map(MissingView::new).collect();
        self.rows.print(MISSING, &rows, "Nothing is missing.", more)
    }
}

const MISSING: &str = "POSTING=unique_source_identifier  STATUS=status  HELD BACK=held";

/// Expire the postings that the last complete import of a catalogue held back, unless a later
/// import has named them
#[derive(Debug, Args)]
pub struct Release {
    #[command(flatten)]
    named: Named,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Release {
    pub async fn run(self) -> anyhow::Result<()> {
        let corrected = self.named.correct(self.operator, Lifetime::NEVER);
        let (corrector, order) = corrected.await?;
        let released = corrector.release(order).await?;
        output::print(released.sentence())
    }
}

/// Undo the last import that changed anything: reopen postings that this import or its release
/// expired, and restore postings that it changed, unless something else has changed them since
#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    named: Named,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Undo {
    pub async fn run(self) -> anyhow::Result<()> {
        let lifetime = self.lifetime.lifetime;
        let (corrector, order) = self.named.correct(self.operator, lifetime).await?;
        let undone = corrector.undo(order).await?;
        output::print(undone.sentence())
    }
}

#[cfg(test)]
mod tests {
    use domain::{catalogue::PastImport, import::Summary};
    use kernel::{
        CatalogueId,
        testing::{noon, uuid},
    };

    use super::*;

    #[test]
    fn an_import_that_broke_off_is_shown_as_incomplete() {
        let import = PastImport {
            started_at: noon(),
            finished_at: noon(),
            summary: Summary::default(),
        };
        let broken_off = Catalogue {
            id: CatalogueId::new(uuid(1)),
            client: ClientId::new(uuid(2)),
            name: catalogue("feed").unwrap(),
            postings: 0,
            is_running: false,
            imports: vec![import],
            held: None,
            can_undo: false,
        };
        let shown = CatalogueOfOperator::new(&broken_off);
        let text = output::record(&shown, FIELDS).unwrap();
        assert!(text.contains("\nlast_import complete     no\n"), "{text}");
        let text = output::table(COLUMNS, &[shown]).unwrap();
        assert!(
            text.contains("COMPLETE") && text.ends_with("  no"),
            "{text}"
        );
    }
}
