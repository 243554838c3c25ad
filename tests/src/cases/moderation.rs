//! An operator's verdicts, on the command line.

use serde_json::{Value, json};

use crate::harness::{App, SETTLING, Store, eventually, fresh, minimal, run};

on_every_store! {
    an_operator_judges_features_and_sees_postings,
    an_operator_judges_many_at_once,
    an_operators_approval_stands_for_what_was_approved,
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

async fn an_operator_judges_many_at_once(store: Store) {
    let app = App::quiet(store);
    let ids = ["many-b", "many-a", "many-c"].map(fresh);
    for (n, id) in ids.iter().enumerate() {
        let mut payload = minimal();
        payload["title"] = json!(format!("Ploughwright {n}"));
        app.put(id, &payload).await.created();
    }
    let [b, a, c] = &ids;
    let listed = |options: &[&str]| -> Vec<String> {
        let all = [&["postings", "list", "--json"], options].concat();
        let rows: Vec<Value> = serde_json::from_str(&app.run(&all).succeeded()).unwrap();
        let id = |row: &Value| row["unique_source_identifier"].as_str().unwrap().to_owned();
        rows.iter().map(id).collect()
    };
    let newest: Vec<_> = ids.iter().rev().cloned().collect();
    assert_eq!(listed(&["--title", "ploughw"]), newest);
    assert_eq!(
        listed(&["--title", "ploughw", "--limit", "1"]),
        std::slice::from_ref(c)
    );
    assert_eq!(listed(&["--id", "many-"]), [a, b, c].map(Clone::clone));
    assert!(listed(&["--id", "many-", "--status", "rejected"]).is_empty());
    app.run(&["postings", "list", "--client", "nobody"])
        .failed(1);

    // One is not there: the others are judged all the same.
    let unknown = fresh("many-unknown");
    let reject = [
        "postings",
        "reject",
        "--reason",
        "Spam.",
        a,
        "--ids-from",
        "-",
    ];
    let lines = format!("{unknown}\n\n{b}\n{c}");
    let error = run(app.site.command(&reject), &lines).failed(1);
    for part in [&*format!("{unknown}: Job posting not found."), "1 of 4"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(listed(&["--id", "many-", "--status", "rejected"]).len(), 3);
    // A bad line is refused before anything is changed.
    let approve = ["postings", "approve", "--ids-from", "-"];
    let lines = format!("{a}\n{}", "x".repeat(300));
    let error = run(app.site.command(&approve), &lines).failed(1);
    assert!(error.contains("line 2"), "{error}");
    assert_eq!(app.show(a).await["status"], "rejected");
}

async fn an_operators_approval_stands_for_what_was_approved(store: Store) {
    let app = App::shared(store);
    let id = fresh("stands");
    let mut payload = minimal();
    payload["raw_description"] = json!("test");
    app.put(&id, &payload).await.created();
    let decision = &app.api.until(&id, "rejected").await["decision"];
    assert_eq!(decision["by"], "rules", "{decision}");
    assert_eq!(decision["code"], "test_posting");
    assert_eq!(decision["passages"], json!(["test"]));
    app.approve(&id);
    let decision = &app.api.until(&id, "approved").await["decision"];
    assert_eq!(decision["automated"], false, "{decision}");
    let by = decision["by"].as_str().unwrap_or_default();
    assert!(by.starts_with("operator:"), "{by}");
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

    let events = eventually("followers are told", SETTLING, || async {
        let mut events = app.all_events().await;
        events.retain(|event| event["data"]["unique_source_identifier"] == id.as_str());
        (events.len() == 3).then_some(events)
    })
    .await;
    assert_eq!(events[1]["type"], "JobPostingRejected");
    assert_eq!(events[1]["data"]["status_reason"], Value::Null);
    assert_eq!(events[2]["type"], "JobPostingErased");
    assert_eq!(events[2]["data"], json!({"unique_source_identifier": id}));
    let audit = app.run(&["audit", "--json"]).succeeded();
    assert!(
        audit.contains("request 17") && !audit.contains("Words that"),
        "{audit}"
    );

    assert_ne!(app.put(&id, &minimal()).await.created(), uuid);
}
