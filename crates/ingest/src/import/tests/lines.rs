use domain::import::{LineCounts, TooLong};

use super::*;

#[tokio::test]
async fn each_line_has_a_receipt_in_its_place() {
    let kit = Kit::new();
    let refused = r#"{"id":"c","payload":{"title":"No more than that"}}"#.to_owned();
    let strange = "nonsense".to_owned();
    let body = [line("a"), strange, line("b"), line("a"), refused];
    let mut import = kit.begin(order()).await;
    import.take(&body).await.unwrap();
    let too_long = Line {
        number: 9,
        text: LineText::TooLong(TooLong {
            limit: 7,
            beginning: br#"{"id":"d""#.to_vec(),
            has_more: false,
        }),
    };
    let Open {
        import: it,
        receipts,
    } = &mut import;
    it.take(vec![too_long], &Prefixes::ALL, receipts)
        .await
        .unwrap();
    import.settle().await.unwrap();
    let expect = "1 a created, 2 - refused, 3 b created, 4 a unchanged, 5 c refused, 9 d refused";
    assert_eq!(short(&import.receipts), expect);
    let (summary, result) = import.finish(Ending::Whole).await;
    let expect = LineCounts {
        lines: 6,
        created: 2,
        unchanged: 1,
        refused: 3,
        unattributed: 1,
        ..LineCounts::default()
    };
    assert_eq!(summary.counts, expect);
    assert_eq!((summary.complete, summary.missing), (true, None));
    assert_eq!(result, Ok(()));
}

#[tokio::test]
async fn many_lines_keep_their_order() {
    let kit = Kit::new();
    let ids: Vec<_> = (0..3_000).map(|n| format!("p{}", n % 2_700)).collect();
    let body: Vec<_> = ids.iter().map(|id| line(id)).collect();
    let outcome = kit.import(order(), &body).await;
    assert_eq!(outcome.result, Ok(()));
    let numbers: Vec<_> = outcome.receipts.iter().map(|one| one.line).collect();
    assert_eq!(numbers, (1..=3_000).collect::<Vec<_>>());
    for (receipt, id) in outcome.receipts.iter().zip(&ids) {
        let expect = if receipt.line <= 2_700 {
            PutOutcome::Created
        } else {
            PutOutcome::Unchanged
        };
        assert_eq!(receipt.id.as_ref(), Some(id));
        assert_eq!(receipt.result.as_ref().unwrap().outcome, expect);
    }
    let counts = outcome.summary.counts;
    assert_eq!((counts.created, counts.unchanged), (2_700, 300));
    let commits = kit.store.commits().len();
    assert!(commits < 300, "{commits} commits");
}

#[tokio::test]
async fn identifiers_of_others_are_refused() {
    let kit = Kit::new();
    let mut import = kit.begin(order()).await;
    for (body, prefixes) in [(["a-1", "b-1"], ["a-"]), (["b-2", "a-2"], ["b-"])] {
        let prefixes = Prefixes::new(&prefixes).unwrap();
        let body = body.map(line);
        import.take_within(&body, &prefixes).await.unwrap();
    }
    import.settle().await.unwrap();
    assert_eq!(
        short(&import.receipts),
        "1 a-1 created, 2 b-1 refused, 1 b-2 created, 2 a-2 refused"
    );
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let kit = Kit::new();
    kit.import(order(), &body(&["a"])).await;
    let dry = ImportOrder {
        dry_run: true,
        ..order()
    };
    let body = [line("a"), titled("a", "New"), line("b"), "{}".to_owned()];
    let outcome = kit.import(dry, &body).await;
    let expect = "1 a unchanged, 2 a updated, 3 b created, 4 - refused";
    assert_eq!(outcome.receipts(), expect);
    assert_eq!(kit.store.tries(), 1);
}

#[tokio::test]
async fn an_empty_import_is_complete() {
    let kit = Kit::new();
    let outcome = kit.import(order(), &[]).await;
    let expect = Summary {
        changes: Some(Changes::default()),
        complete: true,
        ..Summary::default()
    };
    assert_eq!((outcome.summary, outcome.result), (expect, Ok(())));
}
