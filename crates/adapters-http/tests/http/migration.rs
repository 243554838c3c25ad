//! The pages where a person moves to the new account.

use newsletter::subscriber::SubscriberStatus;
use serde_json::json;

use crate::support::{
    INTERNALS, KNOWN_TOKEN, Request, Response, TestApp, assert_is_error, check, request,
};

const CONFIRM: &str = "/newsletter/confirm-migration";
const CONFIRMED: &str = "/newsletter/migration-confirmed";
const UNSUBSCRIBED: &str = "/newsletter/unsubscribed";
const NOT_SUBSCRIBED: &str = "/newsletter/not-subscribed";
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const BOARD: &str = "Ada’s &#38; Bob’s Board";
const FORM: &str = "application/x-www-form-urlencoded";

fn open(token: &str) -> Request {
    request("GET", &format!("{CONFIRM}?token={token}"))
}

fn press(token: &str) -> Request {
    send(&format!("token={token}"))
}

fn leave(token: &str) -> Request {
    send(&format!("token={token}&action=unsubscribe"))
}

fn send(form: &str) -> Request {
    let post = request("POST", CONFIRM).header("Content-Type", FORM);
    post.body(form.to_owned())
}

fn by_browser(request: Request) -> Request {
    request.header("Accept", BROWSER)
}

async fn app() -> TestApp {
    let app = TestApp::spawn();
    app.backend.newsletter.enlist("ada@example.com").await;
    app
}

async fn has_moved(app: &TestApp) -> bool {
    let ada = app.backend.newsletter.subscriber("ada@example.com");
    ada.await.migrated.is_some()
}

