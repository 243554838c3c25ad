//! What the provider calls back about.

use serde_json::{Value, json};

use crate::harness::{
    App, Store,
    mailerlite::Account,
    newsletter::{
        Newsletter, SECRETS, WEBHOOK, deliver, deliver_as, event, membership, person, signature,
    },
};

on_every_store! {
    a_status_is_taken_in_and_causes_one_sync,
    the_strongest_status_stands_in_any_order_and_however_often,
    a_batch_may_be_of_any_shape,
    what_is_no_news_is_accepted,
    what_is_said_of_a_stranger_holds_when_they_are_reported,
    nothing_makes_anybody_active_again,
    only_the_provider_is_believed,
    without_a_secret_it_is_switched_off,
}

/// The kinds that matter, with the status that is delivered, and ours.
const KINDS: [(&str, &str, &str); 3] = [
    ("subscriber.bounced", "bounced", "bounced"),
    ("subscriber.unsubscribed", "unsubscribed", "unsubscribed"),
    ("subscriber.spam_reported", "junk", "spam_reported"),
];

/// Somebody whom the provider was told of.
async fn known(newsletter: &Newsletter) -> String {
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    assert_eq!(newsletter.methods(Account::Old, &email), ["POST"]);
    email
}

async fn a_status_is_taken_in_and_causes_one_sync(store: Store) {
    let newsletter = Newsletter::shared(store);
    for (name, theirs, ours) in KINDS {
        let email = known(&newsletter).await;
        newsletter.provider.set_status(Account::Old, &email, theirs);
        newsletter.deliver(&event(name, &email, theirs)).await;
        // It is there when the provider has its answer.
        assert_eq!(newsletter.show(&email).await["status"], ours);
        newsletter.settled(&email).await;
        // Whether they are there is asked first: nobody suppressed is created.
        // A withdrawal looks, too, at any time.
        let told = || {
            let methods = newsletter.methods(Account::Old, &email).into_iter();
            methods.filter(|method| method != "GET").collect::<Vec<_>>()
        };
        let expect = ["POST", "PUT"];
        assert_eq!(told(), expect, "{name}");
        newsletter.deliver(&event(name, &email, theirs)).await;
        newsletter.settled(&email).await;
        assert_eq!(told(), expect, "{name}");
        let there = newsletter.provider.subscriber(Account::Old, &email);
        assert_eq!(there.unwrap()["status"], theirs);
    }
}

async fn the_strongest_status_stands_in_any_order_and_however_often(store: Store) {
    let newsletter = Newsletter::shared(store);
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let email = known(&newsletter).await;
        let mut strongest = 0;
        for kind in order {
            let (name, theirs, _) = KINDS[kind];
            newsletter.deliver(&event(name, &email, theirs)).await;
            newsletter.deliver(&event(name, &email, theirs)).await;
            strongest = strongest.max(kind);
            let record = newsletter.show(&email).await;
            assert_eq!(record["status"], KINDS[strongest].2, "{order:?}");
        }
        newsletter.settled(&email).await;
    }
}

async fn a_batch_may_be_of_any_shape(store: Store) {
    let newsletter = Newsletter::shared(store);
    let mut people = Vec::new();
    for _ in 0..5 {
        people.push(known(&newsletter).await);
    }
    let [leaves, reads, bounces, complains, is_away] = &people[..] else {
        unreachable!()
    };
    let nested = |name: &str, email: &str, status: &str| json!({"type": name, "subscriber": {"id": "1", "email": email, "status": status}});
    let batch = json!({"events": [
        nested("subscriber.unsubscribed", leaves, "unsubscribed"),
        nested("campaign.open", reads, "active"),
        event("subscriber.bounced", &format!(" {} ", bounces.to_uppercase()), "bounced"),
        {"type": "subscriber.unsubscribed", "subscriber": {"email": complains}},
        {"type": "subscriber.spam_reported", "subscriber": {"email": complains}},
        nested("subscriber.bounced", is_away, "active"),
        nested("subscriber.unsubscribed", "nobody", "unsubscribed"),
        nested("subscriber.unsubscribed", &person(), "unsubscribed"),
        null,
        5,
    ], "total": 10});
    for (email, theirs) in [
        (leaves, "unsubscribed"),
        (bounces, "bounced"),
        (complains, "junk"),
    ] {
        newsletter.provider.set_status(Account::Old, email, theirs);
    }
    newsletter.deliver(&batch).await;
    newsletter.deliver(&batch).await;
    for (email, status, calls) in [
        (leaves, "unsubscribed", 2),
        (reads, "active", 1),
        (bounces, "bounced", 2),
        (complains, "spam_reported", 2),
        // A soft bounce is none.
        (is_away, "active", 1),
    ] {
        assert_eq!(newsletter.show(email).await["status"], status);
        newsletter.settled(email).await;
        let methods = newsletter.methods(Account::Old, email).into_iter();
        assert_eq!(methods.filter(|method| method != "GET").count(), calls);
    }
}

async fn what_is_no_news_is_accepted(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = known(&newsletter).await;
    for body in [
        event("subscriber.created", &email, "active"),
        event("subscriber.updated", &email, "unsubscribed"),
        event("subscriber.added_to_group", &email, "active"),
        event("subscriber.bounced", &email, "active"),
        event("subscriber.bounced", &email, "unsubscribed"),
        event("subscriber.heard_of_first_here", &email, "junk"),
        event("subscriber.unsubscribed", "", "unsubscribed"),
        event("subscriber.unsubscribed", "no address", "unsubscribed"),
        json!({"event": "subscriber.bounced", "email": email}),
        json!({"event": 5, "email": email}),
        json!({"events": [], "total": 0}),
        json!({}),
        json!([]),
        Value::Null,
    ] {
        newsletter.deliver(&body).await;
    }
    newsletter.settled(&email).await;
    assert_eq!(newsletter.show(&email).await["status"], "active");
    assert_eq!(newsletter.methods(Account::Old, &email), ["POST"]);
}

