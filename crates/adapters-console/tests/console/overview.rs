//! The overview. Every page escapes scripts in texts.

use access::{
    ActivityLog,
    activity::{ActivityWrites, Counts, Refusal, Tally},
};
use domain::{
    audit::POSTINGS_REJECT,
    posting::{Details, EnrichedTexts, Findings},
    store::{PostingWrite, Store as _, WriteSet},
    testing::push_by,
};
use kernel::{
    ClientId, Prefixes, PutOutcome,
    attention::{AttentionCheck, AttentionList as _, StoredAttention},
    event::EventLog as _,
    testing::{by_ann, noon, uuid},
};
use newsletter::{
    subscriber::SubscriberStatus,
    testing::{notice, report},
    usecase::{put_subscriber, suppress},
};
use webhooks::{Owner, Webhooks, testing::endpoint};

use crate::support::{Desk, EVIL, encoded};

async fn client(desk: &Desk) -> ClientId {
    let id = ClientId::new(uuid(77));
    let prefixes = Prefixes::new(&[EVIL]).unwrap();
    desk.add_client(id, EVIL, prefixes).await;
    let counts = Counts {
        created: 41,
        refused: 3,
        fields: Tally::of_bits(0b1),
        ..Counts::default()
    };
    let mut before = Counts::one(PutOutcome::Created).with_fields(0b1_1111);
    before.hours = 1;
    let days_before = noon().date() - time::Duration::days(7);
    let writes = ActivityWrites {
        days: vec![(id, noon().date(), counts), (id, days_before, before)],
        pushes: vec![(id, noon())],
        refusals: vec![(id, Refusal::new(uuid(1), noon(), EVIL, 422, EVIL, None))],
        secrets: Vec::new(),
    };
    ActivityLog::record(&*desk.store, &writes).await.unwrap();
    id
}

async fn posting(desk: &Desk, client: ClientId) -> String {
    let body = format!(
        r#"{{"title": {EVIL:?}, "raw_description": {EVIL:?}, "location_city": {EVIL:?},
        "metadata": {{"key": {EVIL:?}}}, "application_url": "https://a.example/?a=%22%3E&b='",
        "company": {{"name": {EVIL:?}, "website_url": "https://acme.example",
        "logo_path": {EVIL:?}}}}}"#
    );
    desk.push(&[push_by(client, EVIL, &body)]).await;
    let before = desk.posting(EVIL).await;
    let mut posting = before.clone();
    posting.version += 1;
    posting.put_in(before.state(), Some(EVIL));
    let texts = EnrichedTexts {
        markdown: format!("{EVIL} at Acme"),
        redacted_markdown: format!("{EVIL} at [company]"),
        redacted_title: Some(EVIL.to_owned()),
    };
    let mut writes = WriteSet::new(noon());
    let write = PostingWrite {
        expected: Some(before.version),
        posting,
        sets_description: false,
        enriched: Some((texts, None)),
        findings: Findings::default(),
        decision: None,
        replaced: None,
        history: Vec::new(),
    };
    writes.postings.insert(before.id, write);
    let entry = by_ann(5).entry(POSTINGS_REJECT, noon());
    let entry = entry.about(EVIL).with("reason", EVIL);
    writes.tasks.audit.push(entry);
    desk.store.commit(writes).await.unwrap();
    before.id.to_string()
}

