//! Concurrent pushes to few identifiers and few companies, on PostgreSQL through three servers: the
//! outcome is that of some sequential order, and no deadlock occurs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use adapters_postgres::testing;
use domain::store::HISTORY_SHOWN;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{
    Api, App, SETTLING, Site, Store, alone, eventually, fresh, minimal, outbox_is_empty, website,
};

on_every_store! {
    a_storm_ends_as_some_order_would,
}

const PUSHES: usize = 20_000;
const CLIENTS: usize = 64;
const IDENTIFIERS: usize = 40;
const COMPANIES: usize = 5;

/// The effect of a push on the status of its posting.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Turn {
    /// Expires the posting, with a unique reason.
    Expire(String),
    /// Reopens the posting.
    Reopen,
}

/// The content of a push; every value is unique.
#[derive(Debug, Default)]
struct Said {
    /// Whether it has all the fields that create a posting.
    is_whole: bool,
    title: Option<String>,
    salary: Option<usize>,
    /// The number of the company that the posting moves to, and the company's name.
    company: Option<(usize, String)>,
    turn: Option<Turn>,
}

/// A push, with the times of its start and end.
struct Push {
    id: usize,
    said: Said,
    status: u16,
    /// How often it was answered 503 before, on a machine that is too busy: written or not.
    refusals: usize,
    start: Instant,
    end: Instant,
}

/// The postings and companies of the test.
struct Subject {
    ids: Vec<String>,
    websites: Vec<String>,
}

impl Said {
    /// The content of the n-th push. Successive pushes differ, and every kind is used with every
    /// identifier.
    fn nth(n: usize) -> Self {
        let company = || Some(((n / 7) % COMPANIES, format!("Company {n}")));
        let title = || Some(format!("Gardener {n}"));
        match (n * 7 + n / IDENTIFIERS) % 20 {
            0..6 => Self {
                is_whole: true,
                title: title(),
                company: company(),
                ..Self::default()
            },
            6..9 => Self {
                title: title(),
                ..Self::default()
            },
            9..12 => Self {
                salary: Some(n),
                ..Self::default()
            },
            12..15 => Self {
                company: company(),
                ..Self::default()
            },
            15..17 => Self {
                turn: Some(Turn::Expire(format!("reason {n}"))),
                salary: Some(n),
                ..Self::default()
            },
            17..19 => Self {
                turn: Some(Turn::Reopen),
                ..Self::default()
            },
            // An empty payload, which changes nothing.
            _ => Self::default(),
        }
    }

    fn payload(&self, subject: &Subject) -> Value {
        let mut payload = if self.is_whole { minimal() } else { json!({}) };
        if let Some(title) = &self.title {
            payload["title"] = json!(title);
        }
        if let Some(salary) = self.salary {
            payload["salary_min"] = json!(salary);
        }
        if let Some((company, name)) = &self.company {
            payload["company"] = json!({"name": name, "website_url": subject.websites[*company]});
        }
        match &self.turn {
            Some(Turn::Expire(reason)) => payload["expiration"] = json!({"reason": reason}),
            Some(Turn::Reopen) => payload["expiration"] = Value::Null,
            None => {}
        }
        payload
    }
}

async fn a_storm_ends_as_some_order_would(store: Store) {
    let _alone = alone().await;
    let first = Site::new(store).with("POSTHASTE_PUBLIC_URL", "https://jobs.example");
    // SQLite has one server.
    let others = match store {
        Store::Sqlite => Vec::new(),
        Store::Postgres => vec![first.beside(), first.beside()],
    };
    let mut servers: Vec<_> = others.iter().map(|site| site.serve(&[])).collect();
    servers.push(first.serve(&[]));
    let app = App::at(first);
    let mut apis: Vec<_> = others
        .iter()
        .map(|site| Api::new(&site.url(), app.api.token()))
        .collect();
    apis.push(app.api.clone());
    let subject = Arc::new(Subject {
        ids: (0..IDENTIFIERS).map(|_| fresh("storm")).collect(),
        websites: (0..COMPANIES).map(|_| website()).collect(),
    });

    let start = Instant::now();
    let pushes = blow(&apis, &subject).await;
    let refusals: usize = pushes.iter().map(|push| push.refusals).sum();
    println!(
        "{} pushes in {:?}, {refusals} times 503",
        pushes.len(),
        start.elapsed()
    );
    assert_eq!(pushes.len(), PUSHES);
    assert!(refusals < PUSHES / 100, "{refusals} times 503");

    let postings = settled(&app, &subject).await;
    for (n, posting) in postings.iter().enumerate() {
        let mine: Vec<&Push> = pushes.iter().filter(|push| push.id == n).collect();
        check_answers(&mine);
        check_posting(&mine, posting, &subject);
        check_history(posting);
    }
    // All servers return the same.
    for api in &apis {
        assert_eq!(&api.show(&subject.ids[0]).await, &postings[0]);
    }
    if let Some(url) = app.site.database.url() {
        check_rows(&url, &pushes, &subject);
    }
    check_log(&app).await;
    for server in servers {
        server.terminate();
        assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());
    }
}

/// Runs all pushes, from many clients, each of which uses all servers in turn.
async fn blow(apis: &[Api], subject: &Arc<Subject>) -> Vec<Push> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (apis, subject, next) = (apis.to_vec(), Arc::clone(subject), Arc::clone(&next));
        clients.spawn(async move {
            let mut pushes = Vec::new();
            for round in client.. {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= PUSHES {
                    break;
                }
                let (id, said) = (n % IDENTIFIERS, Said::nth(n));
                let payload = said.payload(&subject);
                let (start, mut refusals) = (Instant::now(), 0);
                let status = loop {
                    let api = &apis[round % apis.len()];
                    match api.put(&subject.ids[id], &payload).await.status {
                        503 => refusals += 1,
                        status => break status,
                    }
                };
                pushes.push(Push {
                    id,
                    said,
                    status,
                    refusals,
                    start,
                    end: Instant::now(),
                });
            }
            pushes
        });
    }
    clients.join_all().await.into_iter().flatten().collect()
}

