use kernel::testing::uuid;

use super::*;
use crate::{catalogue::CatalogueId, posting::Notice, posting::NoticeCounts};

#[track_caller]
fn check(mut board: Board, put: &PutPosting, expect: &[&str]) {
    for _ in 0..2 {
        let decision = board.decide(put).unwrap();
        let notices = decision.answer.notices.iter();
        let told = notices.map(|notice| match notice.field() {
            Some(field) => format!("{} {field}", notice.code()),
            None => notice.code().to_string(),
        });
        assert_eq!(told.collect::<Vec<_>>(), expect, "{put:?}");
        board.record(decision.change.map(|change| *change));
    }
}

#[test]
fn unknown_fields_are_reported_each_once() {
    let body = r#"{"titel":1,"title":"x","company":{"www":1},"A\"\n":2,"titel":3}"#;
    let expect = [
        "unknown_field titel",
        "unknown_field A\"\n",
        "unknown_field company.www",
    ];
    check(Board::with(Status::Approved), &push("a", body), &expect);
    let create = CREATE.replace("{\n", "{\"titel\":1,");
    check(Board::new(), &push("a", &create), &["unknown_field titel"]);
    check(Board::new(), &push("a", CREATE), &[]);
}

#[test]
fn a_push_to_an_expired_posting_is_notified_that_it_stays_down() {
    for (body, expect) in [
        (r#"{"title":"x"}"#, &["still_expired"][..]),
        (r#"{"title":"Baker"}"#, &["still_expired"]),
        (
            r#"{"x":1,"title":"x"}"#,
            &["still_expired", "unknown_field x"],
        ),
        (r#"{"x":1}"#, &["unknown_field x"]),
        ("{}", &[]),
        (r#"{"title":"x","expiration":{}}"#, &[]),
        (r#"{"title":"x","expiration":null}"#, &[]),
    ] {
        check(Board::with(Status::Expired), &push("a", body), expect);
    }
    let listed = push("a", r#"{"title":"x"}"#).listed_in(CatalogueId::new(uuid(1)));
    check(Board::with(Status::Expired), &listed, &[]);
}

#[test]
fn a_push_is_notified_of_an_operators_rejection_but_not_of_one_by_rules() {
    let mut board = Board::with(Status::Approved);
    board.moderate(&reject("scam")).unwrap();
    check(board, &push("a", r#"{"title":"x"}"#), &["still_rejected"]);
    let rejected = Board::with(Status::Rejected);
    check(rejected, &push("a", r#"{"title":"x"}"#), &[]);
}

#[test]
fn a_notice_is_a_sentence_with_the_nearest_field() {
    let unknown = |path: &str| Notice::UnknownField(path.into());
    for (path, nearest) in [("titel", Some("title")), ("x", None)] {
        let end = nearest.map(|nearest| format!("; the nearest one is {nearest}"));
        let message = format!(
            "{path} is not a known field, and was left out{}.",
            end.unwrap_or_default()
        );
        assert_eq!(unknown(path).nearest().as_deref(), nearest);
        assert_eq!(unknown(path).message(), message);
    }
    let mut counts = NoticeCounts::default();
    for notice in [unknown("a"), Notice::TakenDown, unknown("b")] {
        counts.add(&notice);
    }
    assert_eq!(counts.iter().collect::<NoticeCounts>(), counts);
    assert!(Notice::TakenDown.is_repeatable() && !Notice::CompanyByAlias.is_repeatable());
    let counts: Vec<_> = counts
        .iter()
        .map(|(code, count)| (code.as_str(), count))
        .collect();
    assert_eq!(counts, [("taken_down", 1), ("unknown_field", 2)]);
}
