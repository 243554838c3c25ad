//! Imports through real lanes, on a store in memory with injected faults.

mod bounds;
mod catalogues;
mod companies;
mod endings;
mod failures;
mod held;
mod lines;
mod patience;
mod repeated;
mod undo;

use std::fmt::Write as _;

use domain::{
    catalogue::{Catalogue, Catalogues, Guard, MaxMissing, Patience},
    import::{Changes, Ending, HeldBecause, Line, LineText, Receipt, Summary},
    posting::{Handling, Lifetime, Posting},
    store::{LockedRows, PostingReader, Store},
    usecase::{CatalogueOrder, Ingest},
};
use kernel::testing::identifier;
use kernel::{
    CatalogueName, ClientId, Prefixes, PutOutcome, StoreError,
    testing::{noon, uuid},
};
use runtime::{Clock, Loops};
use tokio::time::{Instant, sleep};
use workers::testing::{FaultyStore, eventually};

use super::*;
use crate::lane::{LaneSettings, Lanes};

struct Kit {
    store: Arc<FaultyStore>,
    importer: Importer,
    tasks: ImportTasks,
    _lanes: Loops,
}

fn clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || fields::microseconds(noon() + start.elapsed()))
}

impl Kit {
    fn new() -> Self {
        Self::with(|lanes| lanes)
    }

    fn with(around: impl FnOnce(Arc<dyn Ingest>) -> Arc<dyn Ingest>) -> Self {
        let mut settings = LaneSettings::default();
        settings.lines.lanes = 2;
        Self::around(settings, around)
    }

    fn with_settings(settings: LaneSettings) -> Self {
        Self::around(settings, |lanes| lanes)
    }

    fn around(
        settings: LaneSettings,
        around: impl FnOnce(Arc<dyn Ingest>) -> Arc<dyn Ingest>,
    ) -> Self {
        let store = FaultyStore::new();
        let as_store: Arc<dyn Store> = Arc::clone(&store) as _;
        let locks: Arc<dyn LockedRows> = Arc::clone(&store) as _;
        let lifetime = Lifetime::days(60);
        let (lanes, lane_tasks) = Lanes::start(&as_store, &locks, lifetime, &clock(), settings);
        let (importer, tasks) = Importer::new(ImportPorts {
            ingest: around(Arc::new(lanes)),
            lifetime,
            catalogues: CataloguePorts {
                catalogues: Arc::clone(&store.memory) as _,
                store: as_store,
                lifetime,
                clock: clock(),
            },
        });
        Self {
            store,
            importer,
            tasks,
            _lanes: lane_tasks,
        }
    }

    async fn begin(&self, order: ImportOrder) -> Open {
        Open {
            import: self.importer.begin(order).await.unwrap(),
            receipts: Vec::new(),
        }
    }

    async fn import(&self, order: ImportOrder, body: &[String]) -> Outcome {
        self.import_with_end(order, body, Ending::Whole).await
    }

    async fn import_with_end(
        &self,
        order: ImportOrder,
        body: &[String],
        ending: Ending,
    ) -> Outcome {
        let prefixes = match &order.catalogue {
            Some(catalogue) => catalogue.prefixes.clone(),
            None => Prefixes::ALL,
        };
        let mut import = self.begin(order).await;
        let mut taken = import.take_within(body, &prefixes).await;
        if taken.is_ok() {
            taken = import.settle().await;
        }
        let receipts = std::mem::take(&mut import.receipts);
        let ending = if taken.is_ok() {
            ending
        } else {
            Ending::Broken
        };
        let (summary, result) = import.finish(ending).await;
        Outcome {
            receipts,
            summary,
            result: taken.and(result),
        }
    }

    async fn posting(&self, text: &str) -> Posting {
        let found = PostingReader::find(&*self.store.memory, &identifier(text))
            .await
            .unwrap();
        found.unwrap().posting
    }

