//! The first push of a posting.

use serde_json::{Value, json};

use crate::harness::{App, Store, complete, fresh, minimal};

on_every_store! {
    a_new_posting_is_created_and_waits_for_enrichment,
    every_field_comes_back_as_it_was_sent,
    what_is_not_sent_reads_as_null_or_empty,
    either_way_to_apply_is_enough,
    what_a_creation_lacks_is_named,
    a_payload_of_nothing_lacks_everything_required,
    what_may_not_be_null_is_not_null_or_blank_on_creation,
    single_line_strings_are_trimmed,
    a_blank_optional_string_is_null,
    codes_are_folded_to_upper_case,
    repeated_items_are_stored_once_in_the_order_sent,
    unknown_fields_are_ignored,
    a_null_expiration_creates_as_well,
    metadata_comes_back_to_the_digit,
}

async fn a_new_posting_is_created_and_waits_for_enrichment(store: Store) {
    let app = App::quiet(store);
    let id = fresh("new");
    let uuid = app.put(&id, &complete()).await.created();

    let posting = app.show(&id).await;
    assert_eq!(posting["uuid"], json!(uuid));
    assert_eq!(posting["unique_source_identifier"], json!(id));
    assert_eq!(posting["status"], "PendingEnrichment");
    let by = format!("client:{}", app.client_id);
    let at = &posting["created_at"];
    assert_eq!(
        posting["history"],
        json!([{"status": "PendingEnrichment", "at": at, "reason": null, "by": by}])
    );
    let mut outbox = app.outbox(uuid);
    outbox.sort();
    assert_eq!(outbox, ["JobPostingCreated", "enrich"]);
}

async fn every_field_comes_back_as_it_was_sent(store: Store) {
    let app = App::quiet(store);
    let id = fresh("complete");
    let sent = complete();
    app.put(&id, &sent).await.created();

    let posting = app.show(&id).await;
    for (field, value) in sent.as_object().unwrap() {
        if field == "company" {
            for (field, value) in value.as_object().unwrap() {
                assert_eq!(&posting["company"][field], value, "company.{field}");
            }
        } else {
            assert_eq!(&posting[field], value, "{field}");
        }
    }
}