/// Waits until no task is left, and returns the postings.
async fn settled(app: &App, subject: &Subject) -> Vec<Value> {
    outbox_is_empty(app).await;
    let mut postings = Vec::new();
    for id in &subject.ids {
        postings.push(app.show(id).await);
    }
    postings
}

/// Every answer is legal, and one push created the posting.
fn check_answers(pushes: &[&Push]) {
    let created = pushes.iter().filter(|push| push.status == 201).count();
    // The client of a creation may have got 503 first, and then 200.
    let may_be_untold = pushes.iter().any(|it| it.said.is_whole && it.refusals > 0);
    assert!(created == 1 || created == 0 && may_be_untold, "{created}");
    // The earliest time at which a client knew that the posting exists.
    let known = pushes
        .iter()
        .filter(|push| push.status < 300)
        .map(|push| push.end)
        .min()
        .unwrap();
    for Push {
        said,
        status,
        start,
        ..
    } in pushes
    {
        let before: u16 = match said.turn {
            _ if said.is_whole => 201,
            Some(Turn::Expire(_)) => 404,
            _ => 422,
        };
        assert!([200, before].contains(status), "{said:?}: {status}");
        if *status >= 400 {
            assert!(*start < known, "{said:?}: {status} after it was created");
        }
    }
}

/// Checks that a value is that of a push that no push with another value followed.
#[track_caller]
fn check_last<T: PartialEq>(
    pushes: &[&Push],
    says: impl Fn(&Said) -> Option<T>,
    found: &T,
    what: &str,
) {
    let saying = || {
        let written = pushes.iter().filter(|push| push.status < 300);
        written.filter_map(|push| Some((push, says(&push.said)?)))
    };
    let (last, _) = saying()
        .filter(|(_, said)| said == found)
        .max_by_key(|(push, _)| push.end)
        .unwrap_or_else(|| panic!("{what}: nobody was told that this was written"));
    let later = saying().find(|(push, _)| push.start > last.end);
    if let Some((later, _)) = later {
        panic!("{what}: {:?} is lost, found {:?}", later.said, last.said);
    }
}

/// Every field has the value of a last push.
fn check_posting(pushes: &[&Push], posting: &Value, subject: &Subject) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    check_last(
        pushes,
        |said| said.title.clone(),
        &text(&posting["title"]),
        "title",
    );
    let salary = usize::try_from(posting["salary_min"].as_u64().unwrap()).unwrap();
    check_last(pushes, |said| said.salary, &salary, "salary");
    let website = subject
        .websites
        .iter()
        .position(|website| posting["company"]["website_url"] == json!(website));
    check_last(
        pushes,
        |said| said.company.as_ref().map(|company| Some(company.0)),
        &website,
        "company",
    );
    // The status is that of the last push that expired or reopened the posting.
    let turn = posting["expiration_reason"]
        .as_str()
        .map(|reason| Turn::Expire(reason.to_owned()));
    if let Some(turn) = turn {
        assert_eq!(posting["status"], "expired", "{posting}");
        check_last(pushes, |said| said.turn.clone(), &turn, "expiration");
    } else {
        assert_eq!(posting["status"], "approved", "{posting}");
        check_last(pushes, |said| said.turn.clone(), &Turn::Reopen, "opening");
    }
}

/// Each posting and company is stored once, each company has its last name, and there were no
/// deadlocks.
fn check_rows(url: &str, pushes: &[Push], subject: &Subject) {
    for (table, rows) in [("postings", IDENTIFIERS), ("companies", COMPANIES)] {
        let query = format!("SELECT count(*) AS value FROM {table}");
        assert_eq!(testing::number(url, &query), i64::try_from(rows).unwrap());
    }
    let all: Vec<&Push> = pushes.iter().collect();
    for (n, website) in subject.websites.iter().enumerate() {
        let query = format!("SELECT name AS value FROM companies WHERE website = '{website}'");
        let names = testing::texts(url, &query);
        assert_eq!(names.len(), 1, "{website}");
        let name_of = |said: &Said| {
            let (company, name) = said.company.clone()?;
            (company == n).then_some(name)
        };
        check_last(&all, name_of, &names[0], "name of the company");
    }
    assert_eq!(testing::deadlocks(url), 0);
}

/// Nothing went wrong, and one creation of each is in the log, however often it was pushed.
async fn check_log(app: &App) {
    let log = app.site.log();
    for word in ["deadlock", "panicked", " ERROR "] {
        assert!(!log.contains(word), "{word}: {log}");
    }
    let mut created = eventually("the events can be read", SETTLING, || async {
        let mut events = app.all_events().await;
        events.retain(|event| event["type"] == "JobPostingCreated");
        let uuids = events.iter().map(|event| event["data"]["uuid"].to_string());
        (events.len() >= IDENTIFIERS).then(|| uuids.collect::<Vec<_>>())
    })
    .await;
    assert_eq!(created.len(), IDENTIFIERS);
    created.sort_unstable();
    created.dedup();
    assert_eq!(created.len(), IDENTIFIERS);
}

/// The history has only transitions that the rules allow; if it is complete, it also has the right
/// beginning.
fn check_history(posting: &Value) {
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
