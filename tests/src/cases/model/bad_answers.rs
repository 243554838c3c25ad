//! Useless answers of a model: it gets one objection, and if that does not help, the posting has no
//! judgement and is not approved.

use std::collections::BTreeMap;

use super::{Board, is_by_rules, steps, titled};
use crate::harness::{
    SETTLING, Store,
    chat::{Call, Slip},
    eventually, fresh,
};

on_sqlite! {
    a_bad_answer_is_objected_to_once_and_then_all_is_well,
    an_operator_brings_back_what_was_given_up,
}

/// Kinds of useless answers.
const BAD: [Slip; 3] = [Slip::Truncated, Slip::MissingField, Slip::Empty];

/// Pushes a posting for each slip, and lets the model make that slip so many times. Returns the
/// slips and titles by identifier.
async fn slipping(board: &Board, slips: &[Slip], times: usize) -> BTreeMap<String, (Slip, String)> {
    let mut postings = BTreeMap::new();
    for &slip in slips {
        let title = fresh("Gardener");
        board.chat.slip(&title, times, slip);
        let id = board.push(&titled(&title)).await;
        postings.insert(id, (slip, title));
    }
    postings
}

/// Checks that the second call continues the conversation of the first, with an objection. After an
/// empty answer, the model is asked the same again.
fn goes_on(calls: &[Call], slip: Slip) {
    let [first, second] = calls else {
        panic!("{slip:?}: {calls:#?}");
    };
    // Both calls ask for the same format.
    let format = |call: &Call| call.body["response_format"].clone();
    assert_eq!(format(first), format(second), "{slip:?}");
    let (before, after) = (first.messages(), second.messages());
    if slip == Slip::Empty {
        assert_eq!(after, before, "{slip:?}");
        return;
    }
    assert!(after.len() > before.len(), "{slip:?}: {after:#?}");
    assert_eq!(after[..before.len()], *before, "{slip:?}");
    let last = after.last().unwrap();
    assert_eq!(last["role"], "user", "{slip:?}: {last}");
    let objection = last["content"].as_str().unwrap();
    assert!(objection.len() > 20, "{slip:?}: {objection}");
}

async fn a_bad_answer_is_objected_to_once_and_then_all_is_well(store: Store) {
    let board = Board::served(store);
    for (id, (slip, title)) in slipping(&board, &BAD, 1).await {
        let posting = board.approved(&id).await;
        assert_eq!(steps(&posting), ["PendingEnrichment", "approved"]);
        goes_on(&board.chat.calls_for(&title), slip);
    }
    board.nothing_is_dead();
    // The objection names the field that was wrong.
    let title = fresh("Gardener");
    board.chat.slip(&title, 1, Slip::MissingField);
    let id = board.push(&titled(&title)).await;
    board.approved(&id).await;
    let calls = board.chat.calls_for(&title);
    let said = calls[1].texts("user").pop().unwrap();
    assert!(said.contains("`hide`"), "{said}");
}

async fn an_operator_brings_back_what_was_given_up(store: Store) {
    let board = Board::served(store);
    let title = fresh("Gardener");
    board.chat.keep_slipping(&title, Slip::NoJson);
    let id = board.push(&titled(&title)).await;
    let (_, dead) = board.given_up(&id).await;
    // The operator retries too early, so the task is given up once more.
    board.retry(&dead);
    eventually("it is given up again", SETTLING, || async {
        (board.chat.calls_for(&title).len() == 4).then_some(())
    })
    .await;
    let (posting, dead) = board.given_up(&id).await;
    assert_eq!(posting["status"], "PendingEnrichment");
    assert!(is_by_rules(&posting), "{posting}");

    board.chat.recover(&title);
    board.retry(&dead);
    let posting = board.approved(&id).await;
    // The second step says that it was given up; once, however often that happens.
    let expect = ["PendingEnrichment", "PendingEnrichment", "approved"];
    assert_eq!(steps(&posting), expect, "{posting}");
    board.nothing_is_dead();
}