async fn what_is_not_sent_reads_as_null_or_empty(store: Store) {
    let app = App::quiet(store);
    let id = fresh("minimal");
    app.put(&id, &minimal()).await.created();

    let posting = app.show(&id).await;
    for list in ["employment_types", "location_types"] {
        assert_eq!(posting[list], json!([]), "{list}");
    }
    for field in [
        "status_reason",
        "location_country_code",
        "location_city",
        "salary_min",
        "salary_max",
        "salary_currency_code",
        "salary_period",
        "application_email",
        "metadata",
        "expiration_reason",
        "markdown_description",
        "markdown_redacted_description",
        "latitude",
        "longitude",
        "published_at",
        "expire_at",
        "expired_at",
    ] {
        assert_eq!(posting.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(posting["company"]["logo_path"], Value::Null);
    assert_eq!(posting["is_featured"], json!(false));
}

async fn either_way_to_apply_is_enough(store: Store) {
    let app = App::quiet(store);
    for (email, url) in [
        (json!("jobs@rosenhof.example"), Value::Null),
        (Value::Null, json!("https://apply.example/1")),
    ] {
        let mut payload = minimal();
        payload["application_email"] = email;
        payload["application_url"] = url;
        app.put(&fresh("apply"), &payload).await.created();
    }
}

async fn what_a_creation_lacks_is_named(store: Store) {
    let app = App::quiet(store);
    for (object, field, expect) in [
        ("", "title", "title"),
        ("", "raw_description", "raw_description"),
        ("/company", "name", "company.name"),
        ("/company", "website_url", "company.website_url"),
    ] {
        let id = fresh("lacks");
        let mut payload = minimal();
        payload
            .pointer_mut(object)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove(field);
        app.put(&id, &payload).await.refused(&[expect]);
        assert!(!app.api.exists(&id).await, "{expect}");
    }
    let mut payload = minimal();
    payload.as_object_mut().unwrap().remove("company");
    let fields = app.put(&fresh("lacks"), &payload).await.fields();
    assert!(fields.contains("company"), "{fields:?}");
    assert!(
        fields.iter().all(|field| field.starts_with("company")),
        "{fields:?}"
    );

    let mut payload = minimal();
    payload.as_object_mut().unwrap().remove("application_url");
    let fields = app.put(&fresh("lacks"), &payload).await.fields();
    assert!(!fields.is_empty(), "{fields:?}");
    assert!(
        fields.iter().all(|field| field.starts_with("application_")),
        "{fields:?}"
    );
}

async fn a_payload_of_nothing_lacks_everything_required(store: Store) {
    let app = App::quiet(store);
    let fields = app.put(&fresh("empty"), &json!({})).await.fields();
    for field in ["title", "raw_description", "company"] {
        assert!(fields.contains(field), "{field}: {fields:?}");
    }
    assert!(
        fields.iter().any(|field| field.starts_with("application_")),
        "{fields:?}"
    );
}

async fn what_may_not_be_null_is_not_null_or_blank_on_creation(store: Store) {
    let app = App::quiet(store);
    for empty in [json!(null), json!(""), json!(" \t ")] {
        for (pointer, expect) in [
            ("/title", "title"),
            ("/raw_description", "raw_description"),
            ("/company/name", "company.name"),
            ("/company/website_url", "company.website_url"),
        ] {
            let mut payload = minimal();
            *payload.pointer_mut(pointer).unwrap() = empty.clone();
            app.put(&fresh("null"), &payload).await.refused(&[expect]);
        }
    }
    let mut payload = minimal();
    payload["company"] = Value::Null;
    let fields = app.put(&fresh("null"), &payload).await.fields();
    assert!(fields.contains("company"), "{fields:?}");
}

async fn single_line_strings_are_trimmed(store: Store) {
    let app = App::quiet(store);
    let id = fresh("trim");
    let mut payload = complete();
    for pointer in [
        "/title",
        "/location_country_code",
        "/location_city",
        "/salary_currency_code",
        "/salary_period",
        "/application_email",
        "/application_url",
        "/company/name",
        "/company/website_url",
        "/company/logo_path",
    ] {
        let value = payload.pointer_mut(pointer).unwrap();
        *value = json!(format!(" \t{}\u{a0}\n", value.as_str().unwrap()));
    }
    app.put(&id, &payload).await.created();

    let posting = app.show(&id).await;
    let expect = complete();
    for field in [
        "title",
        "location_country_code",
        "location_city",
        "salary_currency_code",
        "salary_period",
        "application_email",
        "application_url",
    ] {
        assert_eq!(posting[field], expect[field], "{field}");
    }
    assert_eq!(posting["company"]["name"], "Rosenhof");
    assert_eq!(posting["company"]["logo_path"], "logos/rose.png");
}

async fn a_blank_optional_string_is_null(store: Store) {
    let app = App::quiet(store);
    let id = fresh("blank");
    let mut payload = complete();
    for field in [
        "location_country_code",
        "location_city",
        "salary_currency_code",
        "salary_period",
        "application_email",
    ] {
        payload[field] = json!("  ");
    }
    payload["company"]["logo_path"] = json!("");
    app.put(&id, &payload).await.created();

    let posting = app.show(&id).await;
    for field in [
        "location_country_code",
        "location_city",
        "salary_currency_code",
        "salary_period",
        "application_email",
    ] {
        assert_eq!(posting[field], Value::Null, "{field}");
    }
    assert_eq!(posting["company"]["logo_path"], Value::Null);
}

async fn codes_are_folded_to_upper_case(store: Store) {
    let app = App::quiet(store);
    let id = fresh("codes");
    let mut payload = complete();
    payload["location_country_code"] = json!("gB");
    payload["salary_currency_code"] = json!("gbp");
    app.put(&id, &payload).await.created();

    let posting = app.show(&id).await;
    assert_eq!(posting["location_country_code"], "GB");
    assert_eq!(posting["salary_currency_code"], "GBP");
}

async fn repeated_items_are_stored_once_in_the_order_sent(store: Store) {
    let app = App::quiet(store);
    let id = fresh("repeated");
    let mut payload = complete();
    payload["employment_types"] = json!(["internship", "contract", "internship", "full-time"]);
    payload["location_types"] = json!(["other", "other", "remote", "hybrid", "on-site"]);
    app.put(&id, &payload).await.created();

    let posting = app.show(&id).await;
    assert_eq!(
        posting["employment_types"],
        json!(["internship", "contract", "full-time"])
    );
    assert_eq!(
        posting["location_types"],
        json!(["other", "remote", "hybrid", "on-site"])
    );
}

async fn unknown_fields_are_ignored(store: Store) {
    let app = App::quiet(store);
    let id = fresh("unknown");
    let mut payload = minimal();
    payload["colour"] = json!({"nested": [1, {"deep": null}]});
    payload["company"]["employees"] = json!("many");
    app.put(&id, &payload).await.created();
    assert_eq!(app.show(&id).await.get("colour"), None);
}

async fn a_null_expiration_creates_as_well(store: Store) {
    let app = App::quiet(store);
    let mut payload = minimal();
    payload["expiration"] = Value::Null;
    app.put(&fresh("open"), &payload).await.created();
}

async fn metadata_comes_back_to_the_digit(store: Store) {
    const METADATA: &str = r#"{"z":1.50,"a":12345678901234567890123,"e":1e2,"é":"\u00e9 🦀"}"#;
    let app = App::quiet(store);
    let id = fresh("metadata");
    let mut payload = minimal();
    payload["metadata"] = json!("here");
    let body = payload.to_string().replace(r#""here""#, METADATA);
    app.api.put_text(&id, body).await.created();
    let answer = app.api.get(&crate::harness::Api::path(&id)).await;
    assert!(
        answer.body.contains(&format!(r#""metadata":{METADATA}"#)),
        "{}",
        answer.body
    );
}
