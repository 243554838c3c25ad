//! Concurrent pushes to few postings of few companies, through three servers, without a deadlock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use adapters_postgres::testing;
use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Api, App, Store, exclusive_load, fresh, minimal, website};

on_postgres! {
    a_storm_ends_as_some_order_would,
}

const PUSHES: usize = 3_000;
const CLIENTS: usize = 64;
const IDENTIFIERS: usize = 40;
const COMPANIES: usize = 5;

#[derive(Debug)]
struct Push {
    number: usize,
    status: u16,
    start: Instant,
    end: Instant,
}

struct Subject {
    ids: Vec<String>,
    websites: Vec<String>,
}

const fn posting_of(number: usize) -> usize {
    number % IDENTIFIERS
}

const fn company_of(number: usize) -> usize {
    (number / 7) % COMPANIES
}

async fn a_storm_ends_as_some_order_would(store: Store) {
    let _turn = exclusive_load().await;
    let app = App::served(store);
    let [one, other] = [app.site.beside(), app.site.beside()];
    let servers = [one.serve(&[]), other.serve(&[])];
    let apis = [app.api.clone(), app.api_of(&one), app.api_of(&other)];
    let subject = Arc::new(Subject {
        ids: (0..IDENTIFIERS).map(|_| fresh("storm")).collect(),
        websites: (0..COMPANIES).map(|_| website()).collect(),
    });

    let pushes = blow(&apis, &subject).await;
    app.settled().await;
    for (n, id) in subject.ids.iter().enumerate() {
        let posting = app.show(id).await;
        for api in &apis {
            assert_eq!(api.show(id).await, posting);
        }
        assert_eq!(posting["status"], "approved", "{posting}");
        let last = number(&posting["title"]);
        check_last(&pushes, last, |number| posting_of(number) == n);
        let company = &posting["company"];
        assert_eq!(company["website_url"], subject.websites[company_of(last)]);
        let named = number(&company["name"]);
        check_last(&pushes, named, |number| {
            company_of(number) == company_of(last)
        });
        let creations = pushes.iter().filter(|it| posting_of(it.number) == n);
        let creations = creations.filter(|it| it.status == 201).count();
        assert!(creations <= 1, "{id} was created {creations} times");
    }
    let url = app.site.database.url().unwrap();
    for (table, rows) in [("postings", IDENTIFIERS), ("companies", COMPANIES)] {
        let query = format!("SELECT count(*) AS value FROM {table}");
        assert_eq!(testing::number(&url, &query), i64::try_from(rows).unwrap());
    }
    assert_eq!(testing::deadlocks(&url), 0);
    let events = app.all_events().await;
    let created = events.iter().filter(|it| it["type"] == "JobPostingCreated");
    assert_eq!(created.count(), IDENTIFIERS);
    for server in servers {
        server.terminate();
        assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());
    }
    let log = app.site.log();
    for word in ["deadlock", "panicked", " ERROR "] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

async fn blow(apis: &[Api], subject: &Arc<Subject>) -> Vec<Push> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (apis, subject, next) = (apis.to_vec(), Arc::clone(subject), Arc::clone(&next));
        clients.spawn(async move {
            let mut pushes = Vec::new();
            for api in apis.iter().cycle().skip(client) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= PUSHES {
                    break;
                }
                let mut payload = minimal();
                payload["title"] = json!(format!("Gardener {number}"));
                let website = &subject.websites[company_of(number)];
                let name = format!("Company {number}");
                payload["company"] = json!({"name": name, "website_url": website});
                let start = Instant::now();
                let answer = api.put(&subject.ids[posting_of(number)], &payload).await;
                assert!([200, 201].contains(&answer.status), "{answer:#?}");
                let status = answer.status;
                pushes.push(Push {
                    number,
                    status,
                    start,
                    end: Instant::now(),
                });
            }
            pushes
        });
    }
    clients.join_all().await.into_iter().flatten().collect()
}

fn number(text: &serde_json::Value) -> usize {
    let last = text.as_str().unwrap().rsplit(' ').next();
    last.unwrap().parse().unwrap()
}

fn check_last(pushes: &[Push], last: usize, is_one: impl Fn(usize) -> bool) {
    assert!(is_one(last), "{last} is of another");
    let last = pushes.iter().find(|push| push.number == last).unwrap();
    let mut these = pushes.iter().filter(|push| is_one(push.number));
    let later = these.find(|push| push.start > last.end);
    assert!(later.is_none(), "{later:?} is lost, found {last:?}");
}
