use domain::posting::ENRICH;
use kernel::outbox::{MOST_COUNTED, Outbox};

use super::Shell;

pub async fn counting_has_an_end<S: Outbox + Shell>(store: &S) {
    let fill = format!(
        "INSERT INTO outbox (kind, subject, next_at, created_at) \
         WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {}) \
         SELECT 'enrich', {{id}}, {{past}}, {{past}} FROM rows",
        MOST_COUNTED + 5
    );
    store.shell(&fill).await.expect("rows fit");
    let backlog = store.backlog(&[ENRICH.kind()]).await;
    let [of_enrichments] = backlog.expect("the store works")[..] else {
        panic!("one kind was asked for")
    };
    assert_eq!(of_enrichments.waiting, MOST_COUNTED as u64);
    assert!(of_enrichments.oldest.is_some());
}
