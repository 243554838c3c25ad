//! The pages beside postings: what they show, what their forms do, and what they refuse.

use access::{
    ActivityLog, Clients,
    activity::{ActivityWrites, Counts, Refusal},
};
use domain::{
    catalogue::{CatalogueId, CatalogueQuery, Catalogues, Leased, PastImport},
    import::{Missing, Summary},
    posting::{ENRICH, Lifetime},
    store::WriteSet,
    testing::{create, put_id},
    usecase::ingest,
};
use kernel::{
    CatalogueName, ClientId, Prefixes, PutOutcome,
    audit::Action,
    event::EventLog as _,
    outbox::{Outbox as _, Revive},
    testing::{by_ann, hours, minutes, noon, uuid},
};
use newsletter::{
    store::{AccountState, Accounts as _},
    subscriber::{Account, SubscriberStatus},
    testing::{notice, report},
    usecase::{put_subscriber, suppress},
};
use webhooks::{EndpointState, Owner, Webhooks, testing::endpoint};

use crate::support::Desk;

const EVIL: &str = "\"'><script>alert(1)</script>";

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

fn assert_escaped(path: &str, body: &str, least: usize) {
    assert_eq!(body.matches("<script").count(), 1, "{path}: {body}");
    let escaped = body.matches("&#60;script&#62;alert(1)").count();
    assert!(escaped >= least, "{path}: {escaped} {body}");
}

#[tokio::test]
async fn a_client_named_like_a_script_is_text_everywhere() {
    let desk = Desk::new();
    let id = client(&desk).await;
    let mut writes = WriteSet::new(noon());
    let entry = by_ann(5).entry(Action::POSTINGS_REJECT, noon());
    writes
        .tasks
        .audit
        .push(entry.about(EVIL).with("reason", EVIL));
    domain::store::Store::commit(&*desk.store, writes)
        .await
        .unwrap();
    let cookie = desk.sign_in("ann").await;
    for (path, least) in [
        ("/".to_owned(), 1),
        ("/clients".to_owned(), 2),
        (format!("/clients/{id}"), 6),
        (format!("/catalogues?client={id}"), 1),
        ("/audit".to_owned(), 2),
        (
            format!("/subscribers?email={}", "%3Cscript%3E%40example.com"),
            0,
        ),
    ] {
        let page = desk.get(&path, &cookie).await;
        assert_escaped(&path, &page.body, least);
    }
    let overview = desk.get("/", &cookie).await;
    assert!(overview.body.contains("<rect class=\"c0\"") && overview.body.contains(">41</td>"));
    assert!(!overview.body.contains("style="), "the policy forbids it");
}

#[tokio::test]
async fn a_client_is_made_changed_rotated_and_revoked() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/clients", &cookie).await;
    let token = page.token().to_owned();
    for bad in [
        vec![("name", ""), ("scope", "job-postings:write")],
        vec![("name", "x")],
        vec![("name", "x"), ("scope", "all")],
        vec![
            ("name", "x"),
            ("scope", "job-postings:read"),
            ("requests_per_minute", "0"),
        ],
        vec![("name", "a\u{202e}b"), ("scope", "job-postings:read")],
    ] {
        let mut form = bad.clone();
        form.push(("token", &token));
        assert_eq!(
            desk.post("/clients", &cookie, &form).await.status,
            422,
            "{bad:?}"
        );
    }
    let form = [
        ("token", &*token),
        ("name", "acme"),
        ("scope", "job-postings:write"),
        ("scope", "job-postings:read"),
        ("prefixes", "acme-\r\n\r\nacme:"),
        ("requests_per_minute", "60"),
    ];
    let made = desk.post("/clients", &cookie, &form).await;
    assert_eq!(made.status, 200);
    assert!(made.body.contains("<code>s3cret</code>"));
    let client = Clients::list(&*desk.store, 9).await.unwrap().remove(0);
    assert_eq!((&*client.name, client.scopes.len()), ("acme", 2));
    assert_eq!(client.prefixes.as_slice(), ["acme-", "acme:"]);
    let path = format!("/clients/{}", client.id);
    assert!(!desk.get(&path, &cookie).await.body.contains("s3cret"));

    let read = ("scope", "job-postings:read");
    for (form, status) in [
        (vec![("action", "update"), ("name", "acme 2"), read], 303),
        (vec![("action", "update"), ("name", "acme 2")], 422),
        (vec![("action", "rotate"), ("overlap", "-1")], 422),
        (vec![("action", "rotate"), ("overlap", "24")], 200),
        (vec![("action", "burn")], 422),
        (vec![("action", "revoke")], 303),
        (vec![("action", "update"), ("name", "acme 3"), read], 409),
    ] {
        let mut form = form;
        form.push(("token", &token));
        let answer = desk.post(&path, &cookie, &form).await;
        assert_eq!(answer.status.as_u16(), status, "{form:?}: {}", answer.body);
    }
    let client = Clients::find(&*desk.store, client.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((&*client.name, client.scopes.len()), ("acme 2", 1));
    assert!(client.prefixes.are_all() && !client.is_active());
    assert!(
        !desk
            .get(&path, &cookie)
            .await
            .body
            .contains("value=\"update\"")
    );
    let expect = ["create", "update", "rotate", "revoke"].map(|did| format!("ann clients.{did}"));
    assert_eq!(desk.audit().await[2..], expect);
}

