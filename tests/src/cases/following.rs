//! Clients that follow the events by cursor while others push, while a server is killed, and after
//! an export.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{
    Api, App, SETTLING, Site, Store, alone, eventually,
    follower::{EVENTS, Follower},
    fresh, minimal, outbox_is_empty, website,
};

on_every_store! {
    an_export_and_the_events_after_it_are_the_board,
}

on_postgres! {
    a_killed_server_loses_and_reorders_no_event,
}

const WRITERS: usize = 8;
const POSTINGS_OF_EACH: usize = 6;
const COMPANIES: usize = 3;

/// Clients that push changes until they are told to stop.
struct Writers {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    pushes: Arc<AtomicUsize>,
    /// The identifiers that they push.
    ids: Vec<String>,
}

impl Writers {
    /// Starts them, by turns on these servers.
    fn start(servers: &[Api]) -> Self {
        let (stop, pushes) = (Arc::default(), Arc::default());
        let websites: Vec<_> = (0..COMPANIES).map(|_| website()).collect();
        let (mut tasks, mut ids) = (JoinSet::new(), Vec::new());
        for (writer, server) in (0..WRITERS).zip(servers.iter().cycle()) {
            let own: Vec<_> = (0..POSTINGS_OF_EACH).map(|_| fresh("event")).collect();
            ids.extend(own.iter().cloned());
            let (server, websites) = (server.clone(), websites.clone());
            let (stop, pushes) = (Arc::clone(&stop), Arc::clone(&pushes));
            tasks.spawn(write(writer, server, own, websites, stop, pushes));
        }
        Self {
            tasks,
            stop,
            pushes,
            ids,
        }
    }

    /// Waits until there were this many more pushes.
    async fn push(&self, more: usize) {
        let goal = self.pushes.load(Ordering::Relaxed) + more;
        let pushes = &self.pushes;
        eventually("postings are pushed", SETTLING, || async move {
            (pushes.load(Ordering::Relaxed) >= goal).then_some(())
        })
        .await;
    }

    /// Ends them; the identifiers that they have pushed.
    async fn finish(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
        self.ids
    }
}

async fn write(
    writer: usize,
    server: Api,
    ids: Vec<String>,
    websites: Vec<String>,
    stop: Arc<AtomicBool>,
    pushes: Arc<AtomicUsize>,
) {
    for turn in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let id = &ids[turn % ids.len()];
        // Each kind of push comes to each posting, in an order of its own.
        let kind = (turn / ids.len() * 3 + turn + writer) % 7;
        let website = &websites[(turn + writer) % websites.len()];
        let company = |name: String| json!({"website_url": website, "name": name});
        let name = format!("Company {writer}.{turn}");
        let logo = format!("/{writer}.{turn}.svg");
        let mut whole = minimal();
        let description = whole["raw_description"].as_str().unwrap();
        let description = format!("{description}<p>You begin in garden {turn}.</p>");
        whole["company"] = json!({"website_url": website, "name": "Company"});
        let payload = match kind {
            0 | 1 => whole,
            2 => json!({"raw_description": description}),
            3 => json!({"company": company(name)}),
            4 => json!({"company": {"website_url": website, "name": name, "logo_path": logo}}),
            5 => json!({"expiration": {"reason": format!("turn {turn}")}}),
            _ => json!({"expiration": null, "salary_min": turn}),
        };
        match server.try_put(id, &payload).await {
            Ok(200 | 201) => _ = pushes.fetch_add(1, Ordering::Relaxed),
            // There was nothing yet to change, it was rejected, or there was too much at once.
            Ok(404 | 422 | 503) => {}
            Ok(status) => panic!("{status}: {payload}"),
            // It was killed.
            Err(_) => return,
        }
    }
}

/// Two servers on one database.
fn two(store: Store) -> (Site, Site) {
    let site = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    (site.beside(), site)
}

/// The whole board as an export has it, and where to go on with events.
async fn export(api: &Api) -> (Vec<Value>, String) {
    let answer = api.get("/api/job-board/export?texts=none").await;
    assert_eq!(answer.status, 200, "{answer:#?}");
    let postings = answer.body.lines().map(serde_json::from_str);
    let postings = postings.collect::<Result<_, _>>().unwrap();
    (
        postings,
        answer.header("posthaste-events-cursor").to_owned(),
    )
}

/// A follower's copy of the board: postings by identifier, companies by id.
#[derive(Debug, Default, PartialEq)]
struct Board {
    postings: BTreeMap<String, Value>,
    companies: BTreeMap<String, Value>,
}

impl Board {
    fn new(postings: &[Value]) -> Self {
        let mut board = Self::default();
        for posting in postings {
            let id = posting["unique_source_identifier"].as_str().unwrap();
            let state = json!([posting["uuid"], posting["status"], posting["status_reason"]]);
            let former = board.postings.insert(id.to_owned(), state);
            assert_eq!(former, None, "{id} is in the export twice");
            let company = &posting["company"];
            let key = company["uuid"].as_str().unwrap().to_owned();
            // One that changes meanwhile differs between its postings; events tell the end.
            board.companies.insert(key, company.clone());
        }
        board
    }

    fn follow(&mut self, events: &[Value]) {
        for event in events {
            let data = &event["data"];
            if event["type"] == "CompanyUpdated" {
                let key = data["uuid"].as_str().unwrap().to_owned();
                self.companies.insert(key, data.clone());
            } else {
                let id = data["unique_source_identifier"].as_str().unwrap();
                let state = json!([data["uuid"], data["status"], data["status_reason"]]);
                self.postings.insert(id.to_owned(), state);
            }
        }
    }
}

