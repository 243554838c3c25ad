use domain::{catalogue::MissingPosting, store::RowLocks};
use kernel::{Actor, Status};

use super::*;

const ALL: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

impl Kit {
    async fn listed(&self) -> (Vec<String>, bool) {
        let id = self.catalogue("feed").await.unwrap().id;
        let missing = self.store.memory.missing(id, None, 99).await.unwrap();
        let mut named: Vec<_> = missing.iter().map(|it| it.identifier.to_string()).collect();
        named.sort();
        let is_held = |it: &MissingPosting| it.is_held;
        (named, missing.iter().all(is_held))
    }

    /// A catalogue with six postings, all held back by an import without lines.
    async fn held() -> Self {
        let kit = Self::new();
        kit.import(of_catalogue("feed"), &body(&ALL)).await;
        let empty = kit.import(of_catalogue("feed"), &[]).await;
        assert_eq!(empty.missing(), (6, 0, true));
        let mut first: Vec<_> = empty.summary.missing.unwrap().first;
        first.sort();
        assert_eq!(first, ALL.map(identifier));
        kit
    }
}

#[tokio::test]
async fn what_is_held_back_is_listed_and_expires_when_it_is_released() {
    let kit = Kit::held().await;
    assert_eq!(kit.listed().await, (ALL.map(str::to_owned).to_vec(), true));
    assert_eq!(kit.catalogue("feed").await.unwrap().held, Some(6));
    kit.import(of_catalogue("other"), &body(&["e"])).await;
    let gone = r#"{"id":"f","payload":{"expiration":{}}}"#.to_owned();
    kit.import(order(), &[gone]).await;

    assert_eq!(kit.release("feed").await, Ok((4, 2)));
    assert_eq!(kit.expired(&ALL).await, ["a", "b", "c", "d", "f"]);
    let posting = kit.posting("a").await;
    let reason = posting.status_reason();
    assert_eq!(reason, Some("no longer in the catalogue feed"));
    let by = Actor::Catalogue(CatalogueName::new("feed").unwrap());
    assert_eq!(posting.updated_by, Some(by));
    let catalogue = kit.catalogue("feed").await.unwrap();
    assert_eq!((catalogue.held, catalogue.can_undo), (None, true));
    let missing = catalogue.last_import().unwrap().summary.missing.clone();
    let missing = missing.unwrap();
    assert_eq!((missing.count, missing.expired, missing.held), (6, 4, None));
    assert_eq!(kit.release("feed").await, Ok((0, 0)));

    assert_eq!(kit.undo("feed").await, Ok((4, 0)));
    assert_eq!(kit.expired(&ALL).await, ["f"]);
}

#[tokio::test]
async fn what_an_import_names_is_not_released() {
    let kit = Kit::held().await;
    let named = body(&["a"]);
    let broken = kit.import_with_end(of_catalogue("feed"), &named, Ending::Broken);
    assert_eq!(broken.await.receipts(), "1 a unchanged");
    let mut import = kit.begin(of_catalogue("feed")).await;
    import.take(&[r#"{"id":"b"}"#.to_owned()]).await.unwrap();
    let refused = kit.release("feed").await;
    assert!(refused.is_err(), "an import runs: {refused:?}");
    assert_eq!(kit.listed().await.0, ["b", "c", "d", "e", "f"]);
    drop(import);
    eventually("it ends", async || {
        !kit.catalogue("feed").await.unwrap().is_running
    })
    .await;
    assert_eq!(
        kit.listed().await,
        (vec!["c".into(), "d".into(), "e".into(), "f".into()], true)
    );
    assert_eq!(kit.release("feed").await, Ok((4, 2)));
    assert_eq!(kit.expired(&ALL).await, ["c", "d", "e", "f"]);
}

#[tokio::test]
async fn a_later_import_that_is_not_held_back_ends_what_is_held() {
    let kit = Kit::held().await;
    let most = kit.import(of_catalogue("feed"), &body(&ALL[..5])).await;
    assert_eq!(most.missing(), (1, 1, false));
    assert_eq!(kit.catalogue("feed").await.unwrap().held, None);
    assert_eq!(kit.release("feed").await, Ok((0, 0)));
    assert_eq!(kit.posting("a").await.status(), Status::PendingEnrichment);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_ends_early_goes_on() {
    let kit = Kit::held().await;
    let locked = [kit.posting("b").await.id].into();
    kit.store.lock(RowLocks {
        postings: locked,
        ..RowLocks::default()
    });
    assert!(kit.release("feed").await.is_err());
    assert_eq!(kit.expired(&ALL).await, ["a", "c", "d", "e", "f"]);
    assert_eq!(kit.listed().await.0, ALL);
    kit.store.lock(RowLocks::default());
    assert_eq!(kit.release("feed").await, Ok((6, 0)));
    assert_eq!(kit.undo("feed").await, Ok((6, 0)));
    assert!(kit.expired(&ALL).await.is_empty());
}
