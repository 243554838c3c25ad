//! Companies are upserted with the postings that name them, matched by website.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{App, Store, fresh, minimal, website};

on_every_store! {
    a_companys_uuid_is_derived_from_its_normalised_website,
    websites_that_normalise_to_one_are_one_company,
    websites_that_differ_are_different_companies,
    a_known_company_is_updated_by_a_new_posting,
    without_a_website_the_postings_company_is_updated,
    absent_company_fields_are_kept_and_null_clears,
    a_posting_moves_to_a_known_company_without_its_name,
    a_posting_moves_to_a_new_company_with_its_name,
    moving_to_a_new_company_needs_a_name,
    a_companys_new_name_is_seen_on_all_of_its_postings_and_touches_none,
}

/// A minimal posting of a company.
fn posting_of(company: Value) -> Value {
    let mut payload = minimal();
    payload["company"] = company;
    payload
}

fn derived(website: &str) -> Value {
    json!(Uuid::new_v5(&Uuid::NAMESPACE_URL, website.as_bytes()))
}

async fn a_companys_uuid_is_derived_from_its_normalised_website(store: Store) {
    let app = App::quiet(store);
    let host = fresh("derived").to_lowercase();
    for (sent, normal) in [
        (
            format!("https://{host}.example"),
            format!("https://{host}.example"),
        ),
        (
            format!("HTTPS://{}.EXAMPLE:443/", host.to_uppercase()),
            format!("https://{host}.example"),
        ),
        (
            format!("http://{host}.example:80/a/../b/./"),
            format!("http://{host}.example/b"),
        ),
        (
            format!("https://{host}.example/%7ejobs/%41%2f%c3%a9"),
            format!("https://{host}.example/~jobs/A%2F%C3%A9"),
        ),
        (
            format!("https://{host}.example/jobs#about"),
            format!("https://{host}.example/jobs"),
        ),
        (
            format!("https://{host}.example:8443/Jobs/"),
            format!("https://{host}.example:8443/Jobs"),
        ),
        (
            format!("https://{host}.example/?a=b%2fc"),
            format!("https://{host}.example?a=b%2Fc"),
        ),
    ] {
        let id = fresh("derived");
        app.put(&id, &posting_of(json!({"name": "A", "website_url": sent})))
            .await
            .created();
        assert_eq!(
            app.show(&id).await["company"]["uuid"],
            derived(&normal),
            "{sent}"
        );
    }
}

async fn websites_that_normalise_to_one_are_one_company(store: Store) {
    let app = App::quiet(store);
    let host = fresh("one").to_lowercase();
    let mut uuids = Vec::new();
    for sent in [
        format!("https://{host}.example/jobs"),
        format!("https://{host}.example/jobs/"),
        format!("HTTPS://{host}.Example/jobs"),
        format!("https://{host}.example:443/jobs"),
        format!("https://{host}.example/./x/../jobs"),
        format!("https://{host}.example/%6aobs"),
        format!("https://{host}.example/jobs#top"),
    ] {
        let id = fresh("one");
        app.put(
            &id,
            &posting_of(json!({"name": "One", "website_url": sent})),
        )
        .await
        .created();
        uuids.push(app.show(&id).await["company"]["uuid"].clone());
    }
    uuids.dedup();
    assert_eq!(uuids.len(), 1);
}

async fn websites_that_differ_are_different_companies(store: Store) {
    let app = App::quiet(store);
    let host = fresh("many").to_lowercase();
    let mut uuids = Vec::new();
    for sent in [
        format!("https://{host}.example/jobs"),
        format!("http://{host}.example/jobs"),
        format!("https://{host}.example/Jobs"),
        format!("https://{host}.example:444/jobs"),
        format!("https://www.{host}.example/jobs"),
        format!("https://{host}.example/jobs?a=b"),
        format!("https://{host}.example/jobs%2F"),
    ] {
        let id = fresh("many");
        app.put(
            &id,
            &posting_of(json!({"name": "Many", "website_url": sent})),
        )
        .await
        .created();
        uuids.push(app.show(&id).await["company"]["uuid"].to_string());
    }
    let all = uuids.len();
    uuids.sort();
    uuids.dedup();
    assert_eq!(uuids.len(), all);
}

async fn a_known_company_is_updated_by_a_new_posting(store: Store) {
    let app = App::quiet(store);
    let website = website();
    let (first, second) = (fresh("first"), fresh("second"));
    let company = json!({"name": "Old", "website_url": website, "logo_path": "old.png"});
    app.put(&first, &posting_of(company)).await.created();
    // The last writer wins, but only what it writes.
    app.put(
        &second,
        &posting_of(json!({"name": "New", "website_url": website})),
    )
    .await
    .created();
    let company = app.show(&first).await["company"].clone();
    assert_eq!(company["name"], "New");
    assert_eq!(company["logo_path"], "old.png");
    assert_eq!(app.show(&second).await["company"], company);
}

