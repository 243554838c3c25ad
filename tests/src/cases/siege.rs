//! Several attacks and faults at once: rows that a foreign transaction keeps locked (an operator's
//! shell, a script, a migration), connections that send a byte at a time, and a posting that is
//! expensive to enrich.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use adapters_postgres::testing;
use serde_json::{Value, json};
use tokio::{
    task::{JoinHandle, JoinSet, spawn_blocking},
    time::{Instant, sleep},
};

use crate::harness::{Api, App, SETTLING, Site, Store, alone, eventually, fresh, minimal, website};

on_postgres! {
    what_is_stuck_is_the_trouble_of_who_needs_it,
}

/// The number of clients that need no locked row, and of clients that do.
const FREE: usize = 32;
const STUCK: usize = 6;
/// The number of connections that send a byte now and then, and of the threads for them.
const DRIBBLING: usize = 300;
const DRIBBLERS: usize = 10;
const WINDOW: Duration = Duration::from_secs(4);
/// The deadline of a push, plus time to answer on a busy machine.
const ANSWERED: Duration = Duration::from_secs(15);

fn titled(title: usize) -> Value {
    let mut payload = minimal();
    payload["title"] = json!(format!("Title {title}"));
    payload
}

/// Creates and updates unlocked postings until stopped.
async fn push_freely(api: Api, stop: Arc<AtomicBool>, done: Arc<AtomicUsize>) {
    while !stop.load(Ordering::Relaxed) {
        let id = fresh("free");
        for title in 0..2 {
            let answer = api.put(&id, &titled(title)).await;
            assert!([200, 201].contains(&answer.status), "{answer:#?}");
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Repeats a push that needs a locked row, which is answered 503 with `Retry-After` until it
/// succeeds.
async fn push_stuck(api: Api, id: String, payload: impl Fn(usize) -> Value, n: usize) -> usize {
    let mut refused = 0;
    loop {
        let start = Instant::now();
        let answer = api.put(&id, &payload(n * 1_000 + refused)).await;
        assert!(start.elapsed() < ANSWERED, "{:?}", start.elapsed());
        if answer.status == 200 {
            return refused;
        }
        answer.error(503);
        assert!(answer.header("retry-after").parse::<u64>().is_ok());
        refused += 1;
    }
}

/// Keeps rows locked for some time.
fn hold(url: &str, id: &str, website: &str, time: Duration) -> JoinHandle<()> {
    let url = url.to_owned();
    let statements = format!(
        "BEGIN; SELECT FROM postings WHERE source_identifier = '{id}' FOR UPDATE; \
         SELECT FROM companies WHERE website = '{website}' FOR UPDATE; \
         SELECT pg_sleep({}); COMMIT",
        time.as_secs_f32()
    );
    spawn_blocking(move || testing::execute(&url, &statements))
}

/// Sends a byte of a request now and then on many connections, and replaces those that the server
/// closes, until stopped. Returns how many were closed.
fn dribble(host: &str, stop: &AtomicBool) -> usize {
    let begun = || -> Option<TcpStream> {
        let mut stream = TcpStream::connect(host).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        // The first request is complete; the head of the second never ends.
        let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request).ok()?;
        let read = stream.read(&mut [0; 1024]).ok()?;
        (read > 0).then_some(stream)
    };
    let mut connections: Vec<_> = (0..DRIBBLING / DRIBBLERS).map(|_| begun()).collect();
    let mut closed = 0;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(500));
        for connection in &mut connections {
            let stream = connection.as_mut();
            if stream.is_none_or(|stream| stream.write_all(b"G").is_err()) {
                closed += 1;
                *connection = begun();
            }
        }
    }
    closed
}

/// A posting that takes far more than linear time to convert and to redact, unless both have a
/// budget: many paragraphs with long link destinations, and names in nested brackets.
fn poison() -> Value {
    let mut payload = minimal();
    payload["raw_description"] = json!(format!(
        "<p><a href=\"https://x.example/{}\">{}{}{}",
        "a".repeat(300_000),
        "a<p>".repeat(30_000),
        "Rosenhof (".repeat(25_000),
        ")".repeat(25_000),
    ));
    payload
}

