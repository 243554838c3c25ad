//! The pages behind the link in the e-mail.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::harness::{
    Answer, Store,
    mailerlite::Account,
    newsletter::{CONFIRM, Newsletter, confirm, person},
};

on_every_store! {
    the_link_shows_a_button_and_changes_nothing,
    the_button_leads_to_the_end,
    the_other_button_unsubscribes_in_both_accounts,
    programs_may_send_json,
    a_link_of_nobody_is_a_page_to_a_browser_and_json_to_a_program,
    who_has_moved_is_led_on,
    the_pages_keep_their_addresses_to_themselves,
}

const CONFIRMED: &str = "/newsletter/migration-confirmed";
/// What browsers send.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn ask(request: RequestBuilder) -> Answer {
    Answer::of(request.send().await.unwrap()).await
}

/// Somebody who has an e-mail with a link, whose token it gives.
async fn invited(newsletter: &Newsletter) -> (String, String) {
    let email = person();
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    let token = newsletter.token_of(&email);
    (email, token)
}

fn link(token: &str) -> String {
    format!("{CONFIRM}?token={token}&utm_source=mail")
}

async fn the_link_shows_a_button_and_changes_nothing(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    let before = newsletter.show(&email).await;
    for method in [Method::GET, Method::HEAD] {
        for accept in [BROWSER, "*/*", "application/json"] {
            let request = api.request(method.clone(), &link(&token));
            let answer = ask(request.header("accept", accept)).await;
            assert_eq!(answer.status, 200, "{answer:#?}");
            assert!(answer.header("content-type").starts_with("text/html"));
            if method == Method::HEAD {
                assert_eq!(answer.body, "");
                continue;
            }
            let form = r#"<form method="post" action="/newsletter/confirm-migration">"#;
            assert!(answer.body.contains(form), "{}", answer.body);
            let field = format!(r#"<input type="hidden" name="token" value="{token}">"#);
            assert!(answer.body.contains(&field), "{}", answer.body);
            for action in ["confirm", "unsubscribe"] {
                let button = format!(r#"<button type="submit" name="action" value="{action}">"#);
                assert!(answer.body.contains(&button), "{}", answer.body);
            }
            assert!(!answer.body.contains("<script"));
        }
    }
    for method in [Method::OPTIONS, Method::PUT, Method::DELETE] {
        let answer = ask(api.request(method, &link(&token))).await;
        answer.error(405);
    }
    newsletter.settled(&email).await;
    assert_eq!(newsletter.show(&email).await, before);
    assert_eq!(before["mailerlite_account"], "old");
    assert!(newsletter.calls(Account::New, &email).is_empty());
}

async fn the_button_leads_to_the_end(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    let answer = newsletter.confirm(&token).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
    assert_eq!(answer.header("location"), CONFIRMED);
    let record = newsletter.show(&email).await;
    assert_eq!(record["mailerlite_account"], "new");
    assert_eq!(record["migration_source"], "email_confirmation");
    assert!(record["migrated_at"].is_string());
    for accept in [BROWSER, "*/*"] {
        let request = api.request(Method::GET, CONFIRMED);
        let page = ask(request.header("accept", accept)).await;
        assert_eq!(page.status, 200);
        assert!(page.header("content-type").starts_with("text/html"));
        assert!(page.body.contains("<h1>"), "{}", page.body);
        // The style that it names is served here too.
        let style = page.body.split("rel=\"stylesheet\" href=\"").nth(1);
        let style = style.unwrap().split('"').next().unwrap();
        let style = ask(api.request(Method::GET, style)).await;
        assert!(style.header("content-type").starts_with("text/css"));
    }
    newsletter.settled(&email).await;
}

async fn the_other_button_unsubscribes_in_both_accounts(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    newsletter
        .provider
        .add(Account::New, &json!({"email": email}));
    let leave = api
        .request(Method::POST, CONFIRM)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("token={token}&action=unsubscribe"));
    let answer = ask(leave).await;
    assert_eq!(answer.status, 303, "{answer:#?}");
    assert_eq!(answer.header("location"), "/newsletter/unsubscribed");
    newsletter.settled(&email).await;
    for account in [Account::Old, Account::New] {
        let person = newsletter.provider.subscriber(account, &email).unwrap();
        assert_eq!(person["status"], "unsubscribed", "{account:?}");
    }
    // From then on the link says so, and the button moves nobody.
    let again = ask(api.request(Method::GET, &link(&token))).await;
    for answer in [again, newsletter.confirm(&token).await] {
        assert_eq!(answer.status, 303);
        assert_eq!(answer.header("location"), "/newsletter/not-subscribed");
        let page = ask(api.request(Method::GET, answer.header("location"))).await;
        assert!(page.body.contains("<h1>"), "{}", page.body);
    }
    newsletter.settled(&email).await;
    let record = newsletter.show(&email).await;
    assert_eq!(record["status"], "unsubscribed");
    assert_eq!(record["mailerlite_account"], "old");
    let there = newsletter.provider.subscriber(Account::Old, &email);
    assert!(there.is_some());
}

async fn programs_may_send_json(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    let send = |body: Value| ask(api.request(Method::POST, CONFIRM).json(&body));
    for body in [
        json!({}),
        json!({"token": null}),
        json!({"token": [token]}),
        json!([token]),
    ] {
        send(body).await.error(404);
    }
    let refuse = |kind: &'static str, body: String| {
        let request = api.request(Method::POST, CONFIRM);
        ask(request.header("content-type", kind).body(body))
    };
    refuse("application/json", "{".to_owned()).await.error(400);
    refuse("text/plain", format!("token={token}"))
        .await
        .error(415);
    assert_eq!(newsletter.show(&email).await["mailerlite_account"], "old");
    let answer = send(json!({"token": token})).await;
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), CONFIRMED);
    assert_eq!(newsletter.show(&email).await["mailerlite_account"], "new");
    newsletter.settled(&email).await;
}

