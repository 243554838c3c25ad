use adapters_postgres::testing;
use serde_json::Value;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{App, Site, Store, fresh, minimal};

on_postgres! {
    a_posting_past_its_lifetime_expires,
}

/// Moves the end of a posting's lifetime, because no option advances the time.
fn set_end(site: &Site, id: &str, from_now: &str) {
    let set = format!("UPDATE postings SET expire_at = now() + interval '{from_now}'");
    let statement = format!("{set} WHERE source_identifier = '{id}'");
    testing::execute(&site.database.url().unwrap(), &statement);
}

async fn a_posting_past_its_lifetime_expires(store: Store) {
    let site = Site::new(store).with("POSTHASTE_POSTING_LIFETIME_DAYS", "10");
    let server = site.serve(&[]);
    let app = App::at(site);
    let (overdue, not_yet) = (fresh("overdue"), fresh("not-yet"));
    for id in [&overdue, &not_yet] {
        app.put(id, &minimal()).await.created();
        let posting = app.api.until(id, "approved").await;
        let [end, begin] = ["expire_at", "published_at"]
            .map(|key| OffsetDateTime::parse(posting[key].as_str().unwrap(), &Rfc3339).unwrap());
        assert_eq!(end - begin, Duration::days(10));
    }
    drop(server);
    set_end(&app.site, &overdue, "-1 second");
    set_end(&app.site, &not_yet, "1 hour");

    let _server = app.site.serve(&[]);
    let posting = app.api.until(&overdue, "expired").await;
    assert_ne!(posting["expired_at"], Value::Null);
    let last = posting["history"].as_array().unwrap().last().unwrap();
    assert_eq!(last["by"], "lifetime");
    assert!(last["reason"].is_string(), "{last}");
    assert_eq!(app.show(&not_yet).await["status"], "approved");
    let uuid = posting["uuid"].as_str().unwrap().parse().unwrap();
    let events = [
        "JobPostingCreated",
        "JobPostingApproved",
        "JobPostingExpired",
    ];
    app.until_events(uuid, &events).await;
}
