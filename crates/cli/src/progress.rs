use std::{
    collections::VecDeque,
    fmt,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressState, ProgressStyle, style::ProgressTracker};

const OF_INPUT: &str = "{bar:12} {percent:>3}% {msg} {left}";

/// A bar in bytes, or a spinner if the length is unknown.
pub fn of_input(length: Option<u64>) -> ProgressBar {
    match length {
        Some(length) => bar(ProgressBar::new(length), OF_INPUT),
        None => bar(ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
    }
}

pub fn set_length(bar: &ProgressBar, length: u64) {
    bar.set_length(length);
    if let Some(style) = style(OF_INPUT) {
        bar.set_style(style);
    }
}

pub fn of_items(length: u64) -> ProgressBar {
    bar(
        ProgressBar::new(length),
        "{bar:24} {pos} of {len} {msg} {left}",
    )
}

fn bar(bar: ProgressBar, template: &str) -> ProgressBar {
    if let Some(style) = style(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn style(template: &str) -> Option<ProgressStyle> {
    let style = ProgressStyle::with_template(template).ok()?;
    Some(style.with_key("left", Estimate::default()))
}

/// Estimates the remaining time from the last minute. There is no estimate at the beginning, or
/// without progress.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    /// About one sample a second. The last sample is from the last progress.
    samples: VecDeque<(Instant, u64)>,
    now: Option<Instant>,
}

impl Estimate {
    const WINDOW: Duration = Duration::from_mins(1);
    /// The shortest observation for an estimate.
    const LEAST: Duration = Duration::from_secs(3);
    /// The longest time without progress.
    const STILL: Duration = Duration::from_secs(5);
    const LONGEST: Duration = Duration::from_hours(48);

    pub fn observe(&mut self, now: Instant, position: u64) {
        self.now = Some(now);
        match self.samples.back() {
            Some((_, last)) if *last == position => return,
            Some((at, _)) if now.duration_since(*at) < Duration::from_secs(1) => return,
            // Positions before a pause or a restart do not count.
            Some((at, last)) if now.duration_since(*at) > Self::STILL || *last > position => {
                self.samples.clear();
            }
            _ => {}
        }
        self.samples.push_back((now, position));
        while let Some((at, _)) = self.samples.front()
            && now.duration_since(*at) > Self::WINDOW
        {
            self.samples.pop_front();
        }
    }

    pub fn left(&self, length: u64) -> Option<Duration> {
        let (seen, come, at) = self.seen()?;
        let left = u128::from(length.saturating_sub(at)) * seen.as_millis();
        let left = Duration::from_millis(u64::try_from(left / u128::from(come)).ok()?);
        (left < Self::LONGEST).then_some(left)
    }

    pub fn per_second(&self) -> Option<u64> {
        let (seen, come, _) = self.seen()?;
        u64::try_from(u128::from(come) * 1_000 / seen.as_millis()).ok()
    }

    /// The observed time, the progress in it, and the position.
    fn seen(&self) -> Option<(Duration, u64, u64)> {
        let (first, from) = self.samples.front()?;
        let (last, to) = self.samples.back()?;
        let seen = last.duration_since(*first);
        let is_still = self.now?.duration_since(*last) > Self::STILL;
        let come = to.saturating_sub(*from);
        (seen >= Self::LEAST && !is_still && come > 0).then_some((seen, come, *to))
    }
}

/// A time as one number, because it is only an estimate.
pub fn rounded(time: Duration) -> String {
    match time.as_secs() + 1 {
        seconds @ ..100 => format!("{seconds} s left"),
        seconds @ ..6_000 => format!("{} min left", (seconds + 30) / 60),
        seconds => format!("{} h left", (seconds + 1_800) / 3_600),
    }
}

impl ProgressTracker for Estimate {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, state: &ProgressState, now: Instant) {
        self.observe(now, state.pos());
    }

    fn reset(&mut self, _: &ProgressState, _: Instant) {
        *self = Self::default();
    }

    fn write(&self, state: &ProgressState, w: &mut dyn fmt::Write) {
        if let Some(left) = state.len().and_then(|length| self.left(length)) {
            _ = w.write_str(&rounded(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_of_the_last_minute_and_hidden_while_nothing_moves() {
        let start = Instant::now();
        let mut estimate = Estimate::default();
        let mut at = |second: u64, position| {
            estimate.observe(start + Duration::from_secs(second), position);
            estimate.left(10_000).map(|left| left.as_secs())
        };
        assert_eq!([at(0, 0), at(1, 10), at(2, 20)], [None; 3], "too early");
        assert_eq!(at(3, 30), Some(997));
        for second in 4..=100 {
            at(second, second * 100);
        }
        assert_eq!(at(100, 9_950), Some(0));
        assert_eq!(at(106, 9_900), None, "nothing moves");
        assert_eq!(at(200, 9_910), None, "it moves again");
        assert_eq!(at(201, 9_920), None);
        assert_eq!(at(202, 10), None, "it begins again");
    }

    #[test]
    fn an_estimate_is_never_absurd() {
        let start = Instant::now();
        let mut estimate = Estimate::default();
        for second in 0..5 {
            estimate.observe(start + Duration::from_secs(second), second);
        }
        assert_eq!(estimate.left(u64::MAX), None);
        assert_eq!(estimate.left(1_000_000), None, "eleven days");
        assert_eq!(estimate.left(3), Some(Duration::ZERO));
        let text = |seconds| rounded(Duration::from_secs(seconds));
        assert_eq!(text(0), "1 s left");
        assert_eq!(text(150), "3 min left");
        assert_eq!(text(40 * 3_600), "40 h left");
    }
}