#[tokio::test]
async fn a_rotation_ends_tokens_if_that_is_wanted() {
    let desk = Desk::new();
    let id = client(&desk).await;
    let cookie = desk.sign_in("ann").await;
    let path = format!("/clients/{id}");
    let token = desk.get(&path, &cookie).await.token().to_owned();
    for (form, ends) in [(&[] as &[_], false), (&[("end_tokens", "yes")], true)] {
        let mut form = form.to_vec();
        form.extend([("token", &*token), ("action", "rotate")]);
        assert_eq!(desk.post(&path, &cookie, &form).await.status, 200);
        let client = Clients::find(&*desk.store, id).await.unwrap().unwrap();
        assert_eq!(client.tokens_from.is_some(), ends, "{form:?}");
    }
}

#[tokio::test]
async fn dead_side_effects_are_tried_again_or_dismissed() {
    let desk = Desk::new();
    for n in ["a", "b", "c"] {
        let put = create(n, "acme");
        ingest(&*desk.store, &[put], Lifetime::NEVER, noon())
            .await
            .unwrap();
    }
    let claimed = desk
        .store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    for claimed in &claimed {
        desk.store
            .give_up(claimed.token, EVIL, noon())
            .await
            .unwrap();
    }
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/outbox", &cookie).await;
    assert_escaped("/outbox", &page.body, 3);
    for n in ["a", "b", "c"] {
        let posting = format!("<a href=\"/postings/{}\">Engineer {n}</a>", put_id(n));
        assert!(page.body.contains(&posting), "{posting} {}", page.body);
    }
    assert!(page.body.contains("enrich <small>judge a posting</small>"));
    let [id, other] = [0, 1].map(|n: usize| claimed[n].token.task.0.to_string());
    let token = page.token();
    for (form, answer) in [
        (vec![("action", "chosen")], ""),
        (vec![("action", "chosen"), ("id", "x")], ""),
        (
            vec![("action", "chosen"), ("id", &*id)],
            "/outbox?did=revived-1",
        ),
        (vec![("action", "dismiss"), ("id", &*other)], ""),
        (
            vec![("action", "dismiss"), ("id", &*other), ("reason", "gone")],
            "/outbox?did=dismissed-1",
        ),
        (vec![("action", "all")], "/outbox?did=revived-1"),
    ] {
        let mut form = form;
        form.push(("token", token));
        let done = desk.post("/outbox", &cookie, &form).await;
        assert!(done.header("location").starts_with(answer), "{form:?}");
        assert_eq!(
            done.status.as_u16(),
            if answer.is_empty() { 422 } else { 303 }
        );
    }
    assert_eq!(desk.store.revive(&Revive::All, None, noon()).await, Ok(0));
    assert_eq!(
        desk.audit().await.len(),
        5,
        "a link, a sign-in, two retries and a dismissal"
    );
}

