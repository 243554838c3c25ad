//! The search for postings, the page of a posting, and moderation.

use access::Clients as _;
use domain::{
    posting::{EnrichedTexts, Lifetime, Posting},
    store::{PostingWrite, Store as _, WriteSet},
    testing::push_by,
    usecase::ingest,
};
use kernel::{
    ClientId, Prefixes,
    testing::{identifier, noon, uuid},
};

use crate::support::Desk;

const EVIL: &str = "\"'><script>alert(1)</script>&amp;";

/// Pushes a posting of a client by this name, with a script in every field that may hold one.
async fn push(desk: &Desk, id: &str, title: &str) -> Posting {
    let client = ClientId::new(uuid(77));
    if desk.store.list(9).await.unwrap().is_empty() {
        desk.add_client(client, EVIL, Prefixes::ALL).await;
    }
    let body = format!(
        r#"{{"title": {title:?}, "raw_description": {EVIL:?}, "location_city": {EVIL:?},
        "metadata": {{"key": {EVIL:?}}}, "application_url": "https://a.example/?a=%22%3E&b='",
        "company": {{"name": {EVIL:?}, "website_url": "https://acme.example",
        "logo_path": {EVIL:?}}}}}"#
    );
    let put = push_by(client, id, &body);
    let answers = ingest(&*desk.store, &[put], Lifetime::NEVER, noon())
        .await
        .unwrap();
    answers.into_iter().next().unwrap().unwrap();
    let known = desk.store.load(&[identifier(id)], &[]).await.unwrap();
    known.postings[&identifier(id)].clone()
}

/// Writes texts, as an enrichment does.
async fn enrich(desk: &Desk, posting: &Posting, texts: EnrichedTexts) {
    let mut after = posting.clone();
    after.version += 1;
    after.status_reason = Some(EVIL.to_owned());
    let mut writes = WriteSet::new(noon());
    let write = PostingWrite {
        expected: Some(posting.version),
        posting: after,
        sets_description: false,
        enriched: Some((texts, None)),
        decision: None,
        history: Vec::new(),
    };
    writes.postings.insert(posting.id, write);
    desk.store.commit(writes).await.unwrap();
}

async fn status(desk: &Desk, id: &str) -> String {
    let known = desk.store.load(&[identifier(id)], &[]).await.unwrap();
    known.postings[&identifier(id)].status.to_string()
}

#[tokio::test]
async fn what_strangers_wrote_is_text_on_every_page() {
    let desk = Desk::new();
    let posting = push(&desk, EVIL, EVIL).await;
    let texts = EnrichedTexts {
        markdown: format!("{EVIL} at Acme"),
        redacted_markdown: format!("{EVIL} at [company]"),
        redacted_title: Some(EVIL.to_owned()),
    };
    enrich(&desk, &posting, texts).await;
    let cookie = desk.sign_in(EVIL).await;
    let evil: String = url::form_urlencoded::byte_serialize(EVIL.as_bytes()).collect();
    for (path, least) in [
        ("/postings".to_owned(), 6),
        (
            format!("/postings?title={evil}&company={evil}&id={evil}"),
            6,
        ),
        (format!("/postings/{}", posting.id), 11),
        (format!("/postings/{}?did={evil}", posting.id), 11),
        (format!("/postings?status={evil}"), 1),
        (format!("/postings?after={evil}"), 0),
    ] {
        let page = desk.get(&path, &cookie).await;
        assert_eq!(
            page.body.matches("<script").count(),
            1,
            "{path}: {}",
            page.body
        );
        assert!(!page.body.contains("alert(1)</script"), "{path}");
        let escaped = ["&#60;script&#62;alert(1)", "&lt;script&gt;alert(1)"];
        let escaped = escaped.map(|text| page.body.matches(text).count());
        assert!(escaped[0] >= least, "{path}: {escaped:?}\n{}", page.body);
    }
    let page = desk
        .get(&format!("/postings/{}", posting.id), &cookie)
        .await;
    for shown in [
        "<mark>Acme</mark>",
        "<mark>[company]</mark>",
        "&lt;script&gt;alert(1)",
        &format!("<dd><a href=\"/clients/{}\">&#34;", uuid(77)),
        "<th scope=\"row\">key</th><td data-name=\"Value\">&#34;",
        "<span class=\"status pending\">pending</span>",
    ] {
        assert!(page.body.contains(shown), "{shown}\n{}", page.body);
    }
    let form = [
        ("token", page.token()),
        ("action", "reject"),
        ("reason", EVIL),
        ("id", EVIL),
    ];
    let refused = desk.post("/postings", &cookie, &form).await;
    assert_eq!(refused.status, 422);
    assert!(!refused.body.contains("<script>alert"));
}

