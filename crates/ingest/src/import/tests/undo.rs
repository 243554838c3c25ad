use domain::usecase::{CatalogueCorrections as _, CatalogueError, CorrectionOrder};
use kernel::{Actor, Status};

use super::*;

fn of(name: &str) -> CorrectionOrder {
    CorrectionOrder {
        client: client(),
        name: CatalogueName::new(name).unwrap(),
        prefixes: Prefixes::ALL,
        by: None,
    }
}

impl Kit {
    pub async fn release(&self, name: &str) -> Result<(u64, u64), CatalogueError> {
        let released = self.importer.corrections().release(of(name)).await?;
        Ok((released.expired, released.left))
    }

    pub async fn undo(&self, name: &str) -> Result<(u64, u64), CatalogueError> {
        let undone = self.importer.corrections().undo(of(name)).await?;
        Ok((undone.reopened, undone.left))
    }
}

#[tokio::test]
async fn what_nothing_has_changed_since_is_open_again() {
    let kit = Kit::new();
    let ids = ["a", "b", "c", "d", "e", "f"];
    kit.import(of_catalogue("feed"), &body(&ids)).await;
    let fewer = kit.import(of_catalogue("feed"), &body(&["a"])).await;
    assert_eq!(fewer.missing(), (5, 5, false));
    // One posting is open again, one differs, one is pushed unchanged, and one is listed elsewhere.
    let reopened = r#"{"id":"b","payload":{"expiration":null}}"#.to_owned();
    let pushed = [reopened, titled("c", "Other"), line("d")];
    let pushed = kit.import(order(), &pushed).await;
    assert_eq!(
        pushed.receipts(),
        "1 b reopened, 2 c updated, 3 d unchanged"
    );
    kit.import(of_catalogue("other"), &body(&["e"])).await;
    let before = kit.posting("f").await;

    assert_eq!(kit.undo("feed").await, Ok((2, 3)));
    assert_eq!(kit.expired(&ids).await, ["c"]);
    let back = kit.posting("f").await;
    assert_eq!(back.status(), Status::PendingEnrichment);
    let reason = back.status_reason();
    assert_eq!(reason, Some("undo of the catalogue feed"));
    assert_eq!(back.updated_by, Some(Actor::Client(client())));
    assert!(before.details.expiration_reason.is_some());
    assert_eq!(back.details.expiration_reason, None);
    let opened = (kit.posting("b").await, kit.posting("e").await);

    assert_eq!(kit.undo("feed").await, Ok((0, 0)));
    assert_eq!(kit.undo("none").await, Err(CatalogueError::NotFound));
    assert_eq!((kit.posting("b").await, kit.posting("e").await), opened);
    let again = kit.import(of_catalogue("feed"), &body(&["a"])).await;
    assert_eq!(again.missing(), (3, 3, false));
    assert_eq!(kit.expired(&ids).await, ["b", "c", "d", "f"]);
}

#[tokio::test]
async fn what_the_client_may_not_use_any_more_is_left() {
    let kit = Kit::new();
    let ids = ["a-1", "a-2", "b-1"];
    kit.import(of_catalogue("feed"), &body(&ids)).await;
    kit.import(of_catalogue("feed"), &body(&ids[..1])).await;
    let narrowed = CorrectionOrder {
        prefixes: Prefixes::new(&["a-"]).unwrap(),
        ..of("feed")
    };
    let undone = kit.importer.corrections().undo(narrowed).await.unwrap();
    assert_eq!((undone.reopened, undone.left), (1, 1));
    assert_eq!(kit.expired(&ids).await, ["b-1"]);
}

#[tokio::test]
async fn what_lines_expired_and_reopened_is_as_it_was() {
    let kit = Kit::new();
    let ids = ["a", "b", "c"];
    let expired = |id: &str, reason: &str| {
        let expiration = format!(r#"{{"expiration":{{"reason":"{reason}"}}}}"#);
        format!(r#"{{"id":"{id}","payload":{expiration}}}"#)
    };
    kit.import(of_catalogue("feed"), &body(&ids)).await;
    kit.import(order(), &[expired("b", "filled")]).await;
    let before = kit.posting("a").await.details;
    let broken = [
        titled("a", "Other"),
        expired("a", "gone"),
        line("b"),
        line("c"),
    ];
    kit.import(of_catalogue("feed"), &broken).await;
    assert_eq!(kit.expired(&ids).await, ["a"]);

    let undone = kit.importer.corrections().undo(of("feed")).await.unwrap();
    assert_eq!((undone.reopened, undone.restored, undone.left), (0, 2, 0));
    assert_eq!(kit.expired(&ids).await, ["b"]);
    let back = kit.posting("a").await;
    assert_eq!(back.details, before);
    assert_eq!(back.status(), Status::PendingEnrichment);
    let closed = kit.posting("b").await;
    assert_eq!(closed.details.expiration_reason.as_deref(), Some("filled"));
    assert_eq!(closed.status_reason(), Some("filled"));
}

#[tokio::test]
async fn an_undo_and_imports_exclude_each_other() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    kit.import(of_catalogue("feed"), &body(&["a"])).await;
    let import = kit.begin(of_catalogue("feed")).await;
    let refused = kit.undo("feed").await;
    assert!(matches!(refused, Err(CatalogueError::Running(1..=30))));
    import.finish(Ending::Broken).await.1.unwrap();

    kit.store.close_gate();
    let before = kit.store.tries();
    let undo = kit.importer.corrections();
    let undo = tokio::spawn(async move { undo.undo(of("feed")).await });
    eventually("it reopens", async || kit.store.tries() > before).await;
    let refused = kit.importer.begin(of_catalogue("feed")).await;
    assert!(matches!(refused.err(), Some(ImportError::Running(1..=30))));
    undo.abort();
    assert!(undo.await.is_err());
    kit.store.open_gate();
    eventually("it ends", async || {
        !kit.catalogue("feed").await.unwrap().is_running
    })
    .await;
    assert!(kit.expired(&["a", "b"]).await.is_empty());
    assert_eq!(kit.undo("feed").await, Ok((0, 0)));
}