#[tokio::test]
async fn what_strangers_wrote_is_text_on_every_page() {
    let mut desk = Desk::new();
    desk.settings.has_newsletter = true;
    let client = client(&desk).await;
    let posting = posting(&desk, client).await;
    let put = report("ada@example.com", &format!(r#"{{"name": {EVIL:?}}}"#));
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let told = notice("ada@example.com", SubscriberStatus::Unsubscribed);
    let by = by_ann(1);
    let suppressed = suppress(&*desk.store, &told, EVIL, &by, noon());
    suppressed.await.unwrap();
    desk.give_up(EVIL).await;
    let mut webhook = endpoint(1);
    webhook.description = Some(EVIL.to_owned());
    webhook.owner = Owner::Client(client);
    let end = desk.store.end().await.unwrap();
    let inserted = Webhooks::insert(&*desk.store, &webhook, end, None);
    inserted.await.unwrap();

    let evil = encoded(EVIL);
    let evil_one = desk.operator(EVIL).await;
    for path in [
        "/",
        "/clients",
        &format!("/clients/{client}"),
        &format!("/catalogues?client={client}"),
        "/companies",
        "/audit",
        "/outbox",
        "/subscribers?email=ada%40example.com",
        "/webhooks",
        &format!("/webhooks/{}", webhook.id),
        "/postings",
        &format!("/postings?title={evil}&company={evil}&id={evil}&status={evil}"),
        &format!("/postings?after={evil}"),
        &format!("/postings/{posting}?did={evil}"),
    ] {
        let page = evil_one.get(path).await;
        assert_eq!(
            page.body.matches("<script").count(),
            1,
            "{path}: {}",
            page.body
        );
        page.lacks(&["alert(1)</script", "style="]);
        let escaped = page.body.matches("&#60;script&#62;alert(1)").count();
        assert!(
            escaped > 0 || path.contains("after="),
            "{path}: {}",
            page.body
        );
    }
    evil_one.get(&format!("/postings/{posting}")).await.has(&[
        "<mark>Acme</mark>",
        "<mark>[company]</mark>",
        "&lt;script&gt;alert(1)",
        &format!("<dd><a href=\"/clients/{client}\">&#34;"),
        "<th scope=\"row\">key</th><td data-name=\"Value\">&#34;",
        "<span class=\"status pending\">pending</span>",
    ]);
    let form = format!("action=reject&reason={evil}&id={evil}&url={evil}&type={evil}&name={evil}");
    for path in ["/postings", "/webhooks", "/clients"] {
        let refused = evil_one.post(path, &form).await;
        assert_eq!(refused.status, 422, "{path}");
        refused.lacks(&["<script>alert"]);
    }
}

#[tokio::test]
async fn the_overview_begins_with_what_needs_attention() {
    let mut desk = Desk::new();
    desk.settings.has_newsletter = true;
    let id = client(&desk).await;
    let overview = desk.operator("ann").await.get("/").await;
    overview.has(&["All is well", "<rect class=\"c0\"", ">41</td>"]);

    let found = kernel::AttentionItem {
        client: Some(id),
        subject: "<roses>".to_owned(),
        ..kernel::testing::item(7)
    };
    let none = StoredAttention::default();
    let check = AttentionCheck {
        visible: [(id, 1_234)].into(),
        ..AttentionCheck::new(&none, vec![found.clone()], noon())
    };
    desk.store.record_check(&check).await.unwrap();
    let ann = desk.operator("ann").await;
    let overview = ann.get("/").await;
    overview.has(&[
        &format!(
            "<a href=\"{}\">&#60;roses&#62;</a> It is held back.",
            found.page
        ),
        "since 2026-03-01 12:00",
        "<span class=\"status rejected\">look</span>",
        ">1234</td>",
        "Last push (UTC) ↓",
        "<a href=\"/?sort=visible#clients\">Visible now</a>",
    ]);
    overview.lacks(&["All is well"]);
    // Five fields of each posting.
    let was = 500 / Details::OPTIONAL_FIELDS.len();
    let fields = format!(
        "<td data-name=\"Fields filled\" class=\"number\">1 % <small>was {was} %</small></td>"
    );
    ann.get("/?sort=fields")
        .await
        .has(&["Fields filled ↓", &fields]);
    let sorted = ann.get("/?sort=visible").await;
    sorted.has(&["Visible now ↓", "<a href=\"/?sort=last_push#clients\">"]);
}
