//! A push to a posting that is there: what is sent is set, what is not stays.

use serde_json::{Value, json};

use crate::harness::{App, Store, complete, fresh, minimal};

on_every_store! {
    a_second_push_updates_the_same_posting,
    one_field_is_set_and_all_others_are_kept,
    a_field_that_is_set_can_be_cleared,
    what_is_required_cannot_be_cleared,
    lists_and_metadata_are_replaced_as_a_whole,
    an_update_keeps_the_status,
    the_salary_is_checked_with_what_is_stored,
    the_last_way_to_apply_cannot_be_cleared,
    a_refused_update_applies_nothing,
}

async fn a_second_push_updates_the_same_posting(store: Store) {
    let app = App::quiet(store);
    let id = fresh("twice");
    let created = app.put(&id, &minimal()).await.created();
    let updated = app
        .put(&id, &json!({"title": "Head gardener"}))
        .await
        .updated();
    assert_eq!(created, updated);
    assert_eq!(
        app.events(created),
        ["JobPostingCreated", "JobPostingUpdated"]
    );
    assert_eq!(app.show(&id).await["title"], "Head gardener");
}

async fn one_field_is_set_and_all_others_are_kept(store: Store) {
    let app = App::quiet(store);
    let id = fresh("partial");
    app.put(&id, &complete()).await.created();
    for (field, value) in [
        ("title", json!("Tree surgeon")),
        ("raw_description", json!("<p>Another description.</p>")),
        ("employment_types", json!(["contract"])),
        ("location_types", json!(["hybrid", "remote"])),
        ("location_country_code", json!("AT")),
        ("location_city", json!("Wien")),
        ("salary_min", json!(0)),
        ("salary_max", json!(9_007_199_254_740_991_i64)),
        ("salary_currency_code", json!("CHF")),
        ("salary_period", json!("hourly")),
        ("application_email", json!("people@rosenhof.example")),
        ("application_url", json!("http://apply.example/2")),
        ("metadata", json!({"other": true})),
        ("expiration_reason", json!("filled")),
    ] {
        let before = app.show(&id).await;
        app.put(&id, &json!({field: value})).await.updated();
        let mut after = app.show(&id).await;
        assert_eq!(after[field], value, "{field}");
        for changed in [field, "updated_at"] {
            assert_ne!(after[changed], before[changed], "{field}: {changed}");
            after[changed] = before[changed].clone();
        }
        assert_eq!(after, before, "{field}");
    }
}

async fn a_field_that_is_set_can_be_cleared(store: Store) {
    let app = App::quiet(store);
    for field in [
        "employment_types",
        "location_types",
        "location_country_code",
        "location_city",
        "salary_min",
        "salary_max",
        "salary_currency_code",
        "salary_period",
        "application_email",
        "application_url",
        "metadata",
        "expiration_reason",
    ] {
        let id = fresh("clear");
        let mut payload = complete();
        payload["expiration_reason"] = json!("filled");
        app.put(&id, &payload).await.created();
        app.put(&id, &json!({field: null})).await.updated();
        let empty = if field.ends_with("_types") {
            json!([])
        } else {
            Value::Null
        };
        assert_eq!(app.show(&id).await[field], empty, "{field}");
    }
}

async fn what_is_required_cannot_be_cleared(store: Store) {
    let app = App::quiet(store);
    let id = fresh("required");
    app.put(&id, &complete()).await.created();
    for empty in [json!(null), json!(""), json!("\u{a0} ")] {
        app.put(&id, &json!({"title": empty}))
            .await
            .refused(&["title"]);
        app.put(&id, &json!({"raw_description": empty}))
            .await
            .refused(&["raw_description"]);
        app.put(&id, &json!({"company": {"name": empty}}))
            .await
            .refused(&["company.name"]);
        app.put(&id, &json!({"company": {"website_url": empty}}))
            .await
            .refused(&["company.website_url"]);
    }
    app.put(&id, &json!({"company": null}))
        .await
        .refused(&["company"]);
}

