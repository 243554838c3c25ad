//! Messages that are not log lines: that a process is ready, and why it ends. JSON if the log is
//! JSON.

use std::{fmt::Display, panic, sync::OnceLock};

use runtime::{clock, panics};
use serde::Serialize;

use super::writer::flush;
use crate::output;

static IS_JSON: OnceLock<bool> = OnceLock::new();

#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'a str,
    message: &'a str,
    target: &'a str,
}

pub(super) fn settle(is_json: bool) {
    if *IS_JSON.get_or_init(|| is_json) {
        panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string);
            let message = panics::text(panic.payload());
            tracing::error!(place, "a thread panicked: {message}");
            flush();
        }));
    }
}

/// Prints that the process is ready. The output's reader may be gone, so errors are ignored.
pub fn announce(text: impl Display) {
    let is_json = IS_JSON.get().is_some_and(|is_json| *is_json);
    let _ = if is_json {
        output::print(json("INFO", &text))
    } else {
        output::print(text)
    };
}

/// Prints why the process ends. If the command line is invalid, `asks_for_json` chooses the format.
pub fn print_error(text: impl Display, asks_for_json: impl FnOnce() -> bool) {
    if *IS_JSON.get_or_init(asks_for_json) {
        output::print_error(json("ERROR", &text));
    } else {
        output::print_error(format_args!("error: {text}"));
    }
}

fn json(level: &str, text: &impl Display) -> String {
    let line = Line {
        timestamp: output::time(clock::machine()),
        level,
        message: &text.to_string(),
        target: "posthaste",
    };
    // Strings can always be written.
    serde_json::to_string(&line).unwrap_or_default()
}
