//! The provider's request limit, which holds across processes.

use std::time::Duration;

use serde_json::json;

use crate::harness::{
    SETTLING, Store, eventually,
    mailerlite::Account,
    newsletter::{Newsletter, person, with_key},
};

on_every_store! {
    two_processes_keep_one_limit_and_one_takes_over_from_the_other,
}

/// The log line of the process that has the lease of the accounts.
const SPEAKS: &str = "this worker speaks to the e-mail provider";
/// The provider's limit per account and minute.
const LIMIT: usize = 120;
/// Enough people that two processes at once would exceed the limit.
const PEOPLE: usize = 40;

async fn two_processes_keep_one_limit_and_one_takes_over_from_the_other(store: Store) {
    let newsletter = Newsletter::served_as(store, |site| {
        with_key(with_key(site, Account::Old), Account::New).with(
            "POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE",
            &LIMIT.to_string(),
        )
    });
    let (site, provider) = (&newsletter.app.site, &newsletter.provider);
    provider.limit(Account::Old, LIMIT);
    provider.limit(Account::New, LIMIT);
    let mut people = Vec::new();
    for _ in 0..PEOPLE {
        let email = person();
        newsletter.report(&email, &json!({"name": "Ada"})).await;
        people.push(email);
    }
    let speakers = || site.log().matches(SPEAKS).count();
    let beside = site.beside();
    let first = beside.serve(&[]);
    eventually("one has the lease", SETTLING, || async {
        (speakers() == 1).then_some(())
    })
    .await;
    let second = site.work();
    let arrived = || provider.count(Account::Old);
    eventually("half of them arrived", SETTLING, || async {
        (arrived() >= PEOPLE / 2).then_some(())
    })
    .await;
    // The other process waits for the lease.
    assert_eq!(speakers(), 1, "{}", site.log());
    first.terminate();
    assert_eq!(first.stopped().code(), Some(0));
    for email in &people {
        newsletter.settled(email).await;
    }
    assert_eq!((speakers(), arrived()), (2, PEOPLE), "{}", site.log());

    let calls = provider.calls(Account::Old);
    assert_eq!(calls.len(), PEOPLE, "nobody is told twice: {calls:#?}");
    assert!(calls.iter().all(|call| call.status == Some(201)));
    assert!(provider.busiest_minute(Account::Old) <= LIMIT);
    // Half a second for each call but the first after the takeover, with a tolerance of a second.
    let took = calls[PEOPLE - 1].at - calls[0].at;
    let least = Duration::from_mins(1) / 120 * (u32::try_from(PEOPLE).unwrap() - 2);
    assert!(took + Duration::from_secs(1) >= least, "{took:?}");
    second.terminate();
    assert_eq!(second.stopped().code(), Some(0));
}
