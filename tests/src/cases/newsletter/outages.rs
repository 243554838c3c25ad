//! A provider that is busy, unreachable or refuses the key: tasks wait, and none is lost.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    SETTLING, Store, eventually, fresh,
    mailerlite::{Account, Call, Fault},
    minimal,
    newsletter::{Newsletter, person, with_key},
};

on_sqlite! {
    a_busy_provider_is_left_alone_for_as_long_as_it_asks,
    an_outage_loses_nothing,
    a_refused_key_pauses_one_account_and_nothing_is_given_up,
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

/// Requests within this time of each other overlap: one may be in progress when another is refused.
const OVERLAP: Duration = Duration::from_millis(100);

/// Checks that no request followed an answer with this status for some time.
fn leaves_alone(calls: &[Call], status: u16, at_least: Duration) {
    let (mut seen, mut is_refused) = (0, false);
    for pair in calls.windows(2) {
        is_refused |= pair[0].status == Some(status);
        let pause = pair[1].at - pair[0].at;
        if is_refused && pause > OVERLAP {
            seen += 1;
            is_refused = false;
            assert!(
                pause + OVERLAP >= at_least,
                "{pause:?} after {:#?}",
                pair[0]
            );
        }
    }
    assert!(seen > 0, "{calls:#?}");
}

async fn a_busy_provider_is_left_alone_for_as_long_as_it_asks(store: Store) {
    let newsletter = Newsletter::served(store);
    let busy = Fault::Answer(429, Some(2));
    newsletter.provider.fail(Account::Old, 3, busy);
    let people = people(&newsletter, 6).await;
    let _worker = newsletter.work();
    for email in &people {
        newsletter.settled(email).await;
        assert!(is_there(&newsletter, Account::Old, email));
    }
    let calls = newsletter.provider.calls(Account::Old);
    assert_eq!(calls.len(), people.len() + 3);
    leaves_alone(&calls, 429, Duration::from_secs(2));
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

async fn a_refused_key_pauses_one_account_and_nothing_is_given_up(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    let [moved] = &people(&newsletter, 1).await[..] else {
        unreachable!()
    };
    newsletter.settled(moved).await;
    newsletter.confirm(&newsletter.token_of(moved)).await;
    newsletter.settled(moved).await;

    let before = newsletter.provider.calls(Account::Old).len();
    let refusal = Fault::Answer(401, None);
    newsletter.provider.fail(Account::Old, 1, refusal);
    // The others are reported after the refusal, because calls overlap.
    let mut all = people(&newsletter, 1).await;
    eventually("the account refuses", SETTLING, || async {
        (newsletter.provider.calls(Account::Old).len() > before).then_some(())
    })
    .await;
    all.append(&mut people(&newsletter, 3).await);
    let people = all;
    // The other account is not affected.
    newsletter.report(moved, &json!({"name": "Ada L."})).await;
    newsletter.settled(moved).await;
    let there = newsletter.provider.subscriber(Account::New, moved);
    assert_eq!(there.unwrap()["fields"]["name"], "Ada L.");
    for email in &people {
        assert!(!is_there(&newsletter, Account::Old, email));
    }
    for email in &people {
        newsletter.settled(email).await;
        assert!(is_there(&newsletter, Account::Old, email));
    }
    let calls = &newsletter.provider.calls(Account::Old)[before..];
    // One probe, not one call for each waiting person.
    assert_eq!(calls.len(), people.len() + 1, "{calls:#?}");
    leaves_alone(calls, 401, Duration::from_secs(5));
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
