//! Interleavings: pushes, on a store whose reads and commits end in any order, fail, meet the
//! commits of another process, or are never heard of again. Time is simulated, and each seed is one
//! interleaving.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::{
    store::{LockedRows, Snapshot, WriteSet},
    testing::{MemoryStore, push},
    usecase,
};
use kernel::testing::identifier;
use kernel::{CompanyId, PostingId, SourceIdentifier, testing::noon};
use time::OffsetDateTime;
use tokio::time::sleep;

use super::*;

/// Numbers that follow from a seed (`SplitMix64`).
struct Dice(Mutex<u64>);

impl Dice {
    fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut drawn = *state;
        drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (drawn ^ (drawn >> 31)) % limit
    }

    fn one_in(&self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    async fn wait(&self, (least, most): (u64, u64)) {
        let micros = least + self.below(most - least);
        sleep(Duration::from_micros(micros)).await;
    }
}

/// What happens beside the pushes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum World {
    Calm,
    /// Another process changes the same postings.
    Shared,
    /// Commits fail in every way.
    Faulty,
}

/// A simulated store.
struct Simulated {
    memory: MemoryStore,
    dice: Dice,
    world: World,
    /// The least and the most time of a way to the store or back.
    way: (u64, u64),
    /// The numbers in the titles that were committed, of each posting in their order.
    titles: Mutex<BTreeMap<SourceIdentifier, Vec<u64>>>,
    /// The rows that commits under way write.
    postings: Mutex<HashSet<PostingId>>,
    companies: Mutex<HashSet<CompanyId>>,
    conflicts: AtomicUsize,
    doubts: AtomicUsize,
}

fn number(title: &str) -> u64 {
    title.parse().unwrap()
}

impl Simulated {
    fn new(seed: u64, world: World, way: (u64, u64)) -> Self {
        Self {
            memory: MemoryStore::new(),
            dice: Dice(Mutex::new(seed)),
            world,
            way,
            titles: Mutex::default(),
            postings: Mutex::default(),
            companies: Mutex::default(),
            conflicts: AtomicUsize::new(0),
            doubts: AtomicUsize::new(0),
        }
    }

    async fn title(&self, identifier: &SourceIdentifier) -> Option<u64> {
        let found = self.memory.find(identifier).await.unwrap();
        found.map(|view| number(&view.posting.details.title))
    }

    async fn apply(&self, writes: WriteSet) -> Result<(), StoreError> {
        let written: Vec<_> = (writes.postings.values())
            .map(|write| &write.posting)
            .map(|it| (it.source_identifier.clone(), number(&it.details.title)))
            .collect();
        Store::commit(&self.memory, writes).await?;
        let mut titles = self.titles.lock().unwrap();
        for (identifier, title) in written {
            titles.entry(identifier).or_default().push(title);
        }
        Ok(())
    }

    /// Changes a posting as another process does: its title stays.
    async fn interfere(&self, writes: &WriteSet) {
        for write in writes.postings.values() {
            let put = push(
                write.posting.source_identifier.as_str(),
                &format!(r#"{{"location_city": "{}"}}"#, self.dice.below(1_000_000)),
            );
            // One that does not exist is refused.
            let done = usecase::ingest(&self.memory, &[put], Lifetime::days(60), noon()).await;
            assert_eq!(done.unwrap().len(), 1);
        }
    }

    /// What becomes of a commit on its way.
    async fn outcome(&self, writes: WriteSet) -> Result<(), StoreError> {
        if self.world == World::Shared && self.dice.one_in(4) {
            self.interfere(&writes).await;
        }
        if self.world != World::Faulty {
            return self.apply(writes).await;
        }
        match self.dice.below(16) {
            0 => Err(StoreError::Conflict),
            1 => Err(StoreError::Locked("a row".to_owned())),
            2 => Err(StoreError::Broken("a row".to_owned())),
            3 => Err(StoreError::Unavailable("away".to_owned())),
            drawn @ (4 | 5) => {
                self.doubts.fetch_add(1, Ordering::SeqCst);
                if drawn == 4 {
                    self.apply(writes).await?;
                }
                Err(StoreError::InDoubt("lost".to_owned()))
            }
            _ => self.apply(writes).await,
        }
    }

    /// Claims rows for a commit. In a calm world, no commit may need those of another one.
    fn claim(&self, writes: &WriteSet) {
        let mut postings = self.postings.lock().unwrap();
        let mut companies = self.companies.lock().unwrap();
        for id in writes.postings.keys() {
            assert!(postings.insert(*id), "two commits write a posting");
        }
        for id in writes.companies.keys() {
            let is_free = companies.insert(*id);
            assert!(is_free || self.world != World::Calm, "two write a company");
        }
    }
}

impl LockedRows for Simulated {}

#[async_trait]
impl Store for Simulated {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        self.dice.wait(self.way).await;
        let known = Store::load(&self.memory, identifiers, companies).await;
        self.dice.wait(self.way).await;
        known
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Store::load_by_id(&self.memory, ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.claim(&writes);
        let (postings, companies): (Vec<_>, Vec<_>) = (
            writes.postings.keys().copied().collect(),
            writes.companies.keys().copied().collect(),
        );
        self.dice.wait(self.way).await;
        let result = self.outcome(writes).await;
        self.dice.wait(self.way).await;
        (self.postings.lock().unwrap()).retain(|id| !postings.contains(id));
        (self.companies.lock().unwrap()).retain(|id| !companies.contains(id));
        let is_conflict = result == Err(StoreError::Conflict);
        (self.conflicts).fetch_add(usize::from(is_conflict), Ordering::SeqCst);
        result
    }

