//! Tables, statements and constraints of both databases.

use domain::{
    posting::Lifetime,
    store::{HISTORY_SHOWN, PostingReader, Store},
    testing::{commit_events, create, push},
    usecase::ingest,
};
use kernel::{
    Prefixes, StoreError,
    event::{EventLog, EventName, LogQuery},
    testing::{identifier, noon},
};

use super::{
    Shell,
    sample::{self, TOLD},
};
use crate::event::MOST_LOOKED_AT;

/// Checks that the history of a posting that changes often does not fill the database.
pub async fn a_history_has_a_bound<S: Store + PostingReader + Shell>(store: &S) {
    let pushed = async |body: &str| {
        let pushed = push("a", body);
        let batch = [pushed, push("a", r#"{"expiration":null}"#)];
        let answers = ingest(store, &batch, Lifetime::NEVER, noon()).await;
        assert!(answers.expect("the store works").iter().all(Result::is_ok));
    };
    let batch = [create("a", "acme"), create("b", "acme")];
    let created = ingest(store, &batch, Lifetime::NEVER, noon()).await;
    created.expect("the store works");
    for n in 0..66 {
        pushed(&format!(r#"{{"expiration":{{"reason":"{n}"}}}}"#)).await;
    }
    let kept = store.number("SELECT count(*) FROM posting_history").await;
    // An entry for each version since the last trim at 128, and the other posting's entry.
    let of_others = 1;
    assert_eq!(kept, 100 + (133 - 128) + of_others);
    let view = store.find(&identifier("a")).await.expect("the store works");
    let history = view.expect("it is there").history;
    let newest = history.iter().rev().nth(1);
    assert_eq!(newest.and_then(|entry| entry.reason.as_deref()), Some("65"));
    assert_eq!(history.len(), HISTORY_SHOWN);
}

pub async fn a_token_has_one_holder<S: newsletter::store::Store>(store: &S) {
    let taken = || sample::subscribers([(1, 1, None)]);
    assert_eq!(store.commit(taken()).await, Ok(()));
    let mut other = sample::subscribers([(2, 2, None)]);
    for (theirs, write) in taken()
        .subscribers
        .values()
        .zip(other.subscribers.values_mut())
    {
        write.subscriber.token = theirs.subscriber.token.clone();
    }
    assert_eq!(store.commit(other).await, Err(StoreError::Conflict));
}

/// Most of the events do not match.
pub async fn a_page_of_events_looks_at_a_limited_number<S: Store + EventLog>(store: &S) {
    let mut events: Vec<_> = (0..MOST_LOOKED_AT as u128 + 10)
        .map(sample::event)
        .collect();
    for event in &mut events {
        event.name = EventName::new("Other");
    }
    events[MOST_LOOKED_AT + 5].name = TOLD;
    commit_events(store, events).await.expect("they are new");
    let page = async |after| {
        let query = LogQuery {
            after,
            names: vec![TOLD],
            prefixes: Prefixes::ALL,
            reader: None,
            limit: 5,
        };
        let page = store.read(&query).await.expect("the store works");
        (page.events.len(), page.has_more, page.next)
    };
    let (found, has_more, next) = page(None).await;
    assert_eq!((found, has_more), (0, true));
    let (found, has_more, next) = page(Some(next)).await;
    assert_eq!((found, has_more), (1, false));
    assert_eq!(store.end().await, Ok(next));
}