async fn lists_and_metadata_are_replaced_as_a_whole(store: Store) {
    let app = App::quiet(store);
    let id = fresh("replace");
    app.put(&id, &complete()).await.created();
    let patch = json!({"employment_types": ["contract"], "location_types": [], "metadata": {"b": {"c": 1}}});
    app.put(&id, &patch).await.updated();
    let posting = app.show(&id).await;
    assert_eq!(posting["employment_types"], json!(["contract"]));
    assert_eq!(posting["location_types"], json!([]));
    assert_eq!(posting["metadata"], json!({"b": {"c": 1}}));
    app.put(&id, &json!({"metadata": {}})).await.updated();
    assert_eq!(app.show(&id).await["metadata"], json!({}));
}

async fn an_update_keeps_the_status(store: Store) {
    let app = App::quiet(store);
    for status in ["PendingEnrichment", "approved", "rejected", "expired"] {
        let id = fresh("keeps");
        app.put(&id, &minimal()).await.created();
        match status {
            "approved" => app.approve(&id),
            "rejected" => app.reject(&id, "not a job"),
            "expired" => {
                app.put(&id, &json!({"expiration": {}})).await.updated();
            }
            _ => {}
        }
        app.put(&id, &json!({"salary_min": 5})).await.updated();
        let posting = app.show(&id).await;
        assert_eq!(
            (&posting["status"], &posting["salary_min"]),
            (&json!(status), &json!(5))
        );
        // `null` reopens only what is expired.
        if status != "expired" {
            app.put(&id, &json!({"salary_min": 6, "expiration": null}))
                .await
                .updated();
            assert_eq!(app.show(&id).await["status"], status);
        }
    }
}

async fn the_salary_is_checked_with_what_is_stored(store: Store) {
    let app = App::quiet(store);
    let mut payload = complete();
    payload["salary_min"] = json!(11);
    payload["salary_max"] = json!(10);
    app.put(&fresh("salary"), &payload)
        .await
        .refused(&["salary_max"]);

    let id = fresh("salary");
    payload["salary_min"] = json!(10);
    app.put(&id, &payload).await.created();
    for patch in [
        json!({"salary_min": 11}),
        json!({"salary_max": 9}),
        json!({"salary_min": 30, "salary_max": 29}),
    ] {
        let fields = app.put(&id, &patch).await.fields();
        assert!(
            fields.contains("salary_max") || fields.contains("salary_min"),
            "{patch}"
        );
        assert!(
            fields.iter().all(|field| field.starts_with("salary_m")),
            "{patch}: {fields:?}"
        );
    }
    for patch in [
        json!({"salary_min": 20, "salary_max": 20}),
        json!({"salary_max": null}),
        json!({"salary_min": 21}),
        json!({"salary_min": null, "salary_max": 1}),
    ] {
        app.put(&id, &patch).await.updated();
    }
}

async fn the_last_way_to_apply_cannot_be_cleared(store: Store) {
    let app = App::quiet(store);
    let id = fresh("apply");
    app.put(&id, &complete()).await.created();
    let both = json!({"application_email": null, "application_url": ""});
    let fields = app.put(&id, &both).await.fields();
    assert!(
        fields.iter().all(|field| field.starts_with("application_")),
        "{fields:?}"
    );
    app.put(&id, &json!({"application_email": null}))
        .await
        .updated();
    app.put(&id, &json!({"application_url": null}))
        .await
        .fields();
    let swapped = json!({"application_email": "a@rosenhof.example", "application_url": null});
    app.put(&id, &swapped).await.updated();
}

async fn a_refused_update_applies_nothing(store: Store) {
    let app = App::quiet(store);
    let id = fresh("atomic");
    let uuid = app.put(&id, &complete()).await.created();
    let (before, outbox) = (app.show(&id).await, app.outbox(uuid));
    for patch in [
        json!({"title": "Changed", "salary_min": "5"}),
        json!({"title": "Changed", "salary_min": 50_000}),
        json!({"title": "Changed", "expire_at": null}),
        json!({"company": {"name": "Changed"}, "application_email": null, "application_url": null}),
        json!({"title": "Changed", "company": {"website_url": "https://unknown.example/nobody"}}),
    ] {
        app.put(&id, &patch).await.fields();
        assert_eq!(app.show(&id).await, before, "{patch}");
        assert_eq!(app.outbox(uuid), outbox, "{patch}");
    }
}
