//! What is kept of what was paid for. Processes that wait for each other are tested where there is
//! a runtime.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use kernel::{PostingId, StoreError, testing::noon};
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;
use crate::{
    enrichment::{CacheEvent, DraftCache, DraftKey, Reservation, Runtime},
    testing::MemoryStore,
};

/// A runtime whose time stands still, and what it was told.
#[derive(Default)]
struct Still(Mutex<Vec<CacheEvent>>);

impl Still {
    fn events(&self) -> Vec<CacheEvent> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl Runtime for Still {
    fn now(&self) -> OffsetDateTime {
        noon()
    }

    fn new_id(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    async fn sleep(&self, _: Duration) {}

    fn note(&self, event: CacheEvent) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }
}

/// A cache that grants every reservation and keeps nothing.
struct Panics;

#[async_trait]
impl DraftCache for Panics {
    async fn reserve(
        &self,
        _: &DraftKey,
        _: Uuid,
        _: OffsetDateTime,
        _: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        Ok(Reservation::Granted)
    }

    async fn keep(
        &self,
        _: &DraftKey,
        _: &str,
        _: Option<PostingId>,
        _: OffsetDateTime,
    ) -> Result<(), StoreError> {
        panic!("a defect of the cache")
    }

    async fn release(&self, _: &DraftKey, _: Uuid) -> Result<(), StoreError> {
        panic!("a defect of the cache")
    }

    async fn forget(&self, _: OffsetDateTime, _: usize) -> Result<u64, StoreError> {
        Ok(0)
    }
}

/// Enriches [`SOURCE`] with this cache, and says what became of it and what was noted.
fn enrich_with(
    cache: Arc<dyn DraftCache>,
    rules: impl RuleEnricher + 'static,
    answers: impl IntoIterator<Item = Answer>,
) -> (Result<Enrichment, EnrichError>, Vec<CacheEvent>) {
    let (model, runtime) = (
        Arc::new(ScriptedModel::new(answers)),
        Arc::new(Still::default()),
    );
    let pipeline = Pipeline::with_model(Arc::new(rules), model)
        .paying_once(cache, Arc::clone(&runtime) as Arc<dyn Runtime>);
    (block_on(&pipeline, &input(SOURCE)), runtime.events())
}

#[test]
fn a_draft_of_use_is_kept_whatever_becomes_of_it() {
    let store = Arc::new(MemoryStore::default());
    let draft = rejection(ReasonCode::Spam, "It sells a course.");
    let (outcome, events) = enrich_with(Arc::clone(&store) as _, Odd::Leaking, [Ok(draft.clone())]);
    assert!(matches!(outcome, Err(EnrichError::Permanent(_))));
    assert_eq!(
        (store.kept_drafts(), events),
        (vec![draft.to_json().unwrap()], vec![])
    );
    let (outcome, events) = enrich_with(store, PlainRules, []);
    assert!(outcome.is_ok(), "the model is asked for nothing");
    assert_eq!(events, [CacheEvent::Reused]);
}

#[test]
fn a_draft_of_no_use_is_not_kept_and_its_reservation_is_given_back() {
    let store = Arc::new(MemoryStore::default());
    let answers = [Ok(bad()), Ok(bad())];
    let (outcome, events) = enrich_with(Arc::clone(&store) as _, PlainRules, answers);
    assert!(matches!(outcome, Err(EnrichError::Permanent(_))));
    assert_eq!((store.kept_drafts(), events), (vec![], vec![]));
    let (outcome, _) = enrich_with(store, PlainRules, [Ok(good())]);
    assert!(outcome.is_ok(), "the next one does not wait");
}

#[test]
fn a_panic_of_the_cache_costs_no_draft() {
    let broken = || StoreError::Broken("the cache panicked".to_owned());
    let (outcome, events) = enrich_with(Arc::new(Panics), PlainRules, [Ok(good())]);
    assert_eq!(outcome.unwrap().verdict, Verdict::Approve);
    assert_eq!(events, [CacheEvent::NotKept(broken())]);
    let (_, events) = enrich_with(Arc::new(Panics), PlainRules, []);
    assert_eq!(events, [CacheEvent::NotReleased(broken())]);
}
