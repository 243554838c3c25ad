//! Webhooks as receivers get them, also when receivers or processes fail.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};

use super::metrics;
use crate::harness::{
    Answer, Api, App, SETTLING, Site, Store, eventually, fresh, minimal,
    receiver::{Got, Receiver, Reply},
};

on_every_store! {
    an_event_is_delivered_with_its_posting_and_a_secret_is_replaced,
    events_are_delivered_again,
    a_killed_process_loses_nothing,
    a_silent_receiver_is_seldom_called_and_gets_everything_once_it_is_back,
}

on_postgres! {
    two_processes_share_the_deliveries,
}

const PATH: &str = "/api/job-board/webhooks";

/// The lease of a killed process, and time for the work itself.
const LEASE_AND_WORK: Duration = Duration::from_mins(2);

/// A site that calls receivers on this machine, and tries again soon.
fn site(store: Store) -> Site {
    Site::new(store)
        .with("POSTHASTE_WEBHOOK_PRIVATE", "allow")
        .with("POSTHASTE_WEBHOOK_RETRY_SECONDS", "1,1,1,1,1,1")
}

async fn send(app: &App, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = app.api.authorized(method, &format!("{PATH}{path}"));
    let request = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    Answer::of(request.send().await.unwrap()).await
}

/// Registers a webhook; its data.
async fn register(app: &App, body: Value) -> Value {
    let answer = send(app, Method::POST, "", Some(body)).await;
    assert_eq!(answer.status, 201, "{answer:#?}");
    answer.json()["data"].clone()
}

fn id(webhook: &Value) -> &str {
    webhook["id"].as_str().unwrap()
}

async fn show(app: &App, webhook: &Value) -> Value {
    let answer = send(app, Method::GET, &format!("/{}", id(webhook)), None).await;
    answer.data()
}

async fn deliveries(app: &App, webhook: &Value) -> Vec<Value> {
    let path = format!("/{}/deliveries", id(webhook));
    let data = send(app, Method::GET, &path, None).await.data();
    data.as_array().unwrap().clone()
}

/// Waits until a receiver's path has as many deliveries.
async fn until(receiver: &Receiver, path: &str, many: usize) -> Vec<Got> {
    eventually(&format!("{many} at {path}"), SETTLING, || async {
        let got = receiver.at(path);
        (got.len() >= many).then_some(got)
    })
    .await
}

/// The ids of a posting's deliveries, each once, in the order in which they first arrived.
fn first_arrivals(got: &[Got], identifier: &str) -> Vec<String> {
    let of_posting = got.iter().filter(|got| got.identifier() == identifier);
    let first = of_posting.filter(|got| got.before == 0);
    first.map(|got| got.id.clone()).collect()
}

/// The ids of all events of each posting, in order.
async fn events_by_posting(app: &App) -> BTreeMap<String, Vec<String>> {
    let mut by_posting: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in app.all_events().await {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let identifier = text(&event["data"]["unique_source_identifier"]);
        by_posting
            .entry(identifier)
            .or_default()
            .push(text(&event["id"]));
    }
    by_posting
}

