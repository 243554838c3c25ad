//! Useless answers of a model: it gets one objection, and if that does not help, the posting has no
//! judgement and is not approved.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Board, is_by_rules, is_of_the_model, steps, text, titled};
use crate::harness::{
    SETTLING, Store,
    chat::{Call, Fault, Slip},
    eventually, fresh,
};

on_sqlite! {
    a_bad_answer_is_objected_to_once_and_then_all_is_well,
    an_operator_brings_back_what_was_given_up,
    what_nobody_judged_is_not_shown,
    one_bad_posting_holds_nothing_up,
}

/// Kinds of useless answers.
const BAD: [Slip; 4] = [
    Slip::Truncated,
    Slip::MissingField,
    Slip::InventedPhrase,
    Slip::Empty,
];

/// Pushes a posting for each slip, and lets the model make that slip so many times. Returns the
/// slips and titles by identifier.
async fn slipping(board: &Board, slips: &[Slip], times: usize) -> BTreeMap<String, (Slip, String)> {
    let mut postings = BTreeMap::new();
    for &slip in slips {
        let title = fresh("Gardener");
        board.chat.fail_for(&title, times, Fault::Say(slip));
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
    if matches!(slip, Slip::Empty | Slip::NoChoices) {
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
    let missing = Fault::Say(Slip::MissingField);
    board.chat.fail_for(&title, 1, missing);
    let id = board.push(&titled(&title)).await;
    board.approved(&id).await;
    let calls = board.chat.calls_for(&title);
    let said = calls[1].texts("user").pop().unwrap();
    assert!(said.contains("`hide`"), "{said}");
}

async fn an_operator_brings_back_what_was_given_up(store: Store) {
    let board = Board::served(store);
    let title = fresh("Gardener");
    board
        .chat
        .outage_for(&title, Some(Fault::Say(Slip::NoJson)));
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

    board.chat.outage_for(&title, None);
    board.retry(&dead);
    let posting = board.approved(&id).await;
    // The second step says that it was given up; once, however often that happens.
    let expect = ["PendingEnrichment", "PendingEnrichment", "approved"];
    assert_eq!(steps(&posting), expect, "{posting}");
    board.nothing_is_dead();
}

/// Pushes a posting and waits until it is approved. Returns its identifier and state.
async fn approved(board: &Board, title: &str) -> (String, Value) {
    let id = board.push(&titled(title)).await;
    let posting = board.approved(&id).await;
    (id, posting)
}

fn fraud() -> Value {
    json!({
        "raw_description": "<p>Pay a fee of 50 EUR by <strong>Western Union</strong>, send your \
            passport, and wait for the job of your life at home, without any skills.</p>",
    })
}

async fn what_nobody_judged_is_not_shown(store: Store) {
    let board = Board::served(store);
    for fault in [Fault::Say(Slip::Refusal), Fault::Say(Slip::NoJson)] {
        let title = fresh("Gardener");
        let (id, before) = approved(&board, &title).await;
        board.chat.outage_for(&title, Some(fault));
        board.app.put(&id, &fraud()).await.updated();
        let (after, dead) = board.given_up(&id).await;
        assert_eq!(after["status"], "approved", "{fault:?}");
        for field in ["markdown_description", "markdown_redacted_description"] {
            assert_eq!(after[field], before[field], "{fault:?}");
        }
        let reason = after["status_reason"].as_str().unwrap();
        assert!(reason.starts_with("awaiting_review: "), "{reason}");
        assert_eq!(steps(&after).len(), steps(&before).len() + 1, "{fault:?}");
        assert_eq!(steps(&after).last(), Some(&"approved"));

        // A failed attempt adds no entry to the history.
        let calls = board.chat.calls_for(&title).len();
        board.retry(&dead);
        eventually("it is asked for again", SETTLING, || async {
            (board.chat.calls_for(&title).len() > calls).then_some(())
        })
        .await;
        let (again, dead) = board.given_up(&id).await;
        assert_eq!(again["history"], after["history"], "{fault:?}");

        board.chat.outage_for(&title, None);
        board.retry(&dead);
        let judged = board
            .app
            .api
            .once(&id, "has the text that was judged", |posting| {
                text(posting).contains("Western Union")
            })
            .await;
        assert_eq!(judged["status"], "approved");
        assert_eq!(judged["status_reason"], Value::Null);
        assert_eq!(judged["published_at"], before["published_at"]);
    }
}

async fn one_bad_posting_holds_nothing_up(store: Store) {
    let board = Board::served(store);
    let title = fresh("Gardener");
    board
        .chat
        .outage_for(&title, Some(Fault::Say(Slip::Refusal)));
    let bad = board.push(&titled(&title)).await;
    for _ in 0..10 {
        let id = board.push(&titled("Gardener")).await;
        let posting = board.approved(&id).await;
        assert!(is_of_the_model(&posting), "{posting}");
    }
    let (posting, _) = board.given_up(&bad).await;
    assert_eq!(posting["status"], "PendingEnrichment");
}
