use domain::{
    store::{Store as _, WriteSet},
    testing::{create, put_id},
};
use kernel::{
    ClientId, Prefixes, StoreError,
    outbox::{Outbox as _, Revive},
    testing::{by_ann, hours, noon, uuid},
};
use newsletter::{
    store::{AccountState, Accounts as _},
    subscriber::{Account, SubscriberStatus},
    testing::{notice, report},
    usecase::{put_subscriber, suppress},
};

use crate::support::Desk;

#[tokio::test]
async fn dead_side_effects_are_tried_again_or_dismissed() {
    let desk = Desk::new();
    let names = ["a", "b", "c"];
    desk.push(&names.map(|n| create(n, "acme"))).await;
    let tasks = desk.give_up("no model").await;
    let ann = desk.operator("ann").await;
    let page = ann.get("/outbox").await;
    page.has(&["enrich <small>judge a posting</small>"]);
    for n in names {
        page.has(&[&format!(
            "<a href=\"/postings/{}\">Engineer {n}</a>",
            put_id(n)
        )]);
    }
    let (id, other) = (tasks[0], tasks[1]);
    for (form, answer) in [
        ("action=chosen&id=x", ""),
        (&*format!("action=chosen&id={id}"), "/outbox?did=revived-1"),
        (
            &format!("action=dismiss&reason=gone&id={other}"),
            "/outbox?did=dismissed-1",
        ),
        ("action=all", "/outbox?did=revived-1"),
    ] {
        let done = ann.post("/outbox", form).await;
        assert_eq!(done.status, if answer.is_empty() { 422 } else { 303 });
        assert!(done.header("location").starts_with(answer), "{form}");
    }
    assert_eq!(desk.store.revive(&Revive::All, None, noon()).await, Ok(0));
    let mut did = desk.audit().await;
    did.retain(|done| done.starts_with("ann outbox."));
    did.sort();
    let expect = ["dismiss", "retry", "retry"].map(|did| format!("ann outbox.{did}"));
    assert_eq!(did, expect);
}

#[tokio::test]
async fn waiting_work_is_shown_with_its_reason() {
    let desk = Desk::new();
    let put = report("ada@example.com", "{}");
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let paused = AccountState {
        paused_until: Some(noon() + hours(1)),
        pause_reason: Some("429".to_owned()),
        reconciled_at: None,
    };
    let kept = desk.store.keep_account_state(Account::New, &paused);
    kept.await.unwrap();
    desk.pass(time::Duration::minutes(5));
    let page = desk.operator("ann").await.get("/outbox?show=waiting").await;
    page.has(&[
        "<a href=\"/subscribers?email=ada%40example.com\">ada@example.com</a>",
        "data-name=\"Next (UTC)\" class=\"nowrap\">now</td>",
        "waits for a worker with its account",
        "The new account is paused until 2026-03-01 13:00 (UTC): 429",
    ]);
}

#[tokio::test]
async fn the_audit_is_filtered_and_leads_to_what_it_is_about() {
    let desk = Desk::new();
    let id = ClientId::new(uuid(77));
    desk.add_client(id, "acme", Prefixes::ALL).await;
    desk.push(&[create("a", "acme")]).await;
    let put = report("ada@example.com", "{}");
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let told = notice("ada@example.com", SubscriberStatus::Unsubscribed);
    let by = by_ann(4);
    let suppressed = suppress(&*desk.store, &told, "asked", &by, noon());
    suppressed.await.unwrap();
    let mut writes = WriteSet::new(noon());
    writes.tasks.audit = [
        (domain::audit::POSTINGS_REJECT, "a".to_owned()),
        (access::audit::CLIENTS_UPDATE, id.to_string()),
        (
            domain::audit::COMPANIES_UPDATE,
            "https://acme.example".to_owned(),
        ),
    ]
    .into_iter()
    .zip(1..)
    .map(|((action, subject), n)| by_ann(n).entry(action, noon()).about(subject))
    .collect();
    desk.store.commit(writes).await.unwrap();
    let bob = desk.operator("bob").await;
    bob.get("/audit").await.has(&[
        &format!("/postings/{}\">a<", put_id("a")),
        &format!("/clients/{id}\">{id}<"),
        "/companies?from=https%3A%2F%2Facme.example\">https://acme.example<",
        "/subscribers?email=ada%40example.com\">ada@example.com<",
        "<a href=\"/audit?by=bob\">bob</a>",
    ]);
    for (query, count) in [
        // Ann also created the link.
        ("by=ann", 5),
        ("by=ann&action=clients.update", 1),
        ("by=bob", 1),
        ("subject=a", 1),
        ("subject=a&by=bob", 0),
        ("subject=https%3A%2F%2Facme.example", 1),
        ("since=2026-03-02", 0),
        ("since=2026-03-01", 6),
    ] {
        let page = bob.get(&format!("/audit?{query}")).await.body;
        let rows = page.matches("<th scope=\"row\"").count();
        assert_eq!(rows, count, "{query} {page}");
    }
}

#[tokio::test]
async fn a_person_is_found_and_decided_about() {
    let mut desk = Desk::new();
    let page = desk.operator("ann").await.get("/subscribers").await;
    page.has(&["The newsletter is off"]);
    page.lacks(&["<table"]);
    desk.settings.has_newsletter = true;
    let put = report("ada@example.com", r#"{"name": "Ada"}"#);
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let ann = desk.operator("ann").await;
    ann.get("/subscribers?email=ADA%40example.com")
        .await
        .has(&["Ada", "data-name=\"Subscribers\" class=\"number\">1</td>"]);
    for (form, status, said) in [
        ("suppress&reason=x&email=ada", 200, "role=\"status\">ada@"),
        ("reinstate&reason=x&email=ada", 200, "role=\"status\">ada@"),
        ("erase&email=ada", 200, "role=\"status\">"),
        ("erase&email=nobody", 404, "Not found"),
    ] {
        let form = format!("action={form}@example.com");
        let done = ann.post("/subscribers", &form).await;
        assert_eq!(done.status, status, "{form} {}", done.body);
        done.has(&[said]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_that_meets_others_writes_is_decided_again() {
    let desk = Desk::new();
    desk.push(&[create("a", "acme")]).await;
    let ann = desk.operator("ann").await;
    let version = desk.posting("a").await.version;
    for (path, form) in [
        (
            &*format!("/postings/{}", put_id("a")),
            &*format!("action=approve&version={version}"),
        ),
        (
            "/subscribers",
            "action=suppress&reason=asked&email=ada%40example.com",
        ),
    ] {
        let tries = desk.faults.tries();
        desk.faults.fail_next(vec![StoreError::Conflict; 2]);
        ann.post(path, form).await;
        assert_eq!(desk.faults.tries(), tries + 3, "{path}");
    }
    let did = ["postings.approve", "subscribers.suppress"].map(|did| format!("ann {did}"));
    assert_eq!(desk.audit().await[2..], did);
}
