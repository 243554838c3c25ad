use super::*;
use crate::{
    decision::lapse::expire_if_overdue,
    posting::{Basis, Notice},
};
use time::{Duration, macros::datetime};

const CLOSED: Option<&str> = Some("The closing date has passed.");

fn closing(date: &str) -> String {
    format!(r#"{{"valid_through":"{date}"}}"#)
}

fn approved(date: &str) -> Board {
    let mut board = Board::with(Status::Approved);
    board.put(&closing(date)).unwrap();
    board
}

fn notices(board: &mut Board, body: &str) -> Vec<Notice> {
    board.decide(&push("a", body)).unwrap().answer.notices
}

#[test]
fn the_posting_expires_when_the_date_has_ended() {
    for (date, end) in [
        ("2026-03-09", datetime!(2026-03-10 00:00 UTC)),
        (
            "2026-03-09T23:59:59-12:00",
            datetime!(2026-03-10 11:59:59 UTC),
        ),
        ("2026-03-09T00:00:00+14:00", datetime!(2026-03-08 10:00 UTC)),
    ] {
        let board = &mut approved(date);
        assert_eq!(board.posting().expire_at, Some(end), "{date}");
        let before = end - Duration::MICROSECOND;
        assert_eq!(expire_if_overdue(board.posting(), before), None);
        let change = expire_if_overdue(board.posting(), end);
        board.now = end;
        let written = board.record(change);
        assert_eq!(written.events, [event::JOB_POSTING_EXPIRED]);
        assert_eq!(board.reason(), CLOSED);
        assert_eq!(board.history.last().unwrap().by, Actor::Source);
    }
}

#[test]
fn it_makes_the_lifetime_shorter_and_never_longer() {
    let far = approved("2099-12-31");
    let lifetime = far.posting().expire_at.unwrap() - far.now;
    assert!(lifetime < Duration::days(60));
    let mut near = approved("2026-03-09");
    assert_eq!(near.put("{}").unwrap().1, Written::default());
    near.put(r#"{"valid_through":null}"#).unwrap();
    let end = near.posting().expire_at.unwrap();
    assert_eq!(end - near.now, Duration::days(60), "its own lifetime again");
}

#[test]
fn a_date_that_has_passed_expires_at_once_and_a_later_one_reopens() {
    let board = &mut approved("2026-03-09");
    let (given, written) = board.put(&closing("2025-12-31")).unwrap();
    assert_eq!(given.1, PutOutcome::Expired);
    assert_eq!(written.events, [event::JOB_POSTING_EXPIRED]);
    for body in [&closing("2025-12-30"), RENAME, REOPEN, "{}"] {
        board.put(body).unwrap();
        assert_eq!(board.posting().status(), Status::Expired, "{body}");
        assert_eq!(notices(board, body), [Notice::ClosingDatePassed], "{body}");
    }
    let (given, written) = board.put(&closing("2026-04-01")).unwrap();
    assert_eq!(given.1, PutOutcome::Reopened);
    assert!(written.asked);
    assert_eq!(notices(board, &closing("2026-04-01")), []);
    board.enrich(&Verdict::Approve).unwrap();
    let end = board.posting().expire_at;
    assert_eq!(end, Some(datetime!(2026-04-02 00:00 UTC)));
}

#[test]
fn a_date_that_has_passed_replaces_an_expiry_that_is_taken_back() {
    let board = &mut approved("2026-03-09");
    board.put(EXPIRE).unwrap();
    let both = r#"{"expiration":null,"valid_through":"2025-12-31"}"#;
    let (given, written) = board.put(both).unwrap();
    assert_eq!(given.1, PutOutcome::Updated);
    assert_eq!((written.asked, board.reason()), (false, CLOSED));
    assert_eq!(board.put(both).unwrap().0.1, PutOutcome::Unchanged);
    let (given, _) = board.put(&closing("2026-04-01")).unwrap();
    assert_eq!(given.1, PutOutcome::Reopened);
}

#[test]
fn a_new_posting_may_be_closed_already() {
    let mut board = Board::new();
    let body = CREATE.replacen('{', r#"{"valid_through":"2025-12-31","#, 1);
    let (given, written) = board.put(&body).unwrap();
    assert_eq!(given.1, PutOutcome::Created);
    assert_eq!((written.asked, board.reason()), (false, CLOSED));
    let created = [event::JOB_POSTING_CREATED, event::JOB_POSTING_EXPIRED];
    assert_eq!(written.events, created);

    for reason in [r#""Filled.""#, "null"] {
        let fields = format!(r#"{{"valid_through":"2025-12-31","expiration_reason":{reason},"#);
        let body = CREATE.replacen('{', &fields, 1);
        let mut board = Board::new();
        board.put(&body).unwrap();
        assert_eq!(board.reason(), CLOSED);
        let (again, _) = board.put(&body).unwrap();
        assert_eq!(again.1, PutOutcome::Unchanged, "{reason}");
    }
}

#[test]
fn only_an_expiry_by_the_date_ends_with_a_later_one() {
    let mut board = approved("2026-03-09");
    board.put(EXPIRE).unwrap();
    let later = closing("2026-04-01");
    board.put(&later).unwrap();
    assert_eq!(board.posting().status(), Status::Expired);
    assert_eq!(notices(&mut board, &later), [Notice::StillExpired]);
}

#[test]
fn an_operator_opens_a_closed_posting() {
    let mut board = approved("2025-12-31");
    board.moderate(&reopen("Still hiring.")).unwrap();
    let posting = board.posting();
    assert_eq!(posting.status(), Status::PendingEnrichment);
    assert_eq!(expire_if_overdue(posting, board.now + hours(1)), None);
    assert_eq!(posting.expire_at, board.lifetime.starting(board.now));
}

#[test]
fn reopening_keeps_a_closing_date_that_has_not_passed() {
    let end = datetime!(2026-03-10 00:00 UTC);
    for (now, expect) in [(end - Duration::MICROSECOND, Some(end)), (end, None)] {
        let mut board = approved("2026-03-09");
        board.put(EXPIRE).unwrap();
        board.now = now - hours(1);
        board.moderate(&reopen("Still hiring.")).unwrap();
        assert_eq!(board.posting().details.closes_at(), expect);
    }
}

#[test]
fn a_repeated_line_is_decided_once_the_date_has_passed() {
    let board = approved("2026-03-09");
    let answer = |now| {
        let answer = board
            .snapshot
            .repeat_answers()
            .into_values()
            .next()
            .unwrap();
        let basis = answer.answer.basis.unwrap_or(Basis(0));
        answer.repeat(None, basis, &[], board.lifetime, now)
    };
    assert!(answer(datetime!(2026-03-09 23:00 UTC)).is_some());
    assert!(answer(datetime!(2026-03-10 00:00 UTC)).is_none());
}
