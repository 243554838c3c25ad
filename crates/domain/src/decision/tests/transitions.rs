//! The tables of states of the specification and the contract: what each command makes of a posting
//! of each status.

use kernel::{CatalogueName, testing::uuid};

use super::*;
use crate::{
    catalogue::CatalogueId,
    decision::lapse::{delist, expire_if_overdue},
    testing::pusher,
};

/// The commands, with what each does to a posting that waits, is approved, rejected or expired: the
/// event that it raises, as which also the new status is named; nothing; or a refusal.
const TABLE: [(&str, [&str; 4]); 12] = [
    ("push", ["Updated", "Updated", "Updated", "-"]),
    ("push expiration", ["Expired", "Expired", "refused", "-"]),
    ("push null", ["-", "-", "-", "Reopened"]),
    ("list in a catalogue", ["-", "-", "-", "Reopened"]),
    ("drop from the catalogue", ["Expired", "Expired", "-", "-"]),
    ("end of the lifetime", ["Expired", "Expired", "-", "-"]),
    ("enricher approves", ["Approved", "-", "Approved", "-"]),
    ("enricher rejects", ["Rejected", "Rejected", "-", "-"]),
    (
        "operator approves",
        ["Approved", "Updated", "Approved", "refused"],
    ),
    (
        "operator rejects",
        ["Rejected", "Rejected", "Updated", "refused"],
    ),
    ("operator expires", ["Expired", "Expired", "refused", "-"]),
    (
        "operator reopens",
        ["refused", "refused", "refused", "Reopened"],
    ),
];

/// Carries a command out, and gives what it wrote with its actor.
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
        "push expiration" => push(EXPIRE),
        "push null" => push(REOPEN),
        "list in a catalogue" => push("{}").listed_in(catalogue),
        "enricher approves" | "enricher rejects" => {
            board.forget_outcome();
            let approves = command == "enricher approves";
            let written = board.enrich(&if approves {
                Verdict::Approve
            } else {
                rejection()
            });
            return Ok((written.unwrap_or_default(), Actor::Enricher));
        }
        _ => {
            let now = board.now;
            let posting = board.posting_mut();
            posting.catalogue = Some(catalogue);
            posting.expire_at = Some(now);
            let name = CatalogueName::new("jobs").unwrap();
            let (change, by) = if command == "end of the lifetime" {
                (expire_if_overdue(posting, now), Actor::Lifetime)
            } else {
                let change = delist(posting, catalogue, &name, now);
                (change, Actor::Catalogue(name))
            };
            return Ok((board.record(change), by));
        }
    };
    board.run(&put).map(|(_, written)| (written, client))
}

/// The status of a posting after an event.
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
fn a_command_does_what_the_status_allows() {
    for (command, cells) in TABLE {
        for (&status, expect) in Status::ALL.iter().zip(cells) {
            let mut board = Board::with(status);
            let before = board.posting().clone();
            let result = run(command, &mut board);
            let posting = board.posting();
            let Ok((written, by)) = result else {
                let from = format!("Invalid JobPosting state transition from {status} to ");
                assert!(result.unwrap_err().to_string().starts_with(&from));
                assert_eq!(
                    (expect, posting),
                    ("refused", &before),
                    "{command}: {status}"
                );
                continue;
            };
            let events: Vec<_> = written.events.iter().map(EventName::as_str).collect();
            let event = events
                .first()
                .map_or("-", |event| &event["JobPosting".len()..]);
            assert_eq!(
                (event, events.len() < 2),
                (expect, true),
                "{command}: {status}"
            );
            assert_eq!(posting.status, after(event, status), "{command}: {status}");
            assert_eq!(
                posting.expired_at.is_some(),
                posting.status == Status::Expired
            );
            if posting.status != status {
                let step = HistoryEntry {
                    status: posting.status,
                    at: board.now,
                    reason: posting.status_reason.clone(),
                    by,
                };
                assert_eq!(board.history.last(), Some(&step), "{command}: {status}");
                assert_eq!(posting.updated_by.as_ref(), Some(&step.by));
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
        assert_eq!(board.posting().status, Status::PendingEnrichment);
        assert_eq!(board.history.len(), 1);
    }
    for body in [EXPIRE, r#"{"expiration":{"reason":"x"},"title":"y"}"#] {
        let refused = Board::new().put(body).unwrap_err();
        assert_eq!(refused.to_string(), "Job posting not found.");
    }
}
