//! Imports and catalogues, through one server and two, kills and a database that goes away.

use std::{collections::BTreeMap, time::Duration};

use pg_cluster::{Cluster, Shutdown};
use serde_json::{Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use crate::harness::{
    Answer, Api, App, Database, SETTLING, Server, Site, Store, WITHIN_TEN_SECONDS, alone,
    eventually,
    follower::EVENTS,
    fresh,
    import::{IMPORTS, ImportAnswer, Sending, catalogue, import, line},
    minimal,
};

on_every_store! {
    a_catalogue_is_taken_in_whole,
    a_catalogue_that_was_killed_is_sent_again,
    an_undo_that_was_killed_goes_on,
    a_fence_moves_while_an_import_runs,
}

on_postgres! {
    an_import_outlasts_a_restart_of_the_database,
}

/// A catalogue of postings of one company.
struct Catalogue {
    name: String,
    payload: Value,
    ids: Vec<String>,
}

impl Catalogue {
    fn new(count: usize) -> Self {
        let name = fresh("feed");
        Self {
            payload: minimal(),
            ids: (0..count).map(|n| format!("{name}-{n}")).collect(),
            name,
        }
    }

    fn path(&self) -> String {
        catalogue(&self.name)
    }

    /// The body with some of its postings.
    fn lines(&self, range: std::ops::Range<usize>) -> String {
        let ids = self.ids[range].iter();
        ids.map(|id| line(id, &self.payload)).collect()
    }

    /// Imports some of its postings; waits while another import of it is running, or until the
    /// lease of a killed one has lapsed.
    async fn import(&self, api: &Api, range: std::ops::Range<usize>, query: &str) -> ImportAnswer {
        let path = format!("{}{query}", self.path());
        eventually("the catalogue is free", SETTLING * 2, || async {
            let answer = import(api, &path, self.lines(range.clone())).await;
            if answer.status == 409 {
                assert!(answer.retry_after.is_some(), "{answer:#?}");
                return None;
            }
            Some(answer)
        })
        .await
    }

    /// The statuses of all its postings, counted.
    async fn statuses(&self, api: &Api) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for id in &self.ids {
            let answer = api.get(&Api::path(id)).await;
            let status = match answer.status {
                404 => "none".to_owned(),
                _ => answer.data()["status"].as_str().unwrap().to_owned(),
            };
            *counts.entry(status).or_default() += 1;
        }
        counts
    }
}

fn counts<const N: usize>(of: [(&str, usize); N]) -> BTreeMap<String, usize> {
    of.map(|(status, count)| (status.to_owned(), count)).into()
}

/// Two servers on one database, and a client of each.
fn two(store: Store) -> (App, Api, [Server; 2]) {
    let site = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    let other = site.beside();
    let servers = [site.serve(&["--no-worker"]), other.serve(&["--no-worker"])];
    let app = App::at(site);
    let other = Api::new(&other.url(), app.api.token());
    (app, other, servers)
}

async fn a_catalogue_is_taken_in_whole(store: Store) {
    let (app, other, _servers) = two(store);
    let feed = Catalogue::new(30);
    let first = feed.import(&app.api, 0..30, "").await.complete();
    assert_eq!(
        (&first["created"], &first["missing"]["count"]),
        (&json!(30), &json!(0))
    );
    let before = app.show(&feed.ids[3]).await;

    let second = feed.import(&other, 0..30, "").await.complete();
    assert_eq!(second["unchanged"], 30);
    assert_eq!(app.show(&feed.ids[3]).await, before);

    // What is not listed expires; a line that is refused names its posting all the same.
    let mut body = feed.lines(2..30);
    body += &line(&feed.ids[1], &json!({"title": 7}));
    let third = import(&other, &feed.path(), body).await.complete();
    assert_eq!(
        third["missing"],
        json!({"count": 1, "expired": 1, "held": false})
    );
    assert_eq!(third["refused"], 1);
    let gone = app.show(&feed.ids[0]).await;
    let reason = format!("no longer in the catalogue {}", feed.name);
    assert_eq!(
        (&gone["status"], &gone["status_reason"]),
        (&json!("expired"), &json!(reason))
    );
    let last = gone["history"].as_array().unwrap().last().unwrap();
    let by = format!("catalogue:{}", feed.name);
    assert_eq!((&last["by"], &last["reason"]), (&json!(by), &json!(reason)));
    assert_eq!(gone["updated_by"], by);
    let uuid: Uuid = gone["uuid"].as_str().unwrap().parse().unwrap();
    app.until_events(uuid, &["JobPostingCreated", "JobPostingExpired"])
        .await;

    // It comes back when it is listed again.
    let fourth = feed.import(&app.api, 0..30, "?receipts=all").await;
    assert_eq!(fourth.receipts[0]["outcome"], "reopened", "{fourth:#?}");
    assert_eq!(app.show(&feed.ids[0]).await["status"], "PendingEnrichment");

    // A posting belongs to the catalogue that named it last; others leave it alone.
    let rival = catalogue(&fresh("rival"));
    import(&app.api, &rival, feed.lines(29..30))
        .await
        .complete();
    import(&app.api, IMPORTS, feed.lines(28..29))
        .await
        .complete();
    app.put(&feed.ids[27], &json!({"title": "By itself"}))
        .await
        .updated();
    let fifth = feed.import(&app.api, 0..27, "").await.complete();
    assert_eq!(
        fifth["missing"],
        json!({"count": 2, "expired": 2, "held": false})
    );
    assert_eq!(app.show(&feed.ids[29]).await["status"], "PendingEnrichment");

    let shown = other.get(&feed.path()).await.data();
    assert_eq!(
        (&shown["postings"], &shown["running"]),
        (&json!(27), &json!(false))
    );
    assert_eq!(shown["last_import"]["missing"], fifth["missing"]);
    let deleted = other
        .authorized(reqwest::Method::DELETE, &feed.path())
        .send()
        .await;
    assert_eq!(deleted.unwrap().status(), 204);
    other.get(&feed.path()).await.error(404);
    assert_eq!(app.show(&feed.ids[5]).await["status"], "PendingEnrichment");
}

