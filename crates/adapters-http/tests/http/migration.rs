//! The pages on which a person moves to the new account.

use std::sync::atomic::Ordering;

use newsletter::subscriber::SubscriberStatus;
use serde_json::json;

use crate::support::{
    BODY_LIMIT, INTERNALS, KNOWN_TOKEN, Request, Response, TestApp, assert_is_error, case, check,
    request,
};

const CONFIRM: &str = "/newsletter/confirm-migration";
const CONFIRMED: &str = "/newsletter/migration-confirmed";
const UNSUBSCRIBED: &str = "/newsletter/unsubscribed";
const NOT_SUBSCRIBED: &str = "/newsletter/not-subscribed";
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// As it is written in a page.
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

fn has_moved(app: &TestApp) -> bool {
    let ada = app.backend.newsletter.subscriber("ada@example.com");
    ada.migrated.is_some()
}

fn assert_is_page(response: &Response, status: u16, heading: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(
        response.header("Content-Type"),
        Some("text/html; charset=utf-8")
    );
    let text = response.text();
    assert!(text.contains(&format!("<h1>{heading}</h1>")), "{text}");
    assert_eq!(text.matches("<h1>").count(), 1, "{text}");
    assert!(
        text.starts_with("<!doctype html>\n<html lang=\"en\">"),
        "{text}"
    );
    assert_eq!(response.header("Content-Language"), Some("en"));
    let title = format!("<title>{heading} – {BOARD}</title>");
    assert!(text.contains(&title), "{title} in {text}");
    assert!(text.contains(&format!(">{BOARD}</p>")), "{text}");
    for part in ["<main>", "<title>", "name=\"viewport\""] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    assert!(text.contains("<meta name=\"robots\" content=\"noindex, nofollow\">"));
    for part in ["<script", "<style", " style=", "http:", "https:", "//"] {
        assert!(!text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains(INTERNALS), "{text}");
    assert_is_guarded(response);
}

/// Checks the headers against caching, indexing, framing and `Referer`.
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

fn assert_leads_on(response: &Response) {
    assert_eq!(response.status, 303, "{response:?}");
    assert_eq!(response.header("Location"), Some(CONFIRMED));
    assert_is_guarded(response);
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
    assert!(!has_moved(&app));

    assert_leads_on(&by_browser(press(KNOWN_TOKEN)).send(&app).await);
    assert!(has_moved(&app));
    let done = by_browser(request("GET", CONFIRMED)).send(&app).await;
    assert_is_page(&done, 200, "Thank you, that’s all");
}

/// A suppressed person is shown the page that says so, for the link and for each button.
#[tokio::test]
async fn who_gets_no_mail_is_not_moved() {
    let app = app().await;
    app.backend.newsletter.suppress("ada@example.com");
    for request in [open(KNOWN_TOKEN), press(KNOWN_TOKEN)] {
        let response = by_browser(request).send(&app).await;
        assert_eq!(response.status, 303, "{response:?}");
        assert_eq!(response.header("Location"), Some(NOT_SUBSCRIBED));
        assert_is_guarded(&response);
    }
    assert!(!has_moved(&app));
    let page = by_browser(request("GET", NOT_SUBSCRIBED)).send(&app).await;
    assert_is_page(&page, 200, "You are not subscribed");
}

/// From then on the link leads to the page for suppressed people.
#[tokio::test]
async fn the_other_button_unsubscribes() {
    let app = app().await;
    let of_program = json!({"token": KNOWN_TOKEN, "action": "unsubscribe"});
    let of_program = request("POST", CONFIRM).json(&of_program);
    for leave in [by_browser(leave(KNOWN_TOKEN)), of_program] {
        let response = leave.send(&app).await;
        assert_eq!(response.status, 303, "{response:?}");
        assert_eq!(response.header("Location"), Some(UNSUBSCRIBED));
        assert_is_guarded(&response);
    }
    let ada = app.backend.newsletter.subscriber("ada@example.com");
    assert_eq!(ada.status, SubscriberStatus::Unsubscribed);
    let page = by_browser(request("GET", UNSUBSCRIBED)).send(&app).await;
    assert_is_page(&page, 200, "You are unsubscribed");
    let again = by_browser(open(KNOWN_TOKEN)).send(&app).await;
    assert_eq!(again.header("Location"), Some(NOT_SUBSCRIBED));
}

/// Also the pages for errors; JSON answers do not depend on the language.
#[tokio::test]
async fn pages_speak_the_language_of_the_browser() {
    let app = app().await;
    let accept = "nn, en;q=0.5";
    let (confirm, unknown) = ("Bekreft abonnementet ditt", "Lenken virker ikke");
    let ends = [CONFIRMED, UNSUBSCRIBED, NOT_SUBSCRIBED];
    let ends = ends.map(|end| (request("GET", end), ""));
    let pages = [
        (open(KNOWN_TOKEN), confirm),
        (open("unknown"), unknown),
        (press("unknown"), unknown),
        (open("fault:broken"), ""),
        (leave("fault:broken"), ""),
    ];
    for (request, heading) in pages.into_iter().chain(ends) {
        let request = by_browser(request).header("Accept-Language", accept);
        let page = request.send(&app).await;
        assert_eq!(page.header("Content-Language"), Some("nb"), "{page:?}");
        assert!(page.text().contains("<html lang=\"nb\">"));
        assert!(page.text().contains(heading), "{}", page.text());
        assert_is_guarded(&page);
    }
    let program = open("unknown")
        .header("Accept-Language", accept)
        .send(&app)
        .await;
    assert_eq!(
        program.json(),
        json!({"message": "Migration token not found."})
    );
    assert_eq!(program.header("Content-Language"), None);
}

#[tokio::test]
async fn looking_at_the_link_moves_nobody() {
    let app = app().await;
    for accept in [None, Some(BROWSER), Some("*/*"), Some("application/json")] {
        for method in ["GET", "HEAD"] {
            let mut look = request(
                method,
                &format!("{CONFIRM}?utm_source=mail&token={KNOWN_TOKEN}"),
            );
            if let Some(accept) = accept {
                look = look.header("Accept", accept);
            }
            let response = look.send(&app).await;
            assert_eq!(response.status, 200, "{method} {accept:?}");
            assert_eq!(response.text().is_empty(), method == "HEAD");
            assert_is_guarded(&response);
        }
    }
    assert!(!has_moved(&app));
    let confirmations = &app.backend.newsletter.confirmations;
    assert_eq!(confirmations.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn whoever_has_moved_is_led_on() {
    let app = app().await;
    press(KNOWN_TOKEN).send(&app).await;
    let before = app.backend.newsletter.subscriber("ada@example.com");
    assert_leads_on(&by_browser(open(KNOWN_TOKEN)).send(&app).await);
    assert_leads_on(&open(KNOWN_TOKEN).send(&app).await);
    assert_leads_on(&press(KNOWN_TOKEN).send(&app).await);
    assert_eq!(app.backend.newsletter.subscriber("ada@example.com"), before);
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
        for accept in ["application/json", "*/*"] {
            let response = refused.clone().header("Accept", accept).send(&app).await;
            assert_is_error(&response, 404, accept);
            assert_eq!(
                response.json(),
                json!({"message": "Migration token not found."})
            );
            assert_is_guarded(&response);
        }
        assert_is_error(&refused.send(&app).await, 404, "no Accept");
    }
    assert!(!has_moved(&app));
}

#[tokio::test]
async fn a_failure_is_told_in_the_same_ways() {
    let app = app().await;
    for token in ["fault:unavailable", "fault:broken"] {
        for (failing, action) in [
            (open(token), None),
            (press(token), Some("confirm")),
            (leave(token), Some("unsubscribe")),
        ] {
            let page = by_browser(failing.clone()).send(&app).await;
            assert_is_page(&page, 503, "That did not work just now");
            assert_eq!(page.header("Retry-After"), Some("5"));
            let field = format!("name=\"token\" value=\"{token}\"");
            assert_eq!(page.text().contains(&field), action.is_some());
            let buttons: Vec<_> = page.text().split("name=\"action\" value=\"").collect();
            let again = buttons.get(1).and_then(|rest| rest.split('"').next());
            assert_eq!(
                (again, buttons.len() <= 2),
                (action, true),
                "{}",
                page.text()
            );
            let response = failing.send(&app).await;
            assert_is_error(&response, 503, token);
            assert_eq!(response.header("Retry-After"), Some("5"));
            assert!(!response.text().contains(INTERNALS));
            assert_is_guarded(&response);
        }
    }
}

/// The page has no button to try again, which would not help.
#[tokio::test]
async fn a_move_that_is_not_set_up_is_refused() {
    let app = app().await;
    let page = by_browser(press("fault:off")).send(&app).await;
    assert_is_page(&page, 503, "That did not work just now");
    assert!(!page.text().contains("<button"), "{}", page.text());
    let response = press("fault:off").send(&app).await;
    assert_is_error(&response, 503, "fault:off");
    assert!(response.text().contains("not set up yet"));
    assert!(response.header("Retry-After").is_some());
    assert_is_guarded(&response);
}

#[tokio::test]
async fn what_no_browser_sends_is_refused_with_json() {
    let app = app().await;
    let (allow, large) = ("Allow", "x".repeat(BODY_LIMIT + 1));
    let of_type = |content_type: &str, body: &str| {
        let post = request("POST", CONFIRM).header("Content-Type", content_type);
        post.body(body)
    };
    let says = "x-www-form-urlencoded or application/json";
    let cases = [
        case("DELETE", request("DELETE", CONFIRM), 405).with(allow, "GET, HEAD, POST"),
        case("PUT", request("PUT", CONFIRM).body("{}"), 405).with(allow, "GET, HEAD, POST"),
        case("no type", request("POST", CONFIRM).body("token=x"), 415).says(says),
        case("another type", of_type("text/plain", "token=x"), 415).says(says),
        case("too large a form", of_type(FORM, &large), 413),
        case("too large", of_type("application/json", &large), 413),
        case("no JSON", of_type("application/json", "{"), 400).says("not valid JSON"),
        case("nothing", of_type("application/json", ""), 400).says("empty"),
        case("another action", send("token=x&action=Confirm"), 422)
            .says("action must be confirm or unsubscribe"),
        case("POST to the end", request("POST", CONFIRMED), 405).with(allow, "GET, HEAD"),
    ];
    check(&app, cases).await;
    assert!(!has_moved(&app));
}

#[tokio::test]
async fn the_style_is_served_beside_the_pages() {
    let app = app().await;
    let page = request("GET", CONFIRMED).send(&app).await;
    let style = "/newsletter/style.css";
    let link = format!("<link rel=\"stylesheet\" href=\"{style}\">");
    assert!(page.text().contains(&link), "{}", page.text());
    let style = request("GET", style).send(&app).await;
    assert_eq!(style.status, 200);
    assert_eq!(
        style.header("Content-Type"),
        Some("text/css; charset=utf-8")
    );
    for part in ["prefers-color-scheme: dark", ":focus-visible"] {
        assert!(style.text().contains(part), "{part}");
    }
    assert!(!style.text().contains("url("), "nothing is loaded from it");
}
