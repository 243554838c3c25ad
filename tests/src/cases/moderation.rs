use serde_json::{Value, json};

use crate::harness::{App, SETTLING, Store, eventually, fresh, minimal};

on_sqlite! {
    an_operator_judges_features_and_sees_postings,
    an_operator_erases_a_posting,
}

fn last(posting: &Value) -> &Value {
    posting["history"].as_array().unwrap().last().unwrap()
}

async fn an_operator_judges_features_and_sees_postings(store: Store) {
    let app = App::quiet(store);
    let id = fresh("a/b?c 🦀 '\"\\");
    let uuid = app.put(&id, &minimal()).await.created();
    app.approve(&id);
    let approved = app.show(&id).await;
    assert_eq!(approved["status"], "approved");
    assert_ne!(approved["published_at"], Value::Null);
    assert_ne!(approved["expire_at"], Value::Null);
    app.approve(&id);
    assert_eq!(app.show(&id).await, approved);

    app.reject(&id, "Not a job, but an advertisement.");
    let rejected = app.show(&id).await;
    assert_eq!(rejected["status"], "rejected");
    assert_eq!(
        rejected["status_reason"],
        "Not a job, but an advertisement."
    );
    assert_eq!(last(&rejected)["reason"], rejected["status_reason"]);
    let by = last(&rejected)["by"].as_str().unwrap_or_default();
    assert!(by.starts_with("operator:"), "{by}");
    assert_eq!(rejected["published_at"], approved["published_at"]);
    let events = [
        "JobPostingCreated",
        "JobPostingApproved",
        "JobPostingRejected",
    ];
    app.until_events(uuid, &events).await;

    app.run(&["postings", "feature", &id]).succeeded();
    assert_eq!(app.show(&id).await["is_featured"], true);
    let shown = app.run(&["postings", "show", &id]).succeeded();
    for part in ["rejected", "advertisement", "Gardener"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unique = id.rsplit('-').next().unwrap();
    for (status, is_listed) in [("rejected", true), ("approved", false)] {
        let list = app.run(&["postings", "list", "--status", status]);
        assert_eq!(list.succeeded().contains(unique), is_listed, "{status}");
    }
    app.run(&["postings", "approve", "unknown"]).failed(1);
}

async fn an_operator_erases_a_posting(store: Store) {
    let app = App::quiet(store);
    let id = fresh("erased");
    let uuid = app.put(&id, &minimal()).await.created();
    app.reject(&id, "Words that are to go.");
    let erase = ["postings", "erase", &id, "--reason", "request 17"];
    let said = app.run(&erase).succeeded();
    assert!(said.contains("is erased"), "{said}");
    assert!(!app.api.exists(&id).await);
    app.run(&["postings", "show", &id]).failed(1);
    let error = app.run(&erase).failed(1);
    assert!(error.contains("there is no posting"), "{error}");

    let events = eventually("the event can be read", SETTLING, || async {
        let mut events = app.all_events().await;
        events.retain(|event| event["data"]["unique_source_identifier"] == id.as_str());
        (events.len() == 3).then_some(events)
    })
    .await;
    let seen = [
        &events[1]["type"],
        &events[2]["type"],
        &events[1]["data"]["status_reason"],
    ];
    let expect = [
        json!("JobPostingRejected"),
        json!("JobPostingErased"),
        Value::Null,
    ];
    assert_eq!(seen, expect.each_ref());
    let statement = json!({
        "outcome": "removed", "code": "operator", "automated": false, "ground": "terms",
        "scope": "everywhere", "by_notice": false, "appeal": null,
    });
    let erased = json!({"unique_source_identifier": id, "decision": statement});
    assert_eq!(events[2]["data"], erased);
    let audit = app.run(&["audit", "--json"]).succeeded();
    assert!(
        audit.contains("request 17") && !audit.contains("Words that"),
        "{audit}"
    );

    assert_ne!(app.put(&id, &minimal()).await.created(), uuid);
}
