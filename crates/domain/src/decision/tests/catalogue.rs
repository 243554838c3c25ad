use kernel::{CatalogueName, testing::uuid};

use super::*;
use crate::{
    catalogue::CatalogueId,
    decision::lapse::{delist, undo_delisting},
    testing::pusher,
};

const NOTHING: &str = "{}";

fn catalogue(n: u128) -> CatalogueId {
    CatalogueId::new(uuid(n))
}

fn list(board: &mut Board, n: u128, body: &str) -> Result<(PutOutcome, Written), Rejection> {
    let put = push("a", body).listed_in(catalogue(n));
    board
        .run(&put)
        .map(|((_, outcome), written)| (outcome, written))
}

fn listed(status: Status) -> Board {
    let mut board = Board::with(status);
    board.posting_mut().catalogue = Some(catalogue(1));
    board
}

#[test]
fn a_catalogue_creates_postings_of_its_own() {
    let mut board = Board::new();
    let written = Written {
        events: vec![event::JOB_POSTING_CREATED],
        asked: true,
        companies: 1,
        postings: 1,
    };
    assert_eq!(
        list(&mut board, 1, CREATE),
        Ok((PutOutcome::Created, written))
    );
    assert_eq!(board.posting().catalogue, Some(catalogue(1)));
    assert_eq!(board.posting().created_by, Some(Actor::Client(pusher())));
}

#[test]
fn an_unchanged_posting_of_the_catalogue_is_not_written() {
    for status in [
        Status::PendingEnrichment,
        Status::Approved,
        Status::Rejected,
    ] {
        let mut board = listed(status);
        let unchanged = (PutOutcome::Unchanged, Written::default());
        assert_eq!(list(&mut board, 1, NOTHING), Ok(unchanged), "{status}");
    }
}

/// Readers see no difference, so the time of the last update also stays.
#[test]
fn a_posting_moves_to_the_catalogue_that_lists_it() {
    for (mut board, from) in [
        (listed(Status::Approved), Some(catalogue(1))),
        (Board::with(Status::Approved), None),
        (Board::with(Status::Rejected), None),
    ] {
        let mut moved = board.posting().clone();
        assert_eq!(moved.catalogue, from);
        let alone = Written {
            postings: 1,
            ..Written::default()
        };
        let expect = (PutOutcome::Unchanged, alone);
        assert_eq!(list(&mut board, 2, NOTHING), Ok(expect));
        moved.version += 1;
        moved.catalogue = Some(catalogue(2));
        assert_eq!(*board.posting(), moved);
    }
}

#[test]
fn a_push_without_a_catalogue_keeps_it() {
    for body in [NOTHING, RENAME, EXPIRE] {
        let mut board = listed(Status::Approved);
        board.put(body).unwrap();
        assert_eq!(board.posting().catalogue, Some(catalogue(1)), "{body}");
    }
}

fn delist_from(board: &Board, n: u128) -> Option<Change> {
    let name = CatalogueName::new("jobs").unwrap();
    delist(board.posting(), catalogue(n), &name, board.now)
}

#[test]
fn what_a_catalogue_no_longer_lists_expires() {
    let mut board = listed(Status::Approved);
    let change = delist_from(&board, 1);
    board.record(change);
    let posting = board.posting();
    assert_eq!(posting.catalogue, Some(catalogue(1)));
    let reason = Some("no longer in the catalogue jobs");
    assert_eq!(posting.status_reason(), reason);
    assert_eq!(posting.details.expiration_reason.as_deref(), reason);
    assert_eq!(delist_from(&listed(Status::Approved), 2), None);
    assert_eq!(delist_from(&Board::with(Status::Approved), 1), None);
}

#[test]
fn an_undo_brings_back_what_nothing_has_changed_since() {
    let name = CatalogueName::new("jobs").unwrap();
    let mut board = listed(Status::Approved);
    let undo = |board: &Board, n| {
        let by = Actor::Client(pusher());
        undo_delisting(board.posting(), catalogue(n), &name, by, board.now)
    };
    board.posting_mut().updated_by = Some(Actor::Catalogue(name.clone()));
    assert_eq!(undo(&board, 1), None, "it is open");
    board.record(delist_from(&board, 1));
    assert_eq!(undo(&board, 2), None);
    board.put(NOTHING).unwrap();
    let change = undo(&board, 1);
    let written = board.record(change);
    assert_eq!(written.events, [event::JOB_POSTING_REOPENED]);
    assert!(written.asked);
    let posting = board.posting();
    assert_eq!(posting.status(), Status::PendingEnrichment);
    assert_eq!(posting.updated_by, Some(Actor::Client(pusher())));
    assert_eq!(posting.catalogue, Some(catalogue(1)));
    let reasons = (posting.status_reason(), &posting.details.expiration_reason);
    assert_eq!(reasons, (Some("undo of the catalogue jobs"), &None));
    board.record(delist_from(&board, 1));
    board.put(RENAME).unwrap();
    assert_eq!(undo(&board, 1), None, "it was changed");
}
