use super::*;
use crate::decision::lapse::expire_if_overdue;

const DAY: i64 = 24;

fn left(board: &Board) -> i64 {
    (board.posting().expire_at.unwrap() - board.now).whole_hours()
}

#[test]
fn a_push_in_its_second_half_restarts_it() {
    for body in ["{}", RENAME] {
        let mut board = Board::with(Status::Approved);
        board.now += hours(30 * DAY - 1);
        board.put(body).unwrap();
        assert_eq!(left(&board), 30 * DAY, "exactly half of it is left");
        board.put(body).unwrap();
        assert_eq!(left(&board), 60 * DAY);
    }
}

#[test]
fn only_another_end_is_no_update() {
    for (lifetime, days) in [(Lifetime::days(60), 40), (Lifetime::NEVER, 0)] {
        let mut board = Board::with(Status::Approved);
        let mut renewed = board.posting().clone();
        board.lifetime = lifetime;
        board.now += hours(days * DAY);
        let (given, written) = board.put("{}").unwrap();
        let alone = Written {
            postings: 1,
            ..Written::default()
        };
        assert_eq!((given.1, written), (PutOutcome::Unchanged, alone));
        renewed.version += 1;
        renewed.expire_at = lifetime.starting(board.now);
        assert_eq!(*board.posting(), renewed);
        assert_eq!(board.put("{}").unwrap().1, Written::default());
    }
}

#[test]
fn expired_and_rejected_postings_are_not_renewed() {
    for body in [EXPIRE, r#"{"title":"Bad"}"#] {
        let mut board = Board::with(Status::Approved);
        board.put(body).unwrap();
        board.enrich(&rejection());
        assert_ne!(board.posting().status(), Status::Approved);
        board.now += hours(50 * DAY);
        assert_eq!(board.put("{}").unwrap().1, Written::default());
    }
}

#[test]
fn reopening_restarts_it() {
    let mut board = Board::with(Status::Approved);
    board.put(EXPIRE).unwrap();
    board.now += hours(100 * DAY);
    board.put(REOPEN).unwrap();
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
    assert_eq!(board.posting().expired_at(), Some(end));
    let reason = board.reason();
    assert_eq!(reason, Some("The posting's lifetime ended."));
}

#[test]
fn zero_days_are_for_ever_and_so_is_what_ends_past_the_end_of_time() {
    for days in [0, u32::MAX] {
        let mut board = Board::new();
        board.lifetime = Lifetime::days(days);
        board.put(CREATE).unwrap();
        board.enrich(&Verdict::Approve).unwrap();
        assert_eq!(board.posting().expire_at, None);
        assert_eq!(board.lifetime.is_limited(), days > 0);
        // After lifetimes are enabled, a lifetime begins with the next push.
        board.lifetime = Lifetime::days(60);
        board.put("{}").unwrap();
        assert_eq!(left(&board), 60 * DAY);
    }
}
