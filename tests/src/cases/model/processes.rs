//! Workers that are killed during calls to the model.

use futures_util::future::join_all;
use serde_json::Value;

use super::{Board, titled};
use crate::{
    cases::durability::was_approved_once,
    harness::{SETTLING, Store, eventually},
};

on_every_store! {
    what_a_killed_worker_had_under_way_is_judged_by_another,
    a_killed_server_loses_nothing_that_waits,
}

const AT_ONCE: usize = 4;

/// Waits until postings are approved, with time for a lease to expire.
async fn all_approved(board: &Board, postings: &[String]) {
    for id in postings {
        eventually(&format!("{id} is approved"), SETTLING * 2, || async {
            let posting = board.app.show(id).await;
            (posting["status"] == "approved").then_some(())
        })
        .await;
        was_approved_once(&board.app, id).await;
    }
    board.nothing_is_dead();
    assert_eq!(board.waiting(), Vec::<Value>::new());
    let calls = board.chat.calls();
    let answered = calls.iter().filter(|call| call.status == Some(200));
    assert_eq!(answered.count(), postings.len(), "{calls:#?}");
}

async fn what_a_killed_worker_had_under_way_is_judged_by_another(store: Store) {
    let board = Board::served_as(store, |site| site, &["--no-worker"]);
    board.chat.hold();
    let payloads: Vec<Value> = (0..12).map(|_| titled("Gardener")).collect();
    let postings = join_all(payloads.iter().map(|payload| board.push(payload))).await;
    let dies = board.app.site.work();
    board.under_way(AT_ONCE).await;
    dies.kill();
    board.under_way(0).await;
    board.chat.release();
    let _other = board.app.site.work();
    all_approved(&board, &postings).await;
    // Only calls that were in progress are repeated.
    let calls = board.chat.calls();
    assert_eq!(calls.len(), postings.len() + AT_ONCE, "{calls:#?}");
}

async fn a_killed_server_loses_nothing_that_waits(store: Store) {
    let board = Board::served_as(store, |site| site, &["--no-worker"]);
    board.chat.hold();
    let beside = board.app.site.beside();
    let dies = beside.serve(&[]);
    // The same content under three identifiers: one task calls the model, the others wait for it.
    let payload = titled("Gardener");
    let postings = join_all((0..3).map(|_| board.push(&payload))).await;
    board.under_way(1).await;
    dies.kill();
    board.under_way(0).await;
    board.chat.release();
    let _again = beside.serve(&[]);
    for id in &postings {
        eventually(&format!("{id} is approved"), SETTLING * 2, || async {
            let posting = board.app.show(id).await;
            (posting["status"] == "approved").then_some(())
        })
        .await;
        was_approved_once(&board.app, id).await;
    }
    board.nothing_is_dead();
    assert_eq!(board.chat.calls().len(), 2);
}
