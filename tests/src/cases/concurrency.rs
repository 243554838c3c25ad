//! Concurrent pushes: the outcome is that of some sequential order.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use domain::store::HISTORY_SHOWN;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::{App, SETTLING, Store, eventually, fresh, minimal, website};

on_every_store! {
    many_creations_of_one_identifier_are_one_posting,
    many_postings_of_one_new_company_are_one_company,
    many_expirations_are_one_event,
    a_storm_on_few_identifiers_ends_as_some_order_would,
    disjoint_updates_of_one_posting_all_stay,
}

async fn many_creations_of_one_identifier_are_one_posting(store: Store) {
    let app = App::shared(store);
    for _ in 0..3 {
        let id = fresh("one");
        let payloads = (0..64).map(|n| {
            let mut payload = minimal();
            payload["title"] = json!(format!("Gardener {n}"));
            payload
        });
        let payloads: Vec<Value> = payloads.collect();
        let pushes = payloads.iter().map(|payload| app.put(&id, payload));
        let answers = join_all(pushes).await;
        let created: Vec<_> = answers
            .iter()
            .filter(|answer| answer.status == 201)
            .collect();
        assert_eq!(created.len(), 1);
        let uuid = created[0].created();
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            assert_eq!(answer.updated(), uuid);
        }
        assert_eq!(app.show(&id).await["uuid"], json!(uuid));
    }
}

async fn many_postings_of_one_new_company_are_one_company(store: Store) {
    let app = App::shared(store);
    let website = website();
    let ids: Vec<String> = (0..64).map(|_| fresh("company")).collect();
    join_all(ids.iter().enumerate().map(|(n, id)| {
        let mut payload = minimal();
        payload["company"] = json!({"name": format!("Name {n}"), "website_url": website});
        let app = &app;
        async move { app.put(id, &payload).await.created() }
    }))
    .await;
    let postings = join_all(ids.iter().map(|id| app.show(id))).await;
    let companies: BTreeSet<String> = postings
        .iter()
        .map(|posting| posting["company"].to_string())
        .collect();
    assert_eq!(companies.len(), 1, "{companies:?}");
}

async fn many_expirations_are_one_event(store: Store) {
    let app = App::quiet(store);
    let id = fresh("expire");
    let uuid = app.put(&id, &minimal()).await.created();
    let push = json!({"expiration": {}});
    for answer in join_all((0..64).map(|_| app.put(&id, &push))).await {
        assert_eq!(answer.updated(), uuid);
    }
    app.until_events(uuid, &["JobPostingCreated", "JobPostingExpired"])
        .await;
    assert_eq!(app.show(&id).await["history"].as_array().unwrap().len(), 2);
}

/// A push, with the times of its start and end.
struct Push {
    id: usize,
    title: Option<String>,
    kind: usize,
    status: u16,
    start: Instant,
    end: Instant,
}

const STORM_IDENTIFIERS: usize = 4;

async fn a_storm_on_few_identifiers_ends_as_some_order_would(store: Store) {
    let app = App::shared(store);
    let ids: Vec<String> = (0..STORM_IDENTIFIERS).map(|_| fresh("storm")).collect();
    let sides = join_all((0..32).map(|side| storm(&app, &ids, side))).await;
    let pushes: Vec<Push> = sides.into_iter().flatten().collect();
    for (n, id) in ids.iter().enumerate() {
        let mine: Vec<&Push> = pushes.iter().filter(|push| push.id == n).collect();
        check_answers(&mine);
        let (app, id) = (&app, id.as_str());
        let posting = eventually("all is settled", SETTLING, || async move {
            let posting = app.show(id).await;
            (posting["status"] != "PendingEnrichment").then_some(posting)
        })
        .await;
        check_last_title(&mine, &posting);
        check_history(&posting);
    }
}

