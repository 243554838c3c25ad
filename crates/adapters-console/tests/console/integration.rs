//! The pages of clients.

use access::{
    ActivityLog as _, Client, Clients as _, Scope,
    activity::{ActivityWrites, Counts, Refusal},
    testing::client,
};
use adapters_console::client_link;
use domain::testing::create;
use kernel::{
    Prefixes, PutOutcome,
    testing::{by_ann, hours, noon, uuid},
    validation::FieldErrors,
};

use crate::support::{Ask, Desk};

/// A desk with a client that has a prefix, and postings within it and outside.
async fn with_client() -> (Desk, Client) {
    let desk = Desk::new();
    let acme = Client {
        scopes: Scope::ALL.to_vec(),
        prefixes: Prefixes::new(&["acme-"]).unwrap(),
        ..client(1)
    };
    desk.store.insert(&acme, None).await.unwrap();
    let ids = ["acme-1", "acme-<b> 2/é", "other-1"];
    desk.push(&ids.map(|id| create(id, "acme"))).await;
    (desk, acme)
}

#[tokio::test]
async fn without_a_session_a_page_says_where_links_come_from() {
    let (desk, acme) = with_client().await;
    let operator = desk.sign_in("ann").await;
    for page in ["", "/postings", "/catalogues", "/webhooks", "/nothing"] {
        let path = format!("/integration{page}");
        // The session of an operator is worth nothing here, whatever its cookie is called.
        let renamed = operator.replace("posthaste_console", "posthaste_integration");
        for cookie in ["", "posthaste_integration=x", &operator, &renamed] {
            let page = desk.get(&path, cookie).await;
            assert_eq!(page.status, 401, "{path}");
            page.has(&[
                "/api/job-board/integration/link",
                "href=\"/integration/assets/style-",
            ]);
            assert_eq!(page.header("cache-control"), "no-store");
            assert!(!page.header("content-security-policy").is_empty());
            assert!(page.header("www-authenticate").starts_with("Cookie "));
        }
    }
    let visit = desk.visit(&acme).await;
    assert!(visit.starts_with("posthaste_integration="), "{visit}");
    for cookie in [&visit, &visit.replace("integration", "console")] {
        assert_eq!(desk.get("/postings", cookie).await.status, 303);
    }
    let lost = desk.get("/integration/nothing", &visit).await;
    assert_eq!(lost.status, 404);
    lost.has(&["href=\"/integration\""]);
}

#[tokio::test]
async fn a_link_of_a_client_signs_in_once_by_its_button_and_a_session_signs_out() {
    let (desk, acme) = with_client().await;
    let by = by_ann(2);
    let link = client_link(&*desk.store, &acme, Some(&by), "", desk.now());
    let (url, end) = link.await.unwrap();
    assert_eq!(end, noon() + hours(24));
    let asked = desk.get(&url, "").await;
    asked.has(&["the client <strong translate=\"no\">Client 1</strong>, once"]);
    let form = format!("link={}", url.split_once("link=").unwrap().1);
    let entered = desk.post("/integration/sign-in", "", &form).await;
    let set = entered.header("set-cookie");
    let flags = "; Path=/integration; Max-Age=43200; HttpOnly; SameSite=Lax";
    assert!(set.ends_with(flags), "{set}");
    let cookie = entered.cookie().to_owned();
    let again = desk.post("/integration/sign-in", "", &form).await;
    assert_eq!(
        (
            desk.get(&url, "").await.status.as_u16(),
            again.status.as_u16()
        ),
        (410, 410)
    );
    again.has(&["older than a day"]);
    let token = desk.get("/integration", &cookie).await.token().to_owned();
    let leave = "/integration/sign-out";
    assert_eq!(desk.post(leave, &cookie, "").await.status, 403);
    let left = desk.post(leave, &cookie, &format!("token={token}")).await;
    assert_eq!(left.header("location"), "/integration/sign-in");
    assert_eq!(desk.get("/integration", &cookie).await.status, 401);
    // A session ends with its client, too.
    let cookie = desk.visit(&acme).await;
    let revoked = acme.revoke(desk.now()).unwrap();
    desk.store.update(&revoked, None).await.unwrap();
    assert_eq!(desk.get("/integration", &cookie).await.status, 401);
    let by = format!("client:{}", acme.id);
    let expect = [
        "ann clients.link".to_owned(),
        format!("{by} integration.sign_in"),
        format!("{by} integration.sign_out"),
    ];
    let did = desk.audit().await;
    for one in expect {
        assert!(did.contains(&one), "{one}: {did:?}");
    }
}

