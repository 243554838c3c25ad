//! An operator's verdicts, on the command line.

use serde_json::{Value, json};

use crate::harness::{App, Store, fresh, minimal};

on_every_store! {
    an_operator_judges_features_and_sees_postings,
    an_operators_approval_stands_for_what_was_approved,
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
    // A repeated approval changes nothing.
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

    for (options, is_featured) in [(&[][..], true), (&["--off"], false)] {
        app.run(&[&["postings", "feature", &id], options].concat())
            .succeeded();
        // A push does not change the flag.
        app.put(&id, &json!({"salary_min": u8::from(is_featured)}))
            .await
            .updated();
        assert_eq!(app.show(&id).await["is_featured"], is_featured);
    }
    let shown = app.run(&["postings", "show", &id]).succeeded();
    for part in ["rejected", "advertisement", "Gardener"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unique = id.rsplit('-').next().unwrap();
    for (status, is_listed) in [("rejected", true), ("approved", false)] {
        let list = app
            .run(&["postings", "list", "--limit", "1000000", "--status", status])
            .succeeded();
        assert_eq!(list.contains(unique), is_listed, "{list}");
    }
    app.run(&["postings", "approve", &fresh("unknown")])
        .failed(1);
}

async fn an_operators_approval_stands_for_what_was_approved(store: Store) {
    let app = App::shared(store);
    let id = fresh("stands");
    let mut payload = minimal();
    payload["raw_description"] = json!("test");
    app.put(&id, &payload).await.created();
    app.api.until(&id, "rejected").await;
    app.approve(&id);
    // Other content, which the operator did not approve.
    let other = json!({"raw_description": "<p>asdf</p>"});
    app.put(&id, &other).await.updated();
    let posting = app.api.until(&id, "rejected").await;
    assert_eq!(last(&posting)["by"], "enricher");
    // The approved content again.
    let same = json!({"raw_description": "test"});
    app.put(&id, &same).await.updated();
    let posting = app.api.until(&id, "approved").await;
    assert_eq!(posting["markdown_description"], "test");
}