async fn what_is_said_of_a_stranger_holds_when_they_are_reported(store: Store) {
    let newsletter = Newsletter::shared(store);
    for (name, theirs, ours) in KINDS {
        let email = person();
        let said = event(name, &email.to_uppercase(), theirs);
        newsletter.deliver(&said).await;
        newsletter.deliver(&said).await;
        let path = Newsletter::path(&email);
        newsletter.app.api.get(&path).await.error(404);
        let show = newsletter.app.run(&["subscribers", "show", &email]);
        let shown = show.succeeded();
        assert!(shown.contains(ours) && shown.contains("never"), "{shown}");
        let export = newsletter.app.run(&["subscribers", "export"]).succeeded();
        assert!(!export.contains(&email), "{export}");

        let answer = newsletter.put(&email, &json!({"name": "Ada"})).await;
        assert_eq!(answer.status, 201, "{answer:#?}");
        assert_eq!(answer.json()["data"]["status"], ours);
        newsletter
            .report(&email, &membership("individual", "active", None))
            .await;
        newsletter.settled(&email).await;
        assert_eq!(newsletter.show(&email).await["status"], ours);
        // Nobody suppressed is made known to an account.
        let methods = newsletter.methods(Account::Old, &email);
        assert!(methods.iter().all(|method| method == "GET"), "{methods:?}");
        assert_eq!(newsletter.provider.id(Account::Old, &email), "");
    }
}

async fn nothing_makes_anybody_active_again(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = known(&newsletter).await;
    let provider = &newsletter.provider;
    provider.set_status(Account::Old, &email, "unsubscribed");
    newsletter
        .deliver(&event("subscriber.unsubscribed", &email, "unsubscribed"))
        .await;
    for body in [
        json!({"status": "active", "resubscribe": true, "name": "Eve"}),
        membership("individual", "active", Some("2027-01-31")),
        json!({"membership": null}),
    ] {
        let record = newsletter.report(&email, &body).await;
        assert_eq!(record["status"], "unsubscribed");
    }
    for name in [
        "subscriber.created",
        "subscriber.updated",
        "subscriber.active",
        "subscriber.added_to_group",
        "subscriber.automation_triggered",
    ] {
        newsletter.deliver(&event(name, &email, "active")).await;
    }
    let file = newsletter.app.site.folder().join("again.csv");
    let header = "email,name,country,plan_category,status,expires_at";
    let line = format!("{email},Ada,,team,active,");
    std::fs::write(&file, format!("{header}\n{line}\n")).unwrap();
    let import = ["subscribers", "import", file.to_str().unwrap()];
    newsletter.app.run(&import).succeeded();
    newsletter.settled(&email).await;
    assert_eq!(newsletter.show(&email).await["status"], "unsubscribed");
    let there = provider.subscriber(Account::Old, &email).unwrap();
    assert_eq!(there["status"], "unsubscribed");
}

async fn only_the_provider_is_believed(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let email = known(&newsletter).await;
    let body = event("subscriber.unsubscribed", &email, "unsubscribed").to_string();
    let good = signature(SECRETS[0], &body);
    let upper = good.to_uppercase();
    let foreign = signature("somebody-else's", &body);
    let empty = signature("", &body);
    let joined = signature(&SECRETS.join(","), &body);
    let prefixed = format!("sha256={good}");
    let flipped = {
        let last = if good.ends_with('0') { "1" } else { "0" };
        format!("{}{last}", &good[..good.len() - 1])
    };
    for signatures in [
        &[][..],
        &[""],
        &["nonsense"],
        &[upper.as_str()],
        &[foreign.as_str()],
        &[empty.as_str()],
        &[joined.as_str()],
        &[prefixed.as_str()],
        &[flipped.as_str()],
        &[&good[..good.len() - 2]],
        &[good.as_str(), foreign.as_str()],
    ] {
        let answer = deliver_as(api, signatures, &body).await;
        assert_eq!(answer.status, 401, "{signatures:?}: {answer:#?}");
        assert!(answer.json()["message"].is_string(), "{answer:#?}");
    }
    // Every byte counts, also one that means nothing.
    for changed in [
        format!("{body} "),
        format!("{body}\n"),
        body.replace(':', ": "),
        body.replace("unsubscribed", "spam_reported"),
    ] {
        let answer = deliver_as(api, &[&good], &changed).await;
        assert_eq!(answer.status, 401, "{changed}");
    }
    assert_eq!(newsletter.show(&email).await["status"], "active");
    // A token of the API is not asked for, and no way around it.
    let request = api.authorized(reqwest::Method::POST, WEBHOOK);
    let response = request.body(body.clone()).send().await.unwrap();
    assert_eq!(response.status(), 401);
    for (secret, status, strength) in [
        (SECRETS[1], "unsubscribed", "subscriber.unsubscribed"),
        (SECRETS[0], "spam_reported", "subscriber.spam_reported"),
    ] {
        let body = event(strength, &email, "junk").to_string();
        assert_eq!(deliver(api, secret, &body).await.status, 200);
        assert_eq!(newsletter.show(&email).await["status"], status);
    }
    newsletter.settled(&email).await;
}

async fn without_a_secret_it_is_switched_off(store: Store) {
    let app = App::quiet(store);
    let body = event("subscriber.unsubscribed", &person(), "unsubscribed").to_string();
    for secret in ["", SECRETS[0]] {
        deliver(&app.api, secret, &body).await.error(503);
    }
    deliver_as(&app.api, &[], &body).await.error(503);
}
