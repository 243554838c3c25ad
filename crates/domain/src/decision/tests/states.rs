use super::*;
use crate::testing::put_id;

#[test]
fn expired_takes_a_new_reason_without_event() {
    let mut board = Board::with(Status::Expired);
    let body = r#"{"expiration":{"reason":"second"},"title":"N"}"#;
    let (given, written) = board.put(body).unwrap();
    assert_eq!((given.1, written.events), (PutOutcome::Updated, vec![]));
    let details = &board.posting().details;
    assert_eq!(details.expiration_reason.as_deref(), Some("second"));
    assert_eq!((board.reason(), &*details.title), (Some("second"), "N"));
    let cleared = r#"{"expiration":{},"expiration_reason":null}"#;
    board.put(cleared).unwrap();
    assert_eq!(board.reason(), Some("second"));
}

/// Clocks may disagree.
#[test]
fn the_time_of_the_last_change_never_goes_back() {
    let mut board = Board::with(Status::Approved);
    let before = board.posting().updated_at;
    board.now -= hours(9);
    board.put(RENAME).unwrap();
    assert_eq!(board.posting().updated_at, before);
}

#[test]
fn an_empty_list_is_an_empty_object() {
    let mut board = Board::with(Status::Approved);
    let body = r#"{"expiration":[ ],"metadata":[]}"#;
    let (given, _) = board.put(body).unwrap();
    assert_eq!(given.1, PutOutcome::Expired);
    let metadata = board.posting().details.metadata.as_ref().unwrap();
    assert_eq!(metadata.as_str(), "{}");
}

#[test]
fn expired_and_expiration_null_reopens() {
    let mut board = Board::with(Status::Expired);
    let (given, written) = board.put(REOPEN).unwrap();
    assert_eq!(given, (put_id("a"), PutOutcome::Reopened));
    assert!(written.asked, "even though its content was enriched before");
    let posting = board.posting();
    assert_eq!(posting.status_reason(), None);
    assert_eq!(posting.details.expiration_reason, None);
}

#[test]
fn a_reason_within_expiration_wins() {
    for (expiration, expect) in [
        (r#"{"reason":"inner"}"#, "inner"),
        (r#"{"reason":null}"#, "outer"),
    ] {
        let mut board = Board::with(Status::Approved);
        let fields = r#""expiration_reason":"outer","title":"New""#;
        let given = board.put(&format!(r#"{{{fields},"expiration":{expiration}}}"#));
        assert_eq!(given.unwrap().0.1, PutOutcome::Expired);
        let details = &board.posting().details;
        assert_eq!(details.expiration_reason.as_deref(), Some(expect));
        assert_eq!((board.reason(), &*details.title), (Some(expect), "New"));
    }
}

#[test]
fn refusals_keep_their_order() {
    let wrong = r#"{"expiration":{},"title":5}"#;
    let mut rejected = Board::with(Status::Rejected);
    // Field errors take precedence over "not found" and over the transition.
    assert_eq!(
        [Board::new().wrong(wrong), rejected.wrong(wrong)],
        [["title"], ["title"]]
    );
    assert_eq!(Board::new().wrong(r#"{"expiration":[1]}"#), ["expiration"]);
    let merged = r#"{"expiration":{},"salary_min":5,"salary_max":4}"#;
    let refused = rejected.put(merged);
    assert!(matches!(refused, Err(Rejection::Transition { .. })));
    assert_eq!(Board::new().put(merged), Err(Rejection::NotFound));
}

#[test]
fn a_push_that_changes_nothing_writes_nothing() {
    for &status in Status::ALL {
        let mut board = Board::with(status);
        let before = board.posting().clone();
        let company = r#"{"company":{"name":"Acme"}}"#;
        let again = if status == Status::Expired {
            EXPIRE
        } else {
            REOPEN
        };
        for body in [CREATE, "{}", r#"{"unknown":1}"#, company, again] {
            assert_eq!(
                board.put(body).unwrap(),
                ((put_id("a"), PutOutcome::Unchanged), Written::default()),
                "{status} {body}"
            );
            assert_eq!(*board.posting(), before);
        }
    }
}

#[test]
fn a_refusal_names_both_statuses() {
    let refused = Board::with(Status::Rejected).put(EXPIRE).unwrap_err();
    let expect = "Invalid JobPosting state transition from rejected to expired.";
    assert_eq!(refused.to_string(), expect);
    let refused = Board::with(Status::Expired)
        .moderate(&Moderation::Approve)
        .unwrap_err();
    let expect = "Invalid JobPosting state transition from expired to approved.";
    assert_eq!(refused.to_string(), expect);
}

#[test]
fn nothing_and_a_push_creates_unless_it_expires() {
    for body in [CREATE, &CREATE.replacen('{', r#"{"expiration":null,"#, 1)] {
        let mut board = Board::new();
        let (given, written) = board.put(body).unwrap();
        assert_eq!(given, (put_id("a"), PutOutcome::Created));
        assert_eq!(written.events, [event::JOB_POSTING_CREATED]);
        assert!(written.asked, "it enters the enrichment pipeline");
        assert_eq!(board.posting().status(), Status::PendingEnrichment);
        assert_eq!(board.history.len(), 1);
    }
    for body in [EXPIRE, r#"{"expiration":{"reason":"x"},"title":"y"}"#] {
        let refused = Board::new().put(body).unwrap_err();
        assert_eq!(refused.to_string(), "Job posting not found.");
    }
}
