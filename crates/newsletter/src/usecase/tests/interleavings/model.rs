//! The model: random events, and the invariants that must hold in the end.

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use super::{
    super::*,
    paced::{Dice, Paced, Pause},
};
use crate::{
    store::WriteSet,
    subscriber::{
        Departure, Email, MigrationSource, SuppressionSource, operator,
        provider::{Provider as _, ProviderStatus},
        reconciliation::ConcurrentWrites,
    },
    tasks,
    usecase::{erase, migrate, reconcile, unsubscribe_holder},
};

/// Two people, with a second address for each. They may also take each other's addresses.
const PEOPLE: [&str; 2] = ["ann@example.com", "bo@example.com"];
pub const ADDRESSES: [&str; 4] = [
    "ann@example.com",
    "bo@example.com",
    "ann@new.example",
    "bo@new.example",
];

/// What a worker is at.
struct Job {
    /// The task, where it is one.
    claim: Option<(Receipt, Effect)>,
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

    fn report(&mut self, person: &Email) {
        let name = self.dice.pick(&["A", "B", "C"]);
        self.note(format!("report {person} {name}"));
        self.cut_off(person);
        let put = self.put(person, &format!(r#"{{"name":"{name}"}}"#));
        pollster::block_on(put_subscriber(&*self.store, &put, self.now())).unwrap();
        self.gone.remove(person);
    }

    /// A report with a new id.
    fn put(&mut self, person: &Email, body: &str) -> PutSubscriber {
        let (new_id, new_token) = self.new_names();
        PutSubscriber {
            new_id,
            new_token,
            ..report(person.as_str(), body)
        }
    }

    fn said(&mut self, person: &Email, status: SubscriberStatus) -> Notice {
        let (new_id, new_token) = self.new_names();
        Notice {
            new_id,
            new_token,
            ..notice(person.as_str(), status)
        }
    }

    fn new_names(&mut self) -> (SubscriberId, MigrationToken) {
        self.names += 1;
        let id = uuid(0x2_0000_0000 + self.names);
        (SubscriberId::new(id), token(&id.to_string()))
    }

    fn change_address(&mut self, before: &Email) {
        let after = email(self.dice.pick(&ADDRESSES));
        let is_reported =
            |known: Option<Subscriber>| known.is_some_and(|it| it.reported_at.is_some());
        if after == *before || !is_reported(self.known(before)) {
            return;
        }
        self.note(format!("{before} becomes {after}"));
        let is_brought = self.has_arrived(before) && !self.addresses.is_held(&after);
        self.cut_off(&after);
        let put = self.put(&after, &format!(r#"{{"previous_email":"{before}"}}"#));
        pollster::block_on(put_subscriber(&*self.store, &put, self.now())).unwrap();
        self.gone.remove(&after);
        let follows = self.followed.contains(before);
        self.gone(before);
        if self.deleted.contains(before) {
            self.deleted.insert(after.clone());
        }
        if is_brought {
            self.brought.insert(after.clone(), self.joined(&after));
        }
        if self.left.contains(before) || follows {
            self.follow(before, after);
        }
    }

    /// Expects that a person who unsubscribed under an earlier address is suppressed under the
    /// present one.
    fn follow(&mut self, before: &Email, after: Email) {
        let may_be_unseen = [
            &self.returned,
            &self.deleted,
            &self.unseen,
            &self.reinstated,
        ];
        if may_be_unseen.iter().any(|set| set.contains(before)) {
            self.unseen.insert(after.clone());
        }
        self.followed.insert(after);
    }

    /// Whether a person has certainly arrived in the new account and joined its group.
    fn has_arrived(&self, person: &Email) -> bool {
        let arrived = |it: Subscriber| it.migrated.is_some_and(|migrated| migrated.arrived);
        let is_sure = !self.left.contains(person) && !self.reinstated.contains(person);
        is_sure && self.joined(person) > 0 && self.known(person).is_some_and(arrived)
    }

    /// The number of times that an address has joined the new account's group.
    fn joined(&self, person: &Email) -> usize {
        let there = self.provider.memory.person(Account::New, person);
        there.map_or(0, |it| it.joined)
    }

    /// Notes that an account no longer shows the person's undelivered unsubscription.
    fn unsee(&mut self, person: &Email) {
        if self.silent.remove(person) {
            let present = self.present(person);
            self.unseen.extend(present);
            self.unseen.insert(person.clone());
        }
    }

    /// Notes that a given-up address is reported again or erased: from now on it does not represent
    /// the person who gave it up.
    fn cut_off(&mut self, person: &Email) {
        let is_theirs = |it: &Email| it == person || self.present(it).as_ref() == Some(person);
        let all = ADDRESSES.map(email).into_iter();
        let held = all.filter(|it| self.addresses.is_held(it) && is_theirs(it));
        let held: Vec<_> = held.collect();
        self.retaken.extend(held);
        let present = self.present(person);
        self.unseen.extend(present);
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

    fn erase(&mut self, person: &Email) {
        self.cut_off(person);
        let erased = erase(&*self.store, person, None, self.now());
        if pollster::block_on(erased).unwrap() {
            self.note(format!("{person} is erased"));
            self.gone(person);
        }
    }

    /// Notes that an address was given up or erased. A person who never confirmed it may be created
    /// under it again.
    fn gone(&mut self, person: &Email) {
        self.gone.insert(person.clone());
        self.followed.remove(person);
        self.brought.remove(person);
        if self.unconfirmed.remove(person) {
            self.anew.insert(person.clone());
        }
    }

    /// Unsubscribes the person in an account, perhaps without a delivery. Then only the next
    /// look-up in the account is certain to see it.
    fn leave(&mut self, person: &Email) {
        // Often under an address that is being removed, because that phase is short.
        let departing = ADDRESSES.map(email).into_iter();
        let mut departing = departing.filter(|it| self.present(it).is_some());
        let departing = departing.next().filter(|_| self.dice.below(2) == 0);
        let person = &departing.unwrap_or_else(|| person.clone());
        let accounts = Account::ALL.iter().copied();
        let is_active = |account: &Account| {
            let there = self.provider.memory.person(*account, person);
            there.is_some_and(|it| it.status == ProviderStatus::Active)
        };
        let active: Vec<_> = accounts.filter(is_active).collect();
        if active.is_empty() {
            return;
        }
        let account = self.dice.pick(&active);
        let status = self.dice.pick(&[
            SubscriberStatus::Unsubscribed,
            SubscriberStatus::SpamReported,
            SubscriberStatus::Bounced,
        ]);
        self.note(format!("{person} leaves {account} {status}"));
        self.provider.memory.set(account, person, status);
        self.left.insert(person.clone());
        let is_looked_at = self.addresses.is_held(person);
        let is_there = |it: &Email| self.known(it).is_some_and(|it| it.departure.is_none());
        let present = self.present(person).filter(is_there);
        let has_left = present.is_some();
        if let Some(present) = present.filter(|_| !is_looked_at) {
            self.follow(person, present);
        }
        // The service ignores unreported people in lists.
        let is_known = self.known(person).is_some();
        if is_known && !is_looked_at && (has_left || self.dice.below(2) == 0) {
            self.silent.insert(person.clone());
        } else {
            let delivery = (person.clone(), status);
            self.provider.deliveries.lock().unwrap().push(delivery);
        }
    }

    fn deliver_one(&mut self) {
        let mut deliveries = self.provider.deliveries.lock().unwrap();
        if deliveries.is_empty() {
            return;
        }
        let at = self.dice.below(deliveries.len());
        let delivery = deliveries.remove(at);
        drop(deliveries);
        self.past.push(delivery.clone());
        self.deliver(&delivery);
    }

    fn redeliver(&mut self) {
        if !self.past.is_empty() {
            let delivery = self.dice.pick(&self.past);
            self.deliver(&delivery);
        }
    }

    fn deliver(&mut self, (person, status): &(Email, SubscriberStatus)) {
        self.note(format!("delivery {person} {status}"));
        let said = self.said(person, *status);
        pollster::block_on(notice_events(&*self.store, &[said], self.now())).unwrap();
    }

    fn start_move(&mut self, person: &Email) {
        self.note(format!("move {person}"));
        let (people, source) = ([person.clone()], MigrationSource::Manual);
        pollster::block_on(migrate(&*self.store, &people, source, self.now())).unwrap();
    }

    /// Makes the person active again in an account, without a delivery.
    fn return_quietly(&mut self, person: &Email) {
        let account = self.dice.pick(Account::ALL);
        let is_suppressed = self
            .provider
            .memory
            .person(account, person)
            .is_some_and(|it| it.status.suppression().is_some());
        if is_suppressed && self.seed.is_multiple_of(2) {
            self.note(format!("{person} returns to {account}"));
            self.provider
                .memory
                .set(account, person, ProviderStatus::Active);
            self.returned.insert(person.clone());
            self.unsee(person);
            if account == Account::Old {
                self.unconfirmed.remove(person);
            }
        }
    }

    /// Deletes the person at the provider by hand, while no call is in progress.
    fn delete(&mut self, person: &Email) {
        let Some(known) = self.known(person) else {
            return;
        };
        let account = self.dice.pick(Account::ALL);
        let is_settled = known.migrated.is_none_or(|migrated| migrated.arrived);
        if self.jobs.is_empty() && is_settled && known.places[account].id.is_some() {
            self.note(format!("{person} is deleted in {account}"));
            self.provider.memory.delete(account, person);
            self.provider.say_deleted(person);
            self.unsee(person);
            if account == Account::Old {
                self.unconfirmed.remove(person);
            }
            if known.account() == account && known.reported_at.is_some() {
                self.deleted.insert(person.clone());
            }
        }
    }

    fn reinstate(&mut self, person: &Email) {
        let Some(known) = self.known(person) else {
            return;
        };
        if !self.seed.is_multiple_of(4) {
            return;
        }
        if let Some(change) = operator::reinstate(&known, self.now()) {
            self.note(format!("{person} is reinstated"));
            let mut writes = WriteSet::new(self.now());
            change.record(&mut writes);
            pollster::block_on(self.store.commit(writes)).unwrap();
            self.left.remove(person);
            self.followed.remove(person);
            self.brought.remove(person);
            self.reinstated.insert(person.clone());
        }
    }

    /// Suppresses the person, by an operator or by the link in an e-mail.
    fn suppress(&mut self, person: &Email) {
        if self.dice.below(2) == 0 {
            let Some(known) = self.known(person) else {
                return;
            };
            let holder = unsubscribe_holder(&*self.store, &known.token, self.now());
            if pollster::block_on(holder).unwrap().is_some() {
                self.note(format!("{person} unsubscribes by the link"));
                self.left.insert(person.clone());
            }
            return;
        }
        let said = self.said(person, SubscriberStatus::Unsubscribed);
        let (source, known) = (SuppressionSource::Operator, self.known(person));
        let change = operator::suppress(known.as_ref(), &said, source, None, self.now());
        if let Some(change) = change {
            self.note(format!("{person} is suppressed"));
            let mut writes = WriteSet::new(self.now());
            change.record(&mut writes);
            pollster::block_on(self.store.commit(writes)).unwrap();
        }
        self.left.insert(person.clone());
    }

    /// Claims a task. Only one job at a time calls the old account about a person, as the lease of
    /// the accounts and the worker's lock ensure.
    fn claim_any(&mut self) {
        let at = self.dice.below(QUEUES.len() + 1);
        match QUEUES.get(at) {
            Some(queue) => self.claim(*queue),
            None => self.listen(),
        };
    }

    /// A worker reads a page of events, delivers them, and moves the cursor. Several workers may
    /// do so at the same time.
    fn listen(&mut self) -> bool {
        let Some(page) = pollster::block_on(Page::next(&self.store)) else {
            return false;
        };
        self.note("listen");
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let future = Box::pin(async move {
            Pause(false).await;
            let now = noon() + Duration::seconds(clock.load(Ordering::Relaxed));
            page.deliver(&store, now).await;
            Pause(false).await;
            page.pass(&store).await;
            Ok(())
        });
        self.jobs.push(Job {
            claim: None,
            future,
        });
        true
    }

    fn claim(&mut self, queue: Queue) -> bool {
        let works_in_old = |queue| {
            let (sync, first) = (tasks::syncs(Account::Old), tasks::bulk_syncs(Account::Old));
            queue == tasks::MIGRATE || queue == sync || queue == first
        };
        let is_taken = self.jobs.iter().any(|job| {
            let effect = job.claim.as_ref().map(|(_, effect)| effect.queue());
            effect.is_some_and(works_in_old) && works_in_old(queue)
        });
        if is_taken {
            return false;
        }
        self.claims += 1;
        let lease = uuid(0x1_0000 + self.claims);
        let claimed = self
            .store
            .claim(queue, 1, Duration::WEEK, lease, self.now());
        let Some(task) = pollster::block_on(claimed).unwrap().into_iter().next() else {
            return false;
        };
        self.note(format!("claim {:?}", task.effect));
        let (store, provider) = (Arc::clone(&self.store), Arc::clone(&self.provider));
        let (clock, addresses) = (Arc::clone(&self.clock), Arc::clone(&self.addresses));
        let (receipt, effect) = (task.receipt, task.effect);
        let future = Box::pin(async move {
            let now = || noon() + Duration::seconds(clock.load(Ordering::Relaxed));
            Pause(false).await;
            let steps = Steps {
                store: &store,
                provider: &*provider,
                addresses: &addresses,
                now: &now,
            };
            steps.run(receipt, effect).await
        });
        self.jobs.push(Job {
            claim: Some((receipt, effect)),
            future,
        });
        true
    }

    /// Starts reading an account's whole list.
    fn read_list(&mut self) {
        let account = self.dice.pick(Account::ALL);
        self.note(format!("read the list of {account}"));
        let (store, provider) = (Arc::clone(&self.store), Arc::clone(&self.provider));
        let clock = Arc::clone(&self.clock);
        let future = Box::pin(async move {
            let now = || noon() + Duration::seconds(clock.load(Ordering::Relaxed));
            let mut cursor = None;
            loop {
                let page = provider.page(account, cursor.as_ref()).await?;
                let done = reconcile(
                    &*store,
                    account,
                    &page.people,
                    ConcurrentWrites::Possible,
                    now(),
                )
                .await;
                done.unwrap();
                cursor = page.next;
                if cursor.is_none() {
                    return Ok(());
                }
            }
        });
        self.jobs.push(Job {
            claim: None,
            future,
        });
    }

    fn poll_one(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        let at = self.dice.below(self.jobs.len());
        let mut context = Context::from_waker(Waker::noop());
        let before = self.reached();
        let polled = self.jobs[at].future.as_mut().poll(&mut context);
        self.check_reached(&before);
        self.check_joined();
        let Poll::Ready(result) = polled else {
            return;
        };
        let job = self.jobs.remove(at);
        let Some((receipt, effect)) = job.claim else {
            return;
        };
        self.note(format!("{effect:?} {result:?}"));
        let now = self.now();
        pollster::block_on(async {
            match result {
                Ok(()) => {}
                Err(ProviderError::Permanent(why)) => {
                    self.store.give_up(receipt, &why, now).await.unwrap();
                }
                Err(error) => {
                    let why = error.to_string();
                    let again = self.store.retry(receipt, now, &why, now);
                    again.await.unwrap();
                }
            }
        });
    }

    /// The addresses that get mail.
    fn reached(&self) -> HashSet<Email> {
        let gets_mail = |person: &Email| {
            Account::ALL.iter().any(|account| {
                let there = self.provider.memory.person(*account, person);
                there.is_some_and(|it| it.status.suppression().is_none())
            })
        };
        let all = ADDRESSES.map(email).into_iter();
        all.filter(gets_mail).collect()
    }

    /// Checks that the automation starts once per person, over all addresses.
    fn check_joined(&self) {
        for (person, before) in &self.brought {
            assert!(
                self.joined(person) <= *before,
                "joined again: seed {}, {person}\n{:#?}",
                self.seed,
                self.log
            );
        }
    }

    /// Checks that a given-up address gets mail until another address of the person does.
    fn check_reached(&self, before: &HashSet<Email>) {
        let reached = self.reached();
        for left in before.difference(&reached) {
            let present = self.present(left).filter(|_| !self.retaken.contains(left));
            let Some(person) = present else { continue };
            let is_theirs =
                |it: &Email| *it == person || self.present(it).as_ref() == Some(&person);
            let is_active = |it: Subscriber| it.reported_at.is_some() && !it.status.is_suppressed();
            let exempt = [&self.left, &self.followed, &self.reinstated, &self.deleted];
            assert!(
                reached.iter().any(is_theirs)
                    || !self.known(&person).is_some_and(is_active)
                    || exempt.iter().any(|set| set.contains(&person)),
                "in no account: seed {}, {person}\n{:#?}",
                self.seed,
                self.log
            );
        }
    }

    /// Kills a job. Its completed calls had their effect, but are not recorded.
    fn kill_one(&mut self) {
        if !self.jobs.is_empty() {
            let at = self.dice.below(self.jobs.len());
            self.kill(at);
        }
    }

    fn kill_all(&mut self) {
        while !self.jobs.is_empty() {
            self.kill(0);
        }
    }

    fn kill(&mut self, at: usize) {
        let job = self.jobs.remove(at);
        if let Some((receipt, effect)) = job.claim {
            self.note(format!("kill {effect:?}"));
            let now = self.now();
            let given_back = self.store.retry(receipt, now, "killed", now);
            pollster::block_on(given_back).unwrap();
        }
    }

    /// Stops all faults, and runs until all jobs and deliveries are done.
    fn come_to_rest(&mut self) {
        *self.provider.failing.lock().unwrap() = 0;
        // Some changes are not delivered, so the lists have to be read.
        let all_is_said = self.returned.is_empty() && self.silent.is_empty();
        let reads = usize::from(!all_is_said) * 20;
        for reads in [0, reads, 0, 0, 0] {
            // By then, all waiting tasks are due.
            self.clock.fetch_add(7_200, Ordering::Relaxed);
            for _ in 0..reads {
                self.read_list();
            }
            self.drain();
        }
    }

    /// Runs all due tasks and deliveries.
    fn drain(&mut self) {
        for round in 0.. {
            assert!(round < 10_000, "never: {:#?}", self.log);
            self.clock.fetch_add(1, Ordering::Relaxed);
            self.provider.memory.at(self.now());
            self.deliver_one();
            while !self.jobs.is_empty() {
                self.poll_one();
            }
            let is_idle = !self.listen() && !QUEUES.into_iter().any(|queue| self.claim(queue));
            if is_idle && self.provider.deliveries.lock().unwrap().is_empty() {
                break;
            }
        }
    }

    fn is_remembered(&self, person: &Email) -> bool {
        let remembered = self.store.remembered(std::slice::from_ref(person));
        !pollster::block_on(remembered).unwrap().is_empty()
    }

    fn check(&self) {
        for person in ADDRESSES.map(email) {
            let known = self.known(&person);
            let shown = Account::ALL.iter().filter_map(|account| {
                Some((*account, self.provider.memory.person(*account, &person)?))
            });
            let shown: Vec<_> = shown.collect();
            let explain = || {
                format!(
                    "seed {}, {person}\n{known:#?}\n{shown:#?}\n{:#?}",
                    self.seed, self.log
                )
            };
            let gets_mail: Vec<_> = shown
                .iter()
                .filter(|(_, it)| it.status.suppression().is_none())
                .map(|(account, _)| *account)
                .collect();
            let is_suppressed = known
                .as_ref()
                .is_some_and(|known| known.status.is_suppressed());
            // For reinstated people only the status that an account still shows counts.
            let is_uncertain = self.reinstated.contains(&person) || self.unseen.contains(&person);
            let has_left = self.left.contains(&person) || self.followed.contains(&person);
            // The move of the new address may wait for an operator, and the look-up of the old
            // address waits for that move.
            let may_be_stuck = [&self.unconfirmed, &self.anew, &self.reinstated];
            let is_stuck = |email: &Email| may_be_stuck.iter().any(|set| set.contains(email));
            let present = self.present(&person);
            let waits = is_stuck(present.as_ref().unwrap_or(&person)) && !self.silent.is_empty();
            if has_left && !is_uncertain && !waits {
                let is_remembered = self.is_remembered(&person);
                assert!(
                    is_suppressed || is_remembered,
                    "not recorded: {}",
                    explain()
                );
            }
            if present.as_ref().is_some_and(is_stuck) {
                continue;
            }
            if self.gone.contains(&person) {
                assert_eq!(shown, [], "still there: {}", explain());
                let is_over = known.as_ref().is_none_or(|it| it.departure.is_none());
                assert!(is_over, "not over: {}", explain());
                continue;
            }
            if is_suppressed {
                assert_eq!(gets_mail, [], "gets mail: {}", explain());
                continue;
            }
            if self.unconfirmed.contains(&person) {
                let is_active = shown.iter().any(|(account, it)| {
                    *account == Account::New && it.status == ProviderStatus::Active && it.joined > 0
                });
                assert!(!is_active, "never confirmed: {}", explain());
            }
            let is_reported = |known: &&Subscriber| known.reported_at.is_some();
            let Some(known) = known.as_ref().filter(is_reported) else {
                continue;
            };
            let exempt = [&self.deleted, &self.reinstated, &self.anew];
            if exempt.iter().any(|set| set.contains(&person)) {
                continue;
            }
            if self.unconfirmed.contains(&person) {
                assert!(!gets_mail.is_empty(), "lost: {}", explain());
                continue;
            }
            assert!(gets_mail.contains(&known.account()), "lost: {}", explain());
            let was_moved = known.migrated.is_some();
            if was_moved {
                assert_eq!(gets_mail, [Account::New], "doubled: {}", explain());
            }
        }
    }
}