#[tokio::test]
async fn postings_are_searched_and_paged() {
    let desk = Desk::new();
    for n in 0..60 {
        push(&desk, &format!("job-{n:02}"), &format!("Engineer {n}")).await;
    }
    let other = push(&desk, "other", "Crane operator").await;
    let cookie = desk.sign_in("ann").await;
    let rows = async |path: &str| {
        let page = desk.get(path, &cookie).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let next = page.body.split_once("rel=\"next\"").map(|(before, _)| {
            let (_, href) = before.rsplit_once("href=\"").unwrap();
            href.trim_end_matches("\" ").replace("&#38;", "&")
        });
        (
            page.body
                .matches("<tr>\n        <td class=\"pick\">")
                .count(),
            next,
        )
    };
    let (first, next) = rows("/postings?title=eng").await;
    assert_eq!(first, 50);
    assert_eq!(rows(&next.unwrap()).await, (10, None));
    for (path, count) in [
        ("/postings?title=crane", 1),
        ("/postings?title=operator+crane&status=PendingEnrichment", 1),
        ("/postings?title=operator+crane&status=pending", 1),
        ("/postings?title=crane&status=approved", 0),
        ("/postings?id=oth", 1),
        ("/postings?id=job-1", 10),
        ("/postings?company=script+alert&id=other", 1),
        ("/postings?company=acme", 0),
        (
            "/postings?title=crane&client=00000000-0000-0000-0000-000000000000",
            0,
        ),
        ("/postings?title=crane&client=&company=", 1),
    ] {
        assert_eq!(rows(path).await, (count, None), "{path}");
    }
    let by = other.created_by.unwrap().to_string();
    let by = by.trim_start_matches("client:");
    assert_eq!(
        rows(&format!("/postings?title=crane&client={by}")).await,
        (1, None)
    );
    for bad in ["status=x", "client=x", "after=x"] {
        let page = desk.get(&format!("/postings?{bad}"), &cookie).await;
        assert_eq!(page.status, 422, "{bad}");
    }
}

async fn version(desk: &Desk, id: &str) -> String {
    let known = desk.store.load(&[identifier(id)], &[]).await.unwrap();
    known.postings[&identifier(id)].version.to_string()
}

#[tokio::test]
async fn a_page_offers_what_the_rules_allow() {
    let desk = Desk::new();
    let posting = push(&desk, "a", "Engineer").await;
    let cookie = desk.sign_in("ann").await;
    let path = format!("/postings/{}", posting.id);
    for (action, offered) in [
        ("", "reject expire approve feature"),
        ("reject", "approve feature"),
        ("approve", "reject expire feature"),
        ("expire", "reopen feature"),
        ("reopen", "reject expire approve feature"),
    ] {
        let page = desk.get(&path, &cookie).await;
        let seen = version(&desk, "a").await;
        let hidden = format!("name=\"version\" value=\"{seen}\"");
        assert!(page.body.contains(&hidden), "{action} {}", page.body);
        let form = [
            ("token", page.token()),
            ("action", action),
            ("version", &seen),
            ("reason", "By phone."),
        ];
        if !action.is_empty() {
            assert_eq!(desk.post(&path, &cookie, &form).await.status, 303);
        }
        let page = desk.get(&path, &cookie).await;
        let buttons = page.body.split("name=\"action\" value=\"").skip(1);
        let buttons = buttons.map(|rest| rest.split('"').next().unwrap());
        assert_eq!(buttons.collect::<Vec<_>>().join(" "), offered, "{action}");
    }
}

