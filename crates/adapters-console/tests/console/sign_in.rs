//! Who gets in, and what of other sites is refused.

use access::Clients;
use adapters_console::TrustedProxy;
use kernel::testing::minutes;
use time::Duration;

use crate::support::{Answer, Ask, Desk, encoded};

const PAGES: [&str; 11] = [
    "/",
    "/clients",
    "/clients/7f000000-0000-7000-8000-000000000001",
    "/catalogues",
    "/webhooks",
    "/outbox",
    "/subscribers",
    "/audit",
    "/postings",
    "/postings/7f000000-0000-7000-8000-000000000001",
    "/nowhere",
];

#[tokio::test]
async fn nobody_else_sees_anything_but_the_sign_in_page() {
    let desk = Desk::new();
    for path in PAGES {
        for cookie in [
            "",
            "posthaste_console=",
            "posthaste_console=AAAA",
            "other=1",
        ] {
            let answer = desk.get(path, cookie).await;
            assert_eq!(
                (answer.status.as_u16(), answer.header("location")),
                (303, "/sign-in")
            );
            assert_eq!(answer.body, "");
            let posted = desk.post(path, cookie, &[("token", "x")]).await;
            assert_eq!(
                (posted.status.as_u16(), posted.header("location")),
                (303, "/sign-in")
            );
        }
    }
    let page = desk.get("/sign-in", "").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("posthaste console link"));
}

#[tokio::test]
async fn a_link_signs_in_once_by_its_button() {
    let desk = Desk::new();
    let link = desk.link("Ann <script>").await;
    let path = format!("/sign-in?link={link}");
    for _ in 0..2 {
        let page = desk.get(&path, "").await;
        assert_eq!(page.status, 200);
        assert!(page.body.contains("Ann &#60;script&#62;"), "{}", page.body);
        assert_eq!(page.cookie(), "");
    }
    let entered = desk.post("/sign-in", "", &[("link", &link)]).await;
    assert_eq!(
        (entered.status.as_u16(), entered.header("location")),
        (303, "/")
    );
    let flags = "; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax";
    let cookie = entered.header("set-cookie");
    assert!(
        cookie.starts_with("posthaste_console=") && cookie.ends_with(flags),
        "{cookie}"
    );
    let inside = desk.get("/postings", entered.cookie()).await;
    assert_eq!(inside.status, 200);
    assert!(inside.body.contains("Ann &#60;script&#62;"));

    let again = desk.post("/sign-in", "", &[("link", &link)]).await;
    assert_eq!((again.status.as_u16(), again.cookie()), (410, ""));
    assert_eq!(desk.get(&path, "").await.status, 410);
    for forged in ["", "x", &link.replace('A', "B")[..42], "%00"] {
        let answer = desk.post("/sign-in", "", &[("link", forged)]).await;
        assert_eq!(
            (answer.status.as_u16(), answer.cookie()),
            (410, ""),
            "{forged}"
        );
    }
    let late = desk.link("ann").await;
    desk.pass(minutes(15));
    assert_eq!(
        desk.get(&format!("/sign-in?link={late}"), "").await.status,
        410
    );
    assert_eq!(
        desk.post("/sign-in", "", &[("link", &late)]).await.status,
        410
    );
}

