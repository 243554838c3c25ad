use std::{
    convert::Infallible,
    future::pending,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use cli::{
    output,
    progress::{self, Estimate},
};
use indicatif::ProgressBar;
use tokio::time;

use crate::progress::{Progress, Snapshot};

/// How often the bar is drawn. Without a bar, every `REDRAWS_PER_LINE`th time prints a line.
const REDRAW: Duration = Duration::from_millis(200);
const REDRAWS_PER_LINE: u64 = 50;

struct Bar(ProgressBar);

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Displays progress until dropped: a bar on a terminal, otherwise a line every ten seconds.
pub async fn show(progress: &Progress) -> Infallible {
    let is_terminal = io::stderr().is_terminal();
    let bar = is_terminal.then(|| Bar(progress::of_input(None)));
    let (mut rest, mut rate) = (Estimate::default(), Estimate::default());
    for tick in 1_u64.. {
        time::sleep(REDRAW).await;
        let (now, snapshot) = (Instant::now(), progress.snapshot());
        rest.observe(now, snapshot.position);
        rate.observe(now, snapshot.lines);
        if let Some(Bar(bar)) = &bar {
            if let Some(length) = snapshot.length {
                progress::set_length(bar, length);
            }
            bar.set_position(snapshot.position);
            let sent = sent(&snapshot, &rate);
            bar.set_message(snapshot.waits_for.unwrap_or(sent));
        } else if tick.is_multiple_of(REDRAWS_PER_LINE) {
            output::print_error(line(&snapshot, &rate, &rest));
        }
    }
    pending().await
}

fn sent(snapshot: &Snapshot, rate: &Estimate) -> String {
    let lines = snapshot.lines;
    match rate.per_second() {
        Some(rate) => format!("{lines} lines sent, {rate} a second"),
        None => format!("{lines} lines sent"),
    }
}

fn line(snapshot: &Snapshot, rate: &Estimate, rest: &Estimate) -> String {
    let position = snapshot.position;
    let length = snapshot.length.filter(|length| *length > 0);
    let place = length.map_or_else(
        || format!("{position} bytes"),
        |length| {
            let percent = u128::from(position.min(length)) * 100 / u128::from(length);
            format!("{percent} %")
        },
    );
    let left = length.and_then(|length| rest.left(length));
    let parts = [
        Some(place),
        Some(sent(snapshot, rate)),
        left.map(progress::rounded),
        snapshot.waits_for.clone(),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("push: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_how_fast() {
        let (start, mut snapshot) = (Instant::now(), Snapshot::default());
        snapshot.length = Some(10_000);
        let (mut rate, mut rest) = (Estimate::default(), Estimate::default());
        assert_eq!(line(&snapshot, &rate, &rest), "push: 0 %; 0 lines sent");
        for second in 0..=10 {
            (snapshot.position, snapshot.lines) = (second * 100, second * 10);
            let now = start + Duration::from_secs(second);
            rate.observe(now, snapshot.lines);
            rest.observe(now, snapshot.position);
        }
        snapshot.waits_for = Some("waiting for input (3 s)".to_owned());
        let expect = "push: 10 %; 100 lines sent, 10 a second; 91 s left; waiting for input (3 s)";
        assert_eq!(line(&snapshot, &rate, &rest), expect);
        snapshot.length = None;
        let expect = "push: 1000 bytes; 100 lines sent, 10 a second; waiting for input (3 s)";
        assert_eq!(line(&snapshot, &rate, &rest), expect);
    }
}
