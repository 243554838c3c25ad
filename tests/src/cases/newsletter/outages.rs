//! A provider that is busy, unreachable or refuses the key: tasks wait, and none is lost.

use serde_json::{Value, json};

use crate::harness::{
    SETTLING, Store, eventually, fresh,
    mailerlite::{Account, Fault},
    minimal,
    newsletter::{Newsletter, person, with_key},
};

on_sqlite! {
    an_outage_loses_nothing,
    what_has_no_key_waits_for_one,
}

/// Reports some people. Returns their addresses.
async fn people(newsletter: &Newsletter, many: usize) -> Vec<String> {
    let mut people = Vec::new();
    for _ in 0..many {
        let email = person();
        newsletter.report(&email, &json!({"name": "Ada"})).await;
        people.push(email);
    }
    people
}

fn is_there(newsletter: &Newsletter, account: Account, email: &str) -> bool {
    newsletter.provider.subscriber(account, email).is_some()
}

async fn an_outage_loses_nothing(store: Store) {
    let newsletter = Newsletter::served(store);
    let worker = newsletter.work();
    for (round, fault) in [Fault::Answer(500, None), Fault::Close]
        .into_iter()
        .enumerate()
    {
        newsletter.provider.outage(Some(fault));
        let before = newsletter.provider.calls(Account::Old).len();
        let people = people(&newsletter, 4).await;
        eventually("it was tried", SETTLING, || async {
            (newsletter.provider.calls(Account::Old).len() > before + 3).then_some(())
        })
        .await;
        // The API works meanwhile, and `outbox list` shows the waiting tasks with the reason.
        let record = newsletter.show(&people[0]).await;
        let waiting = newsletter.waiting(record["uuid"].as_str().unwrap());
        assert_eq!(waiting[0]["kind"], "sync", "{round}: {waiting:#?}");
        eventually("the reason is noted", SETTLING, || async {
            let waiting = newsletter.waiting(record["uuid"].as_str().unwrap());
            waiting[0]["last_error"].is_string().then_some(())
        })
        .await;
        newsletter.provider.outage(None);
        for email in &people {
            newsletter.settled(email).await;
            assert!(is_there(&newsletter, Account::Old, email));
        }
    }
    worker.terminate();
    assert_eq!(worker.stopped().code(), Some(0));
}

async fn what_has_no_key_waits_for_one(store: Store) {
    let newsletter = Newsletter::served_as(store, |site| site);
    let site = &newsletter.app.site;
    let [stays, moves] = &people(&newsletter, 2).await[..] else {
        unreachable!()
    };
    let uuid = |record: Value| record["uuid"].as_str().unwrap().to_owned();
    let [staying, moving] = [
        uuid(newsletter.show(stays).await),
        uuid(newsletter.show(moves).await),
    ];
    // A worker without keys leaves the tasks alone.
    let worker = site.work();
    newsletter
        .app
        .put(&fresh("enriched"), &minimal())
        .await
        .created();
    eventually("the worker works", SETTLING, || async {
        site.log().contains("JobPostingApproved").then_some(())
    })
    .await;
    assert_eq!(newsletter.waiting(&staying)[0]["kind"], "sync");
    assert_eq!(newsletter.waiting(&staying)[0]["attempts"], 0);
    worker.terminate();
    worker.stopped();

    // One key suffices for syncs to its account, but not for a move.
    newsletter.confirm(&newsletter.token_of(moves)).await;
    let old = with_key(site.beside(), Account::Old);
    let worker = old.work();
    newsletter.settled(stays).await;
    assert!(is_there(&newsletter, Account::Old, stays));
    let waiting = newsletter.waiting(&moving);
    assert!(waiting.iter().any(|row| row["kind"] == "migrate"));
    assert!(newsletter.provider.calls(Account::New).is_empty());
    worker.terminate();
    worker.stopped();

    let _worker = with_key(old, Account::New).work();
    newsletter.settled(moves).await;
    assert!(is_there(&newsletter, Account::New, moves));
    assert!(!is_there(&newsletter, Account::Old, moves));
    // All requests had a correct key.
    let calls = newsletter.provider.every_call();
    assert!(calls.iter().all(|call| call.account.is_some()));
}
