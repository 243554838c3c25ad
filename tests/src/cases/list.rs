//! The list of postings, for reconciling.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{Answer, Api, App, Store, VIEW_KEYS, complete, encode, fresh, minimal};

on_every_store! {
    items_are_postings_without_their_history,
    paging_finds_everything_once_in_order,
    paging_finds_everything_while_others_write,
    only_one_status_is_listed_if_asked_for,
    only_what_changed_since_is_listed_if_asked_for,
    the_default_limit_is_fifty,
    bad_parameters_are_named,
    all_bad_parameters_come_in_one_answer,
}

/// A request for the list.
async fn list(app: &App, parameters: &[(&str, &str)]) -> Answer {
    let query = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)));
    app.api
        .get(&format!(
            "{}?{}",
            Api::LIST,
            query.collect::<Vec<_>>().join("&")
        ))
        .await
}

/// All pages.
async fn pages(app: &App, parameters: &[(&str, &str)]) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut parameters = parameters.to_vec();
        if let Some(cursor) = &cursor {
            parameters.push(("cursor", cursor));
        }
        let page = list(app, &parameters).await.json();
        let data = page["data"].as_array().unwrap();
        items.extend_from_slice(data);
        match &page["next_cursor"] {
            Value::Null => return items,
            next => {
                assert!(!data.is_empty(), "an empty page is the last one");
                cursor = Some(next.as_str().unwrap().to_owned());
            }
        }
        assert!(items.len() < 100_000, "the list does not end");
    }
}

fn position(item: &Value) -> (OffsetDateTime, &str) {
    let at = item["updated_at"].as_str().unwrap();
    (
        OffsetDateTime::parse(at, &Rfc3339).unwrap(),
        item["uuid"].as_str().unwrap(),
    )
}

fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap()
}

/// The identifier of an item if it is one of a test.
fn identifier<'a>(item: &'a Value, test: &str) -> Option<&'a str> {
    item["unique_source_identifier"]
        .as_str()
        .filter(|id| id.starts_with(test))
}

/// Creates some postings at once.
async fn create(app: &App, test: &str, count: usize) -> BTreeSet<String> {
    let ids: BTreeSet<String> = (0..count).map(|n| format!("{test}-{n:03}")).collect();
    join_all(
        ids.iter()
            .map(|id| async { app.put(id, &minimal()).await.created() }),
    )
    .await;
    ids
}

async fn items_are_postings_without_their_history(store: Store) {
    let app = App::quiet(store);
    let (since, id) = (now(), fresh("item"));
    app.put(&id, &complete()).await.created();
    let items = pages(&app, &[("updated_after", &since)]).await;
    let item = items
        .iter()
        .find(|item| item["unique_source_identifier"] == json!(id))
        .unwrap();
    let keys: BTreeSet<&str> = item
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expect = BTreeSet::from(VIEW_KEYS);
    expect.remove("history");
    assert_eq!(keys, expect);
    let mut posting = app.show(&id).await;
    posting.as_object_mut().unwrap().remove("history");
    assert_eq!(item, &posting);
}

async fn paging_finds_everything_once_in_order(store: Store) {
    let app = App::quiet(store);
    let (since, test) = (now(), fresh("page"));
    let ids = create(&app, &test, 120).await;
    for limit in ["7", "200"] {
        let items = pages(&app, &[("updated_after", &since), ("limit", limit)]).await;
        assert!(items.iter().is_sorted_by_key(position), "not in order");
        let found: Vec<&str> = items
            .iter()
            .filter_map(|item| identifier(item, &test))
            .collect();
        assert_eq!(
            found.len(),
            ids.len(),
            "something comes twice or is missing"
        );
        assert_eq!(
            found
                .iter()
                .map(|&id| id.to_owned())
                .collect::<BTreeSet<_>>(),
            ids
        );
    }
}

async fn paging_finds_everything_while_others_write(store: Store) {
    let app = App::quiet(store);
    let (since, test) = (now(), fresh("moving"));
    let ids = create(&app, &test, 120).await;
    let reading = AtomicBool::new(true);
    // One in three moves on, which moves it to the end of the list, again and again.
    let moving: BTreeSet<&String> = ids.iter().step_by(3).collect();
    let write = async {
        let mut round = 0;
        while reading.load(Ordering::Relaxed) && round < 20 {
            for id in &moving {
                app.put(id, &json!({"salary_min": round})).await.updated();
            }
            round += 1;
        }
    };
    let read = async {
        let items = pages(&app, &[("updated_after", &since), ("limit", "5")]).await;
        reading.store(false, Ordering::Relaxed);
        items
    };
    let (items, ()) = tokio::join!(read, write);
    assert!(items.iter().is_sorted_by_key(position), "not in order");
    let mut found = BTreeMap::new();
    for id in items.iter().filter_map(|item| identifier(item, &test)) {
        *found.entry(id.to_owned()).or_insert(0) += 1;
    }
    for id in &ids {
        let times = found.get(id).copied().unwrap_or_default();
        // What moves may come again, but nothing is missed, and what rests comes once.
        assert!(times >= 1, "{id} is missing");
        assert!(times == 1 || moving.contains(id), "{id} came {times} times");
    }
}

