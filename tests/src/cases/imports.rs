use std::collections::BTreeMap;

use pg_cluster::{Cluster, Shutdown};
use serde_json::{Value, json};

use crate::harness::{
    Api, App, Client, SETTLING, Site, Store, eventually, exclusive_load, fresh,
    import::{IMPORTS, ImportAnswer, Sending, catalogue, import, line},
    minimal,
};

on_every_store! {
    a_catalogue_that_was_killed_is_sent_again,
    lines_that_cannot_be_read_take_nothing_down,
}

on_sqlite! {
    an_import_ends_with_its_client,
    held_back_postings_are_listed_and_released_by_command,
}

on_postgres! {
    a_catalogue_is_taken_in_whole_and_undone,
    an_import_outlasts_a_restart_of_the_database,
}

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

    fn lines(&self, range: std::ops::Range<usize>) -> String {
        let ids = self.ids[range].iter();
        ids.map(|id| line(id, &self.payload)).collect()
    }

    /// Sends an import. First waits while another import runs, or until a killed import's lease has
    /// expired.
    async fn import(&self, api: &Api, range: std::ops::Range<usize>, query: &str) -> ImportAnswer {
        let path = format!("{}{query}", self.path());
        eventually("the catalogue is free", SETTLING, || async {
            let answer = import(api, &path, self.lines(range.clone())).await;
            if answer.status == 409 {
                assert!(answer.retry_after.is_some(), "{answer:#?}");
                return None;
            }
            Some(answer)
        })
        .await
    }

    async fn statuses(&self, api: &Api) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for id in &self.ids {
            let status = api.show(id).await["status"].as_str().unwrap().to_owned();
            *counts.entry(status).or_default() += 1;
        }
        counts
    }
}

fn counts<const N: usize>(of: [(&str, usize); N]) -> BTreeMap<String, usize> {
    of.map(|(status, count)| (status.to_owned(), count)).into()
}

async fn a_catalogue_is_taken_in_whole_and_undone(store: Store) {
    let app = App::quiet(store);
    let beside = app.site.beside();
    let _beside = beside.serve(&["--no-worker"]);
    let other = app.api_of(&beside);
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

    // Unlisted postings expire. A refused line still lists its posting.
    let body = feed.lines(2..30) + &line(&feed.ids[1], &json!({"title": 7}));
    let third = import(&other, &feed.path(), body).await.complete();
    let missing = json!({"count": 1, "expired": 1, "held": false});
    assert_eq!(
        (&third["missing"], &third["refused"]),
        (&missing, &json!(1))
    );
    let gone = app.show(&feed.ids[0]).await;
    let reason = format!("no longer in the catalogue {}", feed.name);
    assert_eq!(
        (&gone["status"], &gone["status_reason"], &gone["updated_by"]),
        (
            &json!("expired"),
            &json!(reason),
            &json!(format!("catalogue:{}", feed.name))
        )
    );
    let shown = other.get(&feed.path()).await.data();
    assert_eq!(
        (&shown["postings"], &shown["running"]),
        (&json!(29), &json!(false))
    );
    assert_eq!(shown["last_import"]["missing"], missing);

    let undo = format!("{}/undo", feed.path());
    let undone = other.post(&undo, &json!({})).await.data();
    assert_eq!(undone, json!({"reopened": 1, "restored": 0, "left": 0}));
    let all_open = counts([("PendingEnrichment", 30)]);
    assert_eq!(feed.statuses(&app.api).await, all_open);
    let deleted = other.authorized(reqwest::Method::DELETE, &feed.path());
    assert_eq!(other.send(deleted).await.status, 204);
    other.get(&feed.path()).await.error(404);
    assert_eq!(feed.statuses(&app.api).await, all_open);
}

