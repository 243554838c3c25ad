use futures_util::future::join_all;
use serde_json::json;

use crate::harness::{
    Store,
    mailerlite::Account,
    newsletter::{Newsletter, membership, person},
};

on_postgres! {
    a_person_moves_once_however_often_it_is_confirmed,
}

async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    let mut body = membership("individual", "active", Some("2027-01-31"));
    body["name"] = json!("Ada");
    newsletter.report(&email, &body).await;
    newsletter.app.settled().await;
    email
}

async fn a_person_moves_once_however_often_it_is_confirmed(store: Store) {
    let newsletter = Newsletter::working(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    let token = newsletter.token_of(&email);
    let answers = join_all((0..24).map(|_| newsletter.confirm(&token))).await;
    for answer in answers {
        assert_eq!(answer.status, 303, "{answer:#?}");
    }
    newsletter.app.settled().await;
    let record = newsletter.show(&email).await;
    newsletter.confirm(&token).await;
    let by_hand = ["subscribers", "migrate", &email, "--source", "manual"];
    newsletter.app.run(&by_hand).succeeded();
    newsletter.app.settled().await;
    assert_eq!(newsletter.show(&email).await, record);

    assert_eq!(
        newsletter.methods(Account::Old, &email),
        ["POST", "GET", "GET", "DELETE"]
    );
    let old = newsletter.calls(Account::Old, &email);
    let [added] = &newsletter.calls(Account::New, &email)[..] else {
        panic!("not one call");
    };
    assert!(old[1].at < added.at && added.at < old[2].at);
    let group = provider.group(Account::New);
    assert_eq!(added.body["groups"], json!([group]));
    assert_eq!(added.body["fields"], old[0].body["fields"]);
    assert_eq!(provider.automation_starts(&email), 1);
    assert_eq!(provider.subscriber(Account::Old, &email), None);
    let there = provider.subscriber(Account::New, &email).unwrap();
    assert_eq!(there["status"], "active");
    assert_eq!(there["groups"][0]["id"], json!(group));
}
