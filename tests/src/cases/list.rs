//! The list of postings, for reconciling.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{Answer, Api, App, Store, encode, fresh, minimal};

on_every_store! {
    paging_finds_everything_while_others_write,
}

/// Requests a page of the list.
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

/// The items of all pages.
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

/// The identifier of an item, if a given test created it.
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

async fn paging_finds_everything_while_others_write(store: Store) {
    let app = App::quiet(store);
    let (since, test) = (now(), fresh("moving"));
    let ids = create(&app, &test, 120).await;
    let reading = AtomicBool::new(true);
    // One posting in three is updated repeatedly, which moves it to the end of the list.
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
        // An updated posting may be listed again, but none is missed, and the others are listed
        // once.
        assert!(times >= 1, "{id} is missing");
        assert!(times == 1 || moving.contains(id), "{id} came {times} times");
    }
}
