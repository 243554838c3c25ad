//! The conditions of enrichment, and the effects of outcomes.

use super::*;
use crate::posting::{Coordinates, Findings, Original, Review, State, TextsDigest};

#[test]
fn changes_of_content_ask_for_enrichment_and_others_do_not() {
    for (body, asks) in [
        (RENAME, true),
        (r#"{"raw_description":"New"}"#, true),
        (r#"{"location_city":"Oslo"}"#, true),
        (r#"{"location_country_code":"NO"}"#, true),
        (r#"{"company":{"name":"New"}}"#, true),
        (
            r#"{"company":{"name":"New","website_url":"https://new.example"}}"#,
            true,
        ),
        (r#"{"company":{"logo_path":"/l.svg"}}"#, false),
        (r#"{"salary_min":5}"#, false),
        (r#"{"metadata":{}}"#, false),
        (r#"{"employment_types":["contract"]}"#, false),
        (r#"{"application_email":"a@b.example"}"#, true),
        (r#"{"application_url":"https://b.example"}"#, true),
        (
            r#"{"application_url":"https://www.a.example/apply"}"#,
            false,
        ),
    ] {
        for status in [Status::Approved, Status::Rejected, Status::Expired] {
            let mut board = Board::with(status);
            let asks = asks && status != Status::Expired;
            assert_eq!(board.put(body).unwrap().1.asked, asks, "{status} {body}");
            assert_eq!(board.posting().status(), status);
        }
    }
}

#[test]
fn content_that_comes_back_is_not_enriched_again() {
    let mut board = Board::with(Status::Approved);
    assert!(board.put(RENAME).unwrap().1.asked);
    assert!(!board.put(r#"{"title":"Baker"}"#).unwrap().1.asked);
}

#[test]
fn new_texts_and_places_raise_an_event_where_the_status_stays() {
    let titled = EnrichedTexts {
        redacted_title: Some("Baker".into()),
        ..texts("Bread.", "B")
    };
    let other = Original {
        id: PostingId::new(kernel::testing::uuid(9)),
        source_identifier: kernel::testing::identifier("b"),
    };
    let enriched = &[event::JOB_POSTING_ENRICHED][..];
    for (texts, coordinates, original, raised) in [
        (texts("Bread.", "B."), None, None, &[][..]),
        (texts("Bread.", "B"), None, None, enriched),
        (titled, None, None, enriched),
        (texts("Bread.", "B."), Some(PLACE), None, enriched),
        (texts("Bread.", "B."), None, Some(other), enriched),
    ] {
        let mut board = Board::with(Status::Approved);
        board.forget_outcome();
        let enrichment = Enrichment {
            texts,
            coordinates,
            findings: Findings {
                places: coordinates.into_iter().map(Some).collect(),
                ..Findings::default()
            },
            ..Enrichment::bare()
        };
        let newest = board.content();
        let change = board
            .outcome(newest, &enrichment, original.clone())
            .unwrap();
        assert_eq!(change.events, raised);
        assert_eq!(change.write.posting.duplicate_of, original);
        assert_eq!(change.write.findings, enrichment.findings);
    }
}

#[test]
fn a_rejection_says_why_and_another_reason_is_another_step() {
    let mut board = Board::with(Status::Rejected);
    let told = |board: &Board| {
        assert_eq!(board.step().1, board.reason());
        (board.history.len(), board.reason().unwrap().to_owned())
    };
    assert_eq!(told(&board), (2, "not_a_job: Nothing in it.".to_owned()));
    board.put(RENAME).unwrap();
    let verdict = Verdict::Reject {
        code: ReasonCode::TestPosting,
        text: "A test.".into(),
        passages: Vec::new(),
    };
    board.enrich(&verdict).unwrap();
    assert_eq!(told(&board), (3, "test_posting: A test.".to_owned()));
}

#[test]
fn an_outcome_for_older_content_is_discarded() {
    let mut board = Board::with(Status::PendingEnrichment);
    let old = board.content();
    board.put(RENAME).unwrap();
    let before = board.posting().clone();
    assert_eq!(board.enrich_content(old, &rejection()), None);
    assert_eq!(*board.posting(), before);
    assert!(board.enrich(&Verdict::Approve).is_some());
}

#[test]
fn an_outcome_counts_once() {
    let mut board = Board::with(Status::Approved);
    assert_eq!(board.enrich(&rejection()), None);
    assert_eq!(board.posting().status(), Status::Approved);
}

#[test]
fn publication_is_the_first_approval() {
    let mut board = Board::with(Status::Approved);
    let published_at = board.posting().published_at;
    assert_eq!(published_at, Some(board.now));
    for (body, verdict) in [
        (r#"{"title":"Bad"}"#, rejection()),
        (r#"{"title":"Good"}"#, Verdict::Approve),
    ] {
        board.put(body).unwrap();
        board.enrich(&verdict).unwrap();
    }
    assert_eq!(board.posting().status(), Status::Approved);
    assert_eq!(board.posting().published_at, published_at);
    board.put(EXPIRE).unwrap();
    board.put(REOPEN).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.posting().published_at, published_at);
}

const PLACE: Coordinates = Coordinates {
    latitude: 59.9,
    longitude: 10.7,
};

fn made() -> Enrichment {
    Enrichment {
        texts: texts("Kept.", "K."),
        coordinates: Some(PLACE),
        findings: Findings::default(),
        ..Enrichment::bare()
    }
}

#[test]
fn texts_without_a_judgement_leave_a_status_that_no_reader_sees() {
    for (status, told) in [
        (Status::PendingEnrichment, Some("enrichment_failed: no")),
        (Status::Rejected, Some("not_a_job: Nothing in it.")),
    ] {
        let mut board = Board::with(status);
        board.put(RENAME).unwrap();
        let (before, steps) = (board.posting().clone(), board.history.len());
        let written = board.fail(Some(&made()), "no");
        let expect = Written {
            events: vec![event::JOB_POSTING_ENRICHED],
            postings: 1,
            ..Written::default()
        };
        assert_eq!(written, Some(expect), "no second task");
        let is_told = status == Status::PendingEnrichment;
        assert_eq!(board.history.len(), steps + usize::from(is_told));
        let mut expect = before.clone();
        let review = is_told.then_some(Review::NoVerdict);
        expect.put_in(State::stored(status, review, false, None).unwrap(), told);
        expect.updated_at = board.now;
        expect.updated_by = Some(Actor::Enricher);
        expect.version += 1;
        expect.texts_digest = Some(TextsDigest::of(
            &made().texts,
            Some(PLACE),
            &Findings::default(),
        ));
        assert_eq!(*board.posting(), expect, "{status}");
        let again = board.fail(Some(&made()), "no");
        assert_eq!(again, None, "the same is no change");
    }
}

#[test]
fn what_failed_is_judged_again_with_other_content() {
    let mut board = Board::with(Status::PendingEnrichment);
    board.fail(Some(&made()), "no").unwrap();
    let (_, written) = board.put(r#"{"company":{"logo_path":"/l.svg"}}"#).unwrap();
    assert_eq!(written.events, [event::COMPANY_UPDATED]);
    assert!(board.posting().status_reason().is_some());
    let (_, written) = board.put(RENAME).unwrap();
    assert!(written.asked);
    assert_eq!(written.events, [event::JOB_POSTING_UPDATED]);
    assert_eq!(board.posting().status_reason(), None);
    let (status, reason, _) = board.step();
    assert_eq!((status, reason), (Status::PendingEnrichment, None));
}

#[test]
fn an_approved_posting_keeps_what_was_judged_and_says_so_once() {
    let mut board = Board::with(Status::Approved);
    let published_at = board.posting().published_at;
    board.put(r#"{"title":"Fraud"}"#).unwrap();
    let steps = board.history.len();
    let reason = "it\nwas  \u{1b}refused";
    let digest = board.posting().texts_digest;
    let raised = board.fail(Some(&made()), reason).unwrap().events;
    assert_eq!(board.posting().texts_digest, digest);
    assert_eq!(raised, [event::JOB_POSTING_ENRICHED], "of the reason");
    let told = Some("awaiting_review: it was refused");
    assert_eq!(
        (board.reason(), board.posting().published_at),
        (told, published_at)
    );
    assert_eq!(board.step(), (Status::Approved, told, &Actor::Enricher));
    assert_eq!(board.fail(Some(&made()), reason), None, "a try is no step");
    board.put(r#"{"title":"Fraud!"}"#).unwrap();
    // A failure for outdated content adds no history step, either.
    assert_eq!(board.fail(Some(&made()), reason), None);
    assert_eq!(board.history.len(), steps + 1);
    let newest = board.content();
    assert_eq!(outcome::due(board.posting(), board.company()), Some(newest));

    let long = "é".repeat(1_000);
    board.fail(Some(&made()), &long).unwrap();
    let told = board.reason().unwrap();
    assert!(told.chars().count() < 300 && told.ends_with('…'), "{told}");
}

#[test]
fn a_review_ends_with_a_verdict_or_with_the_content_that_was_judged() {
    let awaiting = || {
        let mut board = Board::with(Status::Approved);
        board.put(r#"{"title":"Fraud"}"#).unwrap();
        board.fail(Some(&made()), "no").unwrap();
        board
    };
    let check = |board: &Board, status, reason: Option<&str>, by| {
        assert_eq!((board.posting().status(), board.reason()), (status, reason));
        let step = board.step();
        assert_eq!((step.0, step.1), (status, reason));
        assert_eq!(*step.2 == Actor::Enricher, by, "{step:?}");
    };
    let mut board = awaiting();
    let events = board.enrich(&Verdict::Approve).unwrap().events;
    assert_eq!(events, [event::JOB_POSTING_ENRICHED], "of the reason");
    check(&board, Status::Approved, None, true);

    let mut board = awaiting();
    let events = board.enrich(&rejection()).unwrap().events;
    assert_eq!(events, [event::JOB_POSTING_REJECTED]);
    let reason = Some("not_a_job: Nothing in it.");
    check(&board, Status::Rejected, reason, true);

    let mut board = awaiting();
    let (_, written) = board.put(r#"{"title":"Baker"}"#).unwrap();
    assert!(!written.asked, "it has its verdict");
    assert_eq!(written.events, [event::JOB_POSTING_UPDATED]);
    check(&board, Status::Approved, None, false);

    let mut board = Board::with(Status::Approved);
    board.put(r#"{"company":{"name":"New"}}"#).unwrap();
    board.fail(Some(&made()), "no").unwrap();
    let (_, written) = board.put(r#"{"company":{"name":"Acme"}}"#).unwrap();
    let expect = [event::COMPANY_UPDATED, event::JOB_POSTING_UPDATED];
    assert_eq!(written.events, expect, "the reason is the posting's");
    check(&board, Status::Approved, None, false);

    let mut board = Board::with(Status::Approved);
    board.put(r#"{"title":"Odd"}"#).unwrap();
    board.moderate(&Moderation::Approve).unwrap();
    board.put(r#"{"title":"Fraud"}"#).unwrap();
    board.fail(Some(&made()), "no").unwrap();
    board.put(r#"{"title":"Odd"}"#).unwrap();
    check(&board, Status::Approved, None, false);

    let mut board = awaiting();
    board.put(r#"{"salary_min":5}"#).unwrap();
    assert_eq!(
        board.reason(),
        Some("awaiting_review: no"),
        "that is no content"
    );
}
