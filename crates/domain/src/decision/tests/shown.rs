//! The values that readers see of an approved posting while other content waits for a verdict.

use super::*;
use crate::{
    decision::restore::{Former, restore},
    posting::{Description, Details, PostingVersion, PostingView, Shown, State},
    testing,
};

fn seen(board: &Board) -> (Details, Vec<String>) {
    let company = testing::company_view(board.company());
    let view = testing::posting_view(board.posting().clone(), company.clone());
    let shown = view.shown(None, Some(company));
    let pending = shown.pending.map(|pending| {
        let values = pending.values.iter().map(|(name, _)| name.to_owned());
        let company = pending.company.map(|_| "company".to_owned());
        values.chain(company).collect()
    });
    (shown.posting.details, pending.unwrap_or_default())
}

fn no_ad() -> Verdict {
    Verdict::Reject {
        code: ReasonCode::ErrorPage,
        text: "A page.".into(),
        passages: Vec::new(),
    }
}

#[test]
fn guarded_fields_wait_and_others_take_effect_at_once() {
    for (body, waits) in [
        (RENAME, "title"),
        (r#"{"raw_description":"Cash"}"#, "raw_description"),
        (r#"{"location_city":"Oslo"}"#, "location_city"),
        (r#"{"location_country_code":"NO"}"#, "location_country_code"),
        (
            r#"{"application_url":"https://evil.example"}"#,
            "application_url",
        ),
        (
            r#"{"application_email":"a@evil.example"}"#,
            "application_email",
        ),
        (
            r#"{"company":{"name":"New","website_url":"https://new.example"}}"#,
            "company",
        ),
        (r#"{"salary_min":5}"#, ""),
        (r#"{"metadata":{"a":1}}"#, ""),
        (r#"{"employment_types":["contract"]}"#, ""),
        (r#"{"application_url":"https://jobs.a.example/2"}"#, ""),
    ] {
        let mut board = Board::with(Status::Approved);
        let before = board.posting().details.clone();
        let ((_, outcome), _) = board.put(body).unwrap();
        assert_eq!(outcome, PutOutcome::Updated);
        let (details, pending) = seen(&board);
        assert_eq!(pending.join(" "), waits, "{body}");
        let is_shown = details != before;
        assert_eq!(is_shown, waits.is_empty(), "{body}");
        board.enrich(&Verdict::Approve);
        let (details, pending) = seen(&board);
        assert_eq!((&details, pending.len()), (&board.posting().details, 0));
        assert_eq!(board.posting().shown, None);
    }
    for status in [Status::PendingEnrichment, Status::Rejected] {
        let mut board = Board::with(status);
        board.put(RENAME).unwrap();
        assert_eq!(seen(&board).0.title, "New", "{status}");
    }
}

#[test]
fn judged_values_are_shown_until_a_verdict_after_any_push() {
    let mut board = Board::with(Status::Approved);
    board.put(r#"{"title":"Fraud","salary_min":9}"#).unwrap();
    let since = board.posting().shown.as_ref().unwrap().since;
    board.fail(None, "no").unwrap();
    board
        .put(r#"{"title":"Fraud!","location_city":"Oslo"}"#)
        .unwrap();
    let (details, pending) = seen(&board);
    assert_eq!((&*details.title, details.location_city), ("Baker", None));
    assert_eq!(details.salary_min, Some(9));
    assert_eq!(pending, ["location_city", "title"]);
    assert_eq!(board.posting().shown.as_ref().unwrap().since, since);
    board.put(EXPIRE).unwrap();
    assert_eq!(seen(&board).0.title, "Baker");
    board.put(REOPEN).unwrap();
    assert_eq!(seen(&board).0.title, "Fraud!", "no reader sees it");

    let mut board = Board::with(Status::Approved);
    let taken_down = r#"{"title":"Fraud","expiration":{}}"#;
    board.put(taken_down).unwrap();
    assert_eq!(seen(&board).0.title, "Baker");

    let mut board = Board::with(Status::Approved);
    board.put(EXPIRE).unwrap();
    board.put(RENAME).unwrap();
    assert_eq!(seen(&board).0.title, "Baker");

    let mut board = Board::with(Status::Approved);
    board.put(RENAME).unwrap();
    board.put(r#"{"title":"Baker"}"#).unwrap();
    assert_eq!(board.posting().shown, None);
    board.put(RENAME).unwrap();
    board.moderate(&Moderation::Approve).unwrap();
    assert_eq!(seen(&board), (board.posting().details.clone(), vec![]));
}

#[test]
fn a_pending_value_that_becomes_shown_raises_an_event() {
    let mut board = Board::with(Status::Approved);
    board
        .put(r#"{"application_url":"https://b.example"}"#)
        .unwrap();
    assert_eq!(board.posting().unjudged_domains(), ["b.example"]);
    let shown = board.posting().shown.clone().unwrap();
    assert_eq!(Shown::from_store(&shown.to_text()), Some(shown));
    let events = board.enrich(&Verdict::Approve).unwrap().events;
    assert_eq!(
        events,
        [event::JOB_POSTING_ENRICHED],
        "though no text is new"
    );
    assert!(board.posting().unjudged_domains().is_empty());
}

#[test]
fn content_that_is_no_ad_is_held_back_until_something_ends_it() {
    let held = || {
        let mut board = Board::with(Status::Approved);
        board.put(r#"{"raw_description":"Just a moment"}"#).unwrap();
        let written = board.enrich(&no_ad()).unwrap();
        assert_eq!(written.events, [event::JOB_POSTING_ENRICHED]);
        board
    };
    let mut board = held();
    let told = Some("content_held: error_page: A page.");
    assert_eq!(board.step(), (Status::Approved, told, &Actor::Enricher));
    assert_eq!(board.posting().review(), Some(Review::ContentHeld));
    assert_eq!(seen(&board).1, ["raw_description"]);
    assert_eq!(outcome::due(board.posting(), board.company()), None);
    assert!(!board.put(r#"{"salary_min":5}"#).unwrap().1.asked);
    assert_eq!(board.reason(), told, "that is no content");

    board.put(r#"{"raw_description":"We bake."}"#).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!((board.reason(), seen(&board).1.len()), (None, 0));

    let mut board = held();
    let (_, written) = board.put(r#"{"raw_description":"<p>Bread.</p>"}"#).unwrap();
    assert!(!written.asked, "it has its verdict");
    assert_eq!((board.reason(), &board.posting().shown), (None, &None));

    let mut board = held();
    board.put(EXPIRE).unwrap();
    let shown = board.posting().shown.as_ref().unwrap();
    assert_eq!(shown.held, None, "nothing waits for a verdict");

    let mut board = held();
    assert!(board.moderate(&Moderation::Approve).unwrap().asked);
    assert_eq!((board.reason(), &board.posting().shown), (None, &None));

    let mut board = held();
    let since = board.now;
    board
        .put(r#"{"raw_description":"Another moment"}"#)
        .unwrap();
    board.enrich(&no_ad()).unwrap();
    assert_eq!(board.posting().updated_at, board.now);
    board.now += hours(1);
    let early = outcome::end_hold(board.posting(), since - hours(1), board.now);
    assert_eq!(early, None);
    let over = outcome::end_hold(board.posting(), since, board.now);
    assert!(board.record(over).asked);
    assert_eq!(board.posting().updated_at, board.now);
    assert_eq!(board.posting().status(), Status::Approved);
    board.enrich(&no_ad()).unwrap();
    let told = Some("error_page: A page.");
    assert_eq!(
        (board.posting().status(), board.reason()),
        (Status::Rejected, told)
    );
    assert_eq!(board.posting().shown, None);

    let mut board = Board::with(Status::Approved);
    board.put(RENAME).unwrap();
    board.enrich(&rejection()).unwrap();
    assert_eq!(board.posting().status(), Status::Rejected);
}

fn former(board: &Board, records: &[PostingVersion]) -> Option<Former> {
    Former::before(IMPORT, board.posting(), records)
}

const IMPORT: uuid::Uuid = uuid::Uuid::from_u128(7);

fn import(board: &mut Board, body: &str) -> PostingVersion {
    let mut put = push("a", body);
    put.import = Some(IMPORT);
    let before = board.posting().clone();
    let mut change = board.decide(&put).unwrap().change.unwrap();
    change.import = put.import;
    record(board, &before, *change)
}

fn record(board: &mut Board, before: &Posting, change: Change) -> PostingVersion {
    let mut writes = WriteSet::new(board.now);
    change.record(&mut board.snapshot, &mut writes);
    let write = writes.postings.into_values().next().unwrap();
    let mut stored = PostingView {
        texts: Some(texts("Bread.", "B.")),
        ..testing::posting_view(before.clone(), testing::company_view(board.company()))
    };
    let text = Description::from("<p>Bread.</p>");
    stored.posting.details.raw_description = text;
    PostingVersion::of(&stored, write.posting.version, write.replaced.unwrap())
}

#[test]
fn an_undo_restores_what_an_import_replaced_and_needs_no_verdict() {
    for verdict in [
        Some(no_ad()),
        Some(rejection()),
        Some(Verdict::Approve),
        None,
    ] {
        let mut board = Board::with(Status::Approved);
        let good = board.posting().clone();
        let body = r#"{"title":"Careers","raw_description":"Cut","salary_min":3}"#;
        let mut records = vec![import(&mut board, body)];
        if let Some(verdict) = &verdict {
            let before = board.posting().clone();
            let made = Enrichment {
                texts: texts("Cut", "C"),
                verdict: verdict.clone(),
                ..Enrichment::bare()
            };
            let content = board.content();
            let change = board.outcome(content, &made, None).unwrap();
            records.insert(0, record(&mut board, &before, change));
        }
        let former = former(&board, &records).unwrap();
        let (by, now) = (Actor::Client(testing::pusher()), board.now);
        let company = board.company().clone();
        let note = (&by, "undo");
        let change = restore(
            board.posting(),
            &former,
            &company,
            note,
            board.lifetime,
            now,
        );
        let written = board.record(change);
        assert!(!written.asked, "{verdict:?}");
        let after = board.posting();
        assert_eq!(
            (&after.details, after.status()),
            (&good.details, Status::Approved)
        );
        assert_eq!(
            (&after.shown, after.texts_digest),
            (&None, good.texts_digest)
        );
        assert_eq!(board.reason(), None, "{verdict:?}");
    }
}

#[test]
fn an_undo_restores_an_operators_approval_of_shown_content() {
    let mut board = Board::with(Status::Approved);
    board.moderate(&Moderation::Approve).unwrap();
    let judge = |board: &mut Board, verdict| {
        let before = board.posting().clone();
        let made = Enrichment {
            texts: texts("Cut", "C"),
            verdict,
            ..Enrichment::bare()
        };
        let change = board.outcome(board.content(), &made, None).unwrap();
        record(board, &before, change)
    };
    import(&mut board, RENAME);
    judge(&mut board, no_ad());
    let good = board.posting().clone();
    assert!(good.is_moderated() && good.shown.is_some());
    let first = import(&mut board, r#"{"title":"Confectioner"}"#);
    let records = [judge(&mut board, Verdict::Approve), first];
    assert!(!board.posting().is_moderated());
    let former = former(&board, &records).unwrap();
    let by = Actor::Client(testing::pusher());
    let company = board.company().clone();
    let (note, lifetime, now) = ((&by, "undo"), board.lifetime, board.now);
    let change = restore(board.posting(), &former, &company, note, lifetime, now);
    board.record(change);
    let after = board.posting();
    assert_eq!((&after.details, &after.shown), (&good.details, &good.shown));
    assert!(after.is_moderated(), "{:?}", after.state());
}

#[test]
fn an_undo_opens_what_a_line_expired_with_the_verdict_that_it_had() {
    for by_operator in [false, true] {
        let mut board = Board::with(Status::Approved);
        if by_operator {
            board.moderate(&Moderation::Approve).unwrap();
        }
        let good = board.posting().clone();
        let record = import(&mut board, r#"{"title":"Careers","expiration":{}}"#);
        let former = former(&board, &[record]).unwrap();
        let by = Actor::Client(testing::pusher());
        let company = board.company().clone();
        let (note, lifetime, now) = ((&by, "undo"), board.lifetime, board.now);
        let change = restore(board.posting(), &former, &company, note, lifetime, now);
        let written = board.record(change);
        assert!(!written.asked);
        let told = [event::JOB_POSTING_REOPENED, event::JOB_POSTING_APPROVED];
        assert_eq!(written.events, told);
        let after = board.posting();
        assert_eq!(
            (&after.details, after.state()),
            (&good.details, good.state())
        );
        assert_eq!(after.approved_hash, good.approved_hash);
    }
}

#[test]
fn an_undo_leaves_what_something_else_has_changed() {
    let mut board = Board::with(Status::Approved);
    let first = import(&mut board, RENAME);
    let before = board.posting().clone();
    let mut change = board
        .decide(&push("a", r#"{"salary_min":1}"#))
        .unwrap()
        .change
        .unwrap();
    change.import = None;
    let second = record(&mut board, &before, *change);
    assert!(former(&board, &[second, first.clone()]).is_none());
    assert!(former(&board, &[first]).is_some());
    assert!(matches!(board.posting().state(), State::Approved { .. }));
}