async fn held_back_postings_are_listed_and_released_by_command(store: Store) {
    let app = App::quiet(store);
    let feed = Catalogue::new(24);
    feed.import(&app.api, 0..24, "").await.complete();
    let held = feed.import(&app.api, 0..1, "").await.complete();
    let missing = json!({"count": 23, "expired": 0, "held": true, "because": "share"});
    for (name, value) in missing.as_object().unwrap() {
        assert_eq!(held["missing"][name], *value, "{held}");
    }
    let command = |name| ["catalogues", name, &feed.name, "--client", &app.client.id];
    let listed = || {
        let rows = app
            .site
            .json(&[&command("missing")[..], &["--json"]].concat());
        let rows = rows.as_array().unwrap().iter();
        let states = rows.map(|row| format!("{} {}", row["held"], row["status"]));
        states.fold(BTreeMap::<_, usize>::new(), |mut counts, state| {
            *counts.entry(state).or_default() += 1;
            counts
        })
    };
    assert_eq!(listed(), counts([("true \"PendingEnrichment\"", 23)]));
    let said = app.run(&command("release")).succeeded();
    assert!(said.starts_with("23 postings have expired; 0 were left as they are."));
    assert_eq!(listed(), counts([("false \"expired\"", 23)]));
    let said = app.run(&command("undo")).succeeded();
    assert!(said.starts_with("23 postings are open again; 0 were left as they are."));
    let all_open = counts([("PendingEnrichment", 24)]);
    assert_eq!(feed.statuses(&app.api).await, all_open);
}

