//! A model that is busy, unreachable or refuses requests: tasks wait, none is given up because of
//! it, and the model is not called all the time.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Board, is_of_the_model, titled, with_model};
use crate::harness::{
    App, SETTLING, Site, Store,
    chat::{Chat, Fault, KEY},
    eventually, fresh,
};

on_sqlite! {
    a_busy_model_is_left_alone_for_as_long_as_it_asks,
    what_fails_in_between_is_tried_again,
    a_model_that_hangs_is_waited_for_only_so_long,
    a_refused_key_gives_nothing_up,
    a_model_that_is_away_costs_little_and_loses_nothing,
    a_stop_does_not_wait_for_a_model_that_hangs,
}

/// Statuses of a busy server, with the seconds in `Retry-After`.
const BUSY: [(u16, u64); 2] = [(429, 3), (503, 2)];

fn one_at_once(site: Site) -> Site {
    site.with("POSTHASTE_LLM_CONCURRENCY", "1")
}

async fn a_busy_model_is_left_alone_for_as_long_as_it_asks(store: Store) {
    let board = Board::served_as(store, one_at_once, &[]);
    for (status, seconds) in BUSY {
        let before = board.chat.calls().len();
        board.chat.fail(1, Fault::Answer(status, Some(seconds)));
        let mut postings = Vec::new();
        for _ in 0..4 {
            postings.push(board.push(&titled("Gardener")).await);
        }
        for id in &postings {
            board.approved(id).await;
        }
        let calls = &board.chat.calls()[before..];
        assert_eq!(calls.len(), postings.len() + 1, "{calls:#?}");
        assert_eq!(calls[0].status, Some(status));
        let pause = calls[1].at - calls[0].at;
        assert!(pause >= Duration::from_secs(seconds), "{pause:?}");
    }
    board.nothing_is_dead();
}

async fn what_fails_in_between_is_tried_again(store: Store) {
    let board = Board::served(store);
    for fault in [
        Fault::Answer(500, None),
        Fault::Page(502),
        Fault::LoseAnswer,
    ] {
        let title = fresh("Gardener");
        board.chat.fail_for(&title, 1, fault);
        let id = board.push(&titled(&title)).await;
        let posting = board.approved(&id).await;
        assert!(is_of_the_model(&posting), "{fault:?}: {posting}");
        let calls = board.chat.calls_for(&title);
        assert_eq!(calls.len(), 2, "{fault:?}: {calls:#?}");
        // The second call repeats the first, without an objection.
        assert_eq!(calls[0].body, calls[1].body, "{fault:?}");
    }
    board.nothing_is_dead();
}

async fn a_model_that_hangs_is_waited_for_only_so_long(store: Store) {
    let board = Board::served_as(store, |site| site.with("POSTHASTE_LLM_TIMEOUT", "1"), &[]);
    let title = fresh("Gardener");
    board.chat.fail_for(&title, 1, Fault::Hang);
    let id = board.push(&titled(&title)).await;
    board.approved(&id).await;
    let calls = board.chat.calls_for(&title);
    assert_eq!(calls.len(), 2, "{calls:#?}");
    assert!(calls[1].at - calls[0].at >= Duration::from_secs(1));
    assert_eq!(calls[0].status, None);

    // A model that is always too slow counts as one that hangs.
    board.chat.slow(Duration::from_secs(20));
    let title = fresh("Gardener");
    let id = board.push(&titled(&title)).await;
    eventually("it was tried", SETTLING, || async {
        (board.chat.calls_for(&title).len() > 1).then_some(())
    })
    .await;
    let waiting = board.waiting();
    let error = waiting[0]["last_error"].as_str().unwrap();
    assert!(!error.is_empty(), "{waiting:#?}");
    board.chat.slow(Duration::ZERO);
    board.approved(&id).await;
    board.nothing_is_dead();
}

async fn a_refused_key_gives_nothing_up(store: Store) {
    let board = Board::served(store);
    board.chat.outage(Some(Fault::Answer(401, None)));
    let mut postings = Vec::new();
    for _ in 0..8 {
        postings.push(board.push(&titled("Gardener")).await);
    }
    // Tasks whose turn came a moment later were not sent; their error says that.
    let what = "the refusal is noted, and tried again";
    let noted = eventually(what, SETTLING, || async {
        let tried = board.chat.calls().len();
        let waiting = board.waiting();
        let mut errors = waiting.iter().filter_map(|row| row["last_error"].as_str());
        let noted = errors.find(|error| error.contains("401"));
        noted.filter(|_| tried > 5).map(str::to_owned)
    })
    .await;
    // The model's message contains the key, which must be masked.
    assert!(!noted.contains(KEY), "{noted}");
    for id in &postings {
        let posting = board.app.show(id).await;
        assert_eq!(posting["status"], "PendingEnrichment", "{posting}");
    }
    board.nothing_is_dead();
    board.chat.outage(None);
    for id in &postings {
        board.approved(id).await;
    }
    board.nothing_is_dead();
}

async fn a_model_that_is_away_costs_little_and_loses_nothing(store: Store) {
    /// The number of calls that may be in progress when the outage begins; each fails by itself.
    const AT_ONCE: u32 = 4;
    let address = Chat::start().address();
    let site = with_model(Site::new(store), &format!("http://{address}/v1")).watched();
    let _server = site.serve(&[]);
    let app = App::at(site);
    let failed = || async {
        let metrics = crate::cases::metrics::read(&app.site.admin()).await;
        metrics.value("posthaste_llm_requests_total", &[("outcome", "failed")])
    };
    let mut postings = Vec::new();
    let start = Instant::now();
    for round in 1..=4 {
        for _ in 0..8 {
            let id = fresh("away");
            app.put(&id, &titled("Gardener")).await.created();
            postings.push(id);
        }
        // Pushes succeed during the outage, and a probe is sent now and then.
        let before = if round == 1 { 0.0 } else { failed().await };
        eventually("it was tried", SETTLING, || async {
            (failed().await > before).then_some(())
        })
        .await;
    }
    let tried = failed().await;
    // The waits double, beginning with a second.
    let waited = start.elapsed();
    let most = AT_ONCE + waited.as_secs().max(1).ilog2() + 2;
    assert!(tried <= f64::from(most), "{tried} after {waited:?}");
    for id in &postings {
        let posting = app.show(id).await;
        assert_eq!(posting["status"], "PendingEnrichment", "{posting}");
    }
    let chat = Chat::start_at(address);
    for id in &postings {
        let posting = app.api.until(id, "approved").await;
        assert!(is_of_the_model(&posting), "{posting}");
    }
    assert_eq!(chat.calls().len(), postings.len());
    let dead = app
        .run(&["outbox", "list", "--limit", "1000000", "--dead", "--json"])
        .succeeded();
    let dead: Value = serde_json::from_str(&dead).unwrap();
    assert_eq!(dead, Value::Array(Vec::new()));
}

async fn a_stop_does_not_wait_for_a_model_that_hangs(store: Store) {
    let board = Board::served_as(store, |site| site, &["--no-worker"]);
    board.chat.hold();
    let id = board.push(&titled("Gardener")).await;
    let worker = board.app.site.work();
    board.under_way(1).await;
    worker.terminate();
    assert_eq!(worker.stopped().code(), Some(0), "{}", board.app.site.log());
    board.chat.release();
    let _worker = board.app.site.work();
    board.approved(&id).await;
    board.nothing_is_dead();
}