/// Checks a walk: every event once, a posting's in the order of its versions, the first of which
/// is its creation.
fn check_order(events: &[Value]) {
    let ids: Vec<_> = events
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert!(
        ids.is_sorted_by(|one, next| one < next),
        "in order, and once"
    );
    let mut versions = BTreeMap::new();
    for event in events
        .iter()
        .filter(|event| event["type"] != "CompanyUpdated")
    {
        let (data, is_creation) = (&event["data"], event["type"] == "JobPostingCreated");
        let version = data["version"].as_i64().unwrap();
        let before = versions.insert(data["uuid"].as_str().unwrap(), version);
        assert_eq!(before.is_none(), is_creation, "{event}");
        assert!(before.is_none_or(|before| before <= version), "{event}");
    }
}

/// What happens to a posting in [`live`], in order.
const LIFE: [&str; 7] = [
    "JobPostingCreated",
    "JobPostingApproved",
    "JobPostingUpdated",
    "JobPostingEnriched",
    "JobPostingExpired",
    "JobPostingReopened",
    "JobPostingApproved",
];

/// Takes a posting of a company through every kind of event; its identifier. Which of them the
/// writers' postings have depends on how far the enrichment gets beside them.
async fn live(app: &App, company: &Value) -> String {
    let id = fresh("event");
    let mut payload = minimal();
    payload["company"] = json!({"name": "Company", "website_url": company["website_url"]});
    // Or it would duplicate the writers' postings, and have an event more for that.
    payload["title"] = json!("Gardener in spring");
    let uuid = app.put(&id, &payload).await.created();
    app.until_events(uuid, &LIFE[..2]).await;
    let description = payload["raw_description"].as_str().unwrap();
    payload["raw_description"] = json!(format!("{description}<p>You begin in spring.</p>"));
    app.put(&id, &payload).await.updated();
    app.until_events(uuid, &LIFE[..4]).await;
    for expiration in [json!({"reason": "filled"}), Value::Null] {
        let change = json!({"expiration": expiration});
        app.put(&id, &change).await.updated();
    }
    app.until_events(uuid, &LIFE).await;
    id
}

async fn an_export_and_the_events_after_it_are_the_board(store: Store) {
    let (first, second) = two(store);
    let _servers = [first.serve(&[]), second.serve(&[])];
    let app = App::at(second);
    let servers = [app.api.clone(), Api::new(&first.url(), app.api.token())];
    let alone = alone().await;
    let writers = Writers::start(&servers);
    let walks = [1_000, 7, 1].map(|limit| Follower::start(servers.to_vec(), None, limit));
    writers.push(250).await;
    let (exported, cursor) = export(&app.api).await;
    assert!(!exported.is_empty());
    writers.push(250).await;
    let later = Follower::start(servers.to_vec(), Some(cursor.clone()), 100);
    let mut ids: BTreeSet<_> = writers.finish().await.into_iter().collect();
    drop(alone);
    let lived = live(&app, &exported[0]["company"]).await;
    ids.insert(lived.clone());
    outbox_is_empty(&app).await;

    let mut seen = Vec::new();
    for walk in walks {
        seen.push(walk.finish().await);
    }
    check_order(&seen[0]);
    assert!(
        seen.iter().all(|walk| *walk == seen[0]),
        "every reader sees the same"
    );
    let later = later.finish().await;
    let after = seen[0]
        .iter()
        .filter(|event| event["id"].as_str() > Some(&cursor));
    assert!(later.iter().eq(after));
    let of_lived = seen[0]
        .iter()
        .filter(|event| event["data"]["unique_source_identifier"] == *lived);
    assert!(of_lived.map(|event| &event["type"]).eq(&LIFE));

    let mut board = Board::new(&exported);
    board.follow(&later);
    let (settled, end) = export(&app.api).await;
    assert_eq!(board, Board::new(&settled));
    let known: BTreeSet<_> = board.postings.keys().cloned().collect();
    assert!(known.is_subset(&ids));
    let page = app.api.get(&format!("{EVENTS}?after={end}")).await.json();
    assert_eq!(page, json!({"data": [], "next_cursor": end}));
    for name in ["CompanyUpdated", "JobPostingExpired,JobPostingReopened"] {
        let path = format!("{EVENTS}?limit=1000&types={name}");
        let found = app.api.get(&path).await.data();
        let names: BTreeSet<_> = name.split(',').collect();
        let expect = seen[0]
            .iter()
            .filter(|event| names.contains(event["type"].as_str().unwrap()));
        let expect: Vec<_> = expect.take(1_000).cloned().collect();
        assert_eq!(found, json!(expect), "{name}");
    }
}

async fn a_killed_server_loses_and_reorders_no_event(store: Store) {
    let (dies, stays) = two(store);
    let mut dying = dies.serve(&[]);
    let _server = stays.serve(&[]);
    let app = App::at(stays);
    let both = [app.api.clone(), Api::new(&dies.url(), app.api.token())];
    let walk = Follower::start(both.to_vec(), None, 50);
    let alone = alone().await;
    for _ in 0..3 {
        let writers = Writers::start(&both);
        writers.push(150).await;
        dying.kill();
        writers.finish().await;
        dying = dies.serve(&[]);
    }
    drop(alone);
    outbox_is_empty(&app).await;
    let seen = walk.finish().await;
    check_order(&seen);
    let mut board = Board::default();
    board.follow(&seen);
    let (exported, _) = export(&app.api).await;
    assert_eq!(board.postings, Board::new(&exported).postings);
}
