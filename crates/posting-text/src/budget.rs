//! The budget of work on one posting: steps, bytes of output, and a flag that stops the work.
//!
//! Descriptions are untrusted, so the cost of each pass must be bounded by the length. A linear
//! pass pays for its input at once; a loop that could take longer pays for each turn.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The steps for any description.
const STEPS: u64 = 5_000_000;
/// The further steps for each byte. Ordinary descriptions take a tenth of their steps.
const STEPS_PER_BYTE: u64 = 1_000;

/// Bytes of a text per byte: escapes double characters, tokens are long, deep items are indented.
const LENGTH_FACTOR: usize = 3;
/// The further bytes of a text, because the texts of short descriptions grow more.
const EXTRA_BYTES: usize = 64 * 1024;

/// Why work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// The work ran out of steps.
    #[error("the description takes too many steps of work")]
    Steps,
    /// A text became too long.
    #[error("a text is out of all proportion to the description")]
    Output,
    /// Another thread stopped the work.
    #[error("the work was stopped")]
    Stopped,
}

pub(crate) type Result<T, E = Exceeded> = std::result::Result<T, E>;

/// The remaining budget of work. A step is about the cost of a byte, or of comparing words.
#[derive(Debug)]
pub struct Budget {
    steps: Cell<u64>,
    spent: Cell<u64>,
    /// Bytes that the current text may still grow by.
    text: Cell<usize>,
    longest: usize,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// The usual budget for a description.
    pub fn of(description: &str) -> Self {
        let bytes = u64::try_from(description.len()).unwrap_or(u64::MAX);
        Self::new(
            STEPS_PER_BYTE.saturating_mul(bytes).saturating_add(STEPS),
            longest(description),
        )
    }

    /// A budget of this many steps, for texts of at most `longest` bytes.
    pub fn new(steps: u64, longest: usize) -> Self {
        Self {
            steps: Cell::new(steps),
            spent: Cell::new(0),
            text: Cell::new(longest),
            longest,
            stop: None,
        }
    }

    /// Adds a flag: once another thread has set it, the work ends at its next step.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// A budget without limits, for trusted texts.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, usize::MAX)
    }

    /// Takes steps. Callers return the error to the owner of the budget.
    pub fn spend(&self, steps: usize) -> Result<(), Exceeded> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.spent.set(self.spent.get().saturating_add(steps));
        let is_set = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
        if self.stop.as_ref().is_some_and(is_set) {
            return Err(Exceeded::Stopped);
        }
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Exceeded::Steps)
    }

    /// Starts a new text, which may have the full length.
    pub fn begin_text(&self) {
        self.text.set(self.longest);
    }

    /// Counts bytes that are added to the current text.
    pub fn write(&self, bytes: usize) -> Result<(), Exceeded> {
        let left = self.text.get().checked_sub(bytes);
        self.text.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Exceeded::Output)
    }

    /// The steps taken so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }
}

/// Returns the longest text for a description in bytes: three times its length, plus 64 KiB.
pub fn longest(description: &str) -> usize {
    description
        .len()
        .saturating_mul(LENGTH_FACTOR)
        .saturating_add(EXTRA_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_the_work_and_stay_spent() {
        let budget = Budget::new(10, 0);
        assert_eq!(budget.spend(10), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
        assert_eq!(budget.spend(1), Err(Exceeded::Steps));
        assert_eq!(budget.spend(usize::MAX), Err(Exceeded::Steps));
        assert!(budget.spent() > 10);
    }

    #[test]
    fn a_flag_ends_the_work_at_its_next_step() {
        let flag = Arc::default();
        let budget = Budget::of("").until(Arc::clone(&flag));
        assert_eq!(budget.spend(1), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(budget.spend(0), Err(Exceeded::Stopped));
    }

    #[test]
    fn each_text_has_its_full_length() {
        let budget = Budget::of("abc");
        let longest = 3 * 3 + 64 * 1024;
        for _ in 0..2 {
            budget.begin_text();
            assert_eq!(budget.write(longest), Ok(()));
            assert_eq!(budget.write(1), Err(Exceeded::Output));
        }
        assert_eq!(budget.write(1), Err(Exceeded::Output));
    }
}