    async fn overdue(
        &self,
        _: OffsetDateTime,
        _: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(Vec::new())
    }
}

const POSTINGS: u64 = 6;
const PUSHES: u64 = 16;

/// The answer to a push, with the number in its title and the one that was stored then.
struct Told {
    identifier: SourceIdentifier,
    number: u64,
    answer: Result<Answer, IngestError>,
    stored: Option<u64>,
}

/// Runs one interleaving.
async fn interleaving(seed: u64, world: World) {
    let ways = [(10, 900), (48_000, 52_000), (10, 90_000)];
    let way = ways[usize::try_from(seed % 3).unwrap()];
    let simulated = Arc::new(Simulated::new(seed, world, way));
    let settings = LaneSettings {
        commits: 4,
        batch: 1 + usize::try_from(simulated.dice.below(6)).unwrap(),
        ..LaneSettings::default()
    };
    let store: Arc<dyn Store> = Arc::clone(&simulated) as _;
    let locks: Arc<dyn LockedRows> = Arc::clone(&simulated) as _;
    let lifetime = Lifetime::days(60);
    let (lane, tasks) = Lanes::start(&store, &locks, lifetime, &clock::system(), settings);
    let (lane, last) = (Arc::new(lane), Arc::new(AtomicUsize::new(0)));
    let mut pushes = JoinSet::new();
    for _ in 0..PUSHES {
        let (lane, simulated) = (Arc::clone(&lane), Arc::clone(&simulated));
        let last = Arc::clone(&last);
        pushes.spawn(async move {
            simulated.dice.wait((0, 6 * simulated.way.1)).await;
            let name = format!("posting-{}", simulated.dice.below(POSTINGS));
            // From here to the queue nothing is awaited: the numbers are in its order.
            let number = last.fetch_add(1, Ordering::SeqCst) as u64;
            let company = simulated.dice.below(2);
            let renames = if simulated.dice.one_in(4) { number } else { 0 };
            let body = format!(
                r#"{{"title": "{number}", "raw_description": "<p>Build.</p>",
                "application_url": "https://acme.example/apply", "company":
                {{"name": "acme {renames}", "website_url": "https://acme-{company}.example"}}}}"#
            );
            let answer = lane.put(push(&name, &body)).await;
            let identifier = identifier(&name);
            Told {
                stored: simulated.title(&identifier).await,
                identifier,
                number,
                answer,
            }
        });
    }
    let told = pushes.join_all().await;
    tasks.stop().await;
    check(&simulated, &told).await;
}

async fn check(simulated: &Simulated, told: &[Told]) {
    for (identifier, titles) in &*simulated.titles.lock().unwrap() {
        assert!(titles.is_sorted(), "{identifier:?} in order: {titles:?}");
    }
    let is_calm = simulated.world == World::Calm;
    for it in told {
        match &it.answer {
            Ok(_) => assert!(it.stored >= Some(it.number), "{} is lost", it.number),
            Err(error) => assert!(simulated.world == World::Faulty, "{error}"),
        }
    }
    for n in 0..POSTINGS {
        let identifier = identifier(&format!("posting-{n}"));
        let of_it = || told.iter().filter(|it| it.identifier == identifier);
        let made = of_it().filter(|it| {
            let outcome = it.answer.as_ref().map(|answer| answer.outcome);
            outcome == Ok(PutOutcome::Created)
        });
        let (made, stored) = (made.count(), simulated.title(&identifier).await);
        let accepted = of_it().filter(|it| it.answer.is_ok());
        assert!(stored >= accepted.map(|it| it.number).max());
        let is_sure = simulated.doubts.load(Ordering::SeqCst) == 0;
        if is_sure {
            assert_eq!(made, usize::from(stored.is_some()), "created once");
        }
        assert!(made <= 1, "created twice");
        if simulated.world != World::Faulty {
            assert_eq!(stored, of_it().map(|it| it.number).max());
        }
    }
    let conflicts = simulated.conflicts.load(Ordering::SeqCst);
    assert!(!is_calm || conflicts == 0, "a lane met its own writes");
}

/// Runs so many interleavings, and names the seed of one that fails.
fn explore(world: World, count: u64) {
    for seed in 0..count {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(interleaving(seed, world));
        }));
        assert!(told.is_ok(), "seed {seed}");
    }
}

#[test]
fn no_push_is_lost_or_overtaken_by_a_later_one() {
    explore(World::Calm, 500);
}

#[test]
fn the_commits_of_others_change_no_order() {
    explore(World::Shared, 500);
}

#[test]
fn commits_that_fail_or_are_in_doubt_change_no_order() {
    explore(World::Faulty, 500);
}
