use adapters_postgres::testing;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::harness::{App, SETTLING, Store, eventually, fresh, minimal, website};

on_postgres! {
    a_locked_row_delays_only_requests_that_need_it,
}

async fn a_locked_row_delays_only_requests_that_need_it(store: Store) {
    let app = App::served(store);
    let (posting, of_company, website) = (fresh("locked"), fresh("of-locked"), website());
    let mut employed = minimal();
    employed["company"] = json!({"name": "Name", "website_url": website});
    app.put(&posting, &minimal()).await.created();
    app.put(&of_company, &employed).await.created();
    app.api.until(&posting, "approved").await;
    app.api.until(&of_company, "approved").await;

    let url = app.site.database.url().unwrap();
    let holder =
        "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    let is_held = format!("SELECT count(*) AS value {holder}");
    let hold = format!(
        "BEGIN; SELECT FROM postings WHERE source_identifier = '{posting}' FOR UPDATE; \
         SELECT FROM companies WHERE website = '{website}' FOR UPDATE; SELECT pg_sleep(600)"
    );
    let transaction = spawn_blocking({
        let url = url.clone();
        move || testing::execute(&url, &hold)
    });
    eventually("rows are locked", SETTLING, || async {
        (testing::number(&url, &is_held) == 1).then_some(())
    })
    .await;

    // Each push waits for its row, up to its deadline.
    let titled = json!({"title": "Head gardener"});
    let renamed = json!({"company": {"name": "Another", "website_url": website}});
    let stuck = async {
        tokio::join!(
            app.api.try_put(&posting, &titled),
            app.api.try_put(&of_company, &renamed),
            app.api.try_put(&of_company, &renamed)
        )
    };
    let others = async {
        for _ in 0..20 {
            let other = fresh("free");
            app.put(&other, &minimal()).await.created();
            app.api.until(&other, "approved").await;
        }
        testing::number(&url, &is_held)
    };
    let (stuck, still_held) = tokio::join!(stuck, others);
    assert_eq!(still_held, 1, "others have waited");
    for answer in [stuck.0, stuck.1, stuck.2] {
        answer.unwrap().error(503);
    }
    let log = app.site.log();
    assert!(log.contains("holds a lock on this row"), "{log}");

    let end = format!("SELECT count(pg_terminate_backend(pid)) AS value {holder}");
    assert_eq!(testing::number(&url, &end), 1);
    assert!(transaction.await.is_err(), "its connection is gone");
    app.put(&posting, &titled).await.updated();
    app.put(&of_company, &renamed).await.updated();
    assert!(!app.site.log().contains("panicked"));
}
