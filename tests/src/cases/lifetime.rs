//! The lifetime of a posting: its end and its renewal.

use domain::{
    posting::Posting,
    store::{PostingWrite, WriteSet},
};
use kernel::SourceIdentifier;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{App, Site, Store, eventually, fresh, minimal};

on_every_store! {
    a_posting_past_its_lifetime_expires,
    an_expired_posting_loses_its_texts_and_gets_them_back,
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

async fn an_expired_posting_loses_its_texts_and_gets_them_back(store: Store) {
    let site = Site::new(store).with("POSTHASTE_EXPIRED_TEXTS_DAYS", "30");
    let server = site.serve(&[]);
    let app = App::at(site);
    let (old, recent) = (fresh("old"), fresh("recent"));
    for id in [&old, &recent] {
        app.put(id, &minimal()).await.created();
        let posting = app.api.until(id, "approved").await;
        assert!(posting["markdown_description"].is_string(), "{posting}");
        app.put(id, &json!({"expiration": {}})).await.updated();
    }
    drop(server);
    let now = kernel::microseconds(OffsetDateTime::now_utc());
    for (id, days) in [(&old, 31), (&recent, 29)] {
        let expired = Some(now - Duration::days(days));
        change(&app.site, id, |posting| posting.expired_at = expired).await;
    }

    let _server = app.site.serve(&[]);
    let limit = std::time::Duration::from_mins(1);
    let posting = eventually("its texts are dropped", limit, || async {
        let posting = app.show(&old).await;
        posting["markdown_description"].is_null().then_some(posting)
    })
    .await;
    assert_eq!(posting["markdown_redacted_description"], Value::Null);
    assert!(posting["raw_description"].is_string(), "{posting}");
    assert!(app.show(&recent).await["markdown_description"].is_string());

    app.put(&old, &json!({"expiration": null})).await.updated();
    let posting = app.api.until(&old, "approved").await;
    assert!(posting["markdown_description"].is_string(), "{posting}");
}
