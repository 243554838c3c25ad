//! Imports of catalogues that may miss a posting for a while.

use super::*;

/// An order of which a posting has to be missed so often.
fn patient(imports: u8) -> ImportOrder {
    let order = of_catalogue("feed");
    ImportOrder {
        catalogue: order.catalogue.map(|catalogue| CatalogueOrder {
            patience: Patience::new(imports).unwrap(),
            ..catalogue
        }),
        ..order
    }
}

impl Kit {
    /// What is missing in an import with this patience, expired and held.
    async fn missing(&self, imports: u8, ids: &[&str]) -> (u64, u64, bool) {
        self.import(patient(imports), &body(ids)).await.missing()
    }
}

#[tokio::test]
async fn what_is_missing_for_a_while_is_not_written_until_it_expires() {
    let kit = Kit::new();
    kit.missing(3, &["a", "b"]).await;
    let (before, commits) = (kit.posting("b").await, kit.store.commits().len());
    for (named, missing) in [
        (&["a", "b"][..], (0, 0, false)),
        (&["a"], (1, 0, false)),
        (&["a"], (1, 0, false)),
        (&["b", "a"], (0, 0, false)),
    ] {
        assert_eq!(kit.missing(3, named).await, missing, "{named:?}");
    }
    assert_eq!(kit.posting("b").await, before);
    // Those that miss it count that, and no more.
    assert_eq!(kit.store.commits()[commits..], [0, 0]);

    // A dry run counts nothing, and says what would expire now.
    kit.missing(3, &["a"]).await;
    kit.missing(3, &["a"]).await;
    let dry = ImportOrder {
        dry_run: true,
        ..patient(3)
    };
    let dry = kit.import(dry, &body(&["a"])).await;
    assert_eq!(dry.missing(), (1, 1, false));
    assert!(kit.expired(&["a", "b"]).await.is_empty());
    assert_eq!(kit.missing(3, &["a"]).await, (1, 1, false));
    assert_eq!(kit.expired(&["a", "b"]).await, ["b"]);
}
