//! People who unsubscribe get no more mail.

use reqwest::Method;
use serde_json::json;

use crate::harness::{
    Answer, Store,
    mailerlite::Account,
    newsletter::{CONFIRM, Newsletter, event, person},
};

on_every_store! {
    an_unsubscription_after_the_move_reaches_the_account_that_writes,
    the_other_button_unsubscribes_in_both_accounts,
}

/// Reports a person and waits until the old account has them. Returns the address.
async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    email
}

/// The old account's delivery arrives after the person has moved to the new account.
async fn an_unsubscription_after_the_move_reaches_the_account_that_writes(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = known(&newsletter).await;
    let answer = newsletter.confirm(&newsletter.token_of(&email)).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
    newsletter.settled(&email).await;
    let there = |key: &str| {
        newsletter
            .provider
            .subscriber(Account::New, &email)
            .unwrap()[key]
            .clone()
    };
    assert_eq!(there("status"), "active");
    let left = event("subscriber.unsubscribed", &email, "unsubscribed");
    newsletter.deliver(&left).await;
    newsletter.settled(&email).await;
    assert_eq!(there("status"), "unsubscribed");
    assert_eq!(there("groups"), json!([]), "the chain of e-mails stops");
    assert_eq!(newsletter.show(&email).await["status"], "unsubscribed");
    // Later reports do not change that.
    newsletter.report(&email, &json!({"name": "Ida"})).await;
    newsletter.settled(&email).await;
    assert_eq!(there("status"), "unsubscribed");
}

async fn the_other_button_unsubscribes_in_both_accounts(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let email = known(&newsletter).await;
    let token = newsletter.token_of(&email);
    newsletter
        .provider
        .add(Account::New, &json!({"email": email}));
    let leave = api
        .request(Method::POST, CONFIRM)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={token}&action=unsubscribe"));
    let answer = Answer::of(leave.send().await.unwrap()).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
    assert_eq!(answer.header("location"), "/newsletter/unsubscribed");
    newsletter.settled(&email).await;
    for account in [Account::Old, Account::New] {
        let person = newsletter.provider.subscriber(account, &email).unwrap();
        assert_eq!(person["status"], "unsubscribed", "{account:?}");
    }
    // After that, the button to move has no effect.
    let again = newsletter.confirm(&token).await;
    assert_eq!(again.header("location"), "/newsletter/not-subscribed");
    newsletter.settled(&email).await;
    let record = newsletter.show(&email).await;
    assert_eq!(record["status"], "unsubscribed");
    assert_eq!(record["mailerlite_account"], "old");
    let there = newsletter.provider.subscriber(Account::Old, &email);
    assert!(there.is_some());
}
