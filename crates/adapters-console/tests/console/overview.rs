//! The overview, and what every page does with a text that is a script.

use access::{
    ActivityLog,
    activity::{ActivityWrites, Counts, Refusal},
};
use domain::{
    audit::POSTINGS_REJECT,
    catalogue::{Catalogues, PastImport},
    import::{HeldBecause, Missing, Summary},
    posting::{EnrichedTexts, Findings},
    store::{PostingWrite, Store as _, WriteSet},
    testing::{create, push_by},
};
use kernel::{
    ClientId, Prefixes, PutOutcome,
    event::EventLog as _,
    testing::{by_ann, hours, noon, uuid},
};
use newsletter::{
    store::{AccountState, Accounts as _},
    subscriber::{Account, SubscriberStatus},
    testing::{notice, report},
    usecase::{put_subscriber, suppress},
};
use webhooks::{EndpointState, Owner, Webhooks, testing::endpoint};

use crate::support::{Desk, EVIL, encoded};

/// A client whose name is a script, with activity of today.
async fn client(desk: &Desk) -> ClientId {
    let id = ClientId::new(uuid(77));
    let prefixes = Prefixes::new(&[EVIL]).unwrap();
    desk.add_client(id, EVIL, prefixes).await;
    let counts = Counts {
        created: 41,
        refused: 3,
        ..Counts::default()
    };
    let writes = ActivityWrites {
        days: vec![(id, noon().date(), counts)],
        pushes: vec![(id, noon())],
        refusals: vec![(id, Refusal::new(uuid(1), noon(), EVIL, 422, EVIL, None))],
        secrets: Vec::new(),
    };
    ActivityLog::record(&*desk.store, &writes).await.unwrap();
    id
}

/// A posting of the client with a script in every field that may hold one, and its enriched texts.
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

    let date = noon().date();
    let updated = Counts::one(PutOutcome::Updated);
    let writes = ActivityWrites {
        days: [1, 2]
            .map(|ago| (id, date - time::Duration::days(ago), updated))
            .to_vec(),
        ..ActivityWrites::default()
    };
    ActivityLog::record(&*desk.store, &writes).await.unwrap();
    let mut disabled = endpoint(1);
    disabled.state = EndpointState::Disabled;
    disabled.state_reason = Some("gone".to_owned());
    let start = desk.store.cursor_at(noon()).await.unwrap();
    let inserted = Webhooks::insert(&*desk.store, &disabled, start, None);
    inserted.await.unwrap();
    let lease = desk.lease(id).await;
    let held = Missing {
        count: 40,
        held: Some(HeldBecause::Share),
        ..Missing::default()
    };
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(held),
            ..Summary::default()
        },
    };
    let finished = Catalogues::finish(&*desk.store, lease, &import, false).await;
    assert_eq!(finished, Ok(true));
    let paused = AccountState {
        paused_until: Some(noon() + hours(24 * 9)),
        pause_reason: Some("401: the key is not valid".to_owned()),
        reconciled_at: None,
    };
    let kept = desk.store.keep_account_state(Account::New, &paused);
    kept.await.unwrap();
    desk.push(&[create("dead", "acme")]).await;
    desk.give_up("no model").await;

    desk.pass(time::Duration::days(8));
    let overview = desk.operator("ann").await.get("/").await.body;
    let attention = overview.split("</section>").next().unwrap();
    let (webhook, url) = (disabled.id, disabled.url.as_str());
    for shown in [
        "<a href=\"/outbox\">1 dead task</a> of enrich".to_owned(),
        format!("<a href=\"/webhooks/{webhook}\">Webhook {url}</a> is disabled: "),
        format!(
            "<a href=\"/catalogues/{}\">Catalogue roses</a> of ",
            lease.catalogue
        ),
        "holds 40 postings back: have it sent again, or let them expire".to_owned(),
        "<a href=\"/subscribers\">The provider&#39;s new account</a> pauses until".to_owned(),
        "until 2026-03-10 12:00: 401".to_owned(),
        format!("<a href=\"/clients/{id}\">Client &#34;"),
        "</a> has pushed nothing since 2026-03-01 12:00".to_owned(),
    ] {
        assert!(attention.contains(&shown), "{shown}\n{attention}");
    }
}
