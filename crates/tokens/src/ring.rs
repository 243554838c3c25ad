//! The keys that a process knows, read from the folder in the background.

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

/// Each process must notice a change within 10 seconds.
const READ_EVERY: Duration = Duration::from_secs(1);

type Read = Box<dyn Fn(&KeySet) -> Result<KeySet, KeyError> + Send + Sync>;

/// Requests never read the folder, which may be on a file server that hangs.
pub struct KeyRing {
    read: Read,
    known: RwLock<Known>,
    reported: Mutex<Vec<String>>,
}

struct Known {
    keys: Arc<KeySet>,
    at: Instant,
}

impl KeyRing {
    /// A folder that does not exist counts as empty.
    pub fn open(folder: KeyFolder) -> Result<Self, KeyError> {
        let keys = folder.list()?;
        Ok(Self::new(keys, move |known| folder.load(known)))
    }

    /// `read` gets the known keys and reads the keys again.
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

    /// Reads every second, in a thread: the runtime's shutdown would wait for a hanging task.
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

    pub fn current(&self) -> Arc<KeySet> {
        Arc::clone(
            &self
                .known
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .keys,
        )
    }

    /// The time since the folder was last read in full.
    pub fn age(&self) -> Duration {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.at.elapsed()
    }

    /// Reads the keys again. If that fails, the known keys stay in use, and the failure is logged.
    pub fn reload(&self) {
        // Held during the whole read, so that of two concurrent reads the later one writes last.
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

fn report(problems: &[String], reported: &[String]) {
    for problem in problems
        .iter()
        .filter(|problem| !reported.contains(problem))
    {
        tracing::warn!(problem, "a token signing key cannot be used");
    }
}