async fn a_catalogue_that_was_killed_is_sent_again(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let feed = Catalogue::new(600);
    // Before the first line.
    let sending = Sending::begin(&app.api, &feed.path());
    eventually("the import runs", SETTLING, || async {
        let answer = app.api.get(&feed.path()).await;
        (answer.status == 200).then_some(())
    })
    .await;
    server.kill();
    assert!(sending.end().await.is_err());
    server = app.site.serve(&["--no-worker"]);
    let few = feed.import(&app.api, 0..1, "").await.complete();
    assert_eq!(few["created"], 1);

    // In the middle of an import.
    let sending = Sending::begin(&app.api, &feed.path());
    assert!(sending.send(feed.lines(0..500)).await);
    eventually("lines are taken in", SETTLING, || async {
        app.api.exists(&feed.ids[200]).await.then_some(())
    })
    .await;
    server.kill();
    assert!(sending.end().await.is_err());
    server = app.site.serve(&["--no-worker"]);
    let again = feed.import(&app.api, 0..600, "").await.complete();
    assert_eq!(
        again["missing"],
        json!({"count": 0, "expired": 0, "held": false})
    );
    assert_eq!(again["lines"], 600);
    assert!(again["unchanged"].as_u64().unwrap() > 200, "{again}");

    // While what is missing expires, or before or after that.
    let path = format!("{}?max_missing=100", feed.path());
    let sending = Sending::begin(&app.api, &path);
    assert!(sending.send(feed.lines(0..1)).await);
    let answer = tokio::spawn(sending.end());
    eventually("some expire", SETTLING, || async {
        let posting = app.show(&feed.ids[599]).await;
        (posting["status"] == "expired" || answer.is_finished()).then_some(())
    })
    .await;
    server.kill();
    let _ = answer.await.unwrap();
    server = app.site.serve(&["--no-worker"]);
    feed.import(&app.api, 0..1, "?max_missing=100")
        .await
        .complete();
    let expect = counts([("PendingEnrichment", 1), ("expired", 599)]);
    assert_eq!(feed.statuses(&app.api).await, expect);
    // Each of them expired once.
    let cursor = "";
    let mut expired = BTreeMap::<String, usize>::new();
    let mut after = cursor.to_owned();
    loop {
        let path = format!("{EVENTS}?limit=1000&types=JobPostingExpired{after}");
        let page = app.api.get(&path).await.json();
        let events = page["data"].as_array().unwrap();
        if events.is_empty() {
            break;
        }
        for event in events {
            let id = event["data"]["unique_source_identifier"].as_str().unwrap();
            *expired.entry(id.to_owned()).or_default() += 1;
        }
        after = format!("&after={}", page["next_cursor"].as_str().unwrap());
    }
    assert!(expired.values().all(|count| *count == 1), "{expired:?}");
    drop(server);
}

