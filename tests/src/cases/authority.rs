//! Who may change what is shown: two clients behind fences, and an operator.

use serde_json::{Value, json};

use super::clients::Client;
use crate::harness::{
    Api, App, Site, Store, fresh,
    import::{catalogue, import, line},
    minimal, website,
};

on_every_store! {
    nobody_changes_what_another_shows,
    a_client_does_not_undo_a_takedown,
    an_operator_decides_on_what_was_seen,
    lines_that_disagree_about_a_company_settle_at_once,
}

const TAKEN_DOWN: &str = "An operator took this posting down; only an operator can reopen it.";

fn posting(website: &str, name: &str) -> Value {
    let mut payload = minimal();
    payload["company"] = json!({"name": name, "website_url": website});
    payload
}

fn fenced(site: &Site, prefix: &str) -> Client {
    Client::create(&[site], &["--prefix", prefix])
}

/// What is shown of a posting: its company but for when it changed, its status and its original.
async fn shown(api: &Api, id: &str) -> Value {
    let posting = api.show(id).await;
    let company = &posting["company"];
    json!([
        company["name"],
        company["logo_path"],
        posting["status"],
        posting["duplicate_of"]
    ])
}

/// A posting of a tenant, and all that another one may try upon it.
async fn nobody_changes_what_another_shows(store: Store) {
    let app = App::shared(store);
    let site = &app.site;
    let (acme, other) = (fenced(site, "acme-"), fenced(site, "other-"));
    let (acme_api, other_api) = (&acme.apis[0], &other.apis[0]);
    let (inn, victim, junk) = (website(), fresh("other-"), fresh("acme-"));
    // The attacker's posting is there before the victim's text is.
    other_api
        .put(&fresh("other-"), &posting(&inn, "The Inn"))
        .await
        .created();
    acme_api
        .put(&junk, &posting(&inn, "The Inn"))
        .await
        .created();
    let mut text = posting(&inn, "The Inn");
    text["title"] = json!("Cook at the inn");
    text["raw_description"] = json!(format!(
        "<p>{}</p>",
        "We cook for our guests daily. ".repeat(9)
    ));
    other_api.put(&victim, &text).await.created();
    other_api.until(&victim, "approved").await;
    let before = shown(other_api, &victim).await;
    assert_eq!(before, json!(["The Inn", null, "approved", null]));

    let evil = json!({"company": {
        "name": "INN CLOSED - apply at evil.example", "website_url": inn,
        "logo_path": "https://evil.example/logo.svg",
    }});
    let kept = acme_api.put(&junk, &evil).await;
    kept.updated();
    assert_eq!(kept.header("posthaste-notice"), "company_kept");
    let renamed = json!({"company": {"name": "INN CLOSED"}});
    let kept = acme_api.put(&junk, &renamed).await;
    assert_eq!(kept.header("posthaste-notice"), "company_kept");
    let path = "/api/job-board/imports?receipts=all";
    let imported = import(acme_api, path, line(&junk, &evil)).await;
    assert_eq!(imported.receipts[0]["notices"][0]["code"], "company_kept");
    assert_eq!(imported.summary["notices"], json!({"company_kept": 1}));
    // A copy of the victim's text, changed in afterwards, is no original.
    let mut copy = text.clone();
    copy["application_url"] = json!("https://evil.example/apply");
    acme_api.put(&junk, &copy).await.updated();
    let own = acme_api.once(&junk, "the copy is judged", |posting| {
        let text = posting["markdown_description"].as_str();
        text.is_some_and(|text| text.contains("for our guests"))
    });
    let own = own.await;
    assert_eq!(shown(other_api, &victim).await, before);
    assert_eq!(
        own["duplicate_of"],
        Value::Null,
        "it may not see the original"
    );

    // The owner, and a client of the whole board, go on; an operator may give it away.
    let renamed = json!({"company": {"name": "The Old Inn"}});
    other_api.put(&victim, &renamed).await.updated();
    let company = &other_api.show(&victim).await["company"];
    assert_eq!(company["name"], "The Old Inn");
    assert_eq!(company["updated_by"], format!("client:{}", other.id));
    let give = ["companies", "update", &inn, "--owner", &acme.id, "--json"];
    let given: Value = serde_json::from_str(&site.run(&give).succeeded()).unwrap();
    assert_eq!(given["owner"], json!(acme.id));
    assert_eq!(given["name"], "The Old Inn");
    let kept = other_api
        .put(&victim, &json!({"company": {"name": "Again"}}))
        .await;
    assert_eq!(kept.header("posthaste-notice"), "company_kept");
    acme_api
        .put(&junk, &json!({"company": {"name": "Ours"}}))
        .await
        .updated();
    app.put(&fresh("whole-"), &posting(&inn, "By the board"))
        .await
        .created();
    let shown: Value =
        serde_json::from_str(&site.run(&["companies", "show", &inn, "--json"]).succeeded())
            .unwrap();
    assert_eq!(
        (&shown["name"], &shown["owner"]),
        (&json!("By the board"), &json!(acme.id))
    );
}

