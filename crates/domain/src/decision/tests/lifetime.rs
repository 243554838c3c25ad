//! The end of lifetimes, and pushes that put it off.

use super::*;
use crate::decision::lapse::expire_if_overdue;

const DAY: i64 = 24;

fn left(board: &Board) -> i64 {
    (board.posting().expire_at.unwrap() - board.now).whole_hours()
}

#[test]
fn a_push_that_finds_less_than_half_of_it_starts_it_anew() {
    for body in ["{}", r#"{"title":"New"}"#] {
        let mut board = Board::with(Status::Approved);
        board.now += hours(30 * DAY - 1);
        board.put(body).unwrap();
        assert_eq!(left(&board), 30 * DAY, "exactly half of it is left");
        board.put(body).unwrap();
        assert_eq!(left(&board), 60 * DAY);
    }
}

#[test]
fn renewal_alone_is_no_update() {
    let mut board = Board::with(Status::Approved);
    let before = board.posting().clone();
    board.now += hours(40 * DAY);
    let (_, written) = board.put("{}").unwrap();
    assert_eq!(
        written,
        Written {
            postings: 1,
            ..Written::default()
        }
    );
    assert_eq!(board.posting().updated_at, before.updated_at);
    assert_eq!(board.posting().version, before.version + 1);
}

#[test]
fn expired_and_rejected_postings_are_not_renewed() {
    for body in [r#"{"expiration":{}}"#, r#"{"title":"Bad"}"#] {
        let mut board = Board::with(Status::Approved);
        board.put(body).unwrap();
        board.enrich(&rejection());
        assert_ne!(board.posting().status, Status::Approved);
        board.now += hours(50 * DAY);
        assert_eq!(board.put("{}").unwrap().1, Written::default());
    }
}

#[test]
fn reopening_starts_it_anew() {
    let mut board = Board::with(Status::Approved);
    board.put(r#"{"expiration":{}}"#).unwrap();
    board.now += hours(100 * DAY);
    board.put(r#"{"expiration":null}"#).unwrap();
    assert_eq!(left(&board), 60 * DAY, "or it would expire at once");
}

#[test]
fn what_is_past_its_lifetime_expires() {
    let mut board = Board::with(Status::Approved);
    let end = board.posting().expire_at.unwrap();
    assert_eq!(expire_if_overdue(board.posting(), end - hours(1)), None);
    board.now = end;
    let change = expire_if_overdue(board.posting(), end);
    board.record(change);
    assert_eq!(board.posting().expired_at, Some(end));
    let reason = board.posting().status_reason.as_deref();
    assert_eq!(reason, Some("The posting's lifetime ended."));
}

#[test]
fn zero_days_are_for_ever() {
    let mut board = Board::new();
    board.lifetime = Lifetime::days(0);
    board.put(CREATE).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.posting().expire_at, None);
    assert!(!Lifetime::days(0).is_limited());
    board.lifetime = Lifetime::days(60);
    board.put("{}").unwrap();
    // Limits that are switched on count from the next push.
    assert_eq!(left(&board), 60 * DAY);
}

#[test]
fn a_push_without_limits_clears_the_end_and_is_no_update() {
    let mut board = Board::with(Status::Approved);
    let before = board.posting().clone();
    board.lifetime = Lifetime::NEVER;
    let (given, written) = board.put("{}").unwrap();
    assert_eq!(given.1, PutOutcome::Unchanged);
    assert_eq!((written.postings, written.events), (1, vec![]));
    assert_eq!(board.posting().expire_at, None);
    assert_eq!(board.posting().updated_at, before.updated_at);
    assert_eq!(board.put("{}").unwrap().1, Written::default());
}

#[test]
fn a_lifetime_past_the_end_of_time_is_no_limit() {
    let mut board = Board::new();
    board.lifetime = Lifetime::days(u32::MAX);
    board.put(CREATE).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.posting().expire_at, None);
}