fn assert_is_page(response: &Response, status: u16, heading: &str) {
    assert_eq!(response.status, status, "{response:?}");
    let kind = response.header("Content-Type");
    assert_eq!(kind, Some("text/html; charset=utf-8"));
    assert_eq!(response.header("Content-Language"), Some("en"));
    let text = response.text();
    assert!(
        text.starts_with("<!doctype html>\n<html lang=\"en\">"),
        "{text}"
    );
    for part in [
        &*format!("<h1>{heading}</h1>"),
        &format!("<title>{heading} – {BOARD}</title>"),
        &format!(">{BOARD}</p>"),
        "<h1>",
        "<main>",
        "<title>",
        "name=\"viewport\"",
        "<meta name=\"robots\" content=\"noindex, nofollow\">",
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    for part in [
        "<script", "<style", " style=", "http:", "https:", "//", INTERNALS,
    ] {
        assert!(!text.contains(part), "{part} in {text}");
    }
    assert_is_guarded(response);
}

fn assert_is_guarded(response: &Response) {
    for (name, value) in [
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Robots-Tag", "noindex, nofollow"),
        ("X-Content-Type-Options", "nosniff"),
        ("Vary", "Accept, Accept-Language"),
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(response.header(name), Some(value), "{response:?}");
    }
    assert!(response.header("X-Request-Id").is_some());
}

async fn assert_leads_to(app: &TestApp, page: &str, request: Request) {
    let response = request.send(app).await;
    assert_eq!(response.status, 303, "{response:?}");
    assert_eq!(response.header("Location"), Some(page));
    assert_is_guarded(&response);
}

#[tokio::test]
async fn the_button_moves_and_leads_on() {
    let app = app().await;
    let page = by_browser(open(KNOWN_TOKEN)).send(&app).await;
    assert_is_page(&page, 200, "Confirm your subscription");
    for part in [
        format!("<form method=\"post\" action=\"{CONFIRM}\">"),
        format!("<input type=\"hidden\" name=\"token\" value=\"{KNOWN_TOKEN}\">"),
        "<button type=\"submit\" name=\"action\" value=\"confirm\">".to_owned(),
        "<button type=\"submit\" name=\"action\" value=\"unsubscribe\">".to_owned(),
    ] {
        assert!(page.text().contains(&part), "{part} in {}", page.text());
    }
    assert!(!page.text().contains("ada@example.com"));
    assert!(!has_moved(&app).await);

    assert_leads_to(&app, CONFIRMED, by_browser(press(KNOWN_TOKEN))).await;
    assert!(has_moved(&app).await);
    let done = by_browser(request("GET", CONFIRMED)).send(&app).await;
    assert_is_page(&done, 200, "Thank you, that’s all");
    let link = "<link rel=\"stylesheet\" href=\"/newsletter/style.css\">";
    assert!(done.text().contains(link), "{}", done.text());
    let style = request("GET", "/newsletter/style.css").send(&app).await;
    assert_eq!(
        style.header("Content-Type"),
        Some("text/css; charset=utf-8")
    );
}

/// Afterwards, the link and its buttons lead to the page for suppressed people.
#[tokio::test]
async fn the_other_button_unsubscribes() {
    let app = app().await;
    let of_program = json!({"token": KNOWN_TOKEN, "action": "unsubscribe"});
    let of_program = request("POST", CONFIRM).json(&of_program);
    for leave in [by_browser(leave(KNOWN_TOKEN)), of_program] {
        assert_leads_to(&app, UNSUBSCRIBED, leave).await;
    }
    let ada = app.backend.newsletter.subscriber("ada@example.com").await;
    assert_eq!(ada.status, SubscriberStatus::Unsubscribed);
    for request in [open(KNOWN_TOKEN), press(KNOWN_TOKEN)] {
        assert_leads_to(&app, NOT_SUBSCRIBED, by_browser(request)).await;
    }
    assert!(!has_moved(&app).await);
    for (page, heading) in [
        (UNSUBSCRIBED, "You are unsubscribed"),
        (NOT_SUBSCRIBED, "You are not subscribed"),
    ] {
        let page = by_browser(request("GET", page)).send(&app).await;
        assert_is_page(&page, 200, heading);
    }
}

#[tokio::test]
async fn pages_speak_the_language_of_the_browser() {
    let app = app().await;
    let unknown = || press("unknown").header("Accept-Language", "nn, en;q=0.5");
    let page = by_browser(unknown()).send(&app).await;
    assert_eq!(page.header("Content-Language"), Some("nb"), "{page:?}");
    for part in ["<html lang=\"nb\">", "Lenken virker ikke"] {
        assert!(page.text().contains(part), "{}", page.text());
    }
    let program = unknown().send(&app).await;
    assert_eq!(program.message(), "Migration token not found.");
    assert_eq!(program.header("Content-Language"), None);
}

#[tokio::test]
async fn opening_the_link_moves_no_subscriber_and_leads_moved_ones_on() {
    let app = app().await;
    let target = format!("{CONFIRM}?utm_source=mail&token={KNOWN_TOKEN}");
    for (method, accept) in [
        ("GET", BROWSER),
        ("HEAD", "*/*"),
        ("GET", "application/json"),
    ] {
        let look = request(method, &target).header("Accept", accept);
        let response = look.send(&app).await;
        assert_eq!(response.status, 200, "{method} {accept:?}");
        assert_eq!(response.text().is_empty(), method == "HEAD");
        assert_is_guarded(&response);
    }
    assert!(!has_moved(&app).await);
    for request in [
        press(KNOWN_TOKEN),
        open(KNOWN_TOKEN),
        by_browser(open(KNOWN_TOKEN)),
    ] {
        assert_leads_to(&app, CONFIRMED, request).await;
        assert!(has_moved(&app).await);
    }
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_a_page_for_a_browser_and_json_for_a_program() {
    let app = app().await;
    for refused in [
        open("unknown"),
        open("%22%3E%3Cscript%3E"),
        request("GET", CONFIRM),
        press("unknown"),
        request("POST", CONFIRM).header("Content-Type", FORM),
        request("POST", CONFIRM).json(&json!({"token": "unknown"})),
    ] {
        let page = by_browser(refused.clone()).send(&app).await;
        assert_is_page(&page, 404, "This link does not work");
        assert!(!page.text().contains("<form"), "{}", page.text());
        let response = refused.send(&app).await;
        assert_is_error(&response, 404, "by a program");
        assert_eq!(
            response.json(),
            json!({"message": "Migration token not found."})
        );
        assert_is_guarded(&response);
    }
    assert!(!has_moved(&app).await);
}

#[tokio::test]
async fn a_failure_is_answered_in_the_same_ways() {
    let app = app().await;
    let broken = "fault:broken";
    for (failing, button, retry, says) in [
        (open(broken), None, "5", "Repeating the request is safe."),
        (
            press(broken),
            Some("confirm"),
            "5",
            "Repeating the request is safe.",
        ),
        (
            leave(broken),
            Some("unsubscribe"),
            "5",
            "Repeating the request is safe.",
        ),
        // A retry would not help.
        (press("fault:off"), None, "600", "not set up yet"),
    ] {
        let page = by_browser(failing.clone()).send(&app).await;
        assert_is_page(&page, 503, "That did not work just now");
        assert_eq!(page.header("Retry-After"), Some(retry));
        let field = format!("name=\"token\" value=\"{broken}\"");
        assert_eq!(page.text().contains(&field), button.is_some());
        let buttons = page.text().split("name=\"action\" value=\"").skip(1);
        let buttons: Vec<_> = buttons.filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(buttons, button.as_slice(), "{}", page.text());
        let response = failing.send(&app).await;
        assert_is_error(&response, 503, says);
        assert!(response.message().contains(says), "{response:?}");
        assert_eq!(response.header("Retry-After"), Some(retry));
        assert_is_guarded(&response);
    }
}

#[tokio::test]
async fn what_no_browser_sends_is_refused_with_json() {
    let app = app().await;
    let table = "
        POST | text/plain: token=x | 415 | x-www-form-urlencoded or application/json
        POST | application/x-www-form-urlencoded: LARGE | 413
        POST | application/json: { | 400 | not valid JSON
        POST | application/json:   | 400 | empty
        POST | application/x-www-form-urlencoded: token=x&action=Confirm | 422 | action must be confirm or unsubscribe
        ";
    check(&app, None, CONFIRM, table).await;
    assert!(!has_moved(&app).await);
}
