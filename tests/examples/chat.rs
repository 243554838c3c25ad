//! Runs the stand-in for a language model alone, to try the service by hand: prints the variables
//! that the service needs, and serves until its standard input ends. Each line of the input sets
//! its behaviour from then on: `well`, `slow MILLISECONDS`, or one of the faults that it lists.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for the terminal, as the tests are"
)]

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "most of it is for the tests of this crate")
)]
#[path = "../src/harness/chat/mod.rs"]
mod chat;
#[path = "../src/harness/stand_in.rs"]
mod stand_in;

use std::{io::stdin, time::Duration};

use chat::{Chat, Fault, KEY, MODEL};

fn main() {
    let chat = Chat::start();
    println!("export POSTHASTE_ENRICHER=llm");
    println!("export POSTHASTE_LLM_BASE_URL={}", chat.url());
    println!("export POSTHASTE_LLM_MODEL={MODEL}");
    println!("export POSTHASTE_LLM_API_KEY={KEY}");
    for line in stdin().lines() {
        behave(&chat, line.unwrap().trim());
        println!("# requests so far: {}", chat.calls().len());
    }
}

fn behave(chat: &Chat, how: &str) {
    let delay = how.strip_prefix("slow ").and_then(|it| it.parse().ok());
    if how == "well" {
        chat.outage(None);
        chat.slow(Duration::ZERO);
    } else if let Some(milliseconds) = delay {
        chat.slow(Duration::from_millis(milliseconds));
    } else if let Some(fault) = Fault::named(how) {
        chat.outage(Some(fault));
    } else {
        let names: Vec<_> = Fault::names().collect();
        println!("# well, slow MILLISECONDS, {}", names.join(", "));
    }
}
