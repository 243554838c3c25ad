use enrichment::{DraftCache as _, DraftKey};
use kernel::StoreError;

use super::*;

#[tokio::test]
async fn old_drafts_are_forgotten() {
    let mut bench = Bench::new();
    bench.settings.forget_every = Duration::from_millis(20);
    let now = (bench.clock)();
    for (key, days) in (0_u8..).zip([1, 89, 91, 400]) {
        let (key, used) = (DraftKey::from_bytes([key; 32]), time::Duration::days(days));
        bench
            .drafts
            .keep(&key, &days.to_string(), None, now - used)
            .await
            .unwrap();
    }
    let away = StoreError::Unavailable("away".to_owned());
    bench.drafts.fail(Some(away));
    let worker = bench.start();
    sleep(Duration::from_millis(50)).await;
    bench.drafts.fail(None);
    eventually("the old ones are gone", async || {
        bench.drafts.kept().len() == 2
    })
    .await;
    let mut kept = bench.drafts.kept();
    kept.sort();
    assert_eq!(kept, ["1", "89"]);
    worker.stop().await;
}