#[tokio::test]
async fn an_operator_decides_on_what_was_seen() {
    let desk = Desk::new();
    let posting = push(&desk, "a", "Engineer").await;
    let other = push(&desk, "b", "Gardener").await;
    let cookie = desk.sign_in("ann").await;
    let path = format!("/postings/{}", posting.id);
    let page = desk.get(&path, &cookie).await;
    let (token, seen) = (page.token(), version(&desk, "a").await);
    let list = desk.get("/postings", &cookie).await.body;
    let chosen = [&posting, &other].map(|posting| format!("{}@{}", posting.id, posting.version));
    for choice in &chosen {
        let shown = format!("name=\"id\" value=\"{choice}\"");
        assert!(list.contains(&shown), "{list}");
    }
    push(&desk, "a", "Manager").await;

    let reject = [("token", token), ("action", "reject"), ("reason", "Spam.")];
    for (blind, fault) in [(None, "&#34;&#34;"), (Some("x"), "&#34;x&#34;")] {
        let mut form = reject.to_vec();
        form.extend(blind.map(|version| ("version", version)));
        let page = desk.post(&path, &cookie, &form).await;
        assert_eq!(page.status, 422);
        let fault = format!("version: {fault} is no version of a posting");
        assert!(page.body.contains(&fault), "{}", page.body);
    }
    let mut form = reject.to_vec();
    form.push(("version", &seen));
    let page = desk.post(&path, &cookie, &form).await;
    assert_eq!(page.status, 409);
    let present = version(&desk, "a").await;
    for shown in [
        "role=\"alert\">Nothing was changed. The posting has changed meanwhile.",
        "<h1>Manager</h1>",
        "value=\"Spam.\"",
        &format!("name=\"version\" value=\"{present}\""),
    ] {
        assert!(page.body.contains(shown), "{shown} {}", page.body);
    }
    let mut form = reject.to_vec();
    form.extend(chosen.iter().map(|choice| ("id", choice.as_str())));
    let done = desk.post("/postings", &cookie, &form).await;
    assert_eq!(done.status, 200);
    assert!(done.body.contains("Done: 1 of 2."), "{}", done.body);
    assert!(done.body.contains("Refused: the posting has changed"));
    assert_eq!(status(&desk, "a").await, "PendingEnrichment");
    assert_eq!(status(&desk, "b").await, "rejected");
    assert_eq!(desk.audit().await[2..], ["ann postings.reject"]);
}

