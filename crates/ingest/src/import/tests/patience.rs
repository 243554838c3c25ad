use super::*;

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
    async fn missing_in_none(&self, imports: u8, ending: Ending) -> (u64, u64, bool) {
        let import = self.import_with_end(patient(imports), &[], ending);
        import.await.missing()
    }

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
    // An import that does not name `b` only counts the miss.
    assert_eq!(kit.store.commits()[commits..], [0, 0]);

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

#[tokio::test]
async fn imports_that_prove_zero_count_and_the_last_in_a_row_expires_all() {
    let kit = Kit::new();
    kit.missing(3, &["a", "b"]).await;
    for _ in 0..2 {
        assert_eq!(kit.missing_in_none(3, Ending::Proven).await, (2, 0, false));
        // An empty import without an end marker is held back, and so is one that would expire
        // everything at once.
        assert_eq!(kit.missing_in_none(3, Ending::Whole).await, (2, 0, true));
        assert_eq!(kit.missing_in_none(1, Ending::Proven).await, (2, 0, true));
    }
    assert!(kit.expired(&["a", "b"]).await.is_empty());
    assert_eq!(kit.missing_in_none(3, Ending::Proven).await, (2, 2, false));
    assert_eq!(kit.expired(&["a", "b"]).await, ["a", "b"]);
}
