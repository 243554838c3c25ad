//! People who leave, and accounts that do not say so plainly: nobody is written to again.

use serde_json::{Value, json};

use crate::harness::{
    SETTLING, Store, eventually,
    mailerlite::{Account, Fault},
    newsletter::{Newsletter, event, person},
};

on_every_store! {
    an_unsubscription_after_the_move_reaches_the_account_that_writes,
    what_is_not_the_providers_word_moves_nobody,
    who_was_removed_by_hand_is_not_put_back,
    who_never_confirmed_is_not_moved,
}

/// Somebody whom the old account knows.
async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    email
}

async fn press(newsletter: &Newsletter, email: &str) {
    let answer = newsletter.confirm(&newsletter.token_of(email)).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
}

/// Waits until a task of theirs was given up, and gives the reason.
async fn given_up(newsletter: &Newsletter, email: &str) -> String {
    let record = newsletter.show(email).await;
    let uuid = record["uuid"].as_str().unwrap().to_owned();
    let dead = eventually("a task is given up", SETTLING, || async {
        newsletter.dead(&uuid).pop()
    })
    .await;
    dead["last_error"].as_str().unwrap().to_owned()
}

/// The old account's delivery comes when the new account writes already.
async fn an_unsubscription_after_the_move_reaches_the_account_that_writes(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = known(&newsletter).await;
    press(&newsletter, &email).await;
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
    // And stays so, whatever is reported.
    newsletter.report(&email, &json!({"name": "Ida"})).await;
    newsletter.settled(&email).await;
    assert_eq!(there("status"), "unsubscribed");
}

/// A proxy's 404, and JSON that others say, are no proof that a person is not there.
async fn what_is_not_the_providers_word_moves_nobody(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    for fault in [
        Fault::Page(404),
        Fault::Words(404, r#"{"message":"Not found."}"#),
    ] {
        let email = known(&newsletter).await;
        let provider = &newsletter.provider;
        provider.set_status(Account::Old, &email, "unsubscribed");
        provider.fail_on(Account::Old, "GET", 1, fault);
        press(&newsletter, &email).await;
        let why = given_up(&newsletter, &email).await;
        assert!(why.contains("404"), "{why}");
        assert_eq!(provider.subscriber(Account::New, &email), None);
        assert!(provider.subscriber(Account::Old, &email).is_some());
    }
}

/// Somebody asked the operator to be deleted, who did that in the provider's own pages.
async fn who_was_removed_by_hand_is_not_put_back(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    let id = provider.id(Account::Old, &email);
    let url = format!("{}/subscribers/{id}", provider.url());
    let request = reqwest::Client::new().delete(url);
    let answer = request.bearer_auth(Account::Old.key()).send().await;
    assert_eq!(answer.unwrap().status(), 204);
    newsletter.report(&email, &json!({"name": "Ida"})).await;
    newsletter.settled(&email).await;
    assert_eq!(provider.subscriber(Account::Old, &email), None);
    assert_eq!(newsletter.show(&email).await["status"], "removed");
    // A move does not bring them back either.
    press(&newsletter, &email).await;
    newsletter.settled(&email).await;
    for account in [Account::Old, Account::New] {
        assert_eq!(provider.subscriber(account, &email), None::<Value>);
    }
}

async fn who_never_confirmed_is_not_moved(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    let email = known(&newsletter).await;
    let provider = &newsletter.provider;
    provider.set_status(Account::Old, &email, "unconfirmed");
    press(&newsletter, &email).await;
    let why = given_up(&newsletter, &email).await;
    assert!(why.contains("unconfirmed"), "{why}");
    assert_eq!(provider.subscriber(Account::New, &email), None);
    let there = provider.subscriber(Account::Old, &email).unwrap();
    assert_eq!(there["status"], "unconfirmed");
}
