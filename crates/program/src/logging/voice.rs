//! What a process says beside its log: that it is ready, and why it ends. A service that logs JSON
//! says it as JSON too, so that whoever reads both streams finds one object in each line.

use std::{fmt::Display, panic, sync::OnceLock};

use runtime::{clock, panics};
use serde::Serialize;

use super::writer::flush;
use crate::output;

/// Whether this process says everything as JSON.
static IS_JSON: OnceLock<bool> = OnceLock::new();

/// A line, in the form of those of the log.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'a str,
    message: &'a str,
    target: &'a str,
}

/// Decides how this process speaks. Panics are told in the same way.
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

/// Says on standard output that the process is ready. Its reader may be gone; the service stays.
pub fn announce(text: impl Display) {
    let is_json = IS_JSON.get().is_some_and(|is_json| *is_json);
    let _ = if is_json {
        output::print(json("INFO", &text))
    } else {
        output::print(text)
    };
}

/// Says on standard error why the process ends; if its command line was not understood, as the
/// words of that ask for.
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
