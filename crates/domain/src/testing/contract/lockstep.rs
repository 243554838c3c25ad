//! Random commands on two stores, the tested one and the one in memory, which must agree.

use kernel::{
    ClientId, SourceIdentifier, Status,
    event::{Event, EventLog, LogQuery},
    testing::{Checked, by_ann, identifier, minutes, noon, uuid},
};
use time::OffsetDateTime;

use super::{events::until_all_readable, first, lifetime, run};
use crate::{
    decision::outcome,
    posting::{Enrichment, Ground, PostingView, PutPosting, event::PUBLIC, moderation::Moderation},
    store::{PostingReader, Store, WriteSet},
    testing::{MemoryStore, create, push_by, pusher, renaming},
    usecase::{expire, moderate},
};

const COMMANDS: u64 = 150;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn name(&mut self) -> String {
        format!("p{}", self.below(5))
    }

    fn push(&mut self) -> PutPosting {
        let (name, company) = (self.name(), format!("c{}", self.below(3)));
        let clients = [pusher(), ClientId::new(uuid(77))];
        let by = clients[usize::from(self.below(4) == 0)];
        let number = self.below(9);
        match self.below(8) {
            0 | 1 => create(&name, &company),
            2 => renaming(create(&name, &company), &format!("Name {number}")),
            3 => push_by(by, &name, &format!(r#"{{"salary_min": {number}}}"#)),
            4 => push_by(by, &name, &format!(r#"{{"title": "Engineer {number}"}}"#)),
            5 => push_by(by, &name, r#"{"expiration": {"reason": "filled"}}"#),
            6 => push_by(by, &name, r#"{"expiration": null}"#),
            _ => push_by(by, &name, r#"{"metadata": {"a": [1.50]}}"#),
        }
    }

    fn moderation(&mut self) -> Moderation {
        let (reason, ground) = ("the test".to_owned(), Ground::Terms);
        match self.below(6) {
            0 => Moderation::Approve,
            1 => Moderation::Reject { reason, ground },
            2 => Moderation::Feature(true),
            3 => Moderation::Feature(false),
            4 => Moderation::Expire { reason, ground },
            _ => Moderation::Reopen { reason },
        }
    }
}

enum Command {
    Push(Vec<PutPosting>),
    Moderate(SourceIdentifier, Moderation, u128),
    Judge(SourceIdentifier),
    Expire,
}

impl Command {
    fn draw(dice: &mut Dice, number: u64) -> Self {
        match dice.below(10) {
            0..=5 => Self::Push((0..=dice.below(3)).map(|_| dice.push()).collect()),
            6 => Self::Moderate(identifier(&dice.name()), dice.moderation(), number.into()),
            7 | 8 => Self::Judge(identifier(&dice.name())),
            _ => Self::Expire,
        }
    }

    async fn run<S: Store>(&self, store: &S, now: OffsetDateTime) -> String {
        match self {
            Self::Push(puts) => format!("{:?}", run(store, puts, now).await.ok()),
            Self::Moderate(name, command, n) => {
                let by = by_ann(*n);
                let done = moderate(store, name, command, None, &by, lifetime(), now);
                format!("{:?}", done.await)
            }
            Self::Judge(name) => format!("{:?}", judge(store, name, now).await.ok()),
            Self::Expire => {
                let overdue = store.overdue(now, 9).await;
                let expired = expire(store, &overdue.clone().unwrap_or_default(), now).await;
                format!("{overdue:?} {expired:?}")
            }
        }
    }
}

async fn judge<S: Store>(store: &S, name: &SourceIdentifier, now: OffsetDateTime) -> Checked<bool> {
    let mut snapshot = store.load(std::slice::from_ref(name), &[]).await?;
    let Some(posting) = snapshot.postings.get(name) else {
        return Ok(false);
    };
    let company = snapshot.company_of(posting)?;
    let Some(content) = outcome::due(posting, company) else {
        return Ok(false);
    };
    let made = Enrichment::bare();
    let change = outcome::apply(posting, company, content, &made, None, lifetime(), now);
    let Some(change) = change else {
        return Ok(false);
    };
    let mut writes = WriteSet::new(now);
    change.record(&mut snapshot, &mut writes);
    store.commit(writes).await?;
    Ok(true)
}

async fn seen<S: Store + PostingReader>(store: &S) -> (Vec<Option<PostingView>>, String) {
    let mut views = Vec::new();
    for n in 0..5 {
        let found = store.find(&identifier(&format!("p{n}"))).await;
        views.push(found.ok().flatten());
    }
    let mut query = first(9);
    query.status = Some(Status::Approved);
    let listed = PostingReader::list(store, &query).await;
    (views, format!("{listed:?}"))
}

async fn events<S: EventLog>(store: &S) -> Vec<Event> {
    let query = LogQuery {
        after: None,
        names: PUBLIC.to_vec(),
        prefixes: kernel::Prefixes::ALL,
        reader: None,
        limit: 10_000,
    };
    let page = store.read(&query).await;
    let events = page.map(|page| page.events).unwrap_or_default();
    events.into_iter().map(|recorded| recorded.event).collect()
}

kernel::contract_cases!(
    lockstep,
    impl EventLog + PostingReader + Store,
    /// Both stores have equal answers, postings with histories and companies, lists, and logs.
    async fn random_commands_do_the_same_in_the_store_in_memory(store: &S) {
        let (memory, mut dice) = (MemoryStore::new(), Dice(0x9E37_79B9_7F4A_7C15));
        for number in 0..COMMANDS {
            // Lifetimes of 60 days end meanwhile.
            let now = noon() + minutes(i64::try_from(number).unwrap_or_default() * 24 * 60);
            let command = Command::draw(&mut dice, number);
            let done = command.run(store, now).await;
            assert_eq!(done, command.run(&memory, now).await, "command {number}");
            let is = seen(store).await;
            assert_eq!(is, seen(&memory).await, "after command {number}: {done}");
        }
        until_all_readable(store).await?;
        let events_of_store = events(store).await;
        assert!(events_of_store.len() > 50, "{}", events_of_store.len());
        assert_eq!(events_of_store, events(&memory).await);
    },
);
