//! A board of several clients, judged and searched on demand.

use std::sync::Mutex;

use async_trait::async_trait;
use kernel::{
    ClientId, PostingId, Prefixes, StoreError,
    outbox::{Claimed, Outbox, Queue},
    testing::{AddClient as _, hours, noon, uuid},
};
use time::{Duration, OffsetDateTime};

use crate::{
    posting::{
        DUPLICATES, ENRICH, Enrichment, Lifetime, ReasonCode, Verdict,
        duplicate::{Candidate, MinHash},
    },
    store::{Around, ListOrder, ListQuery, PostingReader, Reads as _, Store, WriteSet},
    testing::{MemoryStore, push_by},
    usecase::{Outcome, assignments, finish_idle_searches, ingest, look_up, record_outcomes},
};

/// A text that is rejected.
pub const SPAM: usize = 99;

/// The clients' prefixes; the first has the whole board.
pub const FENCES: [&[&str]; 4] = [&[], &["b"], &["c"], &["b", "c"]];

/// The number of calls before an action, and the action, which happens before the next call.
pub type Race<'a> = (usize, Box<dyn FnOnce() + Send + 'a>);

/// A store in which another action happens before one of its calls.
pub struct Raced<'a> {
    pub store: &'a MemoryStore,
    pub race: Mutex<Option<Race<'a>>>,
}

impl Raced<'_> {
    fn call(&self) {
        let mut race = self.race.lock().unwrap();
        let happens = match race.take() {
            Some((0, happens)) => Some(happens),
            Some((calls, happens)) => {
                *race = Some((calls - 1, happens));
                None
            }
            None => None,
        };
        drop(race);
        if let Some(happens) = happens {
            happens();
        }
    }
}

impl Around for Raced<'_> {
    type Inner = MemoryStore;

    /// Each read calls this once.
    fn inner(&self) -> &MemoryStore {
        self.call();
        self.store
    }
}

#[async_trait]
impl Store for Raced<'_> {
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.call();
        self.store.commit(writes).await
    }
}

pub struct Board {
    pub store: MemoryStore,
    minutes: Mutex<i64>,
}

impl Board {
    pub async fn new() -> Self {
        let store = MemoryStore::new();
        for (n, prefixes) in (1..).zip(FENCES) {
            let prefixes = Prefixes::new(prefixes).unwrap();
            let id = ClientId::new(uuid(n));
            store.add_client(id, prefixes).await.unwrap();
        }
        Self {
            store,
            minutes: Mutex::default(),
        }
    }

    fn now(&self) -> OffsetDateTime {
        let mut minutes = self.minutes.lock().unwrap();
        *minutes += 1;
        noon() + Duration::minutes(*minutes)
    }

