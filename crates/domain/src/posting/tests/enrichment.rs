//! When a posting is due for enrichment, and what an outcome does.

use super::*;
use crate::posting::{Actor, ContentHash};

#[test]
fn changes_of_content_ask_for_enrichment_and_others_do_not() {
    for (body, asks) in [
        (r#"{"title":"New"}"#, true),
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
        (r#"{"application_email":"a@b.example"}"#, false),
    ] {
        for status in [Status::Approved, Status::Rejected] {
            let mut board = Board::with(status);
            assert_eq!(board.put(body).unwrap().1.asked, asks, "{status} {body}");
            assert_eq!(
                board.posting().status,
                status,
                "it stays as it is meanwhile"
            );
        }
    }
}

#[test]
fn content_that_comes_back_is_not_enriched_again() {
    let mut board = Board::with(Status::Approved);
    assert!(board.put(r#"{"title":"New"}"#).unwrap().1.asked);
    assert!(!board.put(r#"{"title":"Baker"}"#).unwrap().1.asked);
}

#[test]
fn outcomes_move_every_open_status() {
    for status in [
        Status::PendingEnrichment,
        Status::Approved,
        Status::Rejected,
    ] {
        for (verdict, after, event) in [
            (
                Verdict::Approve,
                Status::Approved,
                EventName::JobPostingApproved,
            ),
            (rejection(), Status::Rejected, EventName::JobPostingRejected),
        ] {
            let mut board = Board::with(status);
            board.put(r#"{"title":"New"}"#).unwrap();
            let written = board.enrich(&verdict).unwrap();
            assert_eq!(board.posting().status, after);
            let expect = if status == after { vec![] } else { vec![event] };
            assert_eq!(written.events, expect, "{status} to {after}");
            let last = board.history.last().unwrap();
            assert_eq!(
                (last.status, last.by == Actor::Enricher),
                (
                    after,
                    status != Status::PendingEnrichment || last.by == Actor::Enricher
                )
            );
        }
    }
}

#[test]
fn a_rejection_says_why() {
    let board = Board::with(Status::Rejected);
    assert_eq!(
        board.posting().status_reason.as_deref(),
        Some("no_content: Nothing in it.")
    );
    assert_eq!(
        board.history.last().unwrap().reason,
        board.posting().status_reason
    );
}

#[test]
fn another_reason_is_another_step_of_history() {
    let mut board = Board::with(Status::Rejected);
    board.put(r#"{"title":"New"}"#).unwrap();
    let verdict = Verdict::Reject {
        code: ReasonCode::TestPosting,
        text: "A test.".into(),
    };
    board.enrich(&verdict).unwrap();
    assert_eq!(
        board.posting().status_reason.as_deref(),
        Some("test_posting: A test.")
    );
    assert_eq!(board.history.len(), 3);
}

#[test]
fn an_outcome_for_older_content_is_discarded() {
    let mut board = Board::with(Status::PendingEnrichment);
    let old = ContentHash::of(&board.posting().details, board.company());
    board.put(r#"{"title":"New"}"#).unwrap();
    let before = board.posting().clone();
    assert_eq!(board.enrich_content(old, &rejection()), None);
    assert_eq!(*board.posting(), before);
    assert!(board.enrich(&Verdict::Approve).is_some());
}

#[test]
fn an_outcome_for_an_expired_posting_is_discarded() {
    let mut board = Board::with(Status::PendingEnrichment);
    board.put(r#"{"expiration":{}}"#).unwrap();
    assert_eq!(board.enrich(&Verdict::Approve), None);
    assert_eq!(board.posting().status, Status::Expired);
}

#[test]
fn an_outcome_counts_once() {
    let mut board = Board::with(Status::Approved);
    assert_eq!(board.enrich(&rejection()), None);
    assert_eq!(board.posting().status, Status::Approved);
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
    assert_eq!(board.posting().status, Status::Approved);
    assert_eq!(board.posting().published_at, published_at);
    board.put(r#"{"expiration":{}}"#).unwrap();
    board.put(r#"{"expiration":null}"#).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.posting().published_at, published_at);
}

#[test]
fn the_hash_keeps_fields_apart() {
    let hash = |city: &str, title: &str| {
        let mut board = Board::with(Status::PendingEnrichment);
        board
            .put(&format!(
                r#"{{"location_city":"{city}","title":"{title}"}}"#
            ))
            .unwrap();
        ContentHash::of(&board.posting().details, board.company())
    };
    assert_ne!(hash("ab", "c"), hash("a", "bc"));
    assert_eq!(hash("ab", "c"), hash("ab", "c"));
}
