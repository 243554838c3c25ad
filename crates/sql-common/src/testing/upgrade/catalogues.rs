//! The catalogue of the fixtures, and a posting of it.

use domain::{
    catalogue::{Catalogue, CatalogueId, CatalogueQuery, Catalogues, Leased, PastImport},
    import::{Counts, Missing, Summary},
    posting::{HistoryEntry, Posting},
    testing::posting,
};
use kernel::testing::identifier;
use kernel::{
    Actor, CatalogueName, ClientId, Status,
    testing::{hours, noon, uuid},
};

use super::postings::{bare, comes_back};
use crate::testing::AllPorts;

/// A catalogue of which an import is running until three hours after noon, and a posting that it
/// lists no longer.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let client = ClientId::new(uuid(0x203));
    let name = CatalogueName::new("Jobs.of_a-9").expect("it is a name");
    let expect = Catalogue {
        id: CatalogueId::new(uuid(0x701)),
        name: name.clone(),
        postings: 0,
        is_running: true,
        last_import: Some(PastImport {
            started_at: noon() + hours(1),
            finished_at: noon() + hours(2),
            summary: Summary {
                counts: Counts {
                    lines: 36,
                    created: 1,
                    updated: 2,
                    unchanged: 3_000_000_000,
                    expired: 4,
                    reopened: 5,
                    refused: 6,
                    failed: 7,
                    ..Counts::default()
                },
                missing: Some(Missing {
                    count: 8,
                    expired: 9,
                    held: true,
                }),
                complete: true,
            },
        }),
    };
    let listed = Catalogues::find(store, client, &name, noon()).await;
    assert_eq!(listed, Ok(Some(expect)));
    let query = CatalogueQuery {
        client,
        name: name.clone(),
        new_id: CatalogueId::new(uuid(0x703)),
        holder: uuid(0x704),
        now: noon(),
        until: noon() + hours(9),
    };
    let running = Leased::Running(noon() + hours(3));
    assert_eq!(Catalogues::lease(store, &query).await, Ok(running));

    let mut view = bare();
    let reason = Some("no longer in the catalogue Jobs.of_a-9".to_owned());
    let by = Actor::Catalogue(name);
    let at = noon() + hours(2);
    view.posting = Posting {
        source_identifier: identifier("delisted"),
        version: 2,
        status: Status::Expired,
        status_reason: reason.clone(),
        catalogue: Some(CatalogueId::new(uuid(0x701))),
        expired_at: Some(at),
        updated_at: at,
        created_by: Some(Actor::Client(client)),
        updated_by: Some(by.clone()),
        ..posting(0x106, view.company.company.id)
    };
    view.history = vec![HistoryEntry {
        status: Status::Expired,
        at,
        reason,
        by,
    }];
    comes_back(store, &view).await;
}
