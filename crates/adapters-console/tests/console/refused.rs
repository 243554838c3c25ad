//! Forms that are refused: their page comes back, with what was typed and what is wrong with it.

use domain::{
    posting::{ENRICH, Lifetime},
    store::Store as _,
    testing::create,
    usecase::ingest,
};
use kernel::{
    ClientId, Prefixes,
    event::Cursor,
    outbox::Outbox as _,
    testing::{identifier, minutes, noon, uuid},
};
use webhooks::{Webhooks, testing::endpoint};

use crate::support::{Answer, Desk};

/// A desk with a posting whose enrichment was given up, a client and a webhook.
async fn desk() -> Desk {
    let desk = Desk::new();
    let (put, store) = (create("a", "acme"), &*desk.store);
    ingest(store, &[put], Lifetime::NEVER, noon())
        .await
        .unwrap();
    let claimed = store.claim(ENRICH, 9, minutes(1), uuid(9), noon()).await;
    let token = claimed.unwrap()[0].token;
    store.give_up(token, "broken", noon()).await.unwrap();
    let client = ClientId::new(uuid(77));
    desk.add_client(client, "acme", Prefixes::ALL).await;
    let webhook = endpoint(1);
    let inserted = Webhooks::insert(store, &webhook, Cursor::default(), None);
    inserted.await.unwrap();
    desk
}

/// Checks that a page has its frame, says that nothing was changed, and has a fault at a field.
fn assert_shown(form: &[(&str, &str)], page: &Answer, status: u16, field: &str, fault: &str) {
    let body = &page.body;
    assert_eq!(page.status.as_u16(), status, "{form:?} {body}");
    assert!(body.contains("<nav aria-label=\"Sections\">"), "{form:?}");
    assert!(
        body.contains("role=\"alert\">Nothing was changed. "),
        "{form:?} {body}"
    );
    if field.is_empty() {
        assert!(body.contains(fault), "{form:?} {body}");
        return;
    }
    let told = format!("<p class=\"fault bad\" id=\"fault-{field}\">{fault}");
    assert!(body.contains(&told), "{form:?} {told} {body}");
    let marked = format!(" aria-invalid=\"true\" aria-describedby=\"fault-{field}\"");
    assert!(body.contains(&marked), "{form:?} {body}");
}

/// A form: its path and fields; the field with a fault, the fault, and what else the page has.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], [&'a str; 3]);

