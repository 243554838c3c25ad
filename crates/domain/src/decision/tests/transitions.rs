//! The tables of states of the specification and the contract: what each command makes of a posting
//! of each status.

use kernel::{CatalogueName, testing::uuid};

use super::*;
use crate::{
    catalogue::CatalogueId,
    decision::lapse::{delist, expire_if_overdue, undo_delisting},
    testing::pusher,
};

/// The commands, with what each does to a posting that waits, is approved, rejected, rejected by an
/// operator, expired, or expired by an operator: the event that it raises, as which also the new
/// status is named; nothing; a step of the history without an event; or a refusal.
const TABLE: [(&str, [&str; 6]); 14] = [
    (
        "push",
        ["Updated", "Updated", "Updated", "Updated", "-", "-"],
    ),
    (
        "push expiration",
        ["Expired", "Expired", "refused", "refused", "step", "-"],
    ),
    ("push null", ["-", "-", "-", "down", "Reopened", "down"]),
    ("list in a catalogue", ["-", "-", "-", "-", "Reopened", "-"]),
    (
        "drop from the catalogue",
        ["Expired", "Expired", "-", "-", "-", "-"],
    ),
    (
        "undo of the catalogue",
        ["-", "-", "-", "-", "Reopened", "-"],
    ),
    (
        "end of the lifetime",
        ["Expired", "Expired", "-", "-", "-", "-"],
    ),
    (
        "enricher approves",
        ["Approved", "-", "Approved", "-", "-", "-"],
    ),
    (
        "enricher rejects",
        ["Rejected", "Rejected", "Enriched", "-", "-", "-"],
    ),
    (
        "enricher gives up",
        ["Enriched", "Enriched", "-", "-", "-", "-"],
    ),
    (
        "operator approves",
        [
            "Approved", "Updated", "Approved", "Approved", "refused", "refused",
        ],
    ),
    (
        "operator rejects",
        [
            "Rejected", "Rejected", "Updated", "Updated", "refused", "refused",
        ],
    ),
    (
        "operator expires",
        ["Expired", "Expired", "refused", "refused", "step", "-"],
    ),
    (
        "operator reopens",
        [
            "refused", "refused", "refused", "refused", "Reopened", "Reopened",
        ],
    ),
];

fn boards() -> [Board; 6] {
    let by_operator = |command: Moderation| {
        let mut board = Board::with(Status::Approved);
        board.moderate(&command).unwrap();
        board
    };
    let (reason, ground) = ("scam".to_owned(), Ground::Terms);
    let reject = Moderation::Reject {
        reason: reason.clone(),
        ground,
    };
    [
        Board::with(Status::PendingEnrichment),
        Board::with(Status::Approved),
        Board::with(Status::Rejected),
        by_operator(reject),
        Board::with(Status::Expired),
        by_operator(Moderation::Expire { reason, ground }),
    ]
}

fn run(command: &str, board: &mut Board) -> Result<(Written, Actor), Rejection> {
    let push = |body: &str| push("a", body);
    let client = Actor::Client(pusher());
    let operator = Actor::Operator(Some(by_ann(1).operator));
    let reason = || "because".to_owned();
    let mut moderate = |command| Ok((board.moderate(&command)?, operator.clone()));
    match command {
        "operator approves" => return moderate(Moderation::Approve),
        "operator rejects" => {
            return moderate(Moderation::Reject {
                reason: reason(),
                ground: Ground::Terms,
            });
        }
        "operator expires" => {
            return moderate(Moderation::Expire {
                reason: reason(),
                ground: Ground::Terms,
            });
        }
        "operator reopens" => return moderate(Moderation::Reopen { reason: reason() }),
        _ => {}
    }
    let catalogue = CatalogueId::new(uuid(1));
    let put = match command {
        "push" => push(RENAME),
        "push expiration" => push(r#"{"expiration":{"reason":"because"}}"#),
        "push null" => push(REOPEN),
        "list in a catalogue" => push("{}").listed_in(catalogue),
        "enricher gives up" => {
            let written = board.fail(None, "because");
            return Ok((written.unwrap_or_default(), Actor::Enricher));
        }
        "enricher approves" | "enricher rejects" => {
            board.forget_outcome();
            let verdict = Verdict::Reject {
                code: ReasonCode::Spam,
                text: "because".to_owned(),
                passages: Vec::new(),
            };
            let approves = command == "enricher approves";
            let written = board.enrich(if approves {
                &Verdict::Approve
            } else {
                &verdict
            });
            return Ok((written.unwrap_or_default(), Actor::Enricher));
        }
        _ => {
            let (now, name) = (board.now, CatalogueName::new("jobs").unwrap());
            let by_catalogue = Actor::Catalogue(name.clone());
            let posting = board.posting_mut();
            posting.catalogue = Some(catalogue);
            posting.expire_at = Some(now);
            let (change, by) = match command {
                "end of the lifetime" => (expire_if_overdue(posting, now), Actor::Lifetime),
                "drop from the catalogue" => (delist(posting, catalogue, &name, now), by_catalogue),
                _ => {
                    posting.updated_by = Some(by_catalogue);
                    let change = undo_delisting(posting, catalogue, &name, client.clone(), now);
                    (change, client)
                }
            };
            return Ok((board.record(change), by));
        }
    };
    board.run(&put).map(|(_, written)| (written, client))
}

fn after(event: &str, before: Status) -> Status {
    match event {
        "Expired" => Status::Expired,
        "Reopened" => Status::PendingEnrichment,
        "Approved" => Status::Approved,
        "Rejected" => Status::Rejected,
        _ => before,
    }
}

#[test]
fn a_command_does_what_the_state_allows() {
    for (command, cells) in TABLE {
        for (mut board, expect) in boards().into_iter().zip(cells) {
            let (before, steps) = (board.posting().clone(), board.history.len());
            let state = before.state();
            let result = run(command, &mut board);
            let posting = board.posting();
            let Ok((written, by)) = result else {
                let cell = match result.unwrap_err() {
                    Rejection::Transition { from, .. } if from == before.status() => "refused",
                    Rejection::TakenDown => "down",
                    other => panic!("{command}: {other}"),
                };
                assert_eq!((expect, posting), (cell, &before), "{command}: {state:?}");
                continue;
            };
            let is_step = board.history.len() > steps;
            let event = match &written.events[..] {
                [] if is_step => "step",
                [] => "-",
                [event] => &event.as_str()["JobPosting".len()..],
                more => panic!("{command}: {more:?}"),
            };
            assert_eq!(event, expect, "{command}: {state:?}");
            let status = after(event, before.status());
            assert_eq!(posting.status(), status, "{command}: {state:?}");
            let since = match before.expired_at() {
                None if status == Status::Expired => Some(board.now),
                at => at.filter(|_| status == Status::Expired),
            };
            assert_eq!(posting.expired_at(), since);
            if is_step {
                let reason = posting.status_reason();
                assert_eq!(board.step(), (status, reason, &by), "{command}: {state:?}");
                assert_eq!(board.history.last().unwrap().at, board.now);
                assert_eq!(posting.updated_by.as_ref(), Some(&by));
            } else {
                assert_eq!(posting.state(), state, "{command}");
                assert_eq!(posting.status_reason(), before.status_reason());
            }
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
        assert_eq!(given, (crate::testing::put_id("a"), PutOutcome::Created));
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
