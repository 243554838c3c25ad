//! Enrichment of a posting after the push.

use futures_util::future::join_all;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{
    App, Site, Store, complete, fresh,
    import::{IMPORTS, import},
    minimal, outbox_is_empty,
};

on_every_store! {
    a_good_posting_is_approved_with_its_texts_and_place,
    changed_content_is_enriched_anew_while_the_old_stays_visible,
    events_are_in_order,
    many_postings_are_all_enriched,
    a_worker_of_its_own_enriches_too,
    names_that_a_company_had_are_hidden,
    copies_are_marked_while_the_first_is_open,
}

on_sqlite! {
    the_demos_postings_are_json_ld_that_tells_the_employer_or_does_not,
}

async fn a_good_posting_is_approved_with_its_texts_and_place(store: Store) {
    let app = App::shared(store);
    let id = fresh("good");
    app.put(&id, &complete()).await.created();
    let posting = app.api.until(&id, "approved").await;

    let markdown = posting["markdown_description"].as_str().unwrap();
    assert!(markdown.contains("**gardener**"), "{markdown}");
    assert!(
        markdown.contains("Thirty days of leave") && !markdown.contains('<'),
        "{markdown}"
    );
    assert!(
        posting["markdown_redacted_description"]
            .as_str()
            .unwrap()
            .contains("gardener")
    );
    let (latitude, longitude) = (
        posting["latitude"].as_f64().unwrap(),
        posting["longitude"].as_f64().unwrap(),
    );
    assert!(
        (latitude - 52.5).abs() < 0.5 && (longitude - 13.4).abs() < 0.5,
        "{posting}"
    );

    let time = |key: &str| OffsetDateTime::parse(posting[key].as_str().unwrap(), &Rfc3339).unwrap();
    assert_eq!(time("expire_at") - time("published_at"), Duration::days(60));
    assert_eq!(posting["status_reason"], Value::Null);
    let history = posting["history"].as_array().unwrap();
    assert_eq!(history.len(), 2, "{posting}");
    assert_eq!(history[1]["status"], "approved");
    assert_eq!(history[1]["by"], "enricher");
    assert_eq!(history[1]["at"], posting["published_at"]);
}

async fn changed_content_is_enriched_anew_while_the_old_stays_visible(store: Store) {
    let app = App::shared(store);
    let id = fresh("changed");
    app.put(&id, &complete()).await.created();
    let before = app.api.until(&id, "approved").await;
    let patch = json!({
        "raw_description": "<p>Now we are looking for a <em>florist</em> who binds wreaths and \
            bouquets for weddings, decorates halls, and advises customers in the shop.</p>",
        "location_city": "Hamburg",
    });
    app.put(&id, &patch).await.updated();
    // The posting stays visible, with the old text until there is a new one.
    let posting = app.show(&id).await;
    assert_eq!(posting["status"], "approved");
    assert_ne!(posting["markdown_description"], Value::Null);
    let after = app
        .api
        .once(&id, "has the new text", |posting| {
            assert_eq!(posting["status"], "approved");
            posting["markdown_description"]
                .as_str()
                .unwrap()
                .contains("florist")
        })
        .await;
    assert!(
        (after["latitude"].as_f64().unwrap() - 53.55).abs() < 0.5,
        "{after}"
    );
    assert_eq!(after["published_at"], before["published_at"]);
    assert_eq!(after["history"], before["history"]);
}

async fn events_are_in_order(store: Store) {
    let app = App::shared(store);
    let id = fresh("events");
    let uuid = app.put(&id, &minimal()).await.created();
    app.api.until(&id, "approved").await;
    app.put(&id, &json!({"salary_min": 1})).await.updated();
    app.put(&id, &json!({"expiration": {}})).await.updated();
    app.put(&id, &json!({"expiration": null})).await.updated();
    app.api.until(&id, "approved").await;
    let expect = [
        "JobPostingCreated",
        "JobPostingApproved",
        "JobPostingUpdated",
        "JobPostingExpired",
        "JobPostingReopened",
        "JobPostingApproved",
    ];
    app.until_events(uuid, &expect).await;
}

async fn many_postings_are_all_enriched(store: Store) {
    let app = App::shared(store);
    let ids: Vec<String> = (0..100).map(|_| fresh("many")).collect();
    join_all(
        ids.iter()
            .map(|id| async { app.put(id, &minimal()).await.created() }),
    )
    .await;
    for id in &ids {
        app.api.until(id, "approved").await;
    }
}

async fn a_worker_of_its_own_enriches_too(store: Store) {
    let site = Site::new(store);
    let _api = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let id = fresh("apart");
    app.put(&id, &minimal()).await.created();
    assert_eq!(app.show(&id).await["status"], "PendingEnrichment");
    let _worker = app.site.work();
    app.api.until(&id, "approved").await;
    // Also a posting that is pushed while the worker runs.
    let id = fresh("apart");
    app.put(&id, &minimal()).await.created();
    app.api.until(&id, "approved").await;
}

