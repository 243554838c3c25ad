use kernel::ClientId;

use super::*;
use crate::{
    decision::objection::{ObjectionAnswer, Refused, answer, object},
    posting::{ObjectionState, PostingView},
    testing::{company_view, posting_view},
};

impl Board {
    fn view(&self) -> PostingView {
        PostingView {
            decision: self.decision.clone(),
            history: self.history.clone(),
            ..posting_view(self.posting().clone(), company_view(self.company()))
        }
    }

    fn object(&mut self) -> Result<Written, Refused> {
        self.now += hours(1);
        let by = ClientId::new(kernel::testing::uuid(1));
        let change = object(&self.view(), "It is true.", by, self.now)?;
        Ok(self.record(Some(change)))
    }

    fn answer(&mut self, reverses: bool) -> Result<Written, Refused> {
        self.now += hours(1);
        let given = ObjectionAnswer {
            reverses,
            sentence: "We looked again.".to_owned(),
        };
        let (view, by) = (self.view(), by_ann(1).operator);
        let change = answer(&view, &given, &by, self.lifetime, self.now)?;
        Ok(self.record(Some(change)))
    }

    fn objection(&self) -> (DecisionOutcome, ObjectionState, Option<&str>) {
        let decision = self.decision.as_ref().unwrap();
        let objection = decision.objection.as_ref().unwrap();
        (
            decision.outcome,
            objection.state,
            objection.sentence.as_deref(),
        )
    }
}

#[test]
fn only_the_newest_rejection_or_removal_is_objected_to_and_once() {
    for status in Status::ALL {
        let mut board = Board::with(*status);
        let expect = match status {
            Status::Rejected => Ok(Vec::new()),
            _ => Err(Refused::NothingDecided),
        };
        assert_eq!(
            board.object().map(|written| written.events),
            expect,
            "{status}"
        );
    }
    let mut board = Board::with(Status::Approved);
    board.moderate(&expire("a fraud")).unwrap();
    assert_eq!(board.answer(true), Err(Refused::NothingWaits));
    board.object().unwrap();
    assert_eq!(board.object(), Err(Refused::Repeated));
    board.answer(false).unwrap();
    assert_eq!(board.answer(true), Err(Refused::NothingWaits));
    assert_eq!(board.object(), Err(Refused::Repeated));
    board.moderate(&reopen("a mistake")).unwrap();
    assert_eq!(board.object(), Err(Refused::NothingDecided));
    board.moderate(&expire("a fraud")).unwrap();
    board.object().unwrap();
}

#[test]
fn an_upheld_decision_stays() {
    let answered = Some("We looked again.");
    let mut board = Board::with(Status::Rejected);
    board.object().unwrap();
    let written = board.answer(false).unwrap();
    assert_eq!(written.events, [event::JOB_POSTING_UPDATED]);
    assert_eq!(board.posting().status(), Status::Rejected);
    let upheld = (DecisionOutcome::Rejected, ObjectionState::Upheld, answered);
    assert_eq!(board.objection(), upheld);
    let mut board = Board::with(Status::Approved);
    board.moderate(&expire("a fraud")).unwrap();
    board.object().unwrap();
    assert_eq!(board.answer(false).unwrap().events, []);
    assert_eq!(board.posting().status(), Status::Expired);
}

#[test]
fn a_reversal_restores_what_was() {
    use event::{JOB_POSTING_APPROVED as APPROVED, JOB_POSTING_REOPENED as REOPENED};
    let answered = Some("We looked again.");
    let shown = (
        DecisionOutcome::Approved,
        ObjectionState::Reversed,
        answered,
    );
    let judged = (DecisionOutcome::Removed, ObjectionState::Reversed, answered);
    for (status, push, after, expect, events) in [
        (
            Status::Approved,
            None,
            Status::Approved,
            shown,
            &[REOPENED, APPROVED][..],
        ),
        (
            Status::Approved,
            Some(RENAME),
            Status::PendingEnrichment,
            judged,
            &[REOPENED],
        ),
        (
            Status::PendingEnrichment,
            None,
            Status::PendingEnrichment,
            judged,
            &[REOPENED],
        ),
    ] {
        let mut board = Board::with(status);
        board.moderate(&expire("a fraud")).unwrap();
        if let Some(push) = push {
            board.put(push).unwrap();
        }
        board.object().unwrap();
        let written = board.answer(true).unwrap();
        assert_eq!(written.events, events, "{status}");
        assert!(written.asked, "{status}");
        assert_eq!(board.posting().status(), after);
        assert_eq!(board.objection(), expect);
    }
    let mut board = Board::with(Status::Rejected);
    board.object().unwrap();
    assert_eq!(board.answer(true).unwrap().events, [APPROVED]);
    assert_eq!(board.objection(), shown);
}
