use access::Clients as _;
use domain::{posting::Posting, testing::push_by};
use kernel::{ClientId, Prefixes, Status, testing::uuid};

use crate::support::Desk;

async fn push(desk: &Desk, id: &str, title: &str) -> Posting {
    let client = ClientId::new(uuid(77));
    if desk.store.list(9).await.unwrap().is_empty() {
        desk.add_client(client, "acme", Prefixes::ALL).await;
    }
    let body = format!(
        r#"{{"title": {title:?}, "raw_description": "Text.", "application_email": "a@b.example",
        "company": {{"name": "Bolt & Script", "website_url": "https://acme.example"}}}}"#
    );
    desk.push(&[push_by(client, id, &body)]).await;
    desk.posting(id).await
}

#[tokio::test]
async fn postings_are_searched_and_paged() {
    let desk = Desk::new();
    for n in 0..60 {
        push(&desk, &format!("job-{n:02}"), &format!("Engineer {n}")).await;
    }
    push(&desk, "other", "Crane operator").await;
    let ann = desk.operator("ann").await;
    let rows = async |path: &str| {
        let page = ann.get(path).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let rows = page.body.matches("<tr>\n        <td class=\"pick\">");
        (rows.count(), page.next())
    };
    let (first, next) = rows("/postings?title=eng").await;
    assert_eq!(first, 50);
    assert_eq!(rows(&next.unwrap()).await, (10, None));
    let nil = "00000000-0000-0000-0000-000000000000";
    for (query, count) in [
        ("title=crane", 1),
        ("title=crane&status=PendingEnrichment", 1),
        ("title=crane&status=pending", 1),
        ("title=crane&status=approved", 0),
        ("id=job-1", 10),
        ("company=script+bolt&id=other", 1),
        (&format!("title=crane&client={nil}"), 0),
        (&format!("title=crane&client={}", uuid(77)), 1),
        ("title=crane&client=&company=", 1),
    ] {
        let found = rows(&format!("/postings?{query}")).await;
        assert_eq!(found, (count, None), "{query}");
    }
    assert_eq!(ann.get("/postings?after=x").await.status, 422);
}

#[tokio::test]
async fn an_operator_decides_on_what_was_seen() {
    let desk = Desk::new();
    let posting = push(&desk, "a", "Engineer").await;
    let other = push(&desk, "b", "Gardener").await;
    let ann = desk.operator("ann").await;
    let path = format!("/postings/{}", posting.id);
    let chosen = [&posting, &other].map(|posting| format!("{}@{}", posting.id, posting.version));
    let offered = chosen
        .each_ref()
        .map(|id| format!("name=\"id\" value=\"{id}\""));
    let list = ann.get("/postings").await;
    list.has(&[&offered[0], &offered[1]]);
    push(&desk, "a", "Manager").await;

    let reject = "action=reject&reason=Spam.";
    for (seen, fault) in [("", "&#34;&#34;"), ("&version=x", "&#34;x&#34;")] {
        let page = ann.post(&path, &format!("{reject}{seen}")).await;
        assert_eq!(page.status, 422);
        page.has(&[&format!("version: {fault} is not a version of a posting")]);
    }
    let seen = posting.version;
    let page = ann.post(&path, &format!("{reject}&version={seen}")).await;
    assert_eq!(page.status, 409);
    let present = desk.posting("a").await.version;
    page.has(&[
        "role=\"alert\">Nothing was changed. The posting has changed meanwhile.",
        "<h1>Manager</h1>",
        "value=\"Spam.\"",
        &format!("name=\"version\" value=\"{present}\""),
    ]);
    let many = format!("{reject}&id={}", chosen.join("&id="));
    let done = ann.post("/postings", &many).await;
    assert_eq!(done.status, 200);
    done.has(&["Done: 1 of 2.", "Refused: the posting has changed"]);
    let statuses = [desk.posting("a").await, desk.posting("b").await].map(|it| it.status());
    assert_eq!(
        statuses.map(Status::as_str),
        ["PendingEnrichment", "rejected"]
    );
    assert_eq!(desk.audit().await[2..], ["ann postings.reject"]);
}

