//! What all processes share: the store, the provider, the time, the dice, and a book of what was
//! said and done.

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

use crate::{
    book::Book, catalogues::Catalogues, deliveries::Deliveries, dice::Dice, reached::Reached,
};

/// The most calls of a receiver while it is silent, which is a minute at most: some for each
/// subject, and sixteen probes.
const MOST_CALLS: usize = 64;

/// A receiver that answers nothing.
struct Silence {
    until: OffsetDateTime,
    /// Whether it lets connections hang before it closes them.
    hangs: bool,
    calls: usize,
}

/// What all processes share.
pub struct World {
    /// Decides what happens.
    pub dice: Dice,
    pub memory: Arc<MemoryStore>,
    /// The e-mail provider.
    pub provider: MemoryProvider,
    /// The least and the most milliseconds of half a way.
    pub pace: (u64, u64),
    /// How long postings live.
    pub lifetime: Lifetime,
    /// Whether anything may go wrong at all.
    pub is_calm: bool,
    /// What was said and done.
    book: Mutex<Book>,
    catalogues: Mutex<Catalogues>,
    deliveries: Mutex<Deliveries>,
    /// The receivers of webhooks that are silent, by host.
    silent: Mutex<BTreeMap<String, Silence>>,
    start: Instant,
    /// How many seconds all clocks were put forward.
    forward: AtomicI64,
    are_faults_over: AtomicBool,
    /// One in so many calls fails.
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
    /// The world of a seed.
    pub fn new(seed: u64) -> Self {
        let dice = Dice::new(seed);
        let is_calm = dice.one_in(4);
        let short = dice.one_in(4);
        Self {
            pace: *dice.pick(&[(0, 1), (0, 20), (2, 120), (40, 60)]),
            lifetime: Lifetime::days(if short { 1 } else { 60 }),
            chances: *dice.pick(&[300, 80, 25]),
            is_calm,
            dice,
            memory: Arc::new(MemoryStore::new()),
            provider: MemoryProvider::new(),
            book: Mutex::default(),
            catalogues: Mutex::default(),
            deliveries: Mutex::default(),
            silent: Mutex::default(),
            start: Instant::now(),
            forward: AtomicI64::new(0),
            are_faults_over: AtomicBool::new(false),
            numbers: AtomicU64::new(0),
        }
    }

    /// The time by a good clock.
    pub fn now(&self) -> OffsetDateTime {
        let forward = Duration::from_secs(self.forward.load(Ordering::SeqCst).unsigned_abs());
        fields::microseconds(noon() + self.start.elapsed() + forward)
    }

    /// Puts all clocks forward.
    pub fn jump(&self, seconds: i64) {
        self.reach(Reached::Jump);
        self.excuse(None);
        self.note(format!("all clocks are put forward by {seconds} s"));
        self.forward.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Whether clocks were put forward at any time, by which leases lapse.
    pub fn has_jumped(&self) -> bool {
        self.forward.load(Ordering::SeqCst) > 0
    }

    /// Whether something goes wrong now that is so many times as rare as the most usual fault.
    pub fn is_hit(&self, rarer: u64) -> bool {
        self.may_go_wrong() && self.dice.one_in(self.chances * rarer)
    }

    /// Whether anything may go wrong now.
    pub fn may_go_wrong(&self) -> bool {
        !self.is_calm && !self.are_faults_over.load(Ordering::SeqCst)
    }

    /// Whether those outside may misbehave: not after the faults are over.
    pub fn may_misbehave(&self, chances: u64) -> bool {
        !self.are_faults_over.load(Ordering::SeqCst) && self.dice.one_in(chances)
    }

    /// Has a receiver answer nothing for a while.
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

    /// Whether a receiver that is called answers nothing, and if so, whether it hangs.
    pub fn is_silent(&self, host: &str) -> Option<bool> {
        let mut silences = self.silences();
        let silence = silences.get_mut(host)?;
        if silence.until <= self.now() {
            self.note(format!("{host} is back after {} calls", silence.calls));
            silences.remove(host);
            return None;
        }
        silence.calls += 1;
        // A round of a process that dies is made again.
        self.check(!self.is_calm || silence.calls <= MOST_CALLS, || {
            format!("{host} is silent, and called {} times", silence.calls)
        });
        Some(silence.hangs)
    }

    fn silences(&self) -> MutexGuard<'_, BTreeMap<String, Silence>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all faults.
    pub fn end_faults(&self) {
        self.note("the faults are over");
        self.silences().clear();
        self.are_faults_over.store(true, Ordering::SeqCst);
    }

    /// A number that nobody has used.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The book.
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What catalogues should be.
    pub fn catalogues(&self) -> MutexGuard<'_, Catalogues> {
        self.catalogues
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn deliveries(&self) -> MutexGuard<'_, Deliveries> {
        self.deliveries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a step.
    pub fn note(&self, step: impl Into<String>) {
        let at = self.start.elapsed().as_secs_f64();
        self.book().log.push(format!("{at:10.4}  {}", step.into()));
    }

    /// Notes that a process, or all if there is no name, may lose its leases and what it has not
    /// recorded.
    pub fn excuse(&self, process: Option<&str>) {
        self.deliveries().excuse(process);
    }

    /// Notes that a rare state was visited.
    pub fn reach(&self, state: Reached) {
        self.book().reached.insert(state);
    }

    /// Notes what must not be.
    pub fn violated(&self, what: impl Into<String>) {
        let what = what.into();
        self.note(format!("VIOLATED: {what}"));
        self.book().violations.push(what);
    }

    /// Notes what must not be, unless it is not.
    pub fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.violated(what());
        }
    }
}