async fn without_a_website_the_postings_company_is_updated(store: Store) {
    let app = App::quiet(store);
    let id = fresh("own");
    let payload = minimal();
    app.put(&id, &payload).await.created();
    let before = app.show(&id).await["company"].clone();
    let patch = json!({"company": {"name": "Rosengarten", "logo_path": "rose.svg"}});
    app.put(&id, &patch).await.updated();
    let after = app.show(&id).await["company"].clone();
    assert_eq!(after["uuid"], before["uuid"]);
    assert_eq!(after["website_url"], before["website_url"]);
    assert_eq!(
        (&after["name"], &after["logo_path"]),
        (&json!("Rosengarten"), &json!("rose.svg"))
    );
}

async fn absent_company_fields_are_kept_and_null_clears(store: Store) {
    let app = App::quiet(store);
    let id = fresh("logo");
    let company = json!({"name": "Logo", "website_url": website(), "logo_path": "a.png"});
    app.put(&id, &posting_of(company)).await.created();
    app.put(&id, &json!({"company": {"name": "Logo & Co"}}))
        .await
        .updated();
    assert_eq!(app.show(&id).await["company"]["logo_path"], "a.png");
    app.put(&id, &json!({"company": {"logo_path": null}}))
        .await
        .updated();
    let company = app.show(&id).await["company"].clone();
    assert_eq!(
        (&company["name"], &company["logo_path"]),
        (&json!("Logo & Co"), &Value::Null)
    );
}

async fn a_posting_moves_to_a_known_company_without_its_name(store: Store) {
    let app = App::quiet(store);
    let (from, to) = (website(), website());
    let (moves, stays) = (fresh("moves"), fresh("stays"));
    app.put(
        &moves,
        &posting_of(json!({"name": "From", "website_url": from})),
    )
    .await
    .created();
    app.put(
        &stays,
        &posting_of(json!({"name": "To", "website_url": to})),
    )
    .await
    .created();
    app.put(&moves, &json!({"company": {"website_url": to}}))
        .await
        .updated();
    let company = app.show(&moves).await["company"].clone();
    assert_eq!(company, app.show(&stays).await["company"]);
    assert_eq!(company["name"], "To");
    // The other one is as it was.
    let third = fresh("third");
    app.put(
        &third,
        &posting_of(json!({"name": "From", "website_url": from})),
    )
    .await
    .created();
    assert_eq!(app.show(&third).await["company"]["uuid"], derived(&from));
}

async fn a_posting_moves_to_a_new_company_with_its_name(store: Store) {
    let app = App::quiet(store);
    let id = fresh("moves");
    app.put(&id, &minimal()).await.created();
    let to = website();
    app.put(
        &id,
        &json!({"company": {"website_url": to, "name": "New home"}}),
    )
    .await
    .updated();
    let company = app.show(&id).await["company"].clone();
    assert_eq!(
        (&company["uuid"], &company["name"]),
        (&derived(&to), &json!("New home"))
    );
}

async fn moving_to_a_new_company_needs_a_name(store: Store) {
    let app = App::quiet(store);
    let id = fresh("nameless");
    app.put(&id, &minimal()).await.created();
    let before = app.show(&id).await;
    let patch = json!({"title": "Changed", "company": {"website_url": website()}});
    app.put(&id, &patch).await.refused(&["company.name"]);
    assert_eq!(app.show(&id).await, before);
}

async fn a_companys_new_name_is_seen_on_all_of_its_postings_and_touches_none(store: Store) {
    let app = App::quiet(store);
    let website = website();
    let (first, second) = (fresh("first"), fresh("second"));
    let company = json!({"name": "Before", "website_url": website});
    app.put(&first, &posting_of(company.clone()))
        .await
        .created();
    let uuid = app.put(&second, &posting_of(company)).await.created();
    let (before, outbox) = (app.show(&second).await, app.outbox(uuid));
    app.put(&first, &json!({"company": {"name": "After"}}))
        .await
        .updated();
    let mut after = app.show(&second).await;
    assert_eq!(after["company"]["name"], "After");
    after["company"]["name"] = before["company"]["name"].clone();
    assert_eq!(after, before);
    assert_eq!(app.outbox(uuid), outbox);
    let company = before["company"]["uuid"].as_str().unwrap();
    let company = company.parse().unwrap();
    assert_eq!(app.outbox(company), ["CompanyUpdated"]);
}
