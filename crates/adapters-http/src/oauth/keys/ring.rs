//! The keys that a process knows, read from the folder again every few seconds.

use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicI64, Ordering},
};

use time::{Duration, OffsetDateTime};

use super::{
    folder::KeyFolder,
    key::{KeyError, KeySet},
    problem::KeyProblem,
};

/// The interval between reads of the folder. Each process must notice a change within 10 seconds.
const READ_EVERY: Duration = Duration::seconds(5);
/// The shorter interval when a token names an unknown key.
const READ_FOR_UNKNOWN_EVERY: Duration = Duration::milliseconds(200);

/// The keys of a folder. A request that finds them too old reads the folder again.
///
/// That is cheap enough for the request's own thread: a few small files every five seconds, parsed
/// only if they changed.
#[derive(Debug)]
pub struct KeyRing {
    folder: KeyFolder,
    keys: RwLock<Arc<KeySet>>,
    /// The time of the last read, in milliseconds.
    read_at: AtomicI64,
    /// The problems of the last read, so that each is logged once.
    reported: Mutex<Vec<String>>,
}

impl KeyRing {
    /// Reads the folder. A folder that does not exist counts as empty.
    pub fn open(folder: KeyFolder, now: OffsetDateTime) -> Result<Self, KeyError> {
        let keys = folder.list()?;
        let problems = lines(keys.problems());
        report(&problems, &[]);
        Ok(Self {
            folder,
            reported: Mutex::new(problems),
            keys: RwLock::new(Arc::new(keys)),
            read_at: AtomicI64::new(milliseconds(now)),
        })
    }

    /// The keys, at most five seconds old.
    pub fn current(&self, now: OffsetDateTime) -> Arc<KeySet> {
        self.read_again(now, READ_EVERY);
        self.known()
    }

    /// The keys, read again if the last read is 200 ms old, for a token with an unknown key id,
    /// whose key may be new.
    pub(crate) fn current_for_unknown(&self, now: OffsetDateTime) -> Arc<KeySet> {
        self.read_again(now, READ_FOR_UNKNOWN_EVERY);
        self.known()
    }

    /// Reads the folder now. A failure is logged, and the known keys stay.
    pub fn reload(&self) {
        // Held during the whole read: of two threads, the one that reads later must write later.
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let problems = match self.folder.load(&self.known()) {
            Ok(keys) => {
                let problems = lines(keys.problems());
                self.replace(keys);
                problems
            }
            Err(error) => vec![error.to_string()],
        };
        report(&problems, &reported);
        *reported = problems;
    }

    fn read_again(&self, now: OffsetDateTime, every: Duration) {
        let now = milliseconds(now);
        let before = self.read_at.load(Ordering::Relaxed);
        // If the clock was set back, the folder is read again. The tolerance of a second is for
        // threads that took their time a little before the last read.
        let due = now < before - 1_000 || i128::from(now - before) >= every.whole_milliseconds();
        let mine = due
            && self
                .read_at
                .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if mine {
            self.reload();
        }
    }

    fn known(&self) -> Arc<KeySet> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, keys: KeySet) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}

fn lines(problems: &[KeyProblem]) -> Vec<String> {
    problems.iter().map(KeyProblem::to_string).collect()
}

/// Logs the problems that were not logged before.
fn report(problems: &[String], told: &[String]) {
    for problem in problems.iter().filter(|problem| !told.contains(problem)) {
        tracing::warn!(problem, "a token signing key cannot be used");
    }
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}
