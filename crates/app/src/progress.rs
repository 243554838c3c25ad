//! Progress bars on standard error; hidden if that is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for an input, in bytes; a spinner if the length is unknown.
pub fn of_input(length: Option<u64>) -> ProgressBar {
    bar(length, "{bar:24} {percent:>3}% {msg} {eta}")
}

/// A bar for a known number of items.
pub fn of_items(length: u64) -> ProgressBar {
    bar(Some(length), "{bar:24} {pos} of {len} {msg} {eta}")
}

fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), template),
        None => (ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
