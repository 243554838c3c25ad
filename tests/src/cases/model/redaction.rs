//! What a model lets slip, or makes up, is never shown.

use serde_json::{Value, json};

use super::{Board, text, titled};
use crate::harness::{
    Store,
    chat::{Fault, Slip},
    fresh,
};

on_every_store! {
    what_a_model_leaves_unredacted_is_redacted,
    what_a_model_leaks_is_redacted,
    what_a_model_makes_up_is_not_shown,
    a_text_that_was_cut_off_is_not_shown,
}

/// What the redacted text of [`rosenhof`] must not show, in lower case.
const SECRETS: [&str; 9] = [
    "rosenhof", "anna@", "901820", "90 18", "https", "www", ".de", ".com", "@",
];

/// Says everything that must be hidden.
const LEAK: &str = "Rosenhof GmbH, anna@rosenhof.example, +49 30 901820, \
    [rosenhof-garten.de](https://rosenhof-garten.de), www.rosenhof-jobs.com";

/// A posting that says everything that must be hidden.
fn rosenhof(title: &str) -> Value {
    let mut payload = titled(title);
    payload["company"]["name"] = json!("Rosenhof GmbH");
    payload["raw_description"] = json!(
        "<p>The Rosenhof GmbH, known as <b>Rosenhof</b>, is looking for a gardener who knows roses \
         and hedges well and likes to show apprentices how it is done. ROSENHOF pays well.</p>\
         <p>Write to <a href=\"mailto:anna@rosenhof.example\">anna@rosenhof.example</a>, call \
         +49 30 901820 or see https://www.rosenhof-jobs.com/apply and rosenhof-garten.de.</p>"
    );
    payload
}

fn redacted(posting: &Value) -> &str {
    posting["markdown_redacted_description"]
        .as_str()
        .unwrap_or_default()
}

fn hides_everything(posting: &Value) {
    let shown = redacted(posting).to_lowercase();
    for secret in SECRETS {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}

async fn what_a_model_leaves_unredacted_is_redacted(store: Store) {
    let board = Board::served(store);
    let id = board.push(&rosenhof("Gardener")).await;
    let posting = board.app.api.until(&id, "approved").await;
    for part in ["Rosenhof GmbH", "anna@rosenhof.example"] {
        assert!(text(&posting).contains(part), "{posting}");
    }
    hides_everything(&posting);
    assert!(
        redacted(&posting).contains("gardener who knows roses"),
        "{posting}"
    );
    assert_eq!(board.chat.calls().len(), 1);
}

async fn what_a_model_leaks_is_redacted(store: Store) {
    let board = Board::served(store);
    let title = fresh("Gardener");
    board
        .chat
        .outage_for(&title, Some(Fault::Say(Slip::Leak(LEAK))));
    // The description says nothing of it.
    let mut silent = rosenhof(&title);
    silent["raw_description"] = json!(
        "<p>We are looking for a gardener who knows roses and hedges well and likes to show \
         apprentices how it is done.</p>"
    );
    for payload in [rosenhof(&title), silent] {
        let id = board.push(&payload).await;
        let posting = board
            .app
            .api
            .once(&id, "has a text", |posting| {
                hides_everything(posting);
                !redacted(posting).is_empty()
            })
            .await;
        assert!(
            redacted(&posting).contains("gardener who knows roses"),
            "{posting}"
        );
    }
}

async fn what_a_model_makes_up_is_not_shown(store: Store) {
    let board = Board::served(store);
    for slip in [Slip::InventedLink, Slip::DangerousLink, Slip::RawHtml] {
        for times in [1, 2] {
            let title = fresh("Gardener");
            board.chat.fail_for(&title, times, Fault::Say(slip));
            let id = board.push(&rosenhof(&title)).await;
            let posting = board
                .app
                .api
                .once(&id, "has a text", |posting| {
                    hides_everything(posting);
                    for shown in [text(posting), redacted(posting)] {
                        for made_up in ["invented", "javascript:", "<script", "<img", "alert(1)"] {
                            assert!(!shown.contains(made_up), "{slip:?}: {shown}");
                        }
                    }
                    !text(posting).is_empty()
                })
                .await;
            assert!(
                text(&posting).contains("gardener who knows roses"),
                "{posting}"
            );
            let calls = board.chat.calls_for(&title).len();
            assert!((1..=2).contains(&calls), "{slip:?}: {calls}");
        }
    }
}

async fn a_text_that_was_cut_off_is_not_shown(store: Store) {
    let board = Board::served(store);
    let tasks = "<li>You care for the beds, the hedges and the old trees of the park.</li>";
    let description = format!(
        "<p>We look for a <strong>gardener</strong> who knows roses.</p><ul>{}</ul><p>Thirty days \
         of leave.</p>",
        tasks.repeat(20)
    );
    for times in [1, 2] {
        let title = fresh("Gardener");
        let cut = Fault::Say(Slip::MostMissing);
        board.chat.fail_for(&title, times, cut);
        let mut payload = titled(&title);
        payload["raw_description"] = json!(description);
        let id = board.push(&payload).await;
        board
            .app
            .api
            .once(&id, "has a text", |posting| {
                let shown = text(posting);
                let is_whole = shown.contains("Thirty days of leave");
                assert!(shown.is_empty() || is_whole, "{shown}");
                is_whole
            })
            .await;
        if times == 1 {
            board.app.api.until(&id, "approved").await;
        } else {
            let (posting, _) = board.given_up(&id).await;
            assert_eq!(posting["status"], "PendingEnrichment");
        }
        assert_eq!(board.chat.calls_for(&title).len(), 2);
    }
}