#[tokio::test]
async fn a_session_ends_after_its_time_or_by_signing_out() {
    let desk = Desk::new();
    let (cookie, other) = (desk.sign_in("ann").await, desk.sign_in("bob").await);
    let page = desk.get("/postings", &cookie).await;
    let without = desk.post("/sign-out", &cookie, &[]).await;
    assert_eq!(without.status, 403);
    let left = desk
        .post("/sign-out", &cookie, &[("token", page.token())])
        .await;
    assert_eq!(
        (left.status.as_u16(), left.header("location")),
        (303, "/sign-in")
    );
    assert!(left.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(desk.get("/postings", &cookie).await.status, 303);
    assert_eq!(desk.get("/postings", &other).await.status, 200);
    desk.pass(Duration::hours(12));
    assert_eq!(desk.get("/postings", &other).await.status, 303);
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
async fn over_https_cookies_are_for_https_alone() {
    let mut desk = Desk::new();
    desk.settings.url = "https://console.example".to_owned();
    let link = desk.link("ann").await;
    let entered = desk.post("/sign-in", "", &[("link", &link)]).await;
    let cookie = entered.header("set-cookie");
    assert!(cookie.starts_with("__Host-posthaste_console="), "{cookie}");
    assert!(
        cookie.contains("; Path=/;") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
    assert_eq!(desk.get("/postings", entered.cookie()).await.status, 200);
    let bare = entered.cookie().trim_start_matches("__Host-");
    assert_eq!(desk.get("/postings", bare).await.status, 303);
}

#[tokio::test]
async fn a_page_says_what_its_session_did_and_nothing_else() {
    let desk = Desk::new();
    let (ann, eve) = (desk.sign_in("ann").await, desk.sign_in("eve").await);
    let token = desk.get("/clients", &ann).await.token().to_owned();
    let scope = ("scope", "job-postings:read");
    let form = [("token", &*token), ("name", "acme"), scope];
    assert_eq!(desk.post("/clients", &ann, &form).await.status, 200);
    let client = Clients::list(&*desk.store, 9).await.unwrap().remove(0);
    let path = format!("/clients/{}", client.id);
    let form = [
        ("token", &*token),
        ("action", "update"),
        ("name", "b"),
        scope,
    ];
    let answer = desk.post(&path, &ann, &form).await;
    let sealed = answer.header("location").to_owned();
    assert!(
        sealed.starts_with(&format!("{path}?did=update&")),
        "{sealed}"
    );
    for (address, cookie, says) in [
        (sealed.clone(), &ann, true),
        (sealed.clone(), &eve, false),
        (sealed.replace("did=update", "did=revoke"), &ann, false),
        (format!("{path}?did=update"), &ann, false),
        (format!("{path}?did=update&seal="), &ann, false),
        (format!("{path}?did=revoke&seal=x"), &ann, false),
    ] {
        let page = desk.get(&address, cookie).await;
        assert_eq!(page.status, 200, "{address}");
        let notices = ["The settings are saved", "The client is revoked"];
        let has_said = notices.iter().any(|notice| page.body.contains(notice));
        assert_eq!(has_said, says, "{address}");
    }
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/postings", &cookie).await;
    let token = page.token().to_owned();
    let other = desk.sign_in("eve").await;
    let other = desk.get("/postings", &other).await.token().to_owned();
    let form = |token: &str| Some(encoded(&[("token", token), ("action", "approve")]));
    for (token, headers, status) in [
        (token.as_str(), vec![], 422),
        ("", vec![], 403),
        ("x", vec![], 403),
        (other.as_str(), vec![], 403),
        (&token, vec![("origin", "http://console.example")], 422),
        (&token, vec![("sec-fetch-site", "same-origin")], 422),
        (&token, vec![("sec-fetch-site", "cross-site")], 403),
        (&token, vec![("sec-fetch-site", "same-site")], 403),
        (&token, vec![("origin", "http://evil.example")], 403),
        (&token, vec![("origin", "null")], 403),
    ] {
        let mut headers = headers;
        headers.push(("cookie", cookie.as_str()));
        let ask = Ask {
            form: form(token),
            headers,
            ..Ask::default()
        };
        let answer = desk.ask("/postings", ask).await;
        assert_eq!(answer.status.as_u16(), status, "{token}: {}", answer.body);
    }
    let link = desk.link("ann").await;
    let ask = Ask {
        form: Some(encoded(&[("link", &link)])),
        headers: vec![("origin", "http://evil.example")],
        ..Ask::default()
    };
    assert_eq!(desk.ask("/sign-in", ask).await.status, 403);
    assert_eq!(
        desk.get(&format!("/sign-in?link={link}"), "").await.status,
        200,
        "not used"
    );
}

/// A desk behind a proxy at 10.0.0.7 that sends `x-user`.
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
async fn an_operator_is_named_by_a_trusted_proxy_with_its_secret_alone() {
    let desk = proxied();
    let link = desk.sign_in("ann").await;
    for (headers, status) in [
        (vec![ANN, SECRET], 200),
        (vec![ANN, SECRET, ("cookie", &*link)], 200),
        (vec![ANN], 303),
        (vec![ANN, ("posthaste-proxy-secret", "Sesame")], 303),
        (vec![ANN, ("posthaste-proxy-secret", "")], 303),
        (vec![ANN, SECRET, ("posthaste-proxy-secret", "x")], 303),
        (vec![SECRET], 303),
        (vec![("cookie", &*link)], 303),
        (vec![("cookie", &*link), SECRET], 303),
        (vec![("cookie", &*link), ANN], 303),
        (vec![ANN, ("x-user", "eve"), SECRET], 403),
        (vec![("x-user", " "), SECRET], 403),
    ] {
        let answer = through(&desk, &headers, None).await;
        assert_eq!(answer.status.as_u16(), status, "{headers:?}");
    }
    let elsewhere = Ask {
        peer: Some("10.0.0.8"),
        headers: vec![ANN, SECRET],
        form: None,
    };
    assert_eq!(desk.ask("/clients", elsewhere).await.status, 303);
    let page = desk.get("/sign-in", "").await;
    assert!(page.body.contains("A proxy names who is signed in here."));
}

#[tokio::test]
async fn looking_through_a_proxy_writes_nothing() {
    let desk = proxied();
    for _ in 0..20 {
        let page = through(&desk, &[ANN, SECRET], None).await;
        assert_eq!((page.status.as_u16(), page.cookie()), (200, ""));
    }
    assert_eq!(desk.audit().await, [""; 0]);
}

#[tokio::test]
async fn a_form_through_a_proxy_has_a_token_of_its_operator_for_twelve_hours_at_most() {
    let desk = proxied();
    let page = through(&desk, &[ANN, SECRET], None).await;
    let token = page.token().to_owned();
    let form = |name| {
        let scope = ("scope", "job-postings:read");
        Some(encoded(&[("token", &*token), ("name", name), scope]))
    };
    let bob = [("x-user", "bob"), SECRET];
    assert_eq!(through(&desk, &bob, form("bob's")).await.status, 403);
    assert_eq!(through(&desk, &[ANN], form("past it")).await.status, 303);
    assert_eq!(through(&desk, &[ANN, SECRET], form("a")).await.status, 200);
    desk.pass(Duration::hours(6));
    assert_eq!(through(&desk, &[ANN, SECRET], form("b")).await.status, 200);
    desk.pass(Duration::hours(6));
    assert_eq!(through(&desk, &[ANN, SECRET], form("c")).await.status, 403);
    assert_eq!(
        desk.audit().await,
        ["ann clients.create", "ann clients.create"]
    );
}

#[tokio::test]
async fn pages_are_guarded_and_unknown_ones_are_pages() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    for (path, status) in [
        ("/postings", 200),
        ("/nowhere", 404),
        ("/postings/x", 404),
        ("/sign-in", 200),
        ("/", 200),
        ("/clients", 200),
        ("/clients/x", 404),
        ("/catalogues", 200),
        ("/webhooks", 200),
        ("/webhooks/x", 404),
        ("/outbox", 200),
        ("/outbox?show=waiting", 200),
        ("/subscribers", 200),
        ("/audit", 200),
    ] {
        let page = desk.get(path, &cookie).await;
        assert_eq!(page.status.as_u16(), status, "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"));
        assert!(policy.contains("form-action 'self'; frame-ancestors 'none'; base-uri 'none'"));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("referrer-policy"), "same-origin");
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.body.matches("<h1>").count(), 1, "{}", page.body);
        assert!(page.body.contains("<main id=\"main\"") && page.body.contains("<title>"));
        for (_, rest) in page
            .body
            .match_indices("/assets/")
            .map(|(at, _)| page.body.split_at(at))
        {
            let asset = desk.get(rest.split('"').next().unwrap(), "").await;
            assert_eq!(asset.status, 200);
            assert_eq!(
                asset.header("cache-control"),
                "public, max-age=31536000, immutable"
            );
        }
    }
}

#[tokio::test]
async fn a_store_that_is_away_is_a_page_and_comes_back() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    desk.set_away(true);
    let page = desk.get("/postings", &cookie).await;
    assert_eq!(
        (page.status.as_u16(), page.header("retry-after")),
        (503, "5")
    );
    assert!(
        page.body.contains("The store is away") && !page.body.contains("good"),
        "{}",
        page.body
    );
    assert_eq!(
        desk.post("/sign-in", "", &[("link", "x")]).await.status,
        503
    );
    desk.set_away(false);
    assert_eq!(desk.get("/postings", &cookie).await.status, 200);
}

#[tokio::test]
async fn a_large_form_is_refused() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    let reason = "x".repeat(70_000);
    let answer = desk
        .post("/postings", &cookie, &[("reason", &reason)])
        .await;
    assert_eq!(answer.status, 413);
}
