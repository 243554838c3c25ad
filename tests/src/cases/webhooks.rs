use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{
    App, SETTLING, Site, Store, eventually, exclusive_load, fresh,
    import::{IMPORTS, import, line},
    minimal,
    receiver::{Got, Receiver},
};

on_every_store! {
    a_killed_process_loses_nothing,
    a_neighbours_event_arrives_within_a_second_of_a_flood,
}

on_sqlite! {
    an_event_is_delivered_with_its_posting_and_again_on_demand,
}

const PATH: &str = "/api/job-board/webhooks";

fn site(store: Store) -> Site {
    Site::new(store)
        .with("POSTHASTE_WEBHOOK_PRIVATE", "allow")
        .with("POSTHASTE_WEBHOOK_RETRY_SECONDS", "1,1,1,1,1,1")
}

async fn register(app: &App, body: Value) -> Value {
    let answer = app.api.post(PATH, &body).await;
    assert_eq!(answer.status, 201, "{answer:#?}");
    answer.json()["data"].clone()
}

async fn until(receiver: &Receiver, path: &str, many: usize) -> Vec<Got> {
    eventually(&format!("{many} at {path}"), SETTLING, || async {
        let got = receiver.at(path);
        (got.len() >= many).then_some(got)
    })
    .await
}

async fn an_event_is_delivered_with_its_posting_and_again_on_demand(store: Store) {
    let (site, receiver) = (site(store), Receiver::start());
    let _server = site.serve(&[]);
    let app = App::at(site);
    let types = json!(["JobPostingCreated", "JobPostingApproved"]);
    let all = register(&app, json!({"url": receiver.url("/all"), "types": types})).await;
    let with_posting = json!({"url": receiver.url("/posting"), "types": types,
        "include_posting": true});
    register(&app, with_posting).await;
    let identifier = fresh("wh");
    let uuid = app.put(&identifier, &minimal()).await.created();
    app.api.until(&identifier, "approved").await;

    let got = until(&receiver, "/all", 2).await;
    let events = app.all_events().await;
    assert_eq!(events.len(), 2);
    for (got, event) in got.iter().zip(&events) {
        assert_eq!(event["id"], got.id);
        for key in ["type", "timestamp", "data"] {
            assert_eq!(event[key], got.body[key]);
        }
    }
    let got = until(&receiver, "/posting", 2).await.remove(1);
    let posting = &got.body["data"]["posting"];
    assert_eq!(posting, &app.show(&identifier).await);
    assert_eq!(got.body["data"]["uuid"], uuid.to_string());

    let id = all["id"].as_str().unwrap();
    let deliveries = format!("{PATH}/{id}/deliveries");
    let log = eventually("both are logged", SETTLING, || async {
        let log = app.api.get(&deliveries).await.data();
        (log.as_array().unwrap().len() == 2).then_some(log)
    })
    .await;
    let (event_id, status) = (&log[0]["event_id"], &log[0]["status"]);
    assert_eq!((event_id, status), (&events[1]["id"], &json!(204)));

    app.run(&["webhooks", "pause", id]).succeeded();
    let replay = ["webhooks", "replay", id, "--since", "2020-01-01"];
    app.run(&replay).succeeded();
    app.run(&["webhooks", "resume", id]).succeeded();
    let got = until(&receiver, "/all", 4).await;
    for (first, again) in got[..2].iter().zip(&got[2..]) {
        assert_eq!((&again.id, &again.body), (&first.id, &first.body));
    }
}

async fn a_killed_process_loses_nothing(store: Store) {
    const POSTINGS: usize = 60;
    let receiver = Receiver::slow(Duration::from_millis(40));
    let site = site(store);
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let types = [
        "JobPostingCreated",
        "JobPostingUpdated",
        "JobPostingExpired",
    ];
    register(&app, json!({"url": receiver.url("/"), "types": types})).await;
    for _ in 0..POSTINGS {
        let identifier = fresh("wh");
        app.put(&identifier, &minimal()).await.created();
        for change in [
            json!({"title": "Head gardener"}),
            json!({"expiration": {"reason": "filled"}}),
        ] {
            app.put(&identifier, &change).await.updated();
        }
    }
    let worker = app.site.work();
    until(&receiver, "/", POSTINGS).await;
    worker.kill();
    let _other = app.site.work();
    let got = eventually("all are delivered", SETTLING, || async {
        let got = receiver.got();
        let distinct: BTreeSet<_> = got.iter().map(|got| &got.id).collect();
        (distinct.len() >= 3 * POSTINGS).then_some(got)
    })
    .await;
    let mut by_posting = BTreeMap::<_, Vec<_>>::new();
    for first in got.iter().filter(|got| got.before == 0) {
        by_posting
            .entry(first.identifier())
            .or_default()
            .push(first.name());
    }
    assert_eq!(by_posting.len(), POSTINGS);
    assert!(
        by_posting.values().all(|names| *names == types),
        "{by_posting:?}"
    );
    assert!(got.iter().all(|got| got.before <= 1));
}

/// The receiver answers after 50 ms, so that the flood alone would take minutes.
async fn a_neighbours_event_arrives_within_a_second_of_a_flood(store: Store) {
    const CHANGES: usize = 3_000;
    const WRITERS: usize = 8;
    let _turn = exclusive_load().await;
    let receiver = Receiver::slow(Duration::from_millis(50));
    let site = site(store);
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let _worker = app.site.work();
    let types = ["JobPostingCreated", "JobPostingUpdated", "CompanyUpdated"];
    register(&app, json!({"url": receiver.url("/"), "types": types})).await;
    let [changed, renamed] = [fresh("changed"), fresh("renamed")];
    for id in [&changed, &renamed] {
        app.put(id, &minimal()).await.created();
    }
    let updates = (0..CHANGES).map(|n| line(&changed, &json!({"salary_min": n})));
    let (api, updates) = (app.api.clone(), updates.collect::<String>());
    let mut flood = JoinSet::new();
    flood.spawn(async move {
        let changed = import(&api, IMPORTS, updates).await;
        assert_eq!(changed.count("updated"), CHANGES as u64);
    });
    for writer in 0..WRITERS {
        let (api, renamed) = (app.api.clone(), renamed.clone());
        flood.spawn(async move {
            for n in (writer..CHANGES).step_by(WRITERS) {
                let change = json!({"company": {"name": format!("Flood {n}")}});
                api.put(&renamed, &change).await.updated();
            }
        });
    }
    let mut delays = Vec::new();
    while !flood.is_empty() {
        let quiet = fresh("quiet");
        app.put(&quiet, &minimal()).await.created();
        let start = Instant::now();
        let at = eventually("the neighbour's event", SETTLING, || async {
            receiver.first_of(&quiet).map(|got| got.at)
        })
        .await;
        delays.push(at.saturating_duration_since(start));
        while let Some(ended) = flood.try_join_next() {
            ended.unwrap();
        }
    }
    delays.sort_unstable();
    assert!(
        delays[delays.len() / 2] < Duration::from_secs(1),
        "{delays:?}"
    );
}
