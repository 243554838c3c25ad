//! The model: random events, and the invariants that must hold in the end.

mod checks;
mod events;
mod jobs;

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use super::{
    super::*,
    paced::{Dice, Paced},
};
use crate::subscriber::{Departure, Email, provider::ProviderStatus};

/// Two people, with a second address for each. They may also take each other's addresses.
const PEOPLE: [&str; 2] = ["ann@example.com", "bo@example.com"];
pub const ADDRESSES: [&str; 4] = [
    "ann@example.com",
    "bo@example.com",
    "ann@new.example",
    "bo@new.example",
];

/// The work of a worker.
struct Job {
    /// The task, where it is one.
    claim: Option<(ClaimToken, Effect)>,
    future: Pin<Box<dyn Future<Output = Result<(), ProviderError>>>>,
}

/// The store, the provider, the workers, and the expectations about people.
pub struct Model {
    seed: u64,
    dice: Dice,
    store: Arc<MemoryStore>,
    provider: Arc<Paced>,
    /// The time in seconds.
    clock: Arc<AtomicI64>,
    claims: u128,
    names: u128,
    jobs: Vec<Job>,
    past: Vec<(Email, SubscriberStatus)>,
    /// People who unsubscribed and were not reinstated since.
    left: HashSet<Email>,
    /// People who unsubscribed under an earlier address.
    followed: HashSet<Email>,
    /// People who were ever reinstated; the model does not predict their subscriptions.
    reinstated: HashSet<Email>,
    /// People who were ever unconfirmed.
    unconfirmed: HashSet<Email>,
    /// People who became active again at the provider without a delivery.
    returned: HashSet<Email>,
    deleted: HashSet<Email>,
    /// Addresses that were reported while they were being removed from an account.
    retaken: HashSet<Email>,
    /// Addresses that were given up or erased, and not reported since.
    gone: HashSet<Email>,
    /// Addresses that were unconfirmed before they were given up or erased.
    anew: HashSet<Email>,
    /// Addresses of people whose unsubscription the service may never have seen.
    unseen: HashSet<Email>,
    /// Addresses of people whose unsubscription is not delivered.
    silent: HashSet<Email>,
    /// Addresses of people who had arrived in the new account under another address, with the
    /// number of times that this address had joined its group before.
    brought: HashMap<Email, usize>,
    addresses: Arc<Addresses>,
    /// A bit set of events that are omitted in this interleaving, because some rare states only
    /// occur without certain events.
    omitted: usize,
    log: Vec<String>,
}

impl Model {
    pub fn new(seed: u64) -> Self {
        let mut model = Self {
            seed,
            dice: Dice::new(seed),
            store: Arc::new(MemoryStore::new()),
            provider: Paced::new(seed),
            clock: Arc::default(),
            claims: 0,
            names: 0,
            jobs: Vec::new(),
            past: Vec::new(),
            left: HashSet::new(),
            followed: HashSet::new(),
            reinstated: HashSet::new(),
            unconfirmed: HashSet::new(),
            returned: HashSet::new(),
            deleted: HashSet::new(),
            retaken: HashSet::new(),
            gone: HashSet::new(),
            anew: HashSet::new(),
            unseen: HashSet::new(),
            silent: HashSet::new(),
            brought: HashMap::new(),
            addresses: Arc::default(),
            omitted: 0,
            log: Vec::new(),
        };
        if model.dice.below(4) > 0 {
            model.omitted = model.dice.below(1 << 21);
        }
        *model.provider.failing.lock().unwrap() = model.dice.pick(&[4, 12, 12]);
        model.populate();
        model
    }

    /// Adds people to accounts before they are first reported.
    fn populate(&mut self) {
        for person in ADDRESSES.map(email) {
            for &account in Account::ALL {
                let status = match (account, self.dice.below(8)) {
                    (Account::Old, 0 | 1) | (Account::New, 0) => ProviderStatus::Active,
                    (Account::Old, 2) => {
                        self.unconfirmed.insert(person.clone());
                        ProviderStatus::Unconfirmed
                    }
                    (Account::Old, 3) | (Account::New, 1) => {
                        // Not delivered, but visible in the account.
                        ProviderStatus::Unsubscribed
                    }
                    _ => continue,
                };
                self.provider.memory.at(self.now());
                self.provider.memory.set(account, &person, status);
            }
        }
    }

    fn now(&self) -> OffsetDateTime {
        noon() + Duration::seconds(self.clock.load(Ordering::Relaxed))
    }

    pub fn run(mut self) {
        if self.dice.below(2) > 0 {
            self.settle();
        }
        let steps = 30 + self.dice.below(120);
        for _ in 0..steps {
            self.step();
        }
        self.come_to_rest();
        self.check();
    }

    /// Reports people, perhaps moves them, and then changes their address.
    fn settle(&mut self) {
        let people = PEOPLE.map(email);
        for person in &people {
            self.report(person);
            if self.dice.below(2) > 0 {
                self.start_move(person);
            }
        }
        self.drain();
        for person in &people {
            self.change_address(person);
        }
    }

    fn step(&mut self) {
        self.clock.fetch_add(1, Ordering::Relaxed);
        self.provider.memory.at(self.now());
        let person = self.somebody();
        match self.dice.below(45) {
            kind if kind >= 24 && self.omitted >> (kind - 24) & 1 > 0 => self.poll_one(),
            0..=13 => self.poll_one(),
            14..=23 => self.claim_any(),
            24 => self.kill_one(),
            25 | 26 => self.report(&person),
            27 | 28 => self.leave(&person),
            29 | 30 => self.deliver_one(),
            31 => self.redeliver(),
            32 | 33 => self.start_move(&person),
            34 => self.return_quietly(&person),
            35 => self.read_list(),
            36 => self.delete(&person),
            37 => self.reinstate(&person),
            38 => self.suppress(&person),
            39..=41 => self.change_address(&person),
            42 => self.erase(&person),
            _ => self.kill_all(),
        }
    }

    /// Picks an address, mostly one of the two original ones.
    fn somebody(&mut self) -> Email {
        if self.dice.below(3) > 0 {
            email(self.dice.pick(&PEOPLE))
        } else {
            email(self.dice.pick(&ADDRESSES))
        }
    }

    fn note(&mut self, what: impl Into<String>) {
        let at = self.clock.load(Ordering::Relaxed);
        self.log.push(format!("{at}: {}", what.into()));
    }

    fn known(&self, person: &Email) -> Option<Subscriber> {
        let known = pollster::block_on(self.store.load(std::slice::from_ref(person)));
        known.unwrap().remove(person)
    }

    /// The number of times that an address has joined the new account's group.
    fn joined(&self, person: &Email) -> usize {
        let there = self.provider.memory.person(Account::New, person);
        there.map_or(0, |it| it.joined)
    }

    /// The present address of a person who has given this one up.
    fn present(&self, person: &Email) -> Option<Email> {
        let mut next = self.known(person)?;
        while let Some(Departure::Moved(id)) = next.departure {
            let known = pollster::block_on(self.store.load_by_id(&[id]));
            next = known.unwrap().remove(&id)?;
        }
        Some(next.email).filter(|email| email != person)
    }
}