async fn a_client_does_not_undo_a_takedown(store: Store) {
    let app = App::shared(store);
    for command in ["expire", "reject"] {
        let (id, payload) = (fresh("down-"), minimal());
        let feed = catalogue(&fresh("feed-"));
        import(&app.api, &feed, line(&id, &payload))
            .await
            .complete();
        app.api.until(&id, "approved").await;
        app.run(&["postings", command, &id, "--reason", "scam"])
            .succeeded();
        let status = app.show(&id).await["status"].clone();
        let message = app.put(&id, &json!({"expiration": null})).await.error(422);
        assert_eq!(message, TAKEN_DOWN);
        let listed = import(
            &app.api,
            &format!("{feed}?receipts=all"),
            line(&id, &payload),
        )
        .await;
        let expect = match command {
            "expire" => "taken_down",
            _ => "still_rejected",
        };
        assert_eq!(listed.receipts[0]["notices"][0]["code"], expect);
        let down = app.show(&id).await;
        assert_eq!(
            (&down["status"], &down["status_reason"]),
            (&status, &json!("scam"))
        );
        if command == "expire" {
            let again = app.put(&id, &json!({"title": "Another"})).await;
            assert_eq!(again.header("posthaste-notice"), "taken_down");
            app.run(&["postings", "reopen", &id, "--reason", "a mistake"])
                .succeeded();
            app.api.until(&id, "approved").await;
        } else {
            // The specification holds for operators, too.
            let refused = app.run(&["postings", "expire", &id, "--reason", "scam"]);
            let message = refused.failed(1);
            assert!(
                message.contains("transition from rejected to expired"),
                "{message}"
            );
        }
    }
}

async fn an_operator_decides_on_what_was_seen(store: Store) {
    let app = App::quiet(store);
    let id = fresh("seen-");
    app.put(&id, &minimal()).await.created();
    let version = || {
        let shown = app.run(&["postings", "show", &id, "--json"]).succeeded();
        serde_json::from_str::<Value>(&shown).unwrap()["version"].to_string()
    };
    let seen = version();
    app.put(&id, &json!({"title": "Send 500 EUR first"}))
        .await
        .updated();
    let approve = |version: &str| app.run(&["postings", "approve", &id, "--version", version]);
    let message = approve(&seen).failed(1);
    assert!(message.contains("has changed meanwhile"), "{message}");
    assert_eq!(app.show(&id).await["status"], "PendingEnrichment");
    approve(&version()).succeeded();
    assert_eq!(app.show(&id).await["status"], "approved");
}

async fn lines_that_disagree_about_a_company_settle_at_once(store: Store) {
    let app = App::quiet(store);
    let site = website();
    let body: String = (0..40)
        .map(|n| {
            let mut payload = posting(&site, if n % 2 == 0 { "Acme" } else { "ACME Ltd" });
            payload["company"]["logo_path"] = json!(format!("/{}.svg", n % 3));
            line(&format!("{site}-{n}"), &payload)
        })
        .collect();
    for round in 0..4 {
        let answer = import(&app.api, "/api/job-board/imports", body.clone()).await;
        let outcome = if round == 0 { "created" } else { "unchanged" };
        assert_eq!(answer.count(outcome), 40, "{round}: {answer:#?}");
        let company = &app.show(&format!("{site}-3")).await["company"];
        assert_eq!(
            (&company["name"], &company["logo_path"]),
            (&json!("Acme"), &json!("/0.svg"))
        );
    }
}