#[tokio::test]
async fn what_waits_is_told_with_its_reason() {
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
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/outbox?show=waiting", &cookie).await.body;
    for told in [
        "<a href=\"/subscribers?email=ada%40example.com\">ada@example.com</a>",
        "data-name=\"Next (UTC)\" class=\"nowrap\">now</td>",
        "waits for a worker with its account",
        "The new account is paused until 2026-03-01 13:00 (UTC): 429",
    ] {
        assert!(page.contains(told), "{told} {page}");
    }
}

#[tokio::test]
async fn the_audit_is_filtered_and_leads_to_what_it_is_about() {
    let desk = Desk::new();
    let id = client(&desk).await;
    let put = create("a", "acme");
    let done = ingest(&*desk.store, &[put], Lifetime::NEVER, noon()).await;
    done.unwrap().remove(0).unwrap();
    let put = report("ada@example.com", "{}");
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let told = notice("ada@example.com", SubscriberStatus::Unsubscribed);
    suppress(&*desk.store, &told, "asked", &by_ann(4), noon())
        .await
        .unwrap();
    let mut writes = WriteSet::new(noon());
    writes.tasks.audit = [
        (Action::POSTINGS_REJECT, "a".to_owned()),
        (Action::CLIENTS_UPDATE, id.to_string()),
        (Action::COMPANIES_UPDATE, "https://acme.example".to_owned()),
    ]
    .into_iter()
    .zip(1..)
    .map(|((action, subject), n)| by_ann(n).entry(action, noon()).about(subject))
    .collect();
    let committed = domain::store::Store::commit(&*desk.store, writes);
    committed.await.unwrap();
    let cookie = desk.sign_in("bob").await;
    let links = [
        format!("/postings/{}\">a<", put_id("a")),
        format!("/clients/{id}\">{id}<"),
        "/companies?from=https%3A%2F%2Facme.example\">https://acme.example<".to_owned(),
        "/subscribers?email=ada%40example.com\">ada@example.com<".to_owned(),
    ];
    let all = desk.get("/audit", &cookie).await.body;
    for link in &links {
        assert!(all.contains(link), "{link} {all}");
    }
    assert!(all.contains("<a href=\"/audit?by=bob\">bob</a>"), "{all}");
    for (query, count) in [
        // She also made the link.
        ("by=ann", 5),
        ("by=ann&action=clients.update", 1),
        ("by=bob", 1),
        ("since=2026-03-02", 0),
        ("since=2026-03-01", 6),
    ] {
        let page = desk.get(&format!("/audit?{query}"), &cookie).await.body;
        let rows = page.matches("<th scope=\"row\"").count();
        assert_eq!(rows, count, "{query} {page}");
    }
}

#[tokio::test]
async fn a_webhook_is_changed_tested_replayed_rotated_and_deleted() {
    let desk = Desk::new();
    let mut one = endpoint(1);
    one.description = Some(EVIL.to_owned());
    let owner = client(&desk).await;
    one.owner = Owner::Client(owner);
    let place = kernel::event::Cursor::default();
    Webhooks::insert(&*desk.store, &one, place, None)
        .await
        .unwrap();
    let cookie = desk.sign_in("ann").await;
    let link = format!("<a href=\"/clients/{owner}\">");
    let list = desk.get("/webhooks", &cookie).await;
    assert!(list.body.contains(one.url.as_str()) && list.body.contains(&link));
    let path = format!("/webhooks/{}", one.id);
    let page = desk.get(&path, &cookie).await;
    assert_escaped(&path, &page.body, 1);
    assert!(page.body.contains(&link));
    let token = page.token();
    let url = ("url", "https://new.example/");
    for (form, status) in [
        (vec![("action", "pause")], 303),
        (vec![("action", "resume")], 303),
        (
            vec![("action", "update"), url, ("type", "CompanyUpdated")],
            303,
        ),
        (
            vec![("action", "update"), ("url", "http://new.example")],
            422,
        ),
        (vec![("action", "replay"), ("since", "2026-03-01")], 303),
        (vec![("action", "replay"), ("since", "yesterday")], 422),
        (vec![("action", "resend"), ("event", "x")], 422),
        (vec![("action", "resend"), ("event", &"0".repeat(32))], 409),
        (vec![("action", "test")], 200),
        (vec![("action", "rotate")], 200),
        (vec![("action", "burn")], 422),
        (vec![("action", "delete")], 303),
        (vec![("action", "delete")], 404),
    ] {
        let mut form = form;
        let action = form[0].1;
        form.push(("token", token));
        let done = desk.post(&path, &cookie, &form).await;
        assert_eq!(done.status.as_u16(), status, "{form:?} {}", done.body);
        if action == "test" {
            assert!(
                done.body
                    .contains("answered 418 after 7 ms: &#60;b&#62;teapot.")
            );
            let found = Webhooks::find(&*desk.store, one.id).await.unwrap();
            let changed = found.unwrap().endpoint;
            assert_eq!(
                (changed.url.as_str(), changed.description.as_deref()),
                (url.1, None)
            );
            assert_eq!(changed.names.map(|names| names.len()), Some(1));
        }
    }
}

