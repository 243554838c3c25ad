//! Identifying or invented text in a model's answer is never shown.

use serde_json::{Value, json};

use super::{Board, titled};
use crate::harness::{
    Store,
    chat::{Fault, Slip},
    fresh,
};

on_sqlite! {
    what_a_model_leaks_is_redacted,
}

/// Texts that the redacted description of [`rosenhof`] must not contain, in lower case.
const SECRETS: [&str; 9] = [
    "rosenhof", "anna@", "901820", "90 18", "https", "www", ".de", ".com", "@",
];

/// A text with everything that must be redacted.
const LEAK: &str = "Rosenhof GmbH, anna@rosenhof.example, +49 30 901820, \
    [rosenhof-garten.de](https://rosenhof-garten.de), www.rosenhof-jobs.com";

/// A posting with everything that must be redacted.
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

async fn what_a_model_leaks_is_redacted(store: Store) {
    let board = Board::served(store);
    let title = fresh("Gardener");
    board
        .chat
        .outage_for(&title, Some(Fault::Say(Slip::Leak(LEAK))));
    // The description itself contains none of it.
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