async fn an_event_is_delivered_with_its_posting_and_a_secret_is_replaced(store: Store) {
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
    let names: Vec<_> = got.iter().map(Got::name).collect();
    assert_eq!(names, ["JobPostingCreated", "JobPostingApproved"]);
    let secret = all["secret"].as_str().unwrap();
    let events = app.all_events().await;
    for (got, event) in got.iter().zip(&events) {
        assert!(got.is_signed_with(secret) && got.signatures() == 1);
        assert!(!got.is_signed_with("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
        // As in the feed.
        assert_eq!(event["id"], got.id);
        for key in ["type", "timestamp", "data"] {
            assert_eq!(event[key], got.body[key]);
        }
    }
    let got = until(&receiver, "/posting", 2).await.remove(1);
    let posting = &got.body["data"]["posting"];
    assert_eq!(posting, &app.show(&identifier).await);
    assert_eq!(got.body["data"]["uuid"], uuid.to_string());

    let log = eventually("both are logged", SETTLING, || async {
        let log = deliveries(&app, &all).await;
        (log.len() == 2).then_some(log)
    })
    .await;
    let (event_id, status) = (&log[0]["event_id"], &log[0]["status"]);
    assert_eq!((event_id, status), (&events[1]["id"], &json!(204)));
    assert!(show(&app, &all).await["last_success_at"].is_string());

    let rotate = format!("/{}/rotate-secret", id(&all));
    let rotated = send(&app, Method::POST, &rotate, None).await.data();
    let second = rotated["secret"].as_str().unwrap();
    app.put(&fresh("wh"), &minimal()).await.created();
    let got = until(&receiver, "/all", 3).await.remove(2);
    assert!(got.signatures() == 2 && got.is_signed_with(secret) && got.is_signed_with(second));
    let test = format!("/{}/test", id(&all));
    let tested = send(&app, Method::POST, &test, None).await.data();
    assert_eq!(
        (&tested["status"], &tested["error"]),
        (&json!(204), &Value::Null)
    );
    let is_ping = |got: &Got| got.name() == "ping" && got.body["data"] == json!({});
    assert!(receiver.at("/all").iter().any(is_ping));
}

async fn events_are_delivered_again(store: Store) {
    let (site, receiver) = (site(store), Receiver::start());
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let _worker = app.site.work();
    let before = fresh("wh");
    let uuid = app.put(&before, &minimal()).await.created();
    // Events that cannot be read yet would be delivered to a webhook that is registered now.
    let events = ["JobPostingCreated", "JobPostingApproved"];
    app.until_events(uuid, &events).await;
    let webhook = register(&app, json!({"url": receiver.url("/")})).await;
    let pause = ["webhooks", "pause", id(&webhook)];
    app.run(&pause).succeeded();
    app.put(&fresh("wh"), &minimal()).await.created();
    assert_eq!(show(&app, &webhook).await["state"], "paused");
    let resume = ["webhooks", "resume", id(&webhook)];
    app.run(&resume).succeeded();
    app.put(&fresh("wh"), &minimal()).await.created();
    // Events from before the registration are not delivered, those of the pause are.
    let all = eventually("two postings' events", SETTLING, || async {
        let postings = events_by_posting(&app).await;
        let events: usize = postings.values().map(Vec::len).sum();
        (events >= 6).then_some(events)
    })
    .await;
    let got = eventually("all but the first posting's", SETTLING, || async {
        let got = receiver.got();
        let names: BTreeSet<_> = got.iter().map(|got| got.id.clone()).collect();
        (names.len() >= all - 2).then_some(got)
    })
    .await;
    let created = |got: &Got| got.name() == "JobPostingCreated" && got.identifier() == before;
    assert!(!got.iter().any(created));

    let since = ["webhooks", "replay", id(&webhook), "--since", "2020-01-01"];
    app.run(&since).succeeded();
    let got = eventually("all of them", SETTLING, || async {
        let got = receiver.got();
        let names: BTreeSet<_> = got.iter().map(|got| got.id.clone()).collect();
        (names.len() == all).then_some(got)
    })
    .await;
    assert!(got.iter().any(created));
    let audit = app.run(&["audit", "--json"]).succeeded();
    let audit: Value = serde_json::from_str(&audit).unwrap();
    let entries = audit.as_array().unwrap().iter();
    let actions = entries.map(|entry| entry["action"].clone());
    // The site of a server that makes no key itself made one before.
    let actions: Vec<_> = actions.filter(|action| action != "keys.generate").collect();
    let expect = [
        "clients.create",
        "webhooks.update",
        "webhooks.update",
        "webhooks.replay",
    ];
    assert_eq!(actions, expect);
}

/// It dies in the middle of its deliveries.
async fn a_killed_process_loses_nothing(store: Store) {
    const POSTINGS: usize = 60;
    let receiver = Receiver::with(|_| Reply::Slowly(200, Duration::from_millis(40)));
    let site = site(store);
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let names = [
        "JobPostingCreated",
        "JobPostingUpdated",
        "JobPostingExpired",
    ];
    register(&app, json!({"url": receiver.url("/"), "types": names})).await;
    let identifiers: Vec<_> = (0..POSTINGS).map(|_| fresh("wh")).collect();
    for identifier in &identifiers {
        app.put(identifier, &minimal()).await.created();
        let title = json!({"title": "Head gardener"});
        app.put(identifier, &title).await.updated();
        let expire = json!({"expiration": {"reason": "filled"}});
        app.put(identifier, &expire).await.updated();
    }
    let worker = app.site.work();
    eventually("some are delivered", SETTLING, || async {
        (receiver.got().len() > POSTINGS).then_some(())
    })
    .await;
    worker.kill();
    let killed = Instant::now();
    drop(server);
    let _server = app.site.serve(&[]);
    let by_posting = events_by_posting(&app).await;
    let got = eventually("all are delivered", LEASE_AND_WORK, || async {
        let got = receiver.got();
        let distinct = got.iter().filter(|got| got.before == 0).count();
        (distinct >= 3 * POSTINGS).then_some(got)
    })
    .await;
    for identifier in &identifiers {
        let wanted: Vec<_> = by_posting[identifier].clone();
        let found = first_arrivals(&got, identifier);
        let wanted: Vec<_> = wanted.into_iter().filter(|id| found.contains(id)).collect();
        assert_eq!(found, wanted, "{identifier}");
        assert_eq!(found.len(), 3, "{identifier}");
    }
    // An event that comes twice was first delivered before the process was killed.
    for twice in got.iter().filter(|got| got.before > 0) {
        assert_eq!(twice.before, 1);
        let first = got.iter().find(|got| got.id == twice.id).unwrap();
        assert!(first.at <= killed + Duration::from_secs(1));
        assert!(twice.at >= killed);
    }
}

/// A process dies meanwhile.
async fn a_silent_receiver_is_seldom_called_and_gets_everything_once_it_is_back(store: Store) {
    const EVENTS: usize = 200;
    let is_back = Arc::new(AtomicBool::new(false));
    let answers = Arc::clone(&is_back);
    let receiver = Receiver::with(move |_| {
        if answers.load(Ordering::SeqCst) {
            Reply::Status(204)
        } else {
            Reply::Close
        }
    });
    // An event by itself would be tried again after an hour.
    let site = site(store).with("POSTHASTE_WEBHOOK_RETRY_SECONDS", "3600");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let created = json!({"url": receiver.url("/"), "types": ["JobPostingCreated"]});
    let webhook = register(&app, created).await;
    let identifiers: Vec<_> = (0..EVENTS).map(|_| fresh("wh")).collect();
    for identifier in &identifiers {
        app.put(identifier, &minimal()).await.created();
    }
    let worker = app.site.work();
    // The first attempts, and two probes.
    until(&receiver, "/", 34).await;
    worker.kill();
    let called = receiver.got().len();
    let _worker = app.site.work();
    until(&receiver, "/", called + 2).await;
    is_back.store(true, Ordering::SeqCst);
    let shown = ["webhooks", "show", id(&webhook), "--json"];
    eventually("all are delivered", LEASE_AND_WORK, || async {
        let shown: Value = serde_json::from_str(&app.run(&shown).succeeded()).unwrap();
        let left = [
            &shown["waiting"],
            &shown["behind_since"],
            &shown["failing_since"],
        ];
        (left == [&json!(0), &Value::Null, &Value::Null]).then_some(())
    })
    .await;
    let got = receiver.got();
    let all: BTreeSet<_> = got.iter().map(|got| got.id.clone()).collect();
    assert_eq!(all.len(), EVENTS);
    // A round that the dead process did not record is made again.
    let silent = got.len() - EVENTS;
    assert!(silent <= 100, "{silent} calls without an answer");

    // One of them again.
    let resend = ["webhooks", "resend", id(&webhook), &got[0].id];
    app.run(&resend).succeeded();
    let again = until(&receiver, "/", got.len() + 1).await;
    assert_eq!(again[got.len()].id, got[0].id);
    let log = eventually("it is logged", SETTLING, || async {
        let log = deliveries(&app, &webhook).await;
        (log[0]["event_id"] == got[0].id).then_some(log)
    })
    .await;
    assert_eq!(log[0]["payload"], got[0].body);
    let identifier = &log[0]["unique_source_identifier"];
    assert_eq!(identifier, got[0].identifier());
}

async fn two_processes_share_the_deliveries(store: Store) {
    let receiver = Receiver::with(|_| Reply::Slowly(200, Duration::from_millis(20)));
    let site = site(store)
        .with("POSTHASTE_PUBLIC_URL", "https://jobs.example")
        .watched();
    let other = site.beside();
    let (_server, stopping) = (site.serve(&[]), other.serve(&[]));
    let app = App::at(site);
    let paths: Vec<_> = (0..8).map(|n| format!("/{n}")).collect();
    for path in &paths {
        register(&app, json!({"url": receiver.url(path)})).await;
    }
    // An attempt counts once its answer is read, which is later than its arrival here.
    let has_delivered = async |site: &Site| {
        let page = metrics::read(&site.admin()).await;
        let name = "posthaste_webhook_deliveries_total";
        (page.value(name, &[("outcome", "delivered")]) > 0.0).then_some(())
    };
    let api = Api::new(&other.url(), app.api.token());
    // A server is mostly, but not always, the first to deliver the events of pushes to itself.
    eventually("the one has delivered", SETTLING, || async {
        push_and_deliver(&app, &api, &receiver, paths.len()).await;
        has_delivered(&other).await
    })
    .await;
    stopping.terminate();
    assert_eq!(stopping.stopped().code(), Some(0), "{}", app.site.log());
    let all = push_and_deliver(&app, &app.api, &receiver, paths.len()).await;
    // Each once.
    let got = receiver.got();
    let again: Vec<_> = got.iter().filter(|got| got.before > 0).collect();
    assert!(again.is_empty(), "{again:?}\n{}", app.site.log());
    let many = all.values().map(Vec::len).sum();
    for path in &paths {
        let got = until(&receiver, path, many).await;
        for (identifier, events) in &all {
            assert_eq!(&first_arrivals(&got, identifier), events);
        }
    }
    eventually("the other has delivered", SETTLING, || {
        has_delivered(&app.site)
    })
    .await;
    let page = metrics::read(&app.site.admin()).await;
    let active = page.value("posthaste_webhook_endpoints", &[("state", "active")]);
    assert!((active - 8.0).abs() < f64::EPSILON);
}

/// Pushes postings to a server and waits until everything is delivered to this many endpoints; the
/// events of all postings so far.
async fn push_and_deliver(
    app: &App,
    api: &Api,
    receiver: &Receiver,
    endpoints: usize,
) -> BTreeMap<String, Vec<String>> {
    for _ in 0..20 {
        api.put(&fresh("wh"), &minimal()).await.created();
    }
    // Created and approved or rejected.
    let all = eventually("all are judged", SETTLING, || async {
        let by_posting = events_by_posting(app).await;
        let is_judged = by_posting.values().all(|events| events.len() >= 2);
        is_judged.then_some(by_posting)
    })
    .await;
    let many: usize = all.values().map(Vec::len).sum();
    eventually("all are delivered", SETTLING, || async {
        (receiver.got().len() >= many * endpoints).then_some(())
    })
    .await;
    all
}