    async fn expired<'a>(&self, identifiers: &[&'a str]) -> Vec<&'a str> {
        let mut expired = Vec::new();
        for text in identifiers {
            if !self.posting(text).await.is_open() {
                expired.push(*text);
            }
        }
        expired
    }

    async fn catalogue(&self, name: &str) -> Option<Catalogue> {
        let name = CatalogueName::new(name).unwrap();
        let now = (self.importer.ports.catalogues.clock)();
        let found = Catalogues::find(&*self.store.memory, client(), &name, now);
        found.await.unwrap()
    }
}

struct Open {
    import: Box<dyn Import>,
    receipts: Vec<Receipt>,
}

impl Open {
    async fn take(&mut self, body: &[String]) -> Result<(), ImportError> {
        self.take_within(body, &Prefixes::ALL).await
    }

    async fn take_within(
        &mut self,
        body: &[String],
        prefixes: &Prefixes,
    ) -> Result<(), ImportError> {
        let lines = lines(body);
        self.import.take(lines, prefixes, &mut self.receipts).await
    }

    async fn settle(&mut self) -> Result<(), ImportError> {
        self.import.settle(&mut self.receipts).await
    }

    async fn finish(self, ending: Ending) -> (Summary, Result<(), ImportError>) {
        self.import.finish(ending).await
    }
}

struct Outcome {
    receipts: Vec<Receipt>,
    summary: Summary,
    result: Result<(), ImportError>,
}

impl Outcome {
    fn receipts(&self) -> String {
        short(&self.receipts)
    }

    fn missing(&self) -> (u64, u64, bool) {
        assert_eq!((&self.result, self.summary.complete), (&Ok(()), true));
        let missing = self.summary.missing.as_ref().unwrap();
        (missing.count, missing.expired, missing.held.is_some())
    }
}

fn short(receipts: &[Receipt]) -> String {
    let mut text = String::new();
    for receipt in receipts {
        let separator = if text.is_empty() { "" } else { ", " };
        let id = receipt.id.as_deref().unwrap_or("-");
        let result = match &receipt.result {
            Ok(answer) => answer.outcome.as_str(),
            Err(_) if receipt.is_failure() => "failed",
            Err(_) => "refused",
        };
        write!(text, "{separator}{} {id} {result}", receipt.line).unwrap();
    }
    text
}

fn client() -> ClientId {
    ClientId::new(uuid(1))
}

fn order() -> ImportOrder {
    ImportOrder {
        client: client(),
        dry_run: false,
        handling: Handling::Usual,
        catalogue: None,
    }
}

fn of_catalogue(name: &str) -> ImportOrder {
    ImportOrder {
        catalogue: Some(CatalogueOrder {
            name: CatalogueName::new(name).unwrap(),
            guard: Guard::default(),
            patience: Patience::default(),
            prefixes: Prefixes::ALL,
        }),
        ..order()
    }
}

fn up_to(percent: u8, order: ImportOrder) -> ImportOrder {
    ImportOrder {
        catalogue: order.catalogue.map(|catalogue| CatalogueOrder {
            guard: Guard {
                max_missing: MaxMissing::new(percent).unwrap(),
                ..catalogue.guard
            },
            ..catalogue
        }),
        ..order
    }
}

fn lines(body: &[String]) -> Vec<Line> {
    let numbered = (1..).zip(body);
    let lines = numbered.map(|(number, text)| Line {
        number,
        text: LineText::Whole(text.clone().into_bytes()),
    });
    lines.collect()
}

fn line(id: &str) -> String {
    titled(id, "Engineer")
}

fn titled(id: &str, title: &str) -> String {
    format!(
        r#"{{"id":"{id}","payload":{{"title":"{title}","raw_description":"<p>Build.</p>",
        "application_url":"https://acme.example/apply",
        "company":{{"name":"acme","website_url":"https://acme.example"}}}}}}"#
    )
}

fn body(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| line(id)).collect()
}