/// With its payload as it would be now, while the event is kept.
#[tokio::test]
async fn a_delivery_is_shown_and_sent_again() {
    let desk = Desk::new();
    let (put, store) = (create("a", "acme"), &*desk.store);
    ingest(store, &[put], Lifetime::NEVER, noon())
        .await
        .unwrap();
    let mut one = endpoint(1);
    one.include_posting = true;
    let end = kernel::event::EventLog::end(store).await.unwrap();
    Webhooks::insert(store, &one, end, None).await.unwrap();
    let cookie = desk.sign_in("ann").await;
    let path = format!("/webhooks/{}", one.id);
    let of_event = format!("{path}/deliveries/{end}");
    let page = desk.get(&of_event, &cookie).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for part in [
        "JobPostingCreated of Some(",
        "as it is now",
        "/postings/",
        "None of the last",
    ] {
        assert!(page.body.contains(part), "{part} {}", page.body);
    }
    let form = [
        ("token", page.token()),
        ("action", "resend"),
        ("event", &*end.to_string()),
    ];
    let resent = desk.post(&path, &cookie, &form).await;
    assert!(
        resent
            .header("location")
            .starts_with(&format!("{path}?did=resend"))
    );
    let due = store.due(one.id, noon() + minutes(9), 9).await.unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!(desk.audit().await.last().unwrap(), "ann webhooks.resend");
    for unknown in ["x".to_owned(), "0".repeat(32)] {
        let page = desk
            .get(&format!("{path}/deliveries/{unknown}"), &cookie)
            .await;
        assert_eq!(page.status, 404, "{unknown}");
    }
}

#[tokio::test]
async fn a_webhook_is_made_and_its_secret_shown_once() {
    let desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/webhooks", &cookie).await;
    let token = page.token().to_owned();
    let url = ("url", "https://hooks.example/in");
    let long = "x".repeat(300);
    for (bad, field) in [
        (vec![], "url:"),
        (vec![("url", "http://hooks.example")], "url:"),
        (vec![("url", "https://10.0.0.7/")], "url:"),
        (vec![("url", EVIL)], "url:"),
        (vec![url, ("type", EVIL)], "type:"),
        (vec![url, ("description", "a\u{202e}b")], "description:"),
        (vec![url, ("prefixes", &long)], "prefixes:"),
    ] {
        let mut form = bad.clone();
        form.extend([("token", &*token), ("action", "create")]);
        let refused = desk.post("/webhooks", &cookie, &form).await;
        assert_eq!(refused.status, 422, "{bad:?}");
        assert!(refused.body.contains(field), "{bad:?} {}", refused.body);
        assert!(!refused.body.contains("<script>alert"), "{bad:?}");
    }
    let form = [
        ("token", &*token),
        ("action", "create"),
        url,
        ("type", "JobPostingApproved"),
        ("prefixes", "acme-"),
        ("description", EVIL),
        ("include_posting", "yes"),
    ];
    let made = desk.post("/webhooks", &cookie, &form).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let known = Webhooks::list(&*desk.store, None, None, 9).await.unwrap();
    let endpoint = &known[0].endpoint;
    let secret = endpoint.secret.reveal();
    assert!(made.body.contains(&format!("<code>{secret}</code>")));
    assert_eq!(endpoint.names().len(), 1);
    assert_eq!(endpoint.prefixes.as_slice(), ["acme-"]);
    assert!(endpoint.include_posting);
    for path in ["/webhooks".to_owned(), format!("/webhooks/{}", endpoint.id)] {
        let page = desk.get(&path, &cookie).await;
        assert_escaped(&path, &page.body, 1);
        assert!(!page.body.contains(&secret), "{path}");
    }
    assert_eq!(desk.audit().await.last().unwrap(), "ann webhooks.create");
}

