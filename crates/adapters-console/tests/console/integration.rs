//! The pages of clients.

use access::{
    ActivityLog as _, Client, Clients as _, Scope,
    activity::{ActivityWrites, Counts, Refusal},
    sign_in::{Integrators, SignInTokenKind, admitted, token_digest},
    testing::client,
};
use adapters_console::client_link;
use domain::{posting::Lifetime, testing::create, usecase::ingest};
use kernel::{
    Prefixes, PutOutcome,
    testing::{by_ann, hours, minutes, noon, uuid},
    validation::FieldErrors,
};

use crate::support::{Ask, Desk};

/// A desk with a client that has a prefix, and postings within it and outside.
async fn with_client(change: impl FnOnce(&mut Client)) -> (Desk, Client) {
    let desk = Desk::new();
    let mut acme = Client {
        scopes: Scope::ALL.to_vec(),
        prefixes: Prefixes::new(&["acme-"]).unwrap(),
        ..client(1)
    };
    change(&mut acme);
    desk.store.insert(&acme, None).await.unwrap();
    let batch = ["acme-1", "acme-<b> 2/é", "other-1"].map(|id| create(id, "acme"));
    for answer in ingest(&*desk.store, &batch, Lifetime::NEVER, noon())
        .await
        .unwrap()
    {
        answer.unwrap();
    }
    (desk, acme)
}

const PAGES: [&str; 4] = [
    "/integration",
    "/integration/postings",
    "/integration/catalogues",
    "/integration/webhooks",
];

#[tokio::test]
async fn without_a_session_a_page_says_where_links_come_from() {
    let (desk, acme) = with_client(|_| {}).await;
    let operator = desk.sign_in("ann").await;
    let pages = PAGES.into_iter().chain(["/integration/nothing"]);
    for path in pages {
        // The session of an operator is worth nothing here, whatever its cookie is called.
        let session = operator.split_once('=').unwrap().1;
        let renamed = format!("posthaste_integration={session}");
        for cookie in ["", "posthaste_integration=x", &operator, &renamed] {
            let page = desk.get(path, cookie).await;
            assert_eq!(page.status, 401, "{path}");
            assert!(page.body.contains("/api/job-board/integration/link"));
            assert_eq!(page.header("cache-control"), "no-store");
            assert_eq!(page.header("referrer-policy"), "same-origin");
            assert!(!page.header("content-security-policy").is_empty());
            assert!(page.header("www-authenticate").starts_with("Cookie "));
            assert!(page.body.contains("href=\"/integration/assets/style-"));
        }
    }
    let visit = desk.visit(&acme).await;
    assert!(visit.starts_with("posthaste_integration="), "{visit}");
    for cookie in [visit.clone(), visit.replace("integration", "console")] {
        assert_eq!(desk.get("/postings", &cookie).await.status, 303);
    }
    let lost = desk.get("/integration/nothing", &visit).await;
    assert_eq!(lost.status, 404);
    assert!(lost.body.contains("href=\"/integration\""));
}

#[tokio::test]
async fn a_link_of_a_client_signs_in_once_by_its_button_and_a_session_signs_out() {
    let (desk, acme) = with_client(|_| {}).await;
    let (url, end) = client_link(&*desk.store, &acme, Some(&by_ann(2)), "", desk.now())
        .await
        .unwrap();
    assert_eq!(end, noon() + hours(24));
    let asked = desk.get(&url, "").await;
    assert_eq!(asked.status, 200);
    assert!(
        asked
            .body
            .contains("the client <strong translate=\"no\">Client 1</strong>, once")
    );
    let link = url.split_once("link=").unwrap().1;
    let entered = desk
        .post("/integration/sign-in", "", &[("link", link)])
        .await;
    let set = entered.header("set-cookie");
    assert!(
        set.ends_with("; Path=/integration; Max-Age=43200; HttpOnly; SameSite=Lax"),
        "{set}"
    );
    let cookie = entered.cookie().to_owned();
    for again in [
        desk.get(&url, "").await,
        desk.post("/integration/sign-in", "", &[("link", link)])
            .await,
    ] {
        assert_eq!(again.status, 410);
        assert!(again.body.contains("older than a day"));
    }
    let token = desk.get("/integration", &cookie).await.token().to_owned();
    let leave = "/integration/sign-out";
    assert_eq!(desk.post(leave, &cookie, &[]).await.status, 403);
    let left = desk.post(leave, &cookie, &[("token", &token)]).await;
    assert_eq!(left.header("location"), "/integration/sign-in");
    assert_eq!(desk.get("/integration", &cookie).await.status, 401);
    let by = format!("client:{}", acme.id);
    let entries = desk.audit().await;
    for told in [
        "ann clients.link",
        &format!("{by} integration.sign_in"),
        &format!("{by} integration.sign_out"),
    ] {
        assert!(entries.iter().any(|entry| entry == told), "{entries:?}");
    }
}

#[tokio::test]
async fn a_session_ends_with_its_time_and_with_its_client() {
    let (desk, acme) = with_client(|_| {}).await;
    let cookie = desk.visit(&acme).await;
    desk.pass(hours(12) - minutes(1));
    assert_eq!(desk.get("/integration", &cookie).await.status, 200);
    desk.pass(minutes(1));
    assert_eq!(desk.get("/integration", &cookie).await.status, 401);
    let cookie = desk.visit(&acme).await;
    let digest = token_digest(cookie.split_once('=').unwrap().1);
    let kind = SignInTokenKind::Session;
    let doors = Integrators(&*desk.store);
    let found = admitted(&*desk.store, &doors, kind, &digest, desk.now()).await;
    assert!(found.unwrap().is_some());
    let revoked = acme.revoke(desk.now()).unwrap();
    desk.store.update(&revoked, None).await.unwrap();
    assert_eq!(desk.get("/integration", &cookie).await.status, 401);
}

