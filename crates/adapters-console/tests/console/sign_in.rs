//! Tests which visitors are admitted, and which requests of other sites are refused.

use std::sync::Arc;

use access::{Clients, sign_in::LinkMaker};
use adapters_console::{TrustedProxy, client_link};
use futures_util::future::join_all;
use kernel::testing::minutes;
use time::Duration;

use crate::support::{Answer, Ask, Away, Desk, answer};

/// Every page, with its status for a signed-in operator.
const PAGES: &[(&str, u16)] = &[
    ("/", 200),
    ("/postings", 200),
    ("/postings/x", 404),
    ("/companies", 200),
    ("/clients", 200),
    ("/clients/x", 404),
    ("/catalogues", 200),
    ("/webhooks", 200),
    ("/webhooks/x", 404),
    ("/outbox", 200),
    ("/subscribers", 200),
    ("/audit", 200),
    ("/nowhere", 404),
];

fn assert_led(answer: &Answer, to: &str) {
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, to)
    );
}

#[tokio::test]
async fn all_others_see_only_the_sign_in_page() {
    let desk = Desk::new();
    let wrong = format!("posthaste_console={}", "A".repeat(43));
    for (path, _) in PAGES {
        for cookie in ["", "posthaste_console=", &wrong, "other=1"] {
            let answer = desk.get(path, cookie).await;
            assert_led(&answer, "/sign-in");
            assert_eq!(answer.body, "");
            assert_led(&desk.post(path, cookie, "token=x").await, "/sign-in");
        }
    }
    let page = desk.get("/sign-in", "").await;
    assert_eq!(page.status, 200);
    page.has(&["posthaste console link"]);
}

