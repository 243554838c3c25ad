//! Requests of the membership system that are refused.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Answer, App, Store, encode,
    newsletter::{Newsletter, membership, person, put},
};

on_every_store! {
    every_error_is_in_one_answer,
    each_field_has_its_rules,
    what_is_no_address_is_refused,
    nothing_of_a_refused_report_is_taken,
    who_was_never_reported_is_not_found,
    a_token_with_the_scope_is_needed,
    bodies_and_methods_are_refused_as_elsewhere,
}

async fn every_error_is_in_one_answer(store: Store) {
    let app = App::quiet(store);
    let body = json!({
        "name": 5,
        "country": "x".repeat(256),
        "membership": {"plan_category": "family", "expires_at": "31.01.2027"},
    });
    put(&app.api, "nobody", &body).await.refused(&[
        "email",
        "name",
        "country",
        "membership.plan_category",
        "membership.status",
        "membership.expires_at",
    ]);
}

async fn each_field_has_its_rules(store: Store) {
    let app = App::quiet(store);
    let email = person();
    let of = |key: &str, value: Value| {
        let mut body = membership("team", "active", None);
        body["membership"][key] = value;
        body
    };
    for (body, field) in [
        (json!({"name": "x".repeat(256)}), "name"),
        (json!({"name": "a\u{0}b"}), "name"),
        (json!({"name": ["Ada"]}), "name"),
        (json!({"country": true}), "country"),
        (json!({"country": "a\u{0}b"}), "country"),
        (json!({"membership": "team"}), "membership"),
        (json!({"membership": []}), "membership"),
        (of("plan_category", Value::Null), "membership.plan_category"),
        (
            of("plan_category", json!("Team")),
            "membership.plan_category",
        ),
        (
            of("plan_category", json!("non-member")),
            "membership.plan_category",
        ),
        (
            of("status", json!("active-or-expired")),
            "membership.status",
        ),
        (of("status", json!(1)), "membership.status"),
        (
            of("expires_at", json!("2027-02-29")),
            "membership.expires_at",
        ),
        (
            of("expires_at", json!("2027-1-31")),
            "membership.expires_at",
        ),
        (
            of("expires_at", json!("2027-01-31T00:00:00Z")),
            "membership.expires_at",
        ),
        (of("expires_at", json!(20_270_131)), "membership.expires_at"),
    ] {
        put(&app.api, &email, &body).await.refused(&[field]);
    }
    // Lengths count characters.
    let longest = json!({"name": "ü".repeat(255), "country": "🌹".repeat(255)});
    assert_eq!(put(&app.api, &email, &longest).await.status, 201);
    let leap = of("expires_at", json!("2028-02-29"));
    assert_eq!(put(&app.api, &email, &leap).await.status, 200);
}

async fn what_is_no_address_is_refused(store: Store) {
    let app = App::quiet(store);
    let long = format!("{}@{}.example", "x".repeat(64), "y".repeat(190));
    for segment in [
        "nobody",
        "%20",
        "@example.com",
        "ada@",
        "a%20b@example.com",
        "a@b@example.com",
        "ada@example.com%00",
        "%FF@example.com",
        "",
        &long,
    ] {
        let path = format!("/api/newsletter/subscribers/{segment}");
        for method in [Method::GET, Method::PUT] {
            let request = app.api.authorized(method, &path).json(&json!({}));
            let answer = Answer::of(request.send().await.unwrap()).await;
            answer.refused(&["email"]);
        }
    }
}

async fn nothing_of_a_refused_report_is_taken(store: Store) {
    let app = App::quiet(store);
    let email = person();
    let bad = json!({"name": "Ada", "country": 5});
    put(&app.api, &email, &bad).await.refused(&["country"]);
    let path = Newsletter::path(&email);
    app.api.get(&path).await.error(404);
    put(&app.api, &email, &json!({"name": "Ada"})).await;
    let bad = json!({"name": "Eve", "membership": {"plan_category": "team"}});
    put(&app.api, &email, &bad)
        .await
        .refused(&["membership.status"]);
    assert_eq!(app.api.get(&path).await.data()["name"], "Ada");
}

async fn who_was_never_reported_is_not_found(store: Store) {
    let app = App::quiet(store);
    let answer = app.api.get(&Newsletter::path(&person())).await;
    assert_eq!(answer.error(404), "Newsletter subscriber not found.");
}

async fn a_token_with_the_scope_is_needed(store: Store) {
    let app = App::quiet(store);
    let path = Newsletter::path(&person());
    for method in [Method::GET, Method::PUT] {
        let ask = |request: reqwest::RequestBuilder| async {
            Answer::of(request.json(&json!({})).send().await.unwrap()).await
        };
        ask(app.api.request(method.clone(), &path)).await.error(401);
        let forged = app.api.with_token("forged");
        ask(forged.authorized(method.clone(), &path))
            .await
            .error(401);
        for scope in ["job-postings:write", "job-postings:read"] {
            let other = app.restricted(scope);
            let answer = ask(other.authorized(method.clone(), &path)).await;
            answer.error(403);
            let challenge = answer.header("www-authenticate");
            assert!(challenge.contains("insufficient_scope"), "{challenge}");
        }
    }
    let only = app.restricted("newsletter-subscribers:write");
    assert_eq!(put(&only, &person(), &json!({})).await.status, 201);
    // And it opens nothing else.
    only.get("/api/job-board/job-postings").await.error(403);
}

async fn bodies_and_methods_are_refused_as_elsewhere(store: Store) {
    let app = App::quiet(store);
    let path = Newsletter::path(&person());
    let send = |kind: &'static str, body: String| {
        let request = app.api.authorized(Method::PUT, &path);
        let request = request.header("content-type", kind).body(body);
        async { Answer::of(request.send().await.unwrap()).await }
    };
    for body in ["", "{", "{} {}", "name=Ada"] {
        send("application/json", body.to_owned()).await.error(400);
    }
    for body in ["[]", "5", "null", "\"Ada\""] {
        let answer = send("application/json", body.to_owned()).await;
        assert!([400, 422].contains(&answer.status), "{body}: {answer:#?}");
    }
    send("text/plain", "{}".to_owned()).await.error(415);
    let large = json!({"name": "x".repeat(1_100_000)}).to_string();
    send("application/json", large).await.error(413);
    for method in [Method::POST, Method::PATCH] {
        let request = app.api.authorized(method, &path);
        let answer = Answer::of(request.send().await.unwrap()).await;
        answer.error(405);
        assert_eq!(answer.header("allow"), "DELETE, GET, HEAD, PUT");
    }
    app.api.get(&path).await.error(404);
    // What an address may have in it is no path.
    let slash = encode("a/b@example.com");
    let answer = app
        .api
        .get(&format!("/api/newsletter/subscribers/{slash}"))
        .await;
    assert!([404, 422].contains(&answer.status), "{answer:#?}");
}