#[tokio::test]
async fn a_catalogue_is_forgotten() {
    let desk = Desk::new();
    let client = client(&desk).await;
    let query = CatalogueQuery {
        client,
        name: CatalogueName::new("roses").unwrap(),
        new_id: Some(CatalogueId::new(uuid(5))),
        holder: uuid(6),
        now: noon(),
        until: noon() + minutes(1),
    };
    Catalogues::lease(&*desk.store, &query).await.unwrap();
    let cookie = desk.sign_in("ann").await;
    let path = format!("/catalogues?client={client}");
    let page = desk.get(&path, &cookie).await;
    assert!(page.body.contains("roses") && page.body.contains("import running"));
    let (token, id) = (page.token(), client.to_string());
    let forget = ("action", "forget");
    let undo = ("action", "undo");
    for (form, status) in [
        (vec![("client", &*id), ("name", "roses")], 422),
        (vec![undo, ("client", &*id), ("name", "running")], 409),
        (vec![forget, ("client", EVIL), ("name", "roses")], 404),
        (vec![forget, ("client", &*id), ("name", EVIL)], 404),
        (vec![forget, ("client", &*id), ("name", "roses")], 303),
        (vec![forget, ("client", &*id), ("name", "roses")], 404),
    ] {
        let mut form = form;
        form.push(("token", token));
        let done = desk.post("/catalogues", &cookie, &form).await;
        assert_eq!(done.status.as_u16(), status, "{form:?}");
    }
    let form = [undo, ("client", &*id), ("name", "roses"), ("token", token)];
    let undone = desk.post("/catalogues", &cookie, &form).await;
    let page = desk.get(undone.header("location"), &cookie).await;
    assert!(
        page.body
            .contains("2 postings are open again; 1 were left as they are.")
    );
    assert!(page.body.contains("There are no catalogues."));
    assert_eq!(desk.audit().await.last().unwrap(), "ann catalogues.forget");
}

#[tokio::test]
async fn a_person_is_found_and_decided_about() {
    let mut desk = Desk::new();
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/subscribers", &cookie).await.body;
    assert!(page.contains("The newsletter is off") && !page.contains("<table"));
    desk.settings.has_newsletter = true;
    let put = report(
        "ada@example.com",
        r#"{"name": "\"'><script>alert(1)</script>"}"#,
    );
    put_subscriber(&*desk.store, &put, noon()).await.unwrap();
    let told = notice("ada@example.com", SubscriberStatus::Unsubscribed);
    suppress(&*desk.store, &told, EVIL, &by_ann(1), noon())
        .await
        .unwrap();
    let cookie = desk.sign_in("ann").await;
    let path = "/subscribers?email=ADA%40example.com";
    let page = desk.get(path, &cookie).await;
    assert_escaped(path, &page.body, 2);
    assert!(page.body.contains("unsubscribed"));
    assert!(
        page.body
            .contains("data-name=\"Subscribers\" class=\"number\">1</td>")
    );
    assert_eq!(desk.get("/subscribers?email=x", &cookie).await.status, 422);
    for (form, status) in [
        (
            vec![("email", "ada@example.com"), ("action", "suppress")],
            422,
        ),
        (
            vec![
                ("email", "ada@example.com"),
                ("action", "reinstate"),
                ("reason", "x"),
            ],
            200,
        ),
        (vec![("email", "ada@example.com"), ("action", "erase")], 200),
        (
            vec![("email", "nobody@example.com"), ("action", "erase")],
            404,
        ),
        (vec![("email", "x"), ("action", "erase")], 422),
    ] {
        let mut form = form;
        form.push(("token", page.token()));
        let done = desk.post("/subscribers", &cookie, &form).await;
        assert_eq!(done.status.as_u16(), status, "{form:?} {}", done.body);
        if status == 200 {
            assert!(
                done.body.contains("role=\"status\">ada@example.com "),
                "{}",
                done.body
            );
        }
    }
}