/// Sends forms, and checks that each is refused with its page.
async fn check(desk: &Desk, forms: &[Case<'_>]) {
    let cookie = desk.sign_in("ann").await;
    let token = desk.get("/clients", &cookie).await.token().to_owned();
    for (path, form, [field, fault, rest]) in forms {
        let mut sent = form.to_vec();
        sent.push(("token", &token));
        let page = desk.post(path, &cookie, &sent).await;
        assert_shown(form, &page, 422, field, fault);
        assert!(page.body.contains(rest), "{form:?} {rest} {}", page.body);
    }
}

#[tokio::test]
async fn a_decision_that_is_refused_is_shown_with_what_was_typed() {
    let desk = desk().await;
    let known = desk.store.load(&[identifier("a")], &[]).await.unwrap();
    let posting = known.postings[&identifier("a")].id;
    let chosen = format!("{posting}@1");
    let one = format!("/postings/{posting}");
    let long = "x".repeat(1_001);
    let (reject, list) = (("action", "reject"), ("back", "/postings?id=a"));
    let spam = "name=\"reason\" maxlength=\"1000\" value=\"Spam.\"";
    let checked = format!("value=\"{chosen}\" checked");
    let person = ("email", "ada@example.com");
    let forms: &[Case<'_>] = &[
        (
            &one,
            &[reject],
            [
                "reason",
                "must not be empty",
                "<legend class=\"hidden\">Decide",
            ],
        ),
        (
            &one,
            &[("action", "expire"), ("reason", &long)],
            ["reason", "must be at most 1000", &long],
        ),
        (
            "/postings",
            &[reject, ("reason", "Spam."), list],
            ["id", "choose at least one posting", spam],
        ),
        (
            "/postings",
            &[reject, ("id", &chosen), list],
            ["reason", "must not be empty", &checked],
        ),
        (
            "/outbox",
            &[("action", "chosen")],
            ["id", "choose at least one side effect", "Given up"],
        ),
        (
            "/subscribers",
            &[("action", "suppress"), person],
            [
                "reason",
                "must not be empty",
                "Decide about ada@example.com",
            ],
        ),
        (
            "/subscribers",
            &[("action", "erase"), ("email", "ada")],
            ["email", "must", "value=\"ada\""],
        ),
        (
            "/catalogues",
            &[("action", "burn")],
            ["", "action: must be", "<h1>Catalogues"],
        ),
    ];
    check(&desk, forms).await;
}

#[tokio::test]
async fn settings_that_are_refused_are_shown_as_they_were_typed() {
    let desk = desk().await;
    let client = format!("/clients/{}", uuid(77));
    let webhook = format!("/webhooks/{}", endpoint(1).id);
    let (read, replay) = (("scope", "job-postings:read"), ("action", "replay"));
    let (many, create) = (("requests_per_minute", "many"), ("action", "create"));
    let plain = ("url", "http://a.example");
    let forms: &[Case<'_>] = &[
        (
            "/clients",
            &[("name", "neu"), ("prefixes", "neu-")],
            ["scope", "at least one must be chosen", "value=\"neu\""],
        ),
        (
            "/clients",
            &[read, many],
            [
                "requests_per_minute",
                "&#34;many&#34; is not a number",
                "value=\"job-postings:read\" checked",
            ],
        ),
        // All that is wrong is told at once.
        (
            "/clients",
            &[many],
            ["name", "must not be empty", "id=\"fault-scope\""],
        ),
        (
            &client,
            &[("action", "update"), ("name", "acme 2")],
            ["scope", "at least one must be chosen", "value=\"acme 2\""],
        ),
        (
            &client,
            &[("action", "rotate"), ("overlap", "week")],
            [
                "overlap",
                "&#34;week&#34; is not a number of",
                "value=\"acme\"",
            ],
        ),
        (
            &client,
            &[("action", "burn")],
            ["", "action: must be", "value=\"acme\""],
        ),
        (
            "/webhooks",
            &[create, plain, ("description", "ours")],
            ["url", "must be an https URL", "value=\"ours\""],
        ),
        (
            &webhook,
            &[("action", "update"), plain, ("description", "ours")],
            ["url", "must be an https URL", "value=\"ours\""],
        ),
        (
            &webhook,
            &[replay],
            [
                "since",
                "say since when: a day such as",
                "<h2>Last deliveries",
            ],
        ),
        (
            &webhook,
            &[replay, ("since", "yesterday")],
            [
                "since",
                "&#34;yesterday&#34; is not a day",
                "value=\"yesterday\"",
            ],
        ),
    ];
    check(&desk, forms).await;
}

#[tokio::test]
async fn what_the_rules_refuse_is_said_on_the_page() {
    let desk = desk().await;
    let cookie = desk.sign_in("ann").await;
    let client = format!("/clients/{}", uuid(77));
    let token = desk.get(&client, &cookie).await.token().to_owned();
    let revoke = [("token", &*token), ("action", "revoke")];
    assert_eq!(desk.post(&client, &cookie, &revoke).await.status, 303);
    let rotate = [("token", &*token), ("action", "rotate")];
    let page = desk.post(&client, &cookie, &rotate).await;
    assert_shown(
        &rotate,
        &page,
        409,
        "",
        "The client is revoked, and stays so.",
    );
}

#[tokio::test]
async fn a_search_that_is_not_understood_is_its_page_too() {
    let desk = desk().await;
    let cookie = desk.sign_in("ann").await;
    for (path, field, rest) in [
        (
            "/postings?status=x&title=nurse",
            "status",
            "value=\"nurse\"",
        ),
        ("/postings?client=x", "client", "<h1>Postings"),
        ("/catalogues?client=x", "client", "<h1>Catalogues"),
        ("/subscribers?email=ada", "email", "value=\"ada\""),
        ("/audit?since=noon&by=ann", "since", "value=\"ann\""),
    ] {
        let page = desk.get(path, &cookie).await;
        assert_eq!(page.status, 422, "{path}");
        let told = format!("id=\"fault-{field}\">");
        assert!(page.body.contains(&told), "{path} {}", page.body);
        assert!(page.body.contains(rest), "{path} {}", page.body);
    }
}
