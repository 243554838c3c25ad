//! What a commit writes of the state and of the outbox: all of it, or nothing.

use time::Duration;

use super::{companies::company, companies::find, posting, put, touching};
use crate::{
    company::{Company, CompanyWrite},
    outbox::{EVENTS, Event, Outbox, Subject, Work},
    posting::{PostingId, enrich, event::COMPANY_UPDATED},
    store::{Store, StoreError, WriteSet},
    testing::{create, noon, uuid},
};

/// One conflict in a commit undoes its companies, postings, effects and events.
pub async fn a_conflict_writes_nothing<S: Store + Outbox>(store: &S) {
    put(store, &[create("a", "acme"), create("b", "bolt")]).await;
    let (a, b) = (posting(store, "a").await, posting(store, "b").await);
    let tasks = Outbox::list(store, false, None, usize::MAX)
        .await
        .expect("the store works");
    let mut writes = touching(&a, |posting| posting.details.title = "New".into());
    writes.postings.extend(
        touching(&b, |posting| posting.version = 8)
            .postings
            .into_iter()
            .map(|(id, mut write)| {
                write.expected = Some(7);
                (id, write)
            }),
    );
    writes.tasks.ask(enrich(PostingId::new(uuid(9))));
    assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
    assert_eq!(posting(store, "a").await, a);
    assert_eq!(posting(store, "b").await, b);
    assert_eq!(
        Outbox::list(store, false, None, usize::MAX)
            .await
            .expect("the store works"),
        tasks
    );
}

/// Several commits were decided before any of them was written: what changes a company raises the
/// event, and what finds it changed already does not.
pub async fn what_changes_a_company_is_told_once<S: Store + Outbox>(store: &S) {
    put(store, &[create("a", "acme")]).await;
    let claim = async |lease| {
        let claimed = store.claim(EVENTS, 10, Duration::DAY, uuid(lease), noon());
        claimed.await.expect("the store works")
    };
    assert_eq!(claim(1).await.len(), 1, "of the posting");
    let event = |company: &Company| Event {
        name: COMPANY_UPDATED,
        subject: Subject::of(company.id.uuid()),
        at: noon(),
    };
    let renamed = Company {
        name: "Acme AB".into(),
        ..company("acme")
    };
    let with_logo = Company {
        logo_path: Some("/1.svg".into()),
        ..company("acme")
    };
    let new = company("bolt");
    for (lease, company, sets_name, sets_logo_path, is_told) in [
        (2, &renamed, true, false, true),
        (3, &renamed, true, false, false),
        (4, &with_logo, false, true, true),
        (5, &with_logo, false, true, false),
        (6, &renamed, false, true, true),
        (7, &new, true, false, true),
    ] {
        let mut writes = WriteSet::new(noon());
        let write = CompanyWrite {
            company: company.clone(),
            sets_name,
            sets_logo_path,
            at: noon(),
        };
        writes.companies.insert(company.id, write);
        writes.tasks.events.push(event(company));
        store
            .commit(writes)
            .await
            .expect("companies never conflict");
        let mut claimed = claim(lease).await;
        let told: Vec<_> = claimed.iter().map(|claimed| claimed.work.clone()).collect();
        let expect = is_told.then(|| Work::Event(event(company)));
        assert_eq!(told, expect.into_iter().collect::<Vec<_>>(), "{lease}");
        let mut done = WriteSet::new(noon());
        done.tasks.done = claimed.drain(..).map(|claimed| claimed.receipt).collect();
        store.commit(done).await.expect("the leases hold");
    }
    let after = find(store, renamed.id).await.expect("it is there");
    assert_eq!(after, renamed);
}
