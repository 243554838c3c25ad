use std::num::NonZeroU32;

use access::{
    ActivityLog as _, Client, ClientChange, Clients as _, Crowded, Scope,
    activity::{ActivityWrites, Counts, Refusal, Tally},
    sign_in::LinkMaker,
    testing::client,
};
use actix_web::{dev::Payload, web::Bytes};
use adapters_console::client_link;
use domain::testing::create;
use fields::validation::FieldErrors;
use futures_util::{StreamExt as _, stream};
use kernel::{
    ClientId, Prefixes, PutOutcome,
    testing::{by_ann, hours, noon, uuid},
};

use crate::support::{Ask, Desk, answer};

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
    for page in [
        "",
        "/postings",
        "/catalogues",
        "/preview",
        "/webhooks",
        "/nothing",
    ] {
        let path = format!("/integration{page}");
        // An operator's session is invalid here, even with a renamed cookie.
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
    let by = LinkMaker::Operator(&by);
    let link = client_link(&*desk.store, &acme, by, "", desk.now());
    let (url, end) = link.await.unwrap();
    assert_eq!(end, noon() + hours(24));
    let asked = desk.get(&url, "").await;
    asked.has(&["the client <strong translate=\"no\">Client 1</strong>, once"]);
    let form = format!("link={}", url.split_once("link=").unwrap().1);
    let entered = desk.post("/integration/sign-in", "", &form).await;
    let set = entered.header("set-cookie");
    let flags = "; HttpOnly; SameSite=Lax; Path=/integration; Max-Age=43200";
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
    let pushed = Counts {
        remarks: Tally::of_bits(0b1),
        ..Counts::one(PutOutcome::Created).with_fields(0b10)
    };
    let writes = ActivityWrites {
        days: vec![(acme.id, noon().date(), pushed)],
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
        "<th scope=\"row\" translate=\"no\">pay_implausible</th><td data-name=\"Times\" class=\"number\">1</td>",
        "<th scope=\"row\" translate=\"no\">location_types</th><td data-name=\"Since yesterday\" class=\"number\">100 %</td><td data-name=\"The week before\" class=\"number\">–</td>",
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
    let own = desk.lease(acme.id).await.catalogue;
    let path = format!("/integration/catalogues/{own}");
    visitor.get("/integration/catalogues").await.has(&[&path]);
    visitor.get(&path).await.lacks(&["value=\"forget\""]);
    let undone = visitor.follow(&path, "action=undo").await;
    undone.has(&["2 postings are open again; 3 were restored; 0 were left"]);
    let released = visitor.follow(&path, "action=release").await;
    released.has(&["4 postings have expired; 1 was left"]);
    visitor.check(&path, &[("action=forget", 403)]).await;
    let other = ClientId::new(uuid(99));
    desk.add_client(other, "other", Prefixes::ALL).await;
    let of_other = desk.lease_named(other, "theirs", 7).await.catalogue;
    let theirs = format!("/integration/catalogues/{of_other}");
    assert_eq!(visitor.get(&theirs).await.status, 404);
}

/// Every page and form with its scopes. One of the scopes is enough. Without scopes, any session
/// may use the page. `ID` stands for a webhook's id.
const ROUTES: [(&str, Option<&str>, &[Scope]); 18] = [
    ("", None, Scope::READERS),
    ("/postings", None, Scope::READERS),
    ("/postings?posting=acme-1", None, Scope::READERS),
    ("/catalogues", None, Scope::READERS),
    ("/catalogues/ID", None, Scope::READERS),
    ("/catalogues/ID", Some("action=undo"), Scope::WRITERS),
    ("/webhooks", None, Scope::MANAGERS),
    ("/webhooks/ID", None, Scope::MANAGERS),
    ("/webhooks/ID/deliveries/1", None, Scope::MANAGERS),
    (
        "/webhooks",
        Some("action=create&url=https://b.example"),
        Scope::MANAGERS,
    ),
    (
        "/webhooks/ID",
        Some("action=update&url=https://b.example"),
        Scope::MANAGERS,
    ),
    ("/webhooks/ID", Some("action=pause"), Scope::MANAGERS),
    (
        "/webhooks/ID",
        Some("action=replay&since=2026-03-01"),
        Scope::MANAGERS,
    ),
    (
        "/webhooks/ID",
        Some("action=resend&event=1"),
        Scope::MANAGERS,
    ),
    ("/webhooks/ID", Some("action=test"), Scope::MANAGERS),
    ("/webhooks/ID", Some("action=rotate"), Scope::MANAGERS),
    ("/webhooks/ID", Some("action=delete"), Scope::MANAGERS),
    ("/sign-out", Some(""), &[]),
];

/// Checks that a session gets exactly the pages and forms of these scopes.
async fn check_routes(desk: &Desk, webhook: &str, cookie: &str, scopes: &[Scope]) {
    let mut token = "x".to_owned();
    for (path, form, needs) in ROUTES {
        let may = needs.is_empty() || needs.iter().any(|scope| scopes.contains(scope));
        let path = format!("/integration{}", path.replace("ID", webhook));
        let page = match form {
            Some(form) => {
                let form = format!("token={token}&{form}");
                desk.post(&path, cookie, &form).await
            }
            None => desk.get(&path, cookie).await,
        };
        // A session without any page has no token for forms.
        let is_refused = !may || (form.is_some() && token == "x");
        assert_eq!(page.status == 403, is_refused, "{path} {form:?} {scopes:?}");
        if !may && form.is_none() {
            page.has(&["This session lacks the scope"]);
        }
        if page.status == 200 && token == "x" {
            page.token().clone_into(&mut token);
        }
    }
}

#[tokio::test]
async fn a_session_has_the_scopes_of_its_link_that_its_client_still_has() {
    let (desk, acme) = with_client().await;
    let all = desk.integrator(&acme).await;
    let new = "action=create&url=https://hooks.example/a";
    let made = all.post("/integration/webhooks", new).await;
    let (_, id) = made.body.split_once("/integration/webhooks/").unwrap();
    let webhook = id.split_once('"').unwrap().0;
    let one_each = Scope::ALL.iter().map(|scope| vec![*scope]);
    for scopes in one_each.chain([Vec::new(), Scope::ALL.to_vec()]) {
        let cookie = desk.visit(&acme.clone().narrowed(&scopes)).await;
        check_routes(&desk, webhook, &cookie, &scopes).await;
        // A link with all scopes, of a client that later lost some of them.
        let cookie = desk.visit(&acme).await;
        let stored = desk.store.find(acme.id).await.unwrap().unwrap();
        let change = |scopes: &[Scope]| ClientChange {
            scopes: Some(scopes.to_vec()),
            ..ClientChange::default()
        };
        let lost = stored.apply(&change(&scopes));
        if let Some(lost) = lost {
            desk.store.update(&lost, None).await.unwrap();
            check_routes(&desk, webhook, &cookie, &scopes).await;
            let back = lost.client.apply(&change(Scope::ALL)).unwrap();
            desk.store.update(&back, None).await.unwrap();
        }
    }
}

#[tokio::test]
async fn pages_count_towards_the_limit_of_their_client() {
    let (desk, acme) = with_client().await;
    let cookie = desk.visit(&acme).await;
    desk.limits.asked.take();
    assert_eq!(desk.get("/integration", &cookie).await.status, 200);
    assert_eq!(desk.limits.asked.take(), ["count", "page"]);
    let limited = Crowded::Limited {
        per_minute: NonZeroU32::new(60).unwrap(),
        retry_after: 17,
    };
    desk.limits.of_requests.replace(Some(limited));
    for (path, form, _) in ROUTES {
        let path = format!("/integration{path}");
        let page = match form {
            Some(form) => desk.post(&path, &cookie, form).await,
            None => desk.get(&path, &cookie).await,
        };
        let told = (page.status.as_u16(), page.header("retry-after"));
        assert_eq!(told, (429, "17"), "{path}");
        page.has(&["60 requests a minute"]);
    }
    // A request without a client counts towards no limit.
    assert_eq!(desk.get("/integration", "").await.status, 401);
    assert_eq!(desk.get("/integration/sign-in", "").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_form_that_does_not_arrive_takes_no_place() {
    let (desk, acme) = with_client().await;
    let cookie = desk.visit(&acme).await;
    desk.limits.asked.take();
    let process = desk.process().await;
    for path in ["/integration/catalogues", "/integration/sign-in"] {
        let ask = Ask {
            form: Some(String::new()),
            headers: vec![("cookie", &cookie)],
            peer: None,
        };
        let first = stream::once(async { Ok(Bytes::from_static(b"name=")) });
        let payload = first.chain(stream::pending()).boxed_local();
        let request = ask.request(path);
        let (request, _) = request.replace_payload(Payload::from(payload));
        let page = answer(&process, request).await;
        assert_eq!(page.status, 400, "{path}");
    }
    assert_eq!(desk.limits.asked.take(), ["count"]);
}

#[tokio::test]
async fn calls_of_receivers_share_the_places_of_the_api() {
    let (desk, acme) = with_client().await;
    let visitor = desk.integrator(&acme).await;
    let path = "/integration/webhooks";
    let new = "action=create&url=https://hooks.example/a";
    let made = visitor.post(path, new).await;
    let (_, id) = made.body.split_once("/integration/webhooks/").unwrap();
    let own = format!("{path}/{}", id.split_once('"').unwrap().0);
    assert!(desk.limits.asked.take().contains(&"call"));
    desk.limits.of_calls.replace(Some(Crowded::TooMany));
    visitor.check(path, &[(new, 429)]).await;
    let update = "action=update&url=https://hooks.example/b";
    let forms = [("action=test", 429), (update, 429), ("action=pause", 303)];
    visitor.check(&own, &forms).await;
    desk.limits.of_calls.replace(Some(Crowded::Busy));
    visitor.check(&own, &[("action=test", 503)]).await;
    let ann = desk.operator("ann").await;
    let own = own.replace("/integration", "");
    ann.check(&own, &[("action=test", 200)]).await;
}

#[tokio::test]
async fn people_of_a_client_object_to_its_decisions() {
    let (desk, acme) = with_client().await;
    let ann = desk.operator("ann").await;
    let mut forms = Vec::new();
    for name in ["acme-<b> 2/é", "other-1"] {
        let posting = desk.posting(name).await;
        let reject = format!("action=reject&reason=Spam.&version={}", posting.version);
        ann.follow(&format!("/postings/{}", posting.id), &reject)
            .await;
        forms.push(format!("posting={}&statement=It+is+<true>.", posting.id));
    }
    let visitor = desk.integrator(&acme).await;
    let path = "/integration/postings";
    assert_eq!(visitor.post(path, &forms[1]).await.status, 404);
    assert_eq!(
        visitor.post(path, "posting=x&statement=x").await.status,
        404
    );
    let blank = forms[0].replace("It+is+<true>.", "");
    let refused = visitor.post(path, &blank).await;
    assert_eq!(refused.status, 422);
    refused.has(&["id=\"fault-statement\">must have 1 to 2000 characters"]);
    let sent = visitor.follow(path, &forms[0]).await;
    sent.has(&["The objection is sent.", "It is &#60;true&#62;.", "waiting"]);
    sent.lacks(&["Uphold the decision", "o-statement"]);
    assert_eq!(visitor.post(path, &forms[0]).await.status, 409);
}

#[tokio::test]
async fn a_pasted_posting_is_previewed_and_nothing_is_written() {
    let (desk, acme) = with_client().await;
    let visitor = desk.integrator(&acme).await;
    let page = visitor.get("/integration/preview").await;
    page.has(&[
        "value=\"acme-preview\"",
        "href=\"/integration/preview\" aria-current=\"page\"",
    ]);
    let posting = serde_json::json!({
        "title": "Cook <b>", "raw_description": "You cook at Acmera. You like fish, and have cooked before.",
        "location_city": "Remote", "location_country_code": "Norway", "salary_min": 1,
        "application_email": "jobs@acmera.example",
        "company": {"name": "Acmera", "website_url": "https://acmera.example"},
    });
    let form = |id: &str, more: &str| {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("id", id)
            .append_pair("posting", &posting.to_string());
        format!("{}{more}", form.finish())
    };
    let refused = visitor
        .post("/integration/preview", &form("acme-1", ""))
        .await;
    assert_eq!(refused.status, 422);
    refused.has(&["location_country_code", "is &#34;NO&#34; meant?", "Acmera"]);
    let other = visitor
        .post("/integration/preview", &form("other-9", "&lenient=true"))
        .await;
    assert_eq!(other.status, 422);
    let made = visitor
        .post("/integration/preview", &form("acme-9", "&lenient=true"))
        .await;
    assert_eq!(made.status, 200, "{}", made.body);
    made.has(&[
        "location_country_code",
        "<span class=\"status approved\">approved</span>",
        "&#34;Remote&#34; is no place.",
        "[company]",
        "&#34;@type&#34;:&#34;JobPosting&#34;",
    ]);
    assert_eq!(
        visitor
            .get("/integration/postings?posting=acme-9")
            .await
            .status,
        404
    );
    let unsigned = desk
        .post(
            "/integration/preview",
            &desk.visit(&acme).await,
            "id=acme-9",
        )
        .await;
    assert_eq!(unsigned.status, 403);
    let reader = Client {
        scopes: vec![Scope::JobPostingsRead],
        ..client(2)
    };
    desk.store.insert(&reader, None).await.unwrap();
    let reader = desk.integrator(&reader).await;
    assert_eq!(reader.get("/integration/preview").await.status, 403);
}