/// Postings pushed together on one website, each with another name; then the company is renamed.
async fn names_that_a_company_had_are_hidden(store: Store) {
    let app = App::shared(store);
    let website = format!("https://{}.example", fresh("names"));
    let names = ["Fjellvik", "Havgard", "Skogbrink", "Elvestad"];
    let body = |title: &str, name: &str, company: &str| {
        let mut body = minimal();
        body["title"] = json!(format!("{title} at {name}"));
        body["raw_description"] =
            json!(format!("<p>{name} wants a cook. At {name} you grill.</p>"));
        body["company"] = json!({ "name": company, "website_url": website });
        body
    };
    let ids = names.map(|name| (fresh("named"), name));
    join_all(ids.iter().map(async |(id, name)| {
        app.put(id, &body("Cook", name, name)).await.created();
    }))
    .await;
    for (id, _) in &ids {
        app.api.until(id, "approved").await;
    }
    for (id, name) in &ids {
        app.put(id, &body("Chef", name, "Dalheim")).await;
    }
    for (id, _) in &ids {
        let is_new = |posting: &Value| posting["redacted_title"] == "Chef at [company]";
        let posting = app.api.once(id, "new texts", is_new).await;
        let text = posting["markdown_redacted_description"].as_str().unwrap();
        assert_eq!(text, "[company] wants a cook. At [company] you grill.");
    }
}

/// Under other identifiers, with other numbers and markup; a copy in another city is none.
async fn copies_are_marked_while_the_first_is_open(store: Store) {
    let app = App::shared(store);
    let first = complete();
    let mut copy = first.clone();
    let text = first["raw_description"].as_str().unwrap();
    copy["raw_description"] = json!(format!("<div>{text}<p>Ref. 4711</p></div>"));
    copy["title"] = json!(first["title"].as_str().unwrap().to_uppercase());
    let mut elsewhere = first.clone();
    elsewhere["location_city"] = json!("Potsdam");

    let ids = ["first", "copy", "elsewhere"].map(fresh);
    let mut uuids = Vec::new();
    for (id, body) in ids.iter().zip([&first, &copy, &elsewhere]) {
        app.put(id, body).await.created();
        uuids.push(app.api.until(id, "approved").await["uuid"].clone());
    }
    for (id, original) in ids.iter().zip([Value::Null, uuids[0].clone(), Value::Null]) {
        let is_marked = |posting: &Value| posting["duplicate_of"] == original;
        app.api.once(id, "its original", is_marked).await;
    }

    app.put(&ids[0], &json!({"expiration": {}})).await;
    let is_none = |posting: &Value| posting["duplicate_of"].is_null();
    app.api.once(&ids[1], "no original", is_none).await;
}

async fn the_demos_postings_are_json_ld_that_tells_the_employer_or_does_not(store: Store) {
    const SAMPLES: &str = include_str!("../../../crates/app/src/demo/samples.ndjson");
    let site = Site::new(store);
    let _server = site.serve(&[]);
    let app = App::at(site);
    import(&app.api, IMPORTS, SAMPLES).await.complete();
    outbox_is_empty(&app).await;
    let list = async |query: &str| {
        let export = app.api.get(&format!("/api/job-board/export?{query}")).await;
        let lines = export.body.lines();
        let lines = lines.map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let approved = list("status=approved").await;
    let hidden = list("form=jsonld").await;
    let shown = list("form=jsonld&identity=shown").await;
    assert!(approved.len() > 20, "{}", approved.len());
    assert_eq!(
        (hidden.len(), shown.len()),
        (approved.len(), approved.len())
    );
    for ((posting, hidden), shown) in approved.iter().zip(&hidden).zip(&shown) {
        assert_eq!(hidden["identifier"], posting["uuid"]);
        assert_eq!(
            shown["identifier"]["value"],
            posting["unique_source_identifier"]
        );
        assert_eq!(
            shown["hiringOrganization"]["sameAs"],
            posting["company"]["website_url"]
        );
        for job in [hidden, shown] {
            assert_eq!(job["datePosted"], posting["published_at"]);
            assert!(
                job["description"].as_str().unwrap().starts_with('<'),
                "{job}"
            );
        }
        let host = posting["company"]["website_url"].as_str().unwrap();
        let host = host.rsplit('/').next().unwrap().trim_start_matches("www.");
        let company = &posting["company"];
        let told = [
            &company["name"],
            &company["logo_path"],
            &posting["application_email"],
            &posting["application_url"],
            &posting["unique_source_identifier"],
        ];
        let told = told.into_iter().filter_map(Value::as_str);
        let document = hidden.to_string().to_lowercase();
        for told in told.chain([host]) {
            assert!(
                !document.contains(&told.to_lowercase()),
                "{told} in {hidden}"
            );
        }
    }
}