async fn only_one_status_is_listed_if_asked_for(store: Store) {
    let app = App::quiet(store);
    let (since, test) = (now(), fresh("status"));
    let statuses = ["PendingEnrichment", "approved", "rejected", "expired"];
    for status in statuses {
        let id = format!("{test}-{status}");
        app.put(&id, &minimal()).await.created();
        match status {
            "approved" => app.approve(&id),
            "rejected" => app.reject(&id, "no"),
            "expired" => {
                app.put(&id, &json!({"expiration": {}})).await.updated();
            }
            _ => {}
        }
    }
    for status in statuses {
        let items = pages(&app, &[("status", status), ("updated_after", &since)]).await;
        assert!(items.iter().all(|item| item["status"] == status));
        let found: Vec<&str> = items
            .iter()
            .filter_map(|item| identifier(item, &test))
            .collect();
        assert_eq!(found, [format!("{test}-{status}")]);
    }
}

async fn only_what_changed_since_is_listed_if_asked_for(store: Store) {
    let app = App::quiet(store);
    let test = fresh("since");
    let [old, new] = ["old", "new"].map(|age| format!("{test}-{age}"));
    app.put(&old, &minimal()).await.created();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let since = now();
    app.put(&new, &minimal()).await.created();
    let found = async |since: &str| {
        let items = pages(&app, &[("updated_after", since), ("limit", "200")]).await;
        let ids = items
            .iter()
            .filter_map(|item| identifier(item, &test).map(str::to_owned));
        ids.collect::<BTreeSet<String>>()
    };
    assert_eq!(found(&since).await, BTreeSet::from([new.clone()]));
    // The same moment elsewhere.
    let there = OffsetDateTime::parse(&since, &Rfc3339).unwrap();
    let there = there.to_offset(time::UtcOffset::from_hms(5, 30, 0).unwrap());
    assert_eq!(
        found(&there.format(&Rfc3339).unwrap()).await,
        BTreeSet::from([new.clone()])
    );
    app.put(&old, &json!({"title": "Changed"})).await.updated();
    assert_eq!(found(&since).await, BTreeSet::from([old, new]));
    assert_eq!(found("2999-01-01T00:00:00Z").await, BTreeSet::new());
}

async fn the_default_limit_is_fifty(store: Store) {
    let app = App::quiet(store);
    let since = now();
    create(&app, &fresh("fifty"), 51).await;
    let page = list(&app, &[("updated_after", &since)]).await.json();
    assert_eq!(page["data"].as_array().unwrap().len(), 50);
    assert!(page["next_cursor"].is_string());
    let keys: Vec<&String> = page.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["data", "next_cursor"]);
}

async fn bad_parameters_are_named(store: Store) {
    let app = App::quiet(store);
    let good = list(&app, &[("limit", "1")]).await.json()["next_cursor"].clone();
    let cut = good
        .as_str()
        .map_or("", |cursor| &cursor[..cursor.len() - 3])
        .to_owned();
    for (name, values) in [
        (
            "limit",
            vec!["0", "201", "-1", "1.5", "abc", "", "9999999999999999999999"],
        ),
        (
            "status",
            vec!["unknown", "pendingenrichment", "Approved", ""],
        ),
        (
            "updated_after",
            vec![
                "yesterday",
                "2026-01-31",
                "1700000000",
                "2026-13-01T00:00:00Z",
                "",
            ],
        ),
        ("cursor", vec!["x", "not base64!", "AAAA", "🦀", "\0", &cut]),
    ] {
        for value in values {
            list(&app, &[(name, value)]).await.refused(&[name]);
        }
    }
}

async fn all_bad_parameters_come_in_one_answer(store: Store) {
    let app = App::quiet(store);
    let bad = [
        ("limit", "0"),
        ("status", "x"),
        ("updated_after", "x"),
        ("cursor", "x"),
    ];
    list(&app, &bad)
        .await
        .refused(&["limit", "status", "updated_after", "cursor"]);
}