#[tokio::test]
async fn the_overview_begins_with_what_needs_attention() {
    let mut desk = Desk::new();
    desk.settings.has_newsletter = true;
    let id = client(&desk).await;
    let cookie = desk.sign_in("ann").await;
    let overview = desk.get("/", &cookie).await;
    assert!(overview.body.contains("All is well"), "{}", overview.body);

    let date = noon().date();
    let days = [1, 2].map(|ago| {
        (
            id,
            date - time::Duration::days(ago),
            Counts::one(PutOutcome::Updated),
        )
    });
    let writes = ActivityWrites {
        days: days.to_vec(),
        ..ActivityWrites::default()
    };
    ActivityLog::record(&*desk.store, &writes).await.unwrap();
    let mut disabled = endpoint(1);
    disabled.state = EndpointState::Disabled;
    disabled.state_reason = Some(EVIL.to_owned());
    let start = desk.store.cursor_at(noon()).await.unwrap();
    Webhooks::insert(&*desk.store, &disabled, start, None)
        .await
        .unwrap();
    let lease = CatalogueQuery {
        client: id,
        name: CatalogueName::new("roses").unwrap(),
        new_id: Some(CatalogueId::new(uuid(5))),
        holder: uuid(6),
        now: noon(),
        until: noon() + minutes(1),
    };
    let Leased::Held(lease) = Catalogues::lease(&*desk.store, &lease).await.unwrap() else {
        panic!("nobody has it");
    };
    let held = Missing {
        count: 40,
        expired: 0,
        held: true,
    };
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(held),
            ..Summary::default()
        },
    };
    assert!(
        Catalogues::finish(&*desk.store, lease, &import)
            .await
            .unwrap()
    );
    let paused = AccountState {
        paused_until: Some(noon() + hours(24 * 9)),
        pause_reason: Some("401: the key is not valid".to_owned()),
        reconciled_at: None,
    };
    desk.store
        .keep_account_state(Account::New, &paused)
        .await
        .unwrap();
    let put = create("dead", "acme");
    ingest(&*desk.store, &[put], Lifetime::NEVER, noon())
        .await
        .unwrap()
        .remove(0)
        .unwrap();
    let claimed = desk
        .store
        .claim(ENRICH, 9, minutes(1), uuid(9), noon())
        .await
        .unwrap();
    desk.store
        .give_up(claimed[0].token, "no model", noon())
        .await
        .unwrap();

    desk.pass(time::Duration::days(8));
    let cookie = desk.sign_in("ann").await;
    let overview = desk.get("/", &cookie).await.body;
    let attention = overview.split("</section>").next().unwrap();
    for shown in [
        "<a href=\"/outbox\">1 dead task</a> of enrich".to_owned(),
        format!(
            "<a href=\"/webhooks/{}\">Webhook {}</a> is disabled: ",
            disabled.id,
            disabled.url.as_str()
        ),
        format!("<a href=\"/catalogues?client={id}\">Catalogue roses</a> held back by its last"),
        "by its last import: 40 postings were missing".to_owned(),
        "<a href=\"/subscribers\">The provider&#39;s new account</a> pauses until".to_owned(),
        "until 2026-03-10 12:00: 401".to_owned(),
        format!("<a href=\"/clients/{id}\">Client &#34;"),
        "</a> has pushed nothing since 2026-03-01 12:00".to_owned(),
    ] {
        assert!(attention.contains(&shown), "{shown}\n{attention}");
    }
}
