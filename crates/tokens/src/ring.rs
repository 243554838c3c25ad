//! The keys that a process knows: those that its reading thread found in the folder last.

use std::{
    fmt, io,
    sync::{Arc, Mutex, PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};

use crate::{
    folder::KeyFolder,
    key::{KeyError, KeySet},
    problem::KeyProblem,
};

/// The interval between reads of the folder. Each process must notice a change within 10 seconds.
const READ_EVERY: Duration = Duration::from_secs(1);

/// Reads the keys, given those that are known.
type Read = Box<dyn Fn(&KeySet) -> Result<KeySet, KeyError> + Send + Sync>;

/// The keys of a folder. A request takes those that are known and never reads the folder, which may
/// be on a file server that hangs.
pub struct KeyRing {
    read: Read,
    known: RwLock<Known>,
    /// The problems of the last read, so that each is logged once.
    reported: Mutex<Vec<String>>,
}

struct Known {
    keys: Arc<KeySet>,
    /// When they were read.
    at: Instant,
}

impl KeyRing {
    /// Reads the folder. A folder that does not exist counts as empty.
    pub fn open(folder: KeyFolder) -> Result<Self, KeyError> {
        let keys = folder.list()?;
        Ok(Self::new(keys, move |known| folder.load(known)))
    }

    /// A ring with these keys, which are read again by a function.
    pub fn new(
        keys: KeySet,
        read: impl Fn(&KeySet) -> Result<KeySet, KeyError> + Send + Sync + 'static,
    ) -> Self {
        let problems = lines(keys.problems());
        report(&problems, &[]);
        Self {
            read: Box::new(read),
            reported: Mutex::new(problems),
            known: RwLock::new(Known {
                keys: Arc::new(keys),
                at: Instant::now(),
            }),
        }
    }

    /// Starts the thread that reads the folder every second, until the ring is dropped. It is not
    /// of the runtime, whose end would wait for a read that hangs.
    pub fn follow(self: &Arc<Self>) -> io::Result<()> {
        let ring = Arc::downgrade(self);
        let follow = move || {
            loop {
                thread::sleep(READ_EVERY);
                let Some(ring) = ring.upgrade() else { return };
                ring.reload();
            }
        };
        thread::Builder::new()
            .name("keys".to_owned())
            .spawn(follow)?;
        Ok(())
    }

    /// The known keys.
    pub fn current(&self) -> Arc<KeySet> {
        Arc::clone(
            &self
                .known
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .keys,
        )
    }

    /// How long ago the folder was last read in full.
    pub fn age(&self) -> Duration {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.at.elapsed()
    }

    /// Reads the folder now. A failure is logged, and the known keys stay.
    pub fn reload(&self) {
        // Held during the whole read: of two threads, the one that reads later must write later.
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let problems = match (self.read)(&self.current()) {
            Ok(keys) => {
                let problems = lines(keys.problems());
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = Known {
                    keys: Arc::new(keys),
                    at: Instant::now(),
                };
                problems
            }
            Err(error) => vec![error.to_string()],
        };
        report(&problems, &reported);
        *reported = problems;
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.current();
        f.debug_struct("KeyRing")
            .field("keys", &keys)
            .finish_non_exhaustive()
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