#[tokio::test]
async fn an_operator_decides_about_one() {
    let desk = Desk::new();
    let posting = push(&desk, "a", "Engineer").await;
    let ann = desk.operator("ann").await;
    let path = format!("/postings/{}", posting.id);
    for (form, code, after, offered) in [
        ("action=approve", 303, "approved", "reject expire feature"),
        ("action=reject&reason=a%0Ab", 422, "approved", ""),
        (
            "action=reject&reason=Not+a+job.",
            303,
            "rejected",
            "approve feature",
        ),
        ("action=frame", 422, "rejected", ""),
        ("action=feature", 303, "rejected", "approve unfeature"),
        ("action=expire&reason=By+phone.", 409, "rejected", ""),
        ("action=approve", 303, "approved", "reject expire unfeature"),
        ("action=expire&reason=x&ground=whim", 422, "approved", ""),
        (
            "action=expire&reason=By+phone.&ground=law",
            303,
            "expired",
            "reopen unfeature",
        ),
        (
            "action=reopen&reason=By+phone.",
            303,
            "PendingEnrichment",
            "reject expire approve unfeature",
        ),
    ] {
        let version = desk.posting("a").await.version;
        let answer = ann.post(&path, &format!("{form}&version={version}")).await;
        assert_eq!(answer.status, code, "{form}: {}", answer.body);
        assert_eq!(desk.posting("a").await.status().as_str(), after, "{form}");
        if code == 303 {
            let page = ann.get(answer.header("location")).await;
            page.has(&["role=\"status\">The posting is "]);
            let buttons = page.body.split("name=\"action\" value=\"").skip(1);
            let buttons = buttons.map(|rest| rest.split('"').next().unwrap());
            assert_eq!(buttons.collect::<Vec<_>>().join(" "), offered, "{form}");
        }
    }
    ann.get(&path).await.has(&[
        "operator:ann",
        "By phone.",
        "<dd>removed</dd>",
        "<dt>Ground</dt><dd>law</dd>",
    ]);
    let did = [
        "approve", "reject", "feature", "approve", "expire", "reopen",
    ];
    assert_eq!(
        desk.audit().await[2..],
        did.map(|did| format!("ann postings.{did}"))
    );
}

#[tokio::test]
async fn an_operator_decides_about_many_and_reads_what_became_of_each() {
    let desk = Desk::new();
    let (one, two) = (
        push(&desk, "a", "First").await.id,
        push(&desk, "b", "Second").await.id,
    );
    let ann = desk.operator("ann").await;
    let expire = format!("action=expire&reason=Old.&id={one}@1");
    ann.follow("/postings", &expire).await.has(&[
        "role=\"status\">Done: 1 of 1.",
        "name=\"back\" value=\"/postings\"",
    ]);
    let gone = uuid(0xdead);
    let approve = format!("action=approve&id={one}@2&id={two}@1&id={two}@1&id={gone}@1");
    let done = ann
        .post("/postings", &format!("{approve}&back=/postings?title=a"))
        .await;
    assert_eq!(done.status, 200);
    done.has(&["Done: 1 of 3.", "href=\"/postings?title=a\""]);
    assert_eq!(done.body.matches("Refused: ").count(), 2);
    let statuses = [desk.posting("a").await, desk.posting("b").await].map(|it| it.status());
    assert_eq!(statuses.map(Status::as_str), ["expired", "approved"]);
    let elsewhere = format!("{approve}&back=//evil.example");
    ann.post("/postings", &elsewhere)
        .await
        .lacks(&["evil.example"]);

    let many: Vec<_> = (0..51).map(|n| format!("&id={}@1", uuid(n))).collect();
    let many = many.concat();
    let unversioned = format!("&id={}", uuid(1));
    for ids in ["&id=x@1", &unversioned, &many] {
        let form = format!("action=approve{ids}");
        ann.check("/postings", &[(&form, 422)]).await;
    }
}
