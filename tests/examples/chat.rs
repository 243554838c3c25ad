//! Runs the stand-in for a language model. Prints the variables that the service needs, and serves
//! until its standard input ends.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for the terminal, as the tests are"
)]

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "most of it is for the tests of this crate")
)]
#[path = "../src/harness/chat.rs"]
mod chat;
#[path = "../src/harness/stand_in.rs"]
mod stand_in;

use std::io::stdin;

use chat::{Chat, KEY, MODEL};

fn main() {
    let chat = Chat::start();
    println!("export POSTHASTE_ENRICHER=llm");
    println!("export POSTHASTE_LLM_BASE_URL={}", chat.url());
    println!("export POSTHASTE_LLM_MODEL={MODEL}");
    println!("export POSTHASTE_LLM_API_KEY={KEY}");
    for _ in stdin().lines() {
        println!("# requests so far: {}", chat.calls().len());
    }
}
