//! Moves and syncs during which the process is killed.

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{
    SETTLING, Store, eventually,
    mailerlite::{Account, Call},
    newsletter::{Newsletter, person},
};

on_every_store! {
    a_process_killed_beside_a_call_does_no_harm,
}

const STEPS: [(Account, &str); 3] = [
    (Account::Old, "GET"),
    (Account::New, "POST"),
    (Account::Old, "DELETE"),
];

async fn confirm(newsletter: &Newsletter, email: &str) {
    let answer = newsletter.confirm(&newsletter.token_of(email)).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
}

/// Checks that a person is only in the new account, and was in some account at every moment.
fn has_moved(newsletter: &Newsletter, email: &str) {
    let provider = &newsletter.provider;
    assert_eq!(provider.subscriber(Account::Old, email), None);
    let there = provider.subscriber(Account::New, email).unwrap();
    assert_eq!(there["status"], "active");
    assert_eq!(there["fields"]["name"], "Ada");
    assert_eq!(provider.automation_starts(email), 1);
    let is_done = |call: &&Call| call.status.is_none_or(|status| status < 300);
    let added = newsletter.calls(Account::New, email);
    let added = added.iter().find(is_done).unwrap();
    let removed = newsletter.calls(Account::Old, email);
    let mut removed = removed.iter().filter(|call| call.method == "DELETE");
    assert!(removed.all(|call| call.at > added.at));
}

/// Kills the worker after the provider has processed the request, but before the provider answers.
async fn killed(newsletter: &Newsletter, account: Account, method: &'static str, email: &str) {
    newsletter.provider.withhold_answer(account, method);
    let worker = newsletter.work();
    eventually("the provider has done it", SETTLING, || async {
        let calls = newsletter.calls(account, email);
        let last = calls.last()?;
        (last.method == method && last.status.is_none()).then_some(())
    })
    .await;
    worker.kill();
}

async fn a_process_killed_beside_a_call_does_no_harm(store: Store) {
    let sites = STEPS.map(|step| (step, Newsletter::served(store)));
    let newsletter = Newsletter::served(store);
    let mut moves = JoinSet::new();
    for ((account, method), newsletter) in sites {
        moves.spawn(async move {
            let email = person();
            newsletter
                .provider
                .add(Account::Old, &json!({"email": email}));
            newsletter.report(&email, &json!({"name": "Ada"})).await;
            confirm(&newsletter, &email).await;
            killed(&newsletter, account, method, &email).await;
            let _worker = newsletter.work();
            newsletter.app.settled().await;
            has_moved(&newsletter, &email);
        });
    }
    let sync = async {
        let email = person();
        let record = newsletter.report(&email, &json!({"name": "Ada"})).await;
        killed(&newsletter, Account::Old, "POST", &email).await;
        // The worker cannot know whether the call succeeded, so it repeats the call.
        newsletter.report(&email, &json!({"name": "Eve"})).await;
        newsletter.report(&email, &json!({"name": "Ada"})).await;
        let _worker = newsletter.work();
        newsletter.app.settled().await;
        assert_eq!(newsletter.methods(Account::Old, &email), ["POST", "POST"]);
        let there = newsletter.provider.subscriber(Account::Old, &email);
        assert_eq!(there.unwrap()["fields"]["name"], "Ada");
        let shown = newsletter.show(&email).await;
        assert_eq!(shown, record);
    };
    tokio::join!(moves.join_all(), sync);
}