#[tokio::test]
async fn a_link_signs_in_once_by_its_button() {
    let desk = Desk::new();
    let link = desk.link("Ann <script>").await;
    let (path, form) = (format!("/sign-in?link={link}"), format!("link={link}"));
    for _ in 0..2 {
        let page = desk.get(&path, "").await;
        assert_eq!((page.status.as_u16(), page.cookie()), (200, ""));
        page.has(&["Ann &#60;script&#62;"]);
    }
    let entered = desk.post("/sign-in", "", &form).await;
    assert_led(&entered, "/");
    let flags = "; HttpOnly; SameSite=Lax; Path=/; Max-Age=43200";
    let cookie = entered.header("set-cookie");
    assert!(
        cookie.starts_with("posthaste_console=") && cookie.ends_with(flags),
        "{cookie}"
    );
    let inside = desk.get("/postings", entered.cookie()).await;
    assert_eq!(inside.status, 200);
    inside.has(&["Ann &#60;script&#62;"]);

    let late = desk.link("ann").await;
    desk.pass(minutes(15));
    for bad in [&*link, "", "x", &link.replace('A', "B")[..42], "%00", &late] {
        let answer = desk.post("/sign-in", "", &format!("link={bad}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.cookie()),
            (410, ""),
            "{bad}"
        );
    }
    for used in [path, format!("/sign-in?link={late}")] {
        assert_eq!(desk.get(&used, "").await.status, 410);
    }
}

#[tokio::test(start_paused = true)]
async fn a_valid_link_works_after_any_number_of_wrong_ones() {
    let desk = Desk::new();
    let acme = access::testing::client(1);
    desk.store.insert(&acme, None).await.unwrap();
    let operator = format!("/sign-in?link={}", desk.link("ann").await);
    let by = LinkMaker::Client;
    let (client, _) = client_link(&*desk.store, &acme, by, "", desk.now())
        .await
        .unwrap();
    for link in [operator, client] {
        let process = desk.process().await;
        let (page, token) = link.split_once('?').unwrap();
        let wrong = (0..800).map(async |n| {
            let wrong = format!("{page}?link={n}");
            answer(&process, Ask::default().request(&wrong)).await
        });
        let right = answer(&process, Ask::default().request(&link));
        let (wrong, right) = futures_util::join!(join_all(wrong), right);
        assert_eq!(right.status, 200, "{link}");
        let (mut gone, mut limited) = (0, 0);
        for page in wrong {
            match page.status.as_u16() {
                410 => gone += 1,
                429 => limited += 1,
                other => panic!("{other}"),
            }
        }
        assert!(gone >= 600 && limited > 0, "{gone} {limited}");
        let form = Ask {
            form: Some(token.to_owned()),
            ..Ask::default()
        };
        let entered = answer(&process, form.request(page)).await;
        assert_eq!(entered.status, 303, "{link}");
        assert!(!entered.cookie().is_empty());
    }
}

#[tokio::test]
async fn a_session_ends_after_its_time_or_by_signing_out() {
    let desk = Desk::new();
    let (ann, bob) = (desk.operator("ann").await, desk.operator("bob").await);
    assert_eq!(desk.post("/sign-out", &ann.cookie, "").await.status, 403);
    let left = ann.post("/sign-out", "").await;
    assert_led(&left, "/sign-in");
    assert!(left.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(ann.get("/postings").await.status, 303);
    assert_eq!(bob.get("/postings").await.status, 200);
    desk.pass(Duration::hours(12));
    assert_eq!(bob.get("/postings").await.status, 303);
    let expect = [
        "ann console.link",
        "ann console.sign_in",
        "ann console.link",
        "bob console.sign_in",
        "ann console.sign_out",
    ];
    assert_eq!(desk.audit().await, expect);
}

#[tokio::test]
async fn over_https_cookies_are_only_for_https() {
    let mut desk = Desk::new();
    desk.settings.url = "https://console.example".to_owned();
    let form = format!("link={}", desk.link("ann").await);
    let entered = desk.post("/sign-in", "", &form).await;
    let cookie = entered.header("set-cookie");
    assert!(cookie.starts_with("__Host-posthaste_console="), "{cookie}");
    assert!(cookie.contains("; Secure; Path=/; "), "{cookie}");
    assert_eq!(desk.get("/postings", entered.cookie()).await.status, 200);
    let bare = entered.cookie().trim_start_matches("__Host-");
    assert_eq!(desk.get("/postings", bare).await.status, 303);
}

#[tokio::test]
async fn a_page_says_what_its_session_did_and_nothing_else() {
    let desk = Desk::new();
    let (ann, eve) = (desk.operator("ann").await, desk.operator("eve").await);
    let form = "name=acme&scope=job-postings:read";
    ann.check("/clients", &[(form, 200)]).await;
    let client = Clients::list(&*desk.store, 9).await.unwrap().remove(0);
    let path = format!("/clients/{}", client.id);
    let answer = ann.post(&path, &format!("action=update&{form}")).await;
    let sealed = answer.header("location").to_owned();
    assert!(
        sealed.starts_with(&format!("{path}?did=update&")),
        "{sealed}"
    );
    for (address, visitor, says) in [
        (sealed.clone(), &ann, true),
        (sealed.clone(), &eve, false),
        (sealed.replace("did=update", "did=revoke"), &ann, false),
        (format!("{path}?did=update"), &ann, false),
        (format!("{path}?did=update&seal="), &ann, false),
    ] {
        let page = visitor.get(&address).await;
        let notices = ["The settings are saved", "The client is revoked"];
        let has_said = notices.iter().any(|notice| page.body.contains(notice));
        assert_eq!((page.status.as_u16(), has_said), (200, says), "{address}");
    }
}

#[tokio::test]
async fn a_form_of_another_site_or_of_no_reasonable_size_is_refused() {
    let desk = Desk::new();
    let (ann, eve) = (desk.operator("ann").await, desk.operator("eve").await);
    for (token, header, status) in [
        (&*ann.token, None, 422),
        ("", None, 403),
        ("x", None, 403),
        (&eve.token, None, 403),
        (&ann.token, Some(("origin", "http://console.example")), 422),
        (&ann.token, Some(("sec-fetch-site", "same-origin")), 422),
        (&ann.token, Some(("sec-fetch-site", "cross-site")), 403),
        (&ann.token, Some(("sec-fetch-site", "same-site")), 403),
        (&ann.token, Some(("origin", "http://evil.example")), 403),
        (&ann.token, Some(("origin", "null")), 403),
    ] {
        let ask = Ask {
            form: Some(format!("token={token}&action=approve")),
            headers: header
                .into_iter()
                .chain([("cookie", &*ann.cookie)])
                .collect(),
            ..Ask::default()
        };
        let answer = desk.ask("/postings", ask).await;
        assert_eq!(answer.status, status, "{header:?}: {}", answer.body);
    }
    let large = format!("reason={}", "x".repeat(70_000));
    ann.check("/postings", &[(&large, 413)]).await;
    let link = desk.link("ann").await;
    let ask = Ask {
        form: Some(format!("link={link}")),
        headers: vec![("origin", "http://evil.example")],
        ..Ask::default()
    };
    assert_eq!(desk.ask("/sign-in", ask).await.status, 403);
    let page = desk.get(&format!("/sign-in?link={link}"), "").await;
    assert_eq!(page.status, 200, "not used");
}

fn proxied() -> Desk {
    let mut desk = Desk::new();
    desk.settings.proxy = Some(TrustedProxy {
        user_header: "x-user".to_owned(),
        addresses: vec!["10.0.0.7".parse().unwrap()],
        secret: "sesame".into(),
    });
    desk
}

const SECRET: (&str, &str) = ("posthaste-proxy-secret", "sesame");
const ANN: (&str, &str) = ("x-user", "ann");

async fn through(desk: &Desk, headers: &[(&'static str, &str)], form: Option<String>) -> Answer {
    let ask = Ask {
        peer: Some("10.0.0.7"),
        headers: headers.to_vec(),
        form,
    };
    desk.ask("/clients", ask).await
}

#[tokio::test]
async fn only_a_trusted_proxy_with_its_secret_names_an_operator() {
    let desk = proxied();
    let link = desk.sign_in("ann").await;
    let cookie = ("cookie", &*link);
    let of = |secret| ("posthaste-proxy-secret", secret);
    for (headers, status) in [
        (&[ANN, SECRET] as &[_], 200),
        (&[ANN, SECRET, cookie], 200),
        (&[ANN], 303),
        (&[ANN, of("Sesame")], 303),
        (&[ANN, of("")], 303),
        (&[ANN, SECRET, of("x")], 303),
        (&[SECRET], 303),
        (&[cookie], 303),
        (&[cookie, SECRET], 303),
        (&[cookie, ANN], 303),
        (&[ANN, ("x-user", "eve"), SECRET], 403),
        (&[("x-user", " "), SECRET], 403),
    ] {
        let answer = through(&desk, headers, None).await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
    let elsewhere = Ask {
        peer: Some("10.0.0.8"),
        headers: vec![ANN, SECRET],
        form: None,
    };
    assert_eq!(desk.ask("/clients", elsewhere).await.status, 303);
    let page = desk.get("/sign-in", "").await;
    page.has(&["A proxy names who is signed in here."]);
}

#[tokio::test]
async fn a_form_through_a_proxy_has_a_token_of_its_operator_for_twelve_hours_at_most() {
    let desk = proxied();
    let page = through(&desk, &[ANN, SECRET], None).await;
    assert_eq!(page.cookie(), "");
    let form = format!("token={}&name=a&scope=job-postings:read", page.token());
    let bob = ("x-user", "bob");
    for (headers, hours, status) in [
        (&[bob, SECRET] as &[_], 0, 403),
        (&[ANN], 0, 303),
        (&[ANN, SECRET], 0, 200),
        (&[ANN, SECRET], 6, 200),
        (&[ANN, SECRET], 6, 403),
    ] {
        desk.pass(Duration::hours(hours));
        let answer = through(&desk, headers, Some(form.clone())).await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
    // Viewing writes nothing.
    assert_eq!(desk.audit().await, ["ann clients.create"; 2]);
}

#[tokio::test]
async fn pages_are_guarded_and_unknown_ones_are_pages() {
    let desk = Desk::new();
    let ann = desk.operator("ann").await;
    let more = [("/sign-in", 200), ("/outbox?show=waiting", 200)];
    for (path, status) in PAGES.iter().copied().chain(more) {
        let page = ann.get(path).await;
        assert_eq!(page.status, status, "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"));
        assert!(policy.contains("form-action 'self'; frame-ancestors 'none'; base-uri 'none'"));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("referrer-policy"), "same-origin");
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.body.matches("<h1>").count(), 1, "{}", page.body);
        page.has(&["<main id=\"main\"", "<title>"]);
        for asset in page.body.split("\"/assets/").skip(1) {
            let name = asset.split('"').next().unwrap();
            let asset = desk.get(&format!("/assets/{name}"), "").await;
            assert_eq!(asset.status, 200);
            let kept = "public, max-age=31536000, immutable";
            assert_eq!(asset.header("cache-control"), kept);
        }
    }
}

#[tokio::test]
async fn an_unavailable_store_is_a_page() {
    let mut desk = Desk::new();
    desk.companies = Arc::new(Away);
    let page = desk.operator("ann").await.get("/companies").await;
    assert_eq!(
        (page.status.as_u16(), page.header("retry-after")),
        (503, "5")
    );
    page.has(&["The store is unavailable"]);
    page.lacks(&["good"]);
}