/// The pushes of one client: each kind for each posting, in an order of its own.
async fn storm(app: &App, ids: &[String], side: usize) -> Vec<Push> {
    let mut pushes = Vec::new();
    for round in 0..12 {
        let n = side * 31 + round * 17;
        let (id, kind) = (n % STORM_IDENTIFIERS, (n / STORM_IDENTIFIERS) % 5);
        let title = (kind < 3).then(|| format!("Gardener {side}.{round}"));
        let mut payload = match kind {
            0 | 1 => minimal(),
            2 => json!({"expiration": null}),
            3 => json!({"expiration": {"reason": format!("by {side}.{round}")}}),
            _ => json!({"salary_min": n}),
        };
        if let Some(title) = &title {
            payload["title"] = json!(title);
        }
        let start = Instant::now();
        let status = app.put(&ids[id], &payload).await.status;
        let end = Instant::now();
        pushes.push(Push {
            id,
            title,
            kind,
            status,
            start,
            end,
        });
    }
    pushes
}

/// Every answer is legal, and one push created the posting.
fn check_answers(pushes: &[&Push]) {
    for push in pushes {
        let legal: &[u16] = match push.kind {
            0 | 1 => &[200, 201],
            // Before the creation there is nothing to expire, and the payload is too small to
            // create.
            3 => &[200, 404],
            _ => &[200, 422],
        };
        assert!(
            legal.contains(&push.status),
            "{}: {}",
            push.kind,
            push.status
        );
    }
    assert_eq!(pushes.iter().filter(|push| push.status == 201).count(), 1);
    // No push was answered 404 after another was answered 200 or 201.
    let known = pushes
        .iter()
        .filter(|push| push.status < 300)
        .map(|push| push.end)
        .min();
    for push in pushes.iter().filter(|push| push.status >= 400) {
        assert!(
            push.start < known.unwrap(),
            "{} after it was created",
            push.status
        );
    }
}

/// The title is that of a push that no other push followed.
fn check_last_title(pushes: &[&Push], posting: &Value) {
    let titled = || {
        pushes
            .iter()
            .filter(|push| push.title.is_some() && push.status < 300)
    };
    let last = titled()
        .find(|push| posting["title"].as_str() == push.title.as_deref())
        .unwrap_or_else(|| panic!("nobody was told that this was written: {posting}"));
    assert!(
        titled().all(|push| push.start <= last.end),
        "a later title is lost"
    );
}

/// The history has only transitions that the rules allow; if it is complete, it also has the right
/// beginning.
pub(super) fn check_history(posting: &Value) {
    let steps = posting["history"].as_array().unwrap().iter();
    let steps: Vec<&str> = steps.map(|step| step["status"].as_str().unwrap()).collect();
    // Of a longer history only the newest entries are returned.
    if steps.len() < HISTORY_SHOWN {
        assert_eq!(steps[0], "PendingEnrichment");
    }
    for pair in steps.windows(2) {
        let is_legal = match pair[0] {
            "PendingEnrichment" => ["approved", "rejected", "expired"].contains(&pair[1]),
            "approved" => ["rejected", "expired"].contains(&pair[1]),
            "rejected" => pair[1] == "approved",
            // Expired again with another reason, or reopened.
            _ => ["expired", "PendingEnrichment"].contains(&pair[1]),
        };
        assert!(is_legal, "{steps:?}");
    }
    assert_eq!(steps.last().copied(), posting["status"].as_str());
}

async fn disjoint_updates_of_one_posting_all_stay(store: Store) {
    let app = App::shared(store);
    let id = fresh("disjoint");
    app.put(&id, &minimal()).await.created();
    let fields = [
        ("title", json!("Head gardener")),
        ("employment_types", json!(["part-time"])),
        ("location_types", json!(["remote"])),
        ("location_country_code", json!("NL")),
        ("location_city", json!("Delft")),
        ("salary_min", json!(1)),
        ("salary_max", json!(2)),
        ("salary_currency_code", json!("EUR")),
        ("salary_period", json!("weekly")),
        ("application_email", json!("jobs@rosenhof.example")),
        ("metadata", json!({"a": 1})),
    ];
    // The enricher writes concurrently.
    let start = Instant::now();
    join_all(fields.iter().map(|(field, value)| {
        let app = &app;
        let (id, patch) = (&id, json!({*field: value}));
        async move { app.put(id, &patch).await.updated() }
    }))
    .await;
    assert!(start.elapsed() < Duration::from_secs(10));
    let posting = app.show(&id).await;
    for (field, value) in fields {
        assert_eq!(posting[field], value, "{field}");
    }
}
