use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::{posting::Lifetime, store::StoreClock, testing::MemoryStore};
use kernel::{StoreError, testing::noon};
use newsletter::testing::MemoryProvider;
use time::OffsetDateTime;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    book::Book, catalogues::Catalogues, deliveries::Deliveries, dice::Dice, reached::Reached,
    restores::Restores,
};

/// The limit of calls to a receiver in an outage of at most a minute: some per subject, and 16
/// probes.
const MOST_CALLS: usize = 64;
struct Silence {
    until: OffsetDateTime,
    /// Whether the receiver lets connections hang before it closes them.
    hangs: bool,
    calls: usize,
}
pub struct World {
    pub dice: Dice,
    pub memory: Arc<MemoryStore>,
    pub provider: MemoryProvider,
    /// The shortest and the longest half of a round trip, in milliseconds.
    pub pace: (u64, u64),
    pub lifetime: Lifetime,
    pub is_calm: bool,
    /// Cancelled by the first violation. What follows a violation may never end.
    pub failed: CancellationToken,
    book: Mutex<Book>,
    catalogues: Mutex<Catalogues>,
    restores: Mutex<Restores>,
    deliveries: Mutex<Deliveries>,
    /// The receivers that do not answer, by host.
    silent: Mutex<BTreeMap<String, Silence>>,
    start: Instant,
    /// How far clocks were put forward, in seconds.
    forward: AtomicI64,
    are_faults_over: AtomicBool,
    /// One in this many calls fails.
    chances: u64,
    numbers: AtomicU64,
}

#[async_trait]
impl StoreClock for World {
    async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(Some(self.now()))
    }
}

impl World {
    pub fn new(seed: u64) -> Self {
        let dice = Dice::new(seed);
        let is_calm = dice.one_in(4);
        let short = dice.one_in(4);
        Self {
            pace: *dice.pick(&[(0, 1), (0, 20), (2, 120), (40, 60)]),
            lifetime: Lifetime::days(if short { 1 } else { 60 }),
            chances: *dice.pick(&[300, 80, 25]),
            is_calm,
            failed: CancellationToken::new(),
            dice,
            memory: Arc::new(MemoryStore::new()),
            provider: MemoryProvider::new(),
            book: Mutex::default(),
            catalogues: Mutex::default(),
            restores: Mutex::default(),
            deliveries: Mutex::default(),
            silent: Mutex::default(),
            start: Instant::now(),
            forward: AtomicI64::new(0),
            are_faults_over: AtomicBool::new(false),
            numbers: AtomicU64::new(0),
        }
    }
    pub fn now(&self) -> OffsetDateTime {
        let forward = Duration::from_secs(self.forward.load(Ordering::SeqCst).unsigned_abs());
        fields::microseconds(noon() + self.start.elapsed() + forward)
    }

    pub fn jump(&self, seconds: i64) {
        self.reach(Reached::Jump);
        self.excuse(None);
        self.note(format!("all clocks are put forward by {seconds} s"));
        self.forward.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Whether clocks were put forward at any time, so that leases expired.
    pub fn has_jumped(&self) -> bool {
        self.forward.load(Ordering::SeqCst) > 0
    }

    /// Whether a fault happens that is `rarer` times rarer than the most frequent fault.
    pub fn is_hit(&self, rarer: u64) -> bool {
        self.may_go_wrong() && self.dice.one_in(self.chances * rarer)
    }

    pub fn may_go_wrong(&self) -> bool {
        !self.is_calm && !self.are_faults_over.load(Ordering::SeqCst)
    }
    pub fn may_misbehave(&self, chances: u64) -> bool {
        !self.are_faults_over.load(Ordering::SeqCst) && self.dice.one_in(chances)
    }
    pub fn silence(&self, host: &str) {
        let (seconds, hangs) = (*self.dice.pick(&[3, 20, 60]), self.dice.one_in(3));
        self.note(format!(
            "{host} is silent for {seconds} s, and hangs: {hangs}"
        ));
        let silence = Silence {
            until: self.now() + Duration::from_secs(seconds),
            hangs,
            calls: 0,
        };
        self.silences().entry(host.to_owned()).or_insert(silence);
    }

    /// Whether a receiver's connections hang; `None` if it answers.
    pub fn is_silent(&self, host: &str) -> Option<bool> {
        let mut silences = self.silences();
        let silence = silences.get_mut(host)?;
        if silence.until <= self.now() {
            self.note(format!("{host} is back after {} calls", silence.calls));
            silences.remove(host);
            return None;
        }
        silence.calls += 1;
        // The round of a dead process is repeated, so calls are checked only in calm.
        self.check(!self.is_calm || silence.calls <= MOST_CALLS, || {
            format!("{host} is silent, and called {} times", silence.calls)
        });
        Some(silence.hangs)
    }

    fn silences(&self) -> MutexGuard<'_, BTreeMap<String, Silence>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn end_faults(&self) {
        self.note("the faults are over");
        self.silences().clear();
        self.are_faults_over.store(true, Ordering::SeqCst);
    }
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn catalogues(&self) -> MutexGuard<'_, Catalogues> {
        self.catalogues
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn restores(&self) -> MutexGuard<'_, Restores> {
        self.restores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn deliveries(&self) -> MutexGuard<'_, Deliveries> {
        self.deliveries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self, step: impl Into<String>) {
        let at = self.start.elapsed().as_secs_f64();
        self.book().log.push(format!("{at:10.4}  {}", step.into()));
    }

    /// Records that a process, or all, may lose leases and unrecorded work.
    pub fn excuse(&self, process: Option<&str>) {
        self.deliveries().excuse(process);
    }

    pub fn reach(&self, state: Reached) {
        self.book().reached.insert(state);
    }
    pub fn violated(&self, what: impl Into<String>) {
        let what = what.into();
        self.note(format!("VIOLATED: {what}"));
        self.book().violations.push(what);
        self.failed.cancel();
    }

    pub fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.violated(what());
        }
    }
}