    /// Pushes a posting of the company, which reopens an expired one.
    pub async fn push(&self, by: u128, name: &str, text: usize) {
        let body = format!(
            r#"{{"title": "Cook", "raw_description": "{text}",
                "application_url": "https://a.example", "expiration": null,
                "company": {{"name": "Acmera", "website_url": "https://acmera.example"}}}}"#
        );
        self.put(by, name, &body).await.unwrap();
    }

    pub async fn expire(&self, name: &str) {
        let _ = self.put(1, name, r#"{"expiration": {}}"#).await;
    }

    pub async fn put(
        &self,
        by: u128,
        name: &str,
        body: &str,
    ) -> Result<(), crate::posting::Rejection> {
        let mut put = push_by(ClientId::new(uuid(by)), name, body);
        // Ids follow the order of names, not of pushes.
        let mut id = [0; 16];
        id[..name.len()].copy_from_slice(name.as_bytes());
        put.new_id = PostingId::new(uuid::Uuid::from_bytes(id));
        let answers = ingest(&self.store, &[put], Lifetime::NEVER, self.now()).await;
        answers.unwrap().remove(0).map(drop)
    }

    async fn claim(&self, queue: Queue, wanted: impl Fn(&str) -> bool) -> Vec<(Claimed, String)> {
        let now = self.now();
        let lease = uuid(now.unix_timestamp().unsigned_abs().into());
        let claimed = self.store.claim(queue, 999, hours(9), lease, now).await;
        let claimed = claimed.unwrap().into_iter().map(|task| {
            let id = task.effect.key().into_bytes();
            let end = id.iter().position(|byte| *byte == 0).unwrap();
            (task, String::from_utf8(id[..end].to_vec()).unwrap())
        });
        let (kept, others): (Vec<_>, Vec<_>) = claimed.partition(|(_, name)| wanted(name));
        self.give_back(&others).await;
        kept
    }

    async fn give_back(&self, tasks: &[(Claimed, String)]) {
        let tokens: Vec<_> = tasks.iter().map(|(task, _)| task.token).collect();
        self.store.give_back(&tokens, noon()).await.unwrap();
    }

    /// Works on a store with a possible race. Failed work is due again.
    pub async fn judge_in(&self, store: &dyn Store, wanted: impl Fn(&str) -> bool) {
        let claimed = self.claim(ENRICH, wanted).await;
        let tasks: Vec<_> = claimed
            .iter()
            .map(|(task, _)| (task.token, PostingId::new(task.effect.key())))
            .collect();
        let assigned = assignments(&self.store, &tasks, self.now()).await.unwrap();
        let outcomes = assigned.into_iter().map(|assignment| {
            let text: usize = assignment.submission.raw_description.parse().unwrap();
            let verdict = if text == SPAM {
                Verdict::Reject {
                    code: ReasonCode::Spam,
                    text: "Spam.".to_owned(),
                    passages: Vec::new(),
                }
            } else {
                Verdict::Approve
            };
            Outcome {
                token: assignment.token,
                posting: assignment.submission.posting.source_identifier,
                content: assignment.content,
                enrichment: Enrichment {
                    verdict,
                    min_hash: Some(min_hash(text)),
                    ..Enrichment::bare()
                },
                trace: None,
            }
        });
        let outcomes: Vec<_> = outcomes.collect();
        let now = self.now();
        let recorded = record_outcomes(store, &outcomes, Lifetime::NEVER, now).await;
        if recorded != Ok(()) {
            assert_eq!(recorded, Err(StoreError::Conflict));
            self.give_back(&claimed).await;
        }
    }

    /// Works on a store with a possible race. Failed work is due again.
    pub async fn search_in(&self, store: &dyn Store, wanted: impl Fn(&str) -> bool) {
        let claimed = self.claim(DUPLICATES, wanted).await;
        let tasks: Vec<_> = claimed
            .iter()
            .map(|(task, _)| (task.token, PostingId::new(task.effect.key())))
            .collect();
        let Ok(busy) = finish_idle_searches(store, &tasks, self.now()).await else {
            return self.give_back(&claimed).await;
        };
        for task in busy {
            let done = look_up(store, task, self.now()).await;
            if done != Ok(()) {
                assert_eq!(done, Err(StoreError::Conflict));
                self.store.give_back(&[task.0], noon()).await.unwrap();
            }
        }
    }

    /// The number of due searches that remain after the searches without work were finished.
    pub async fn busy_searches(&self) -> usize {
        let claimed = self.claim(DUPLICATES, |_| true).await;
        let tasks = claimed.iter();
        let tasks = tasks.map(|(task, _)| (task.token, PostingId::new(task.effect.key())));
        let tasks: Vec<_> = tasks.collect();
        let busy = finish_idle_searches(&self.store, &tasks, self.now());
        busy.await.unwrap().len()
    }

    pub async fn searches(&self) -> Vec<String> {
        let due = self.claim(DUPLICATES, |_| true).await;
        self.give_back(&due).await;
        due.into_iter().map(|(_, name)| name).collect()
    }

    /// Works as a server does, on a store that wraps another.
    pub async fn settle(&self) {
        let store = Raced {
            store: &self.store,
            race: Mutex::default(),
        };
        self.judge_in(&store, |_| true).await;
        while !self.searches().await.is_empty() {
            self.search_in(&store, |_| true).await;
        }
    }

    pub async fn candidates(&self) -> Vec<Candidate> {
        let query = ListQuery {
            order: ListOrder::Id,
            limit: 999,
            ..ListQuery::default()
        };
        let page = PostingReader::list(&self.store, &query).await.unwrap();
        let ids: Vec<_> = page.postings.iter().map(|view| view.posting.id).collect();
        self.store.candidates(&[], &ids).await.unwrap()
    }
}

/// The signature of a text. Signatures of `a` and `b` differ in |a − b| values, all outside bands.
fn min_hash(text: usize) -> MinHash {
    let mut values = [7; MinHash::LENGTH];
    let others = values.iter_mut().rev().take(text);
    others.for_each(|value| *value = 8);
    MinHash::new(values)
}