async fn a_link_of_nobody_is_a_page_to_a_browser_and_json_to_a_program(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    let altered = token.to_lowercase().replace('_', "-");
    assert_ne!(altered, token);
    let long = "x".repeat(4_000);
    let bad = [
        "",
        "x",
        "%00",
        "%FF",
        "a%20b",
        "' OR ''='",
        &altered,
        &token[1..],
        &long,
    ];
    for bad in bad {
        for accept in [BROWSER, "application/json", "*/*"] {
            let get = api.request(Method::GET, &format!("{CONFIRM}?token={bad}"));
            let post = api
                .request(Method::POST, CONFIRM)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(format!("token={bad}"));
            for request in [get, post] {
                let answer = ask(request.header("accept", accept)).await;
                assert_eq!(answer.status, 404, "{bad}: {answer:#?}");
                if accept == BROWSER {
                    assert!(answer.header("content-type").starts_with("text/html"));
                    assert!(answer.body.contains("<h1>"), "{}", answer.body);
                } else {
                    answer.error(404);
                }
            }
        }
    }
    ask(api.request(Method::GET, CONFIRM)).await.error(404);
    assert_eq!(newsletter.show(&email).await["mailerlite_account"], "old");
}

async fn who_has_moved_is_led_on(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    newsletter.confirm(&token).await;
    newsletter.settled(&email).await;
    let record = newsletter.show(&email).await;
    let calls = newsletter.calls(Account::New, &email).len();
    for _ in 0..3 {
        let answer = confirm(api, &token).await;
        assert_eq!(answer.status, 303);
        assert_eq!(answer.header("location"), CONFIRMED);
        let answer = ask(api.request(Method::GET, &link(&token))).await;
        assert_eq!(answer.status, 303);
        assert_eq!(answer.header("location"), CONFIRMED);
    }
    newsletter.settled(&email).await;
    assert_eq!(newsletter.show(&email).await, record);
    assert_eq!(newsletter.calls(Account::New, &email).len(), calls);
}

async fn the_pages_keep_their_addresses_to_themselves(store: Store) {
    let newsletter = Newsletter::shared(store);
    let api = &newsletter.app.api;
    let (email, token) = invited(&newsletter).await;
    let unknown = format!("{CONFIRM}?token=unknown");
    for path in [&link(&token), CONFIRMED, &unknown] {
        let request = api.request(Method::GET, path);
        let answer = ask(request.header("accept", BROWSER)).await;
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(answer.header("x-robots-tag").contains("noindex"), "{path}");
        // Nothing from elsewhere.
        assert!(!answer.body.contains("://"), "{}", answer.body);
    }
    // The record that others read has no token.
    let record = newsletter.show(&email).await;
    assert!(!record.to_string().contains(&token));
    newsletter.settled(&email).await;
}