/// The damaged lines of the first two postings, and whether both identifiers are readable.
const DAMAGED: &[(&str, bool)] = &[
    ("{'id':'<a>','x':-inf}\n{\"id\":\"<b>\"", true),
    (
        r#"{id:"<a>",payload:undefined}{"id":"<b>" "payload":{}}"#,
        true,
    ),
    (
        r#"{"id":"<a>","payload":{"title":"<long>"}}{"id":"<b>"}"#,
        false,
    ),
    (
        "{\"id\":\"<a>\",\"payload\":{}}\r{\"id\":\"<b>\",\"payload\":{}}",
        true,
    ),
    (
        r#"{"id":"<a>","payload":{"title":"cut{"id":"<b>","payload":{}}"#,
        true,
    ),
    (r#"{"id":"<a>","payload":{},"id":"<b>"}"#, true),
    (
        "\u{feff}{\"id\":\"<a>\",\"x\":\"\t\"}\n\u{feff}{\"id\":\"<b>\",\"x\":{]}",
        true,
    ),
    (
        r#"{"id":"<a>","payload":{"title":"caf<E9>"}}{"id":"<b><E9>"}"#,
        false,
    ),
    (
        "[{\"id\":\"<a>\",\"payload\":{}},\n{\"payload\":{}}]",
        false,
    ),
    ("{\n\"id\": \"<a>\",\n\"payload\": {}\n}", false),
    (r#"{"payload":{"title":"5" pipe"},"id":"<a>"}"#, false),
    (r#"{"id":"<a>"#, false),
    (r#"{"id":["<a>"],"payload":{}}"#, false),
    ("<p>{\"id\":\"<a>\",\"payload\":{}}</p>", false),
    (
        r#"{"id":"<a>","payload":{"title":"<long>{"id":"<b>","payload":{"x":"y"}}"#,
        false,
    ),
    (
        r#"{"id":"<a>","payload":{"title":"cut,"payload":{"title":"T"}}"#,
        false,
    ),
    (r#"{"id":"<a>","payload":{}}ayload":{"title":"T"}}"#, false),
    (r#"{"id":"<a>","payload":{}} of a title"#, false),
    ("{\"id\":\"<a>\",\"payload\":{}}\0\0\0", false),
    (r#"{"id":"<a>","payload":{}}<E9>\<E9>"#, false),
    (
        "{\"id\":\"<a>\",\"payload\":{\"title\":\"T\0\0\0\"}}",
        false,
    ),
    (
        r#"{"id":"<a>","payload":[{"id":"<b>","payload":{}}]}"#,
        false,
    ),
    (r#"{"id":" <a> ","payload":NaN}"#, false),
    (r#""{\"id\":\"<a>\",\"payload\":{}}""#, false),
    (
        r#"{id:"<a>",payload:{title:"cut{id:null,payload:{}}"#,
        false,
    ),
    (r#"{"ID":"<a>","payload":{}}"#, false),
];

/// The identifiers of damaged lines are tested in `domain`. This test has one line of each kind.
async fn lines_that_cannot_be_read_take_nothing_down(store: Store) {
    let app = App::quiet(store);
    let feed = Catalogue::new(12);
    feed.import(&app.api, 0..12, "").await.complete();
    for &(text, are_named) in DAMAGED {
        let lines = text
            .replace("<a>", &feed.ids[0])
            .replace("<b>", &feed.ids[1]);
        let lines = lines.replace("<long>", &"x".repeat(3 << 20));
        let parts: Vec<_> = lines.split("<E9>").map(str::as_bytes).collect();
        let lines = parts.join(&0xE9);
        let body = [
            feed.lines(2..12).as_bytes(),
            lines.as_slice(),
            b"\n".as_slice(),
        ]
        .concat();
        let path = format!("{}?max_missing=100", feed.path());
        let summary = import(&app.api, &path, body).await.complete();
        assert_eq!(summary["missing"]["expired"], 0, "{text}: {summary}");
        assert_eq!(
            summary["unattributed"].is_null(),
            are_named,
            "{text}: {summary}"
        );
        let because = &summary["missing"]["because"];
        assert_eq!(because == "unattributed", !are_named, "{text}: {summary}");
    }
    // Bytes that are not UTF-8 end the import.
    let utf16: Vec<u8> = (feed.lines(0..1).encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for body in [utf16, vec![0x1F, 0x8B, 8, 0]] {
        let answer = import(&app.api, &feed.path(), body).await;
        assert_eq!(
            (answer.status, &answer.summary["complete"]),
            (400, &json!(false))
        );
    }
    let all_open = counts([("PendingEnrichment", 12)]);
    assert_eq!(feed.statuses(&app.api).await, all_open);
}

async fn a_catalogue_that_was_killed_is_sent_again(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let feed = Catalogue::new(600);
    let sending = Sending::begin(&app.api, &feed.path());
    assert!(sending.send(feed.lines(0..500)).await);
    app.api.until_exists(&feed.ids[200]).await;
    server.kill();
    assert!(sending.end().await.is_err());
    server = app.site.serve(&["--no-worker"]);
    let again = feed.import(&app.api, 0..600, "").await.complete();
    assert_eq!(again["missing"]["count"], 0);
    assert_eq!(again["lines"], 600);
    // At least the line that was seen is unchanged. Earlier lines may still have been in progress.
    assert_ne!(again["unchanged"], 0, "{again}");

    // The server may be killed before, while or after missing postings expire.
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
    let _server = app.site.serve(&["--no-worker"]);
    feed.import(&app.api, 0..1, "?max_missing=100")
        .await
        .complete();
    let expect = counts([("PendingEnrichment", 1), ("expired", 599)]);
    assert_eq!(feed.statuses(&app.api).await, expect);
    let mut expired = BTreeMap::<String, usize>::new();
    let events = app.all_events().await.into_iter();
    for event in events.filter(|event| event["type"] == "JobPostingExpired") {
        let uuid = event["data"]["uuid"].to_string();
        *expired.entry(uuid).or_default() += 1;
    }
    assert_eq!(expired.len(), 599);
    assert!(expired.values().all(|count| *count == 1), "{expired:?}");
}

async fn an_import_ends_with_its_client(store: Store) {
    let app = App::quiet(store);
    let client = Client::create(&app.site, &[]);
    let api = client.api(&app.site);
    let sending = Sending::begin(&api, IMPORTS);
    assert!(sending.send(line("taken", &minimal())).await);
    app.api.until_exists("taken").await;
    app.run(&["clients", "revoke", &client.id]).succeeded();
    api.until_answered(401).await;
    sending.send(line("too-late", &minimal())).await;
    let answer = sending.end().await.unwrap();
    assert_eq!(answer.status, 401, "{answer:#?}");
    assert_eq!(
        (answer.count("created"), &answer.summary["complete"]),
        (1, &json!(false))
    );
    assert!(!app.api.exists("too-late").await);
}

async fn an_import_outlasts_a_restart_of_the_database(_: Store) {
    // A server ends with its starting thread, so this test's thread starts it.
    let mut cluster = Cluster::start().unwrap();
    let app = App::served_as(Site::on(cluster.url()).migrated(), &["--no-worker"]);
    let turn = exclusive_load().await;
    let feed = Catalogue::new(1_600);
    let sending = Sending::begin(&app.api, &feed.path());
    assert!(sending.send(feed.lines(0..1_000)).await);
    app.api.until_exists(&feed.ids[500]).await;
    cluster.stop(Shutdown::Immediate).unwrap();
    for start in (1_000..1_600).step_by(100) {
        assert!(sending.send(feed.lines(start..start + 100)).await);
        app.api.until_ready(false).await;
    }
    cluster.start_again().unwrap();
    let answer = sending.end().await.unwrap();
    drop(turn);
    assert_eq!(answer.count("failed"), 0, "{answer:#?}");
    assert_eq!(answer.complete()["lines"], 1_600);
    assert_eq!(
        feed.statuses(&app.api).await,
        counts([("PendingEnrichment", 1_600)])
    );
}