#[tokio::test]
async fn pages_show_what_the_client_may_see_and_nothing_else() {
    let (desk, acme) = with_client(|_| {}).await;
    let errors = FieldErrors::one("title", "is \"<b>\"");
    let refusal = Refusal::new(uuid(1), noon(), "acme-9", 422, "No.", Some(&errors));
    let writes = ActivityWrites {
        days: vec![(acme.id, noon().date(), Counts::one(PutOutcome::Created))],
        refusals: vec![(acme.id, refusal)],
        ..ActivityWrites::default()
    };
    desk.store.record(&writes).await.unwrap();
    let cookie = desk.visit(&acme).await;
    let overview = desk.get("/integration", &cookie).await.body;
    for told in [
        "acme-9",
        "<code translate=\"no\">title</code>",
        "is &#34;&#60;b&#62;&#34;",
        "<rect class=\"c0\"",
    ] {
        assert!(overview.contains(told), "{told}");
    }
    let list = desk.get("/integration/postings", &cookie).await.body;
    assert!(list.contains("acme-1") && list.contains("acme-&#60;b&#62; 2/é"));
    assert!(!list.contains("other-1"));
    let address = "/integration/postings?posting=acme-%3Cb%3E+2%2F%C3%A9";
    assert!(list.contains(&address.replace('&', "&#38;")), "{list}");
    let one = desk.get(address, &cookie).await;
    assert_eq!(one.status, 200);
    assert!(one.body.contains("<h3 id=\"h-redacted\">") || one.body.contains("Not enriched yet"));
    for (query, status) in [
        ("?posting=other-1", 404),
        ("?posting=acme-404", 404),
        ("?posting=", 404),
        ("?status=odd", 422),
        ("?after=x", 422),
        ("?id=other", 200),
    ] {
        let page = desk
            .get(&format!("/integration/postings{query}"), &cookie)
            .await;
        assert_eq!(page.status, status, "{query}");
        assert!(!page.body.contains("other-1"), "{query}");
    }
}

#[tokio::test]
async fn a_client_manages_its_webhooks_if_it_has_the_scope() {
    let (desk, acme) = with_client(|_| {}).await;
    let cookie = desk.visit(&acme).await;
    let path = "/integration/webhooks";
    let token = desk.get(path, &cookie).await.token().to_owned();
    let new = [
        ("action", "create"),
        ("url", "https://hooks.example/a"),
        ("token", &token),
    ];
    let strange = [
        ("action", "create"),
        ("url", "https://hooks.example/a"),
        ("token", "x"),
    ];
    assert_eq!(desk.post(path, &cookie, &strange).await.status, 403);
    let elsewhere = Ask {
        form: Some(crate::support::encoded(&new)),
        headers: vec![("cookie", &cookie), ("origin", "https://evil.example")],
        ..Ask::default()
    };
    assert_eq!(desk.ask(path, elsewhere).await.status, 403);
    let made = desk.post(path, &cookie, &new).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let (_, id) = made.body.split_once("/integration/webhooks/").unwrap();
    let own = format!("{path}/{}", id.split_once('"').unwrap().0);
    let test = [("action", "test"), ("token", &*token)];
    let tested = desk.post(&own, &cookie, &test).await;
    assert!(
        tested.body.contains("The receiver answered 418"),
        "{}",
        tested.body
    );
    let pause = [("action", "pause"), ("token", &*token)];
    let paused = desk.post(&own, &cookie, &pause).await;
    let paused = desk.get(paused.header("location"), &cookie).await.body;
    assert!(paused.contains("The webhook is paused"), "{paused}");
    // It is not one of another client, and an operator's tests alone are in the audit.
    let other = client(2);
    desk.store.insert(&other, None).await.unwrap();
    assert!(
        !desk
            .audit()
            .await
            .iter()
            .any(|entry| entry.contains("webhooks"))
    );
    let other = desk.visit(&other).await;
    let page = desk.get(path, &other).await;
    assert_eq!(page.status, 403);
    assert!(
        page.body
            .contains("<code translate=\"no\">webhooks:manage</code>")
    );
    let token = desk.get("/integration", &other).await.token().to_owned();
    let delete = [("action", "delete"), ("token", &*token)];
    assert_eq!(desk.post(&own, &other, &delete).await.status, 403);
}

#[tokio::test]
async fn a_client_undoes_what_its_catalogue_expired() {
    let (desk, acme) = with_client(|_| {}).await;
    let cookie = desk.visit(&acme).await;
    let path = "/integration/catalogues";
    let token = desk.get("/integration", &cookie).await.token().to_owned();
    let undo = |name: &'static str| [("name", name), ("token", &*token)];
    let undone = desk.post(path, &cookie, &undo("roses")).await;
    let told = desk.get(undone.header("location"), &cookie).await.body;
    assert!(
        told.contains("2 postings are open again; 0 were left"),
        "{told}"
    );
    let running = desk.post(path, &cookie, &undo("running")).await;
    assert_eq!(running.status, 409);
}