async fn an_undo_that_was_killed_goes_on(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let feed = Catalogue::new(2_000);
    let open = async || app.api.get(&feed.path()).await.data()["postings"].take();
    feed.import(&app.api, 0..2_000, "").await.complete();
    // A crawl that stops early is told by its end.
    let end = |lines: usize| format!("{}\n", json!({"end": {"lines": lines}}));
    let body = feed.lines(0..1_900) + &end(2_000);
    let early = import(&app.api, &feed.path(), body).await;
    assert_eq!(early.status, 422, "{early:#?}");
    assert_eq!(early.summary["complete"], false);
    assert_eq!(open().await, 2_000);
    let path = format!("{}?max_missing=100&require_end=true", feed.path());
    let few = import(&app.api, &path, feed.lines(0..1) + &end(1)).await;
    assert_eq!(few.complete()["missing"]["expired"], 1_999);
    app.put(&feed.ids[1], &json!({"title": "By itself"}))
        .await
        .updated();

    let undo = || {
        let path = format!("{}/undo", feed.path());
        app.api.authorized(reqwest::Method::POST, &path).send()
    };
    let first = tokio::spawn(undo());
    eventually("some are open", SETTLING, || async {
        (open().await != 1 || first.is_finished()).then_some(())
    })
    .await;
    server.kill();
    let first = first.await.unwrap();
    server = app.site.serve(&["--no-worker"]);
    // After the lease of the killed one has lapsed.
    let again = async || {
        let answer = Answer::of(undo().await.unwrap()).await;
        (answer.status != 409).then(|| answer.data())
    };
    let undone = eventually("it goes on", SETTLING, &again).await;
    if first.is_err() {
        assert_eq!(undone, json!({"reopened": 1_998, "left": 1}));
    }
    let none = json!({"reopened": 0, "left": 0});
    assert_eq!(again().await, Some(none));
    let expect = counts([("PendingEnrichment", 1_999), ("expired", 1)]);
    assert_eq!(feed.statuses(&app.api).await, expect);
    let other = app.show(&feed.ids[1]).await;
    assert_eq!(
        (&other["status"], &other["title"]),
        (&json!("expired"), &json!("By itself"))
    );
    drop(server);
}

async fn a_fence_moves_while_an_import_runs(store: Store) {
    let (app, _, _servers) = two(store);
    let (id, secret) = crate::harness::create_client(&app.site, &["job-postings:write"]);
    let token = crate::harness::token(&app.site, &id, &secret, None);
    let api = app.api.with_token(&token);
    let prefix = fresh("ours");
    let narrow = |id: &str, option: &[&str]| {
        let arguments = [&["clients", "update", id], option].concat();
        app.run(&arguments).succeeded()
    };
    let sending = Sending::begin(&api, &format!("{IMPORTS}?receipts=all"));
    assert!(sending.send(line("theirs-1", &minimal())).await);
    eventually("the line is taken in", SETTLING, || async {
        app.api.exists("theirs-1").await.then_some(())
    })
    .await;
    narrow(&id, &["--prefix", &prefix]);
    sleep(WITHIN_TEN_SECONDS).await;
    assert!(sending.send(line("theirs-2", &minimal())).await);
    assert!(sending.send(line(&format!("{prefix}-1"), &minimal())).await);
    let answer = sending.end().await.unwrap();
    let statuses: Vec<_> = answer.receipts.iter().map(|of| &of["status"]).collect();
    assert_eq!(statuses, [201, 403, 201], "{answer:#?}");

    let sending = Sending::begin(&api, IMPORTS);
    assert!(sending.send(line(&format!("{prefix}-2"), &minimal())).await);
    app.run(&["clients", "revoke", &id]).succeeded();
    sleep(WITHIN_TEN_SECONDS).await;
    sending.send(line(&format!("{prefix}-3"), &minimal())).await;
    let answer = sending.end().await.unwrap();
    assert_eq!(answer.status, 401, "{answer:#?}");
    assert_eq!(
        (answer.count("created"), &answer.summary["complete"]),
        (1, &json!(false))
    );
    assert!(!app.api.exists(&format!("{prefix}-3")).await);
}

async fn an_import_outlasts_a_restart_of_the_database(_: Store) {
    let programs = pg_cluster::programs().expect("missing: apt-get install postgresql");
    // The server ends with the thread that starts it, so that must be this test's thread.
    let mut cluster = Cluster::start(&programs).unwrap();
    let site = Site::with_database(Database::Other(cluster.url().to_owned()));
    site.run(&["migrate"]).succeeded();
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let alone = alone().await;
    let feed = Catalogue::new(1_600);
    let sending = Sending::begin(&app.api, &feed.path());
    assert!(sending.send(feed.lines(0..1_000)).await);
    eventually("lines are taken in", SETTLING, || async {
        app.api.exists(&feed.ids[500]).await.then_some(())
    })
    .await;
    cluster.stop(Shutdown::Immediate).unwrap();
    // For longer than the client's row is kept, and lines come all the while.
    for start in (1_000..1_600).step_by(100) {
        assert!(sending.send(feed.lines(start..start + 100)).await);
        sleep(Duration::from_millis(1_500)).await;
    }
    cluster.start_again().unwrap();
    let answer = sending.end().await.unwrap();
    drop(alone);
    assert_eq!(answer.count("failed"), 0, "{answer:#?}");
    assert_eq!(answer.complete()["lines"], 1_600);
    assert_eq!(
        feed.statuses(&app.api).await,
        counts([("PendingEnrichment", 1_600)])
    );
    drop(server);
}
