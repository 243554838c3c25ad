//! The lifetime of a posting: its end and its renewal.

use domain::{
    posting::Posting,
    store::{PostingWrite, WriteSet},
};
use kernel::SourceIdentifier;
use serde_json::Value;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{App, Site, Store, fresh, minimal};

on_every_store! {
    a_posting_past_its_lifetime_expires,
}

/// Moves the end of a posting's lifetime.
async fn set_end(site: &Site, id: &str, end: OffsetDateTime) {
    let end = Some(kernel::microseconds(end));
    change(site, id, |posting| posting.expire_at = end).await;
}

/// Changes a posting in the store, because no option lets time pass.
async fn change(site: &Site, id: &str, change: impl FnOnce(&mut Posting)) {
    let store = site.database.open(&site.data()).await;
    let identifier = SourceIdentifier::new(id).unwrap();
    let known = store
        .load(std::slice::from_ref(&identifier), &[])
        .await
        .unwrap();
    let mut posting = known.postings[&identifier].clone();
    let expected = Some(posting.version);
    posting.version += 1;
    change(&mut posting);
    let mut writes = WriteSet::new(posting.updated_at);
    let write = PostingWrite {
        expected,
        posting: posting.clone(),
        sets_description: false,
        enriched: None,
        decision: None,
        history: Vec::new(),
    };
    writes.postings.insert(posting.id, write);
    store.commit(writes).await.unwrap();
}

fn end(posting: &Value) -> OffsetDateTime {
    OffsetDateTime::parse(posting["expire_at"].as_str().unwrap(), &Rfc3339).unwrap()
}

async fn a_posting_past_its_lifetime_expires(store: Store) {
    let site = Site::new(store).with("POSTHASTE_POSTING_LIFETIME_DAYS", "10");
    let server = site.serve(&[]);
    let app = App::at(site);
    let (overdue, not_yet) = (fresh("overdue"), fresh("not-yet"));
    for id in [&overdue, &not_yet] {
        app.put(id, &minimal()).await.created();
        let posting = app.api.until(id, "approved").await;
        let left = end(&posting) - OffsetDateTime::now_utc();
        assert!(
            (left - Duration::days(10)).abs() < Duration::minutes(5),
            "{left}"
        );
    }
    drop(server);
    let now = OffsetDateTime::now_utc();
    set_end(&app.site, &overdue, now - Duration::seconds(1)).await;
    set_end(&app.site, &not_yet, now + Duration::hours(1)).await;

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