#[tokio::test]
async fn an_operator_decides_about_one() {
    let desk = Desk::new();
    let posting = push(&desk, "a", "Engineer").await;
    let cookie = desk.sign_in("ann").await;
    let path = format!("/postings/{}", posting.id);
    let page = desk.get(&path, &cookie).await;
    let token = page.token();
    let expire = [("action", "expire"), ("reason", "By phone.")];
    let reopen = [("action", "reopen"), ("reason", "By phone.")];
    for (form, code, after) in [
        (&[("action", "approve")] as &[_], 303, "approved"),
        (&[("action", "reject")], 422, "approved"),
        (&[("action", "reject"), ("reason", " ")], 422, "approved"),
        (&[("action", "reject"), ("reason", "a\nb")], 422, "approved"),
        (
            &[("action", "reject"), ("reason", "Not a job.")],
            303,
            "rejected",
        ),
        (&[("action", "frame")], 422, "rejected"),
        (&[("action", "feature")], 303, "rejected"),
        (&expire, 409, "rejected"),
        (&[("action", "approve")], 303, "approved"),
        (&expire, 303, "expired"),
        (&[("action", "approve")], 409, "expired"),
        (&[("action", "reopen")], 422, "expired"),
        (&reopen, 303, "PendingEnrichment"),
        (&reopen, 409, "PendingEnrichment"),
    ] {
        let mut form = form.to_vec();
        let seen = version(&desk, "a").await;
        form.extend([("token", token), ("version", &seen)]);
        let answer = desk.post(&path, &cookie, &form).await;
        assert_eq!(answer.status.as_u16(), code, "{form:?}: {}", answer.body);
        assert_eq!(status(&desk, "a").await, after, "{form:?}");
        if code == 303 {
            let page = desk.get(answer.header("location"), &cookie).await;
            assert!(
                page.body.contains("role=\"status\">The posting is "),
                "{}",
                page.body
            );
        }
    }
    let page = desk.get(&path, &cookie).await;
    assert!(page.body.contains("operator:ann") && page.body.contains("By phone."));
    let audit = desk.audit().await;
    let expect = [
        "postings.approve",
        "postings.reject",
        "postings.feature",
        "postings.approve",
        "postings.expire",
        "postings.reopen",
    ];
    let told: Vec<_> = expect
        .iter()
        .map(|action| format!("ann {action}"))
        .collect();
    assert_eq!(audit[2..], told);
}

#[tokio::test]
async fn an_operator_decides_about_many_and_reads_what_became_of_each() {
    let desk = Desk::new();
    let (one, two) = (
        push(&desk, "a", "First").await,
        push(&desk, "b", "Second").await,
    );
    let cookie = desk.sign_in("ann").await;
    let page = desk.get("/postings", &cookie).await;
    let token = page.token();
    let (mut one, two) = (format!("{}@1", one.id), format!("{}@1", two.id));
    let expire = [
        ("token", token),
        ("action", "expire"),
        ("reason", "Old."),
        ("id", &*one),
    ];
    let done = desk.post("/postings", &cookie, &expire).await;
    assert_eq!(done.status, 303);
    let list = desk.get(done.header("location"), &cookie).await;
    assert!(
        list.body.contains("role=\"status\">Done: 1 of 1."),
        "{}",
        list.body
    );
    assert!(
        list.body.contains("name=\"back\" value=\"/postings\""),
        "{}",
        list.body
    );
    one = one.replace("@1", "@2");
    let gone = format!("{}@1", uuid(0xdead));
    let form = [
        ("token", token),
        ("action", "approve"),
        ("id", &*one),
        ("id", &*two),
        ("id", &*two),
        ("id", &*gone),
        ("back", "/postings?title=a"),
    ];
    let done = desk.post("/postings", &cookie, &form).await;
    assert_eq!(done.status, 200);
    assert!(done.body.contains("Done: 1 of 3."), "{}", done.body);
    assert_eq!(done.body.matches("Refused: ").count(), 2);
    assert!(done.body.contains("href=\"/postings?title=a\""));
    assert_eq!(
        (status(&desk, "a").await, status(&desk, "b").await),
        ("expired".into(), "approved".into())
    );
    let mut elsewhere = form;
    elsewhere[6].1 = "//evil.example";
    let page = desk.post("/postings", &cookie, &elsewhere).await;
    assert!(!page.body.contains("evil.example"));

    for ids in [
        vec![],
        vec!["x@1".to_owned()],
        vec![uuid(1).to_string()],
        (0..51).map(|n| format!("{}@1", uuid(n))).collect(),
    ] {
        let mut form = vec![("token", token), ("action", "approve")];
        form.extend(ids.iter().map(|id| ("id", id.as_str())));
        assert_eq!(desk.post("/postings", &cookie, &form).await.status, 422);
    }
}
