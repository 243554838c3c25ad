//! Runs the stand-in for the e-mail provider, for the checks in Python. Prints its address as JSON,
//! and serves until its standard input ends.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for tests, to be read by one"
)]

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "most of it is for the tests of this crate")
)]
#[path = "../src/harness/mailerlite/mod.rs"]
mod mailerlite;
#[path = "../src/harness/stand_in.rs"]
mod stand_in;

use std::io::{Read as _, stdin};

use mailerlite::{Account, MailerLite};
use serde_json::json;

fn main() {
    let provider = MailerLite::start();
    let place = json!({
        "root": provider.root(),
        "old_key": Account::Old.key(),
        "new_key": Account::New.key(),
    });
    println!("{place}");
    stdin().read_to_end(&mut Vec::new()).unwrap();
}
