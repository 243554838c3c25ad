use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{
    Api, App, SETTLING, Store, eventually, exclusive_load,
    follower::{EVENTS, Follower},
    fresh,
    load::Load,
    minimal, website,
};

on_every_store! {
    an_export_and_the_events_after_it_are_the_board,
}

on_postgres! {
    a_killed_server_loses_and_reorders_no_event,
}

const WRITERS: usize = 8;
const PUSHES_OF_EACH: usize = 60;
const POSTINGS_OF_EACH: usize = 6;
const COMPANIES: usize = 3;

/// Makes one change of each kind per posting. Each writer has its own order.
async fn write(
    writer: usize,
    server: Api,
    websites: Vec<String>,
    pushes: Arc<AtomicUsize>,
) -> Vec<String> {
    let ids: Vec<_> = (0..POSTINGS_OF_EACH).map(|_| fresh("event")).collect();
    for turn in 0..PUSHES_OF_EACH {
        let id = &ids[turn % ids.len()];
        let website = &websites[(turn + writer) % websites.len()];
        let name = format!("Company {writer}.{turn}");
        let logo = format!("/{writer}.{turn}.svg");
        let mut whole = minimal();
        let description = whole["raw_description"].as_str().unwrap();
        let description = format!("{description}<p>You begin in garden {turn}.</p>");
        whole["company"] = json!({"website_url": website, "name": "Company"});
        let payload = match (turn / ids.len() * 3 + turn + writer) % 7 {
            0 | 1 => whole,
            2 => json!({"raw_description": description}),
            3 => json!({"company": {"website_url": website, "name": name}}),
            4 => json!({"company": {"website_url": website, "name": name, "logo_path": logo}}),
            5 => json!({"expiration": {"reason": format!("turn {turn}")}}),
            _ => json!({"expiration": null, "salary_min": turn}),
        };
        // The posting may not exist yet, or be rejected.
        let status = server.put(id, &payload).await.status;
        assert!([200, 201, 404, 422].contains(&status), "{status}");
        pushes.fetch_add(1, Ordering::Relaxed);
    }
    ids
}

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
            // If a company changes meanwhile, its postings show different states.
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
            } else if is_of_a_posting(event) {
                let id = data["unique_source_identifier"].as_str().unwrap();
                let state = json!([data["uuid"], data["status"], data["status_reason"]]);
                self.postings.insert(id.to_owned(), state);
            }
        }
    }
}

/// The feed also has events of companies, and of items that need attention.
fn is_of_a_posting(event: &Value) -> bool {
    event["type"].as_str().unwrap().starts_with("JobPosting")
}

/// A walk through the feed has every event once, and a posting's events in the order of versions.
pub(super) fn check_order(events: &[Value]) {
    let ids: Vec<_> = events.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert!(
        ids.is_sorted_by(|one, next| one < next),
        "in order, and once"
    );
    let mut versions = BTreeMap::new();
    for event in events.iter().filter(|it| is_of_a_posting(it)) {
        let (data, is_creation) = (&event["data"], event["type"] == "JobPostingCreated");
        let version = data["version"].as_i64().unwrap();
        let before = versions.insert(data["uuid"].as_str().unwrap(), version);
        assert_eq!(before.is_none(), is_creation, "{event}");
        assert!(before.is_none_or(|before| before <= version), "{event}");
    }
}

async fn an_export_and_the_events_after_it_are_the_board(store: Store) {
    let app = App::served(store);
    let second = app.site.beside();
    let _second = second.serve(&[]);
    let servers = [app.api.clone(), app.api_of(&second)];
    let turn = exclusive_load().await;
    let (mut writers, pushes) = (JoinSet::new(), Arc::<AtomicUsize>::default());
    let websites: Vec<_> = (0..COMPANIES).map(|_| website()).collect();
    for (writer, server) in (0..WRITERS).zip(servers.iter().cycle()) {
        let (server, pushes) = (server.clone(), Arc::clone(&pushes));
        writers.spawn(write(writer, server, websites.clone(), pushes));
    }
    let walks = [1_000, 7, 1].map(|limit| Follower::start(servers.to_vec(), None, limit));
    eventually("half is pushed", SETTLING, || async {
        let pushes = pushes.load(Ordering::Relaxed);
        (pushes >= WRITERS * PUSHES_OF_EACH / 2).then_some(())
    })
    .await;
    let (exported, cursor) = export(&app.api).await;
    let later = Follower::start(servers.to_vec(), Some(cursor.clone()), 100);
    let ids: BTreeSet<_> = writers.join_all().await.into_iter().flatten().collect();
    drop(turn);
    app.settled().await;

    // A walk ends at an empty page.
    app.site.database.show_events().await;
    let mut seen = Vec::new();
    for walk in walks {
        seen.push(walk.finish().await);
    }
    check_order(&seen[0]);
    assert!(
        seen.iter().all(|walk| *walk == seen[0]),
        "every reader sees the same"
    );
    assert_eq!(seen[0], app.all_events().await);
    let later = later.finish().await;
    let after = seen[0]
        .iter()
        .filter(|event| event["id"].as_str() > Some(&cursor));
    assert!(later.iter().eq(after));

    let mut board = Board::new(&exported);
    board.follow(&later);
    let (settled, end) = export(&app.api).await;
    assert_eq!(board, Board::new(&settled));
    assert!(board.postings.keys().all(|id| ids.contains(id)));
    let page = app.api.get(&format!("{EVENTS}?after={end}")).await.json();
    assert_eq!(page, json!({"data": [], "next_cursor": end}));
}

async fn a_killed_server_loses_and_reorders_no_event(store: Store) {
    let app = App::served(store);
    let dies = app.site.beside();
    let mut dying = dies.serve(&[]);
    let both = [app.api.clone(), app.api_of(&dies)];
    let walk = Follower::start(both.to_vec(), None, 50);
    let turn = exclusive_load().await;
    for _ in 0..3 {
        let load = Load::start(&both.each_ref(), 8);
        load.until_acknowledged(50).await;
        dying.kill();
        load.finish().await;
        dying = dies.serve(&[]);
    }
    drop(turn);
    app.settled().await;
    app.site.database.show_events().await;
    let seen = walk.finish().await;
    check_order(&seen);
    let mut board = Board::default();
    board.follow(&seen);
    let (exported, _) = export(&app.api).await;
    assert_eq!(board.postings, Board::new(&exported).postings);
}
