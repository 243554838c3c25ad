//! The keys as a process knows them: the folder, read again every few seconds.

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

/// How old the picture of the folder may get. Processes promise to follow within 10 seconds.
const READ_EVERY: Duration = Duration::seconds(5);
/// The same when a token names a key that is not known.
const READ_FOR_UNKNOWN_EVERY: Duration = Duration::milliseconds(200);

/// The keys of a folder, read again by the request that finds them too old.
///
/// Reading is a few small files on the asking thread every five seconds; files that did not
/// change are not parsed again.
#[derive(Debug)]
pub struct KeyRing {
    folder: KeyFolder,
    keys: RwLock<Arc<KeySet>>,
    /// When the folder was last read, in milliseconds.
    read_at: AtomicI64,
    /// What the log was told last, so that it is told once.
    reported: Mutex<Vec<String>>,
}

impl KeyRing {
    /// Reads the folder. A folder that does not exist is empty.
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

    /// The keys for a token that names an unknown one: it may be new.
    pub(crate) fn current_for_unknown(&self, now: OffsetDateTime) -> Arc<KeySet> {
        self.read_again(now, READ_FOR_UNKNOWN_EVERY);
        self.known()
    }

    /// Reads the folder now. Whatever fails is logged, and what was known stays.
    pub fn reload(&self) {
        // Held all the while: of two readers, the one that read later must write later.
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
        // A clock that was set back must not stop the reading; threads that read it within the
        // same moment must not start one.
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

/// Tells the log what it was not told before.
fn report(problems: &[String], told: &[String]) {
    for problem in problems.iter().filter(|problem| !told.contains(problem)) {
        tracing::warn!(problem, "a token signing key cannot be used");
    }
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}
