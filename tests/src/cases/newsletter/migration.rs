//! The move from the provider's old account to its new one.

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::{
    Store,
    mailerlite::Account,
    newsletter::{Newsletter, event, membership, person},
};

on_every_store! {
    a_person_moves_once_however_often_it_is_confirmed,
    later_syncs_go_to_the_new_account,
    who_is_not_in_the_old_account_is_added_to_the_new_one,
    who_is_suppressed_here_is_not_added_to_the_new_account,
    who_is_suppressed_in_the_old_account_alone_is_not_added_either,
    who_is_suppressed_in_the_new_account_stays_so,
    who_is_in_the_new_account_already_joins_the_group,
}

/// Somebody whom the old account knows.
async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    let mut body = membership("individual", "active", Some("2027-01-31"));
    body["name"] = json!("Ada");
    newsletter.report(&email, &body).await;
    newsletter.settled(&email).await;
    email
}

/// Confirms somebody's move, and waits until it is done.
async fn confirmed(newsletter: &Newsletter, email: &str, account: &str) {
    let answer = newsletter.confirm(&newsletter.token_of(email)).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
    newsletter.settled(email).await;
    let record = newsletter.show(email).await;
    assert_eq!(record["mailerlite_account"], account);
}

async fn a_person_moves_once_however_often_it_is_confirmed(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    let token = newsletter.token_of(&email);
    let answers = join_all((0..24).map(|_| newsletter.confirm(&token))).await;
    for answer in answers {
        assert_eq!(answer.status, 303, "{answer:#?}");
    }
    newsletter.settled(&email).await;
    let record = newsletter.show(&email).await;
    newsletter.confirm(&token).await;
    let by_hand = ["subscribers", "migrate", &email, "--source", "manual"];
    newsletter.app.run(&by_hand).succeeded();
    newsletter.settled(&email).await;
    assert_eq!(newsletter.show(&email).await, record);

    // Asked for, added, asked for again and removed, in this order.
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

async fn later_syncs_go_to_the_new_account(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    confirmed(&newsletter, &email, "new").await;
    let old = newsletter.calls(Account::Old, &email).len();
    newsletter.report(&email, &json!({"name": "Ada L."})).await;
    newsletter.settled(&email).await;
    newsletter
        .report(&email, &membership("individual", "canceled", None))
        .await;
    newsletter.settled(&email).await;
    newsletter
        .report(&email, &membership("individual", "canceled", None))
        .await;
    newsletter.settled(&email).await;
    let calls = newsletter.calls(Account::New, &email);
    assert_eq!(calls.len(), 3, "{calls:#?}");
    // The group is joined once only.
    assert!(calls[1..].iter().all(|call| call.method == "PUT"));
    assert!(
        calls[1..]
            .iter()
            .all(|call| call.body.get("groups").is_none())
    );
    let there = provider.subscriber(Account::New, &email).unwrap();
    assert_eq!(there["fields"]["name"], "Ada L.");
    assert_eq!(there["fields"]["member_status"], "canceled");
    provider.set_status(Account::New, &email, "bounced");
    newsletter
        .deliver(&event("subscriber.bounced", &email, "bounced"))
        .await;
    newsletter.settled(&email).await;
    // Nothing is sent where the person is suppressed already, and the accounts are looked at.
    let methods = newsletter.methods(Account::New, &email);
    let is_quiet = |method: &String| ["GET", "PUT"].contains(&method.as_str());
    assert!(methods[3..].iter().all(is_quiet), "{methods:?}");
    let looks = newsletter.methods(Account::Old, &email).split_off(old);
    assert!(looks.iter().all(|method| method == "GET"), "{looks:?}");
    assert_eq!(provider.automation_starts(&email), 1);
}

async fn who_is_not_in_the_old_account_is_added_to_the_new_one(store: Store) {
    let newsletter = Newsletter::served(store);
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    // Before anybody was told.
    let answer = newsletter.confirm(&newsletter.token_of(&email)).await;
    assert_eq!(answer.status, 303);
    let _worker = newsletter.work();
    newsletter.settled(&email).await;
    assert_eq!(newsletter.methods(Account::Old, &email), ["GET", "GET"]);
    assert_eq!(newsletter.methods(Account::New, &email), ["POST"]);
    assert_eq!(newsletter.provider.automation_starts(&email), 1);
}

/// Whatever is reported, nobody is added to the new account.
async fn is_left_out(newsletter: &Newsletter, email: &str, theirs: &str, status: &str) {
    let provider = &newsletter.provider;
    for body in [
        json!({"name": "Eve"}),
        membership("individual", "active", Some("2028-02-29")),
    ] {
        newsletter.report(email, &body).await;
        newsletter.settled(email).await;
    }
    let token = newsletter.token_of(email);
    assert_eq!(newsletter.confirm(&token).await.status, 303);
    newsletter.settled(email).await;
    let record = newsletter.show(email).await;
    assert_eq!(record["status"], status);
    assert_eq!(provider.id(Account::New, email), "");
    assert_eq!(provider.automation_starts(email), 0);
    // They stay where that is known.
    let there = provider.subscriber(Account::Old, email).unwrap();
    assert_eq!(there["status"], theirs);
}

async fn who_is_suppressed_here_is_not_added_to_the_new_account(store: Store) {
    let newsletter = Newsletter::shared(store);
    for (name, status, theirs) in [
        ("subscriber.unsubscribed", "unsubscribed", "unsubscribed"),
        ("subscriber.bounced", "bounced", "bounced"),
        ("subscriber.spam_reported", "spam_reported", "junk"),
    ] {
        let email = known(&newsletter).await;
        newsletter.provider.set_status(Account::Old, &email, theirs);
        newsletter.deliver(&event(name, &email, theirs)).await;
        // Who is known to want no mail is not moved by the button.
        confirmed(&newsletter, &email, "old").await;
        is_left_out(&newsletter, &email, theirs, status).await;
    }
}

async fn who_is_suppressed_in_the_old_account_alone_is_not_added_either(store: Store) {
    let newsletter = Newsletter::shared(store);
    for (theirs, status) in [
        ("unsubscribed", "unsubscribed"),
        ("bounced", "bounced"),
        ("junk", "spam_reported"),
    ] {
        let email = known(&newsletter).await;
        newsletter.provider.set_status(Account::Old, &email, theirs);
        assert_eq!(newsletter.show(&email).await["status"], "active");
        confirmed(&newsletter, &email, "new").await;
        is_left_out(&newsletter, &email, theirs, status).await;
    }
}

async fn who_is_suppressed_in_the_new_account_stays_so(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    provider.add(Account::New, &json!({"email": email}));
    provider.set_status(Account::New, &email, "unsubscribed");
    confirmed(&newsletter, &email, "new").await;
    newsletter.report(&email, &json!({"name": "Eve"})).await;
    newsletter.settled(&email).await;
    let there = provider.subscriber(Account::New, &email).unwrap();
    assert_eq!(there["status"], "unsubscribed");
    assert_eq!(provider.automation_starts(&email), 0);
    let left = provider.subscriber(Account::Old, &email).unwrap();
    assert_eq!(left["status"], "unsubscribed");
}

async fn who_is_in_the_new_account_already_joins_the_group(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = known(&newsletter).await;
    provider.add(
        Account::New,
        &json!({"email": email, "fields": {"city": "Valletta"}}),
    );
    confirmed(&newsletter, &email, "new").await;
    let there = provider.subscriber(Account::New, &email).unwrap();
    assert_eq!(there["fields"]["city"], "Valletta");
    assert_eq!(there["fields"]["name"], "Ada");
    assert_eq!(provider.automation_starts(&email), 1);
}
