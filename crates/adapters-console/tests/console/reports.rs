use domain::{
    posting::ObjectionState,
    report::{NewReport, PostingName, ReportReason, ReportState, Reporter, Reports as _},
    store::PostingReader,
    testing::{create, pusher},
    usecase::{object, report},
};
use kernel::{
    Prefixes, ReportId, Status,
    testing::{identifier, uuid},
};

use crate::support::Desk;

async fn send(desk: &Desk, n: u128, posting: &str) -> ReportId {
    let new = NewReport {
        posting: PostingName(identifier(posting)),
        reason: ReportReason::Fraud,
        statement: format!("<b>Statement {n}</b>"),
        reporter: Some(Reporter {
            name: Some("Ann <Reader>".to_owned()),
            email: format!("ann-{n}@reader.example"),
        }),
        url: None,
    };
    let (store, id) = (&*desk.store, ReportId::new(uuid(n)));
    let sent = report((store, store), &new, id, &Prefixes::ALL, desk.now()).await;
    sent.unwrap()
}

#[tokio::test]
async fn reports_are_answered_by_posting() {
    let desk = Desk::new();
    desk.push(&[create("a", "acme"), create("b", "acme")]).await;
    let [first, second] = [send(&desk, 1, "a").await, send(&desk, 2, "a").await];
    let third = send(&desk, 3, "b").await;
    let ann = desk.operator("ann").await;
    let page = ann.get("/reports").await;
    page.has(&[
        "&#60;b&#62;Statement 1",
        "Ann &#60;Reader&#62; <span translate=\"no\">ann-2@reader.example",
        "Dismiss the chosen",
    ]);
    assert_eq!(
        page.body
            .matches("<form method=\"post\" action=\"/reports\"")
            .count(),
        2
    );
    let posting = desk.posting("a").await;
    let of_a = format!("posting={}&version={}", posting.id, posting.version);
    for (form, fault) in [
        (
            format!("{of_a}&action=dismiss&reason=No."),
            "choose at least one report",
        ),
        (
            format!("{of_a}&action=dismiss&id={first}"),
            "must not be empty",
        ),
        (
            format!("{of_a}&action=expire&id={first}&reason=x&ground=y"),
            "must be terms or law",
        ),
        (
            format!("{of_a}&action=x&id={first}"),
            "must be one of those on the page",
        ),
    ] {
        let refused = ann.post("/reports", &form).await;
        assert_eq!(refused.status, 422, "{form}");
        refused.has(&[fault]);
    }
    let stale = format!("posting=x&version=9&action=expire&reason=x&id={first}");
    assert_eq!(ann.post("/reports", &stale).await.status, 409);
    let act = format!("{of_a}&action=expire&reason=A+fraud.&ground=law&id={second}");
    ann.follow("/reports", &act)
        .await
        .has(&["Answered reports: 2.", "Statement 3"]);
    let dismiss = format!("action=dismiss&reason=No.&id={third}");
    ann.follow("/reports", &dismiss)
        .await
        .has(&["No report waits."]);
    let mut states = Vec::new();
    for id in [first, second, third] {
        states.push(desk.store.report(id).await.unwrap().unwrap().state());
    }
    let expect = [
        ReportState::Acted,
        ReportState::Acted,
        ReportState::Dismissed,
    ];
    assert_eq!(states, expect);
    assert_eq!(desk.posting("a").await.status(), Status::Expired);
    let audit = desk.audit().await;
    assert_eq!(
        audit[audit.len() - 2..],
        ["ann reports.act", "ann reports.dismiss"]
    );
}

#[tokio::test]
async fn an_objection_is_answered_beside_the_decision() {
    let desk = Desk::new();
    desk.push(&[create("a", "acme")]).await;
    let ann = desk.operator("ann").await;
    let posting = desk.posting("a").await;
    let path = format!("/postings/{}", posting.id);
    let reject = format!("action=reject&reason=Spam.&version={}", posting.version);
    ann.follow(&path, &reject).await.lacks(&["Objection"]);
    let (store, name) = (&*desk.store, identifier("a"));
    object((store, store), &name, "It is <true>.", pusher(), desk.now())
        .await
        .unwrap();
    ann.get("/reports")
        .await
        .has(&["Objections that wait", &path]);
    let page = ann.get(&path).await;
    page.has(&["It is &#60;true&#62;.", "Uphold the decision", "Reverse it"]);
    let version = desk.posting("a").await.version;
    let refused = ann
        .post(&path, &format!("action=reverse&version={version}"))
        .await;
    assert_eq!(refused.status, 422);
    refused.has(&["id=\"fault-answer\">must not be empty"]);
    let reverse = format!("action=reverse&answer=A+mistake.&version={version}");
    let done = ann.follow(&path, &reverse).await;
    done.has(&[
        "The objection is answered: the decision is reversed.",
        "A mistake.",
    ]);
    done.lacks(&["Uphold the decision"]);
    let view = PostingReader::find(store, &name).await.unwrap().unwrap();
    assert_eq!(view.posting.status(), Status::Approved);
    let objection = view.decision.unwrap().objection.unwrap();
    assert_eq!(objection.state, ObjectionState::Reversed);
    let version = desk.posting("a").await.version;
    let again = format!("action=reverse&answer=x&version={version}");
    assert_eq!(ann.post(&path, &again).await.status, 409);
}