#[tokio::test]
async fn pages_show_what_the_client_may_see_and_nothing_else() {
    let (desk, acme) = with_client().await;
    let errors = FieldErrors::one("title", "is \"<b>\"");
    let refusal = Refusal::new(uuid(1), noon(), "acme-9", 422, "No.", Some(&errors));
    let writes = ActivityWrites {
        days: vec![(acme.id, noon().date(), Counts::one(PutOutcome::Created))],
        refusals: vec![(acme.id, refusal)],
        ..ActivityWrites::default()
    };
    desk.store.record(&writes).await.unwrap();
    let visitor = desk.integrator(&acme).await;
    visitor.get("/integration").await.has(&[
        "acme-9",
        "<code translate=\"no\">title</code>",
        "is &#34;&#60;b&#62;&#34;",
        "<rect class=\"c0\"",
    ]);
    let list = visitor.get("/integration/postings").await;
    let address = "/integration/postings?posting=acme-%3Cb%3E+2%2F%C3%A9";
    list.has(&["acme-1", "acme-&#60;b&#62; 2/é", address]);
    list.lacks(&["other-1"]);
    visitor.get(address).await.has(&["Not enriched yet"]);
    for (query, status) in [
        ("posting=other-1", 404),
        ("posting=acme-404", 404),
        ("posting=", 404),
        ("status=odd", 422),
        ("after=x", 422),
        ("id=other", 200),
    ] {
        let page = visitor.get(&format!("/integration/postings?{query}")).await;
        assert_eq!(page.status, status, "{query}");
        page.lacks(&["other-1"]);
    }
}

#[tokio::test]
async fn a_client_manages_its_webhooks_if_it_has_the_scope() {
    let (desk, acme) = with_client().await;
    let visitor = desk.integrator(&acme).await;
    let path = "/integration/webhooks";
    let new = "action=create&url=https://hooks.example/a";
    let strange = format!("{new}&token=x");
    assert_eq!(desk.post(path, &visitor.cookie, &strange).await.status, 403);
    let elsewhere = Ask {
        form: Some(format!("{new}&token={}", visitor.token)),
        headers: vec![
            ("cookie", &visitor.cookie),
            ("origin", "https://evil.example"),
        ],
        ..Ask::default()
    };
    assert_eq!(desk.ask(path, elsewhere).await.status, 403);
    let made = visitor.post(path, new).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let (_, id) = made.body.split_once("/integration/webhooks/").unwrap();
    let own = format!("{path}/{}", id.split_once('"').unwrap().0);
    let tested = visitor.post(&own, "action=test").await;
    tested.has(&["The receiver answered 418"]);
    let paused = visitor.follow(&own, "action=pause").await;
    paused.has(&["The webhook is paused"]);
    // An operator's tests alone are in the audit.
    let mut audit = desk.audit().await.into_iter();
    assert!(!audit.any(|entry| entry.contains("webhooks")));
    let other = client(2);
    desk.store.insert(&other, None).await.unwrap();
    let other = desk.integrator(&other).await;
    let page = other.get(path).await;
    assert_eq!(page.status, 403);
    page.has(&["<code translate=\"no\">webhooks:manage</code>"]);
    other.check(&own, &[("action=delete", 403)]).await;
}

#[tokio::test]
async fn a_client_undoes_what_its_catalogue_expired() {
    let (desk, acme) = with_client().await;
    let visitor = desk.integrator(&acme).await;
    let path = "/integration/catalogues";
    let undone = visitor.follow(path, "name=roses").await;
    undone.has(&["2 postings are open again; 0 were left"]);
    visitor.check(path, &[("name=running", 409)]).await;
}
