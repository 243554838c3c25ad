use super::*;
use crate::posting::{Review, Trigger};

fn ann() -> Actor {
    Actor::Operator(Some(by_ann(1).operator))
}

#[test]
fn a_verdict_moves_every_open_status_and_stays() {
    for status in [
        Status::PendingEnrichment,
        Status::Approved,
        Status::Rejected,
    ] {
        for (command, after, contrary) in [
            (Moderation::Approve, Status::Approved, rejection()),
            (reject("spam"), Status::Rejected, Verdict::Approve),
        ] {
            let mut board = Board::with(status);
            board.moderate(&command).unwrap();
            assert_eq!(board.posting().status(), after);
            assert_eq!(board.step().2, &ann());
            board.forget_outcome();
            let written = board.enrich(&contrary).expect("texts are refreshed");
            let has_new_texts = status == Status::PendingEnrichment;
            let expect = has_new_texts.then_some(event::JOB_POSTING_ENRICHED);
            assert_eq!(written.events, expect.into_iter().collect::<Vec<_>>());
            assert_eq!(board.posting().status(), after);
        }
    }
}

#[test]
fn a_rejection_stays_for_any_push() {
    let mut board = Board::with(Status::Approved);
    board.moderate(&Moderation::Approve).unwrap();
    board.moderate(&reject("spam")).unwrap();
    for title in ["New", "Baker"] {
        board.put(&format!(r#"{{"title":"{title}"}}"#)).unwrap();
        board.enrich(&Verdict::Approve).unwrap();
        assert_eq!(board.posting().status(), Status::Rejected);
    }
}

#[test]
fn an_approval_holds_for_the_approved_content() {
    let mut board = Board::with(Status::Rejected);
    board.moderate(&Moderation::Approve).unwrap();
    board.put(r#"{"title":"Fraud"}"#).unwrap();
    let events = board.enrich(&rejection()).unwrap().events;
    assert_eq!(events, [event::JOB_POSTING_REJECTED]);
    assert!(
        !board.posting().is_moderated(),
        "it is the enricher's verdict"
    );
    board.put(r#"{"title":"Baker"}"#).unwrap();
    let events = board.enrich(&rejection()).unwrap().events;
    assert_eq!(events, [event::JOB_POSTING_APPROVED]);
    assert!(board.posting().is_moderated());
    // The operator's approval does not cover any other content.
    board.put(r#"{"title":"Fraud"}"#).unwrap();
    board.enrich(&rejection()).unwrap();
    board.put(r#"{"title":"Cook"}"#).unwrap();
    let events = board.enrich(&Verdict::Approve).unwrap().events;
    assert_eq!(events, [event::JOB_POSTING_APPROVED]);
    assert!(!board.posting().is_moderated());
}

#[test]
fn an_approval_judges_content_that_awaits_a_review() {
    let mut board = Board::with(Status::Approved);
    board.moderate(&Moderation::Approve).unwrap();
    board.put(r#"{"title":"Odd"}"#).unwrap();
    board.fail(Some(&Enrichment::bare()), "no").unwrap();
    assert!(board.posting().status_reason().is_some());
    let written = board.moderate(&Moderation::Approve).unwrap();
    assert!(written.asked, "its texts are those of the earlier content");
    assert_eq!(board.posting().status_reason(), None);
    assert_eq!(board.step(), (Status::Approved, None, &ann()));
    board.enrich(&rejection()).unwrap();
    assert_eq!(board.posting().status(), Status::Approved);
}

#[test]
fn an_approval_asks_for_no_texts_that_killed_workers() {
    for (review, asks) in [(Review::NoVerdict, true), (Review::Poison, false)] {
        for status in [Status::PendingEnrichment, Status::Approved] {
            let mut board = Board::with(status);
            board.put(RENAME).unwrap();
            board.leave_unjudged(None, (review, "no")).unwrap();
            let written = board.moderate(&Moderation::Approve).unwrap();
            assert_eq!(written.asked, asks, "{status} {review}");
            assert_eq!(board.reason(), None);
        }
    }
}

/// An operator who reopens a posting may copy a review's reason.
#[test]
fn a_copied_sentence_is_no_review() {
    for reason in [
        "enrichment_failed: its worker died three times without reporting",
        "awaiting_review: no",
    ] {
        let mut board = Board::with(Status::Expired);
        board.moderate(&reopen(reason)).unwrap();
        assert!(board.moderate(&Moderation::Approve).unwrap().asked);
        let mut board = Board::with(Status::Expired);
        board.moderate(&reopen(reason)).unwrap();
        board.put(RENAME).unwrap();
        assert!(board.reason().is_some(), "no review ends");
    }
}

#[test]
fn a_verdict_twice_is_one() {
    for command in [Moderation::Approve, reject("spam")] {
        let mut board = Board::with(Status::PendingEnrichment);
        assert_eq!(board.moderate(&command).unwrap().postings, 1);
        assert_eq!(board.moderate(&command).unwrap(), Written::default());
    }
    let mut board = Board::with(Status::Rejected);
    let reason = board.reason().unwrap().to_owned();
    board.moderate(&reject(&reason)).unwrap();
    assert_eq!(board.step().2, &ann());
}

#[test]
fn reopening_asks_the_enricher_again() {
    let mut board = Board::with(Status::PendingEnrichment);
    board.moderate(&Moderation::Approve).unwrap();
    board.put(EXPIRE).unwrap();
    board.put(REOPEN).unwrap();
    board.enrich(&rejection()).unwrap();
    assert_eq!(board.posting().status(), Status::Rejected);
}

#[test]
fn an_approval_publishes_and_starts_the_lifetime() {
    let mut board = Board::with(Status::Rejected);
    board.moderate(&Moderation::Approve).unwrap();
    assert_eq!(board.posting().published_at, Some(board.now));
    assert_eq!(board.posting().expire_at, Some(board.now + hours(60 * 24)));
    assert_eq!(board.posting().status_reason(), None);
}

#[test]
fn featuring_is_a_step_of_history_that_changes_no_status() {
    for &status in Status::ALL {
        let mut board = Board::with(status);
        let reason = board.reason().map(str::to_owned);
        let steps = board.history.len();
        for (on, word) in [(true, "featured"), (false, "no longer featured")] {
            let written = board.moderate(&Moderation::Feature(on)).unwrap();
            let is_event = status != Status::Expired;
            let expect = is_event.then_some(event::JOB_POSTING_UPDATED);
            assert_eq!(written.events, expect.into_iter().collect::<Vec<_>>());
            assert_eq!(
                board.moderate(&Moderation::Feature(on)).unwrap(),
                Written::default()
            );
            let posting = board.posting();
            assert_eq!(
                (posting.is_featured, posting.updated_at),
                (on, board.now - hours(1))
            );
            assert_eq!(posting.updated_by.as_ref(), Some(&ann()));
            assert_eq!(board.step().1, Some(word));
        }
        assert_eq!(board.history.len(), steps + 2);
        assert_eq!(
            (board.posting().status(), board.reason()),
            (status, reason.as_deref())
        );
    }
}

#[test]
fn a_posting_is_taken_down_once() {
    let expire = expire("asked by phone");
    let mut board = Board::with(Status::Approved);
    board.moderate(&expire).unwrap();
    let posting = board.posting();
    assert_eq!(posting.expired_at(), Some(board.now));
    assert_eq!(posting.status_reason(), Some("asked by phone"));
    assert_eq!(board.moderate(&expire).unwrap(), Written::default());
}

#[test]
fn an_operator_chooses_among_what_has_an_effect() {
    for (status, command, expect) in [
        (Status::PendingEnrichment, None, "approve reject expire"),
        (Status::Approved, None, "reject expire"),
        (
            Status::Approved,
            Some(&Moderation::Approve),
            "reject expire",
        ),
        (Status::Rejected, None, "approve reject"),
        (Status::Rejected, Some(&reject("spam")), "approve"),
        (Status::Expired, None, "reopen"),
        (Status::Approved, Some(&expire("x")), "reopen"),
    ] {
        let mut board = Board::with(status);
        if let Some(command) = command {
            board.moderate(command).unwrap();
        }
        assert_eq!(choices(board.posting()), expect, "{status} {command:?}");
    }
    let mut board = Board::with(Status::Approved);
    board.put(RENAME).unwrap();
    board.fail(None, "no verdict").unwrap();
    assert_eq!(choices(board.posting()), "approve reject expire");
}

fn choices(posting: &Posting) -> String {
    let commands = [
        ("approve", Trigger::ApproveByOperator),
        ("reject", Trigger::RejectByOperator),
        ("expire", Trigger::ExpireByOperator),
        ("reopen", Trigger::ReopenByOperator),
    ];
    let offered = commands.into_iter();
    let offered = offered.filter(|(_, command)| command.is_offered(posting.state()));
    offered.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}