async fn what_is_stuck_is_the_trouble_of_who_needs_it(store: Store) {
    let alone = alone().await;
    let site = Site::new(store);
    let mut server = site.serve(&[]);
    let app = App::at(site);
    let (posting, of_company) = (fresh("locked"), fresh("of-locked"));
    let locked = website();
    let renamed = {
        let locked = locked.clone();
        move |name: usize| json!({"company": {"website_url": locked, "name": format!("Name {name}")}})
    };
    assert_eq!(app.put(&posting, &minimal()).await.status, 201);
    let mut payload = minimal();
    payload["company"] = json!({"name": "Name", "website_url": locked});
    assert_eq!(app.put(&of_company, &payload).await.status, 201);

    let (is_measured, done) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
    let mut free = JoinSet::new();
    for _ in 0..FREE {
        free.spawn(push_freely(
            app.api.clone(),
            Arc::clone(&is_measured),
            Arc::clone(&done),
        ));
    }
    let count = async |during: Duration| {
        let before = done.load(Ordering::Relaxed);
        sleep(during).await;
        done.load(Ordering::Relaxed) - before
    };
    sleep(Duration::from_secs(1)).await;
    let without = count(WINDOW).await;

    let url = app.site.database.url().unwrap();
    // Longer than the deadline of a push, so that some are refused, and others wait to the end.
    let holder = hold(&url, &posting, &locked, Duration::from_secs(14));
    let asleep = "SELECT count(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event = 'PgSleep'";
    let asleep = || {
        let url = url.clone();
        spawn_blocking(move || testing::number(&url, asleep))
    };
    eventually("rows are locked", ANSWERED, || async move {
        (asleep().await.unwrap() == 1).then_some(())
    })
    .await;
    let stop = Arc::<AtomicBool>::default();
    let dribblers: Vec<_> = (0..DRIBBLERS)
        .map(|_| {
            let (host, stop) = (app.site.host(), Arc::clone(&stop));
            spawn_blocking(move || dribble(&host, &stop))
        })
        .collect();
    let poisoned = fresh("poison");
    assert_eq!(app.put(&poisoned, &poison()).await.status, 201);
    let mut stuck = JoinSet::new();
    for n in 0..STUCK {
        let (api, posting, of_company) = (app.api.clone(), posting.clone(), of_company.clone());
        if n % 2 == 0 {
            stuck.spawn(push_stuck(api, posting, titled, n));
        } else {
            stuck.spawn(push_stuck(api, of_company, renamed.clone(), n));
        }
    }
    // The better of two: other cases put load on the machine as well, and less before.
    let with = count(WINDOW).await.max(count(WINDOW).await);
    println!("{without} pushes in {WINDOW:?}, {with} besieged");
    assert!(with * 3 >= without, "{with} of {without}");
    is_measured.store(true, Ordering::Relaxed);
    free.join_all().await;
    drop(alone);

    eventually("the poison is judged", SETTLING, || async {
        let status = app.show(&poisoned).await["status"].clone();
        (status != "PendingEnrichment").then_some(())
    })
    .await;
    holder.await.unwrap();
    let refused: usize = stuck.join_all().await.into_iter().sum();
    assert!(refused > 0);
    stop.store(true, Ordering::Relaxed);
    let mut closed = 0;
    for dribbler in dribblers {
        closed += dribbler.await.unwrap();
    }
    assert!(closed > 0, "connections that dribble are closed");
    assert!(server.is_running(), "{}", app.site.log());
    let shown = app.show(&posting).await;
    assert!(shown["title"].as_str().unwrap().starts_with("Title "));
    let log = app.site.log();
    assert!(log.contains("holds a lock on this row"), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}
