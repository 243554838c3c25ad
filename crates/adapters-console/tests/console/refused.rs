//! Refused forms: their page is shown again with the typed values and their faults.

use domain::testing::create;
use kernel::{ClientId, Prefixes, event::Cursor, testing::uuid};
use webhooks::{Webhooks, testing::endpoint};

use crate::support::{Answer, Desk};

async fn desk() -> Desk {
    let desk = Desk::new();
    desk.push(&[create("a", "acme")]).await;
    desk.give_up("broken").await;
    let client = ClientId::new(uuid(77));
    desk.add_client(client, "acme", Prefixes::ALL).await;
    let webhook = endpoint(1);
    let inserted = Webhooks::insert(&*desk.store, &webhook, Cursor::default(), None);
    inserted.await.unwrap();
    desk
}

fn assert_shown(page: &Answer, result: &str, field: &str, fault: &str) {
    page.has(&["<nav aria-label=\"Sections\">", result]);
    if field.is_empty() {
        page.has(&[fault]);
    } else {
        page.has(&[
            &format!("<p class=\"fault bad\" id=\"fault-{field}\">{fault}"),
            &format!(" aria-invalid=\"true\" aria-describedby=\"fault-{field}\""),
        ]);
    }
}

const UNCHANGED: &str = "role=\"alert\">Nothing was changed. ";

/// Sends forms, and checks that each is refused with its page. A line has the path and form, the
/// field with the fault, the fault, and further content of the page.
async fn check(desk: &Desk, table: &str) {
    let ann = desk.operator("ann").await;
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [path, form, field, fault, rest] = *cells else {
            panic!("{line}");
        };
        let page = ann.post(path, form).await;
        assert_eq!(page.status, 422, "{line}: {}", page.body);
        assert_shown(&page, UNCHANGED, field, fault);
        page.has(&[rest]);
    }
}

#[tokio::test]
async fn a_decision_that_is_refused_is_shown_with_what_was_typed() {
    let desk = desk().await;
    let id = desk.posting("a").await.id;
    let long = "x".repeat(1_001);
    let table = format!(
        r#"
        /postings/{id} | action=reject | reason | must not be empty | <legend class="hidden">Decide
        /postings/{id} | action=expire&reason={long} | reason | must be at most 1000 | {long}
        /postings | action=reject&reason=Spam. | id | choose at least one | value="Spam."
        /postings | action=reject&id={id}@1 | reason | must not be empty | value="{id}@1" checked
        /outbox | action=chosen | id | choose at least one side effect | Given up
        /outbox | action=dismiss&id=1 | reason | must not be empty | Given up
        /subscribers | action=suppress&email=a@b.example | reason | must not | about a@b.example
        /subscribers | action=erase&email=ada | email | must be a valid | value="ada"
        "#
    );
    check(&desk, &table).await;
}

#[tokio::test]
async fn settings_that_are_refused_are_shown_as_they_were_typed() {
    let desk = desk().await;
    let (client, webhook) = (uuid(77), endpoint(1).id);
    let (read, long) = ("scope=job-postings:read", "x".repeat(300));
    let make = "action=create&url=https://a.example";
    let odd = "a%E2%80%AEb";
    let table = format!(
        r#"
        /clients | name= | name | must not be empty | id="fault-scope"
        /clients | name=neu | scope | at least one must be chosen | value="neu"
        /clients | name=neu&scope=all | scope | &#34;all&#34; is not a scope |
        /clients | {read}&requests_per_minute=0 | requests_per_minute | &#34;0&#34; is not a number |
        /clients | {read}&name={odd} | name | must not | value="job-postings:read" checked
        /clients/{client} | action=update&name=b | scope | at least one must be | value="b"
        /clients/{client} | action=rotate&overlap=week | overlap | &#34;week&#34; is | value="acme"
        /clients/{client} | action=burn | | action: must be | value="acme"
        /webhooks | action=create&url=http://a.example | url | must be an https URL |
        /webhooks | action=create&url=https://10.0.0.7/ | url | must lead to |
        /webhooks | {make}&type=x&description=ours | | type: &#34;x&#34; is not one of | value="ours"
        /webhooks | {make}&description={odd} | description | must not |
        /webhooks | {make}&prefixes={long} | prefixes | | {long}
        /webhooks/{webhook} | action=update&url=x&description=ours | url | must be | value="ours"
        /webhooks/{webhook} | action=replay | since | enter the start: a day | <h2>Last deliveries
        /webhooks/{webhook} | action=replay&since=noon | since | &#34;noon&#34; is | value="noon"
        "#
    );
    check(&desk, &table).await;
}

#[tokio::test]
async fn a_search_that_is_not_understood_is_its_page_too() {
    let desk = desk().await;
    let ann = desk.operator("ann").await;
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
        let page = ann.get(path).await;
        assert_eq!(page.status, 422, "{path}");
        assert_shown(
            &page,
            "role=\"alert\">The search was not understood. ",
            field,
            "",
        );
        page.has(&[rest]);
        page.lacks(&["Nothing was changed"]);
    }
}
