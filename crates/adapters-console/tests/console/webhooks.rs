use domain::testing::create;
use kernel::{
    ClientId, Prefixes,
    event::{Cursor, EventLog as _},
    testing::{minutes, noon, uuid},
};
use webhooks::{Owner, Webhooks, testing::endpoint};

use crate::support::{Desk, EVIL, encoded};

#[tokio::test]
async fn a_webhook_is_changed_tested_replayed_rotated_and_deleted() {
    let desk = Desk::new();
    let owner = ClientId::new(uuid(77));
    desk.add_client(owner, EVIL, Prefixes::ALL).await;
    let mut one = endpoint(1);
    one.description = Some("ours".to_owned());
    one.owner = Owner::Client(owner);
    let inserted = Webhooks::insert(&*desk.store, &one, Cursor::default(), None);
    inserted.await.unwrap();
    let ann = desk.operator("ann").await;
    let link = format!("<a href=\"/clients/{owner}\">");
    ann.get("/webhooks").await.has(&[one.url.as_str(), &link]);
    let path = format!("/webhooks/{}", one.id);
    ann.get(&path).await.has(&[&link]);
    let url = "https://new.example/";
    let forms = [
        ("action=pause", 303),
        ("action=resume", 303),
        (
            &*format!("action=update&url={url}&type=CompanyUpdated"),
            303,
        ),
        ("action=replay&since=2026-03-01", 303),
        ("action=resend&event=x", 422),
        (&format!("action=resend&event={}", "0".repeat(32)), 409),
    ];
    ann.check(&path, &forms).await;
    let tested = ann.post(&path, "action=test").await;
    tested.has(&["answered 418 after 7 ms: &#60;b&#62;teapot."]);
    let changed = Webhooks::find(&*desk.store, one.id).await.unwrap().unwrap();
    let changed = changed.endpoint;
    let described = (changed.url.as_str(), changed.description.as_deref());
    assert_eq!(described, (url, None));
    assert_eq!(changed.names.map(|names| names.len()), Some(1));
    let forms = [
        ("action=rotate", 200),
        ("action=burn", 422),
        ("action=delete", 303),
        ("action=delete", 404),
    ];
    ann.check(&path, &forms).await;
}

#[tokio::test]
async fn a_delivery_is_shown_and_sent_again() {
    let desk = Desk::new();
    desk.push(&[create("a", "acme")]).await;
    let store = &*desk.store;
    let mut one = endpoint(1);
    one.include_posting = true;
    let end = store.end().await.unwrap();
    Webhooks::insert(store, &one, end, None).await.unwrap();
    let ann = desk.operator("ann").await;
    let path = format!("/webhooks/{}", one.id);
    ann.get(&format!("{path}/deliveries/{end}")).await.has(&[
        "&#34;type&#34;: &#34;JobPostingCreated&#34;",
        "&#34;markdown_description&#34;: null",
        "as it is now",
        "/postings/",
        "None of the last",
    ]);
    let form = format!("action=resend&event={end}");
    let answer = ann.post(&path, &form).await;
    let led = answer.header("location");
    assert!(led.starts_with(&format!("{path}?did=resend")), "{led}");
    let due = store.due(one.id, noon() + minutes(9), 9).await.unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!(desk.audit().await.last().unwrap(), "ann webhooks.resend");
    for unknown in ["x".to_owned(), "0".repeat(32)] {
        let page = ann.get(&format!("{path}/deliveries/{unknown}")).await;
        assert_eq!(page.status, 404, "{unknown}");
    }
}

#[tokio::test]
async fn a_webhook_is_made_and_its_secret_shown_once() {
    let desk = Desk::new();
    let ann = desk.operator("ann").await;
    let form = format!(
        "action=create&url=https://hooks.example/in&type=JobPostingApproved&prefixes=acme-\
         &description={}&include_posting=yes",
        encoded(EVIL)
    );
    let made = ann.post("/webhooks", &form).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let known = Webhooks::list(&*desk.store, None, None, 9).await.unwrap();
    let endpoint = &known[0].endpoint;
    let secret = endpoint.secret.reveal();
    made.has(&[&format!("<code>{secret}</code>")]);
    assert_eq!(endpoint.names().len(), 1);
    assert_eq!(endpoint.prefixes.as_slice(), ["acme-"]);
    assert!(endpoint.include_posting);
    for path in ["/webhooks".to_owned(), format!("/webhooks/{}", endpoint.id)] {
        ann.get(&path).await.lacks(&[&secret]);
    }
    assert_eq!(desk.audit().await.last().unwrap(), "ann webhooks.create");
}
