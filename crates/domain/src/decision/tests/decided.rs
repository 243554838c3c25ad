use super::*;
use crate::posting::DecisionOutcome::{Approved, Rejected, Removed};

type Seen<'a> = (DecisionOutcome, &'a str, &'a str, &'a str);

impl Board {
    #[track_caller]
    fn decided(&self, expect: Seen<'_>) {
        let seen = self.decision.as_ref().unwrap();
        let by = seen.by.to_string();
        let code = seen.code.as_str();
        assert_eq!((seen.outcome, by.as_str(), code, &*seen.sentence), expect);
    }
}

const BY_RULES: Seen<'_> = (
    Approved,
    "rules",
    "no_objection",
    "Nothing was found that speaks against showing the posting.",
);
const REFUSED: Seen<'_> = (Rejected, "rules", "not_a_job", "Nothing in it.");
const BY_ANN: Seen<'_> = (
    Approved,
    "operator:ann",
    "operator",
    "An operator approved the posting.",
);

#[test]
fn the_newest_verdict_is_the_decision() {
    let mut board = Board::with(Status::PendingEnrichment);
    assert_eq!(board.decision, None);
    board.enrich(&rejection()).unwrap();
    board.decided(REFUSED);
    assert_eq!(board.decision.as_ref().unwrap().passages, ["Soon."]);
    assert_eq!(board.decision.as_ref().unwrap().at, board.now);
    board.put(RENAME).unwrap();
    board.decided(REFUSED);
    board.enrich(&Verdict::Approve).unwrap();
    board.decided(BY_RULES);
}

#[test]
fn an_operators_decision_stays_as_long_as_the_verdict() {
    let mut board = Board::with(Status::Rejected);
    board.moderate(&Moderation::Approve).unwrap();
    board.decided(BY_ANN);
    board.forget_outcome();
    board.enrich(&rejection()).unwrap();
    board.decided(BY_ANN);
    // New content gets another verdict, until the approved content is pushed again.
    board.put(r#"{"title":"Fraud"}"#).unwrap();
    board.enrich(&rejection()).unwrap();
    board.decided(REFUSED);
    board.put(r#"{"title":"Baker"}"#).unwrap();
    board.enrich(&rejection()).unwrap();
    let returned = (Approved, "operator", BY_ANN.2, BY_ANN.3);
    board.decided(returned);

    board.moderate(&reject("a scheme")).unwrap();
    let rejected = (Rejected, "operator:ann", "operator", "a scheme");
    board.decided(rejected);
    board.put(RENAME).unwrap();
    board.enrich(&Verdict::Approve).unwrap();
    board.decided(rejected);
}

#[test]
fn an_operators_removal_has_a_statement() {
    for status in [Status::PendingEnrichment, Status::Approved, Status::Expired] {
        let mut board = Board::with(status);
        let (reason, ground) = ("A fraud.".to_owned(), Ground::Law);
        let removal = Moderation::Expire { reason, ground };
        board.moderate(&removal).unwrap();
        board.decided((Removed, "operator:ann", "operator", "A fraud."));
        assert_eq!(board.decision.as_ref().unwrap().ground, Some(Ground::Law));
        board.put(EXPIRE).unwrap();
        board.decided((Removed, "operator:ann", "operator", "A fraud."));
        board.moderate(&reopen("A mistake.")).unwrap();
        board.enrich(&Verdict::Approve).unwrap();
        board.decided(BY_RULES);
        assert_eq!(board.decision.as_ref().unwrap().ground, None);
    }
}

#[test]
fn a_decision_outlives_the_expiry_and_the_reopening() {
    let mut board = Board::with(Status::Approved);
    board.put(EXPIRE).unwrap();
    board.decided(BY_RULES);
    board.put(REOPEN).unwrap();
    board.decided(BY_RULES);
    board.moderate(&Moderation::Feature(true)).unwrap();
    board.decided(BY_RULES);
}

#[test]
fn the_event_of_a_decision_has_its_code() {
    let mut board = Board::with(Status::PendingEnrichment);
    for (command, name, code) in [
        (reject("a scheme"), "JobPostingRejected", Some("operator")),
        (reject("another scheme"), "JobPostingUpdated", None),
        (Moderation::Approve, "JobPostingApproved", Some("operator")),
        (expire("a fraud"), "JobPostingExpired", Some("operator")),
    ] {
        board.moderate(&command).unwrap();
        let Subject::Posting(state) = &board.told[0].subject else {
            panic!("{:?}", board.told);
        };
        let told = state.decision.as_ref().map(|decided| decided.code.as_str());
        assert_eq!((board.told[0].name.as_str(), told), (name, code));
    }
}
