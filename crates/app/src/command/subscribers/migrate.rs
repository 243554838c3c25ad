//! `posthaste subscribers migrate`: moves subscribers to the e-mail provider's new account.
//!
//! It writes what is to happen, and a worker with the accounts' keys does it. So that a launch
//! does not hold up those who confirm their move meanwhile, people are moved no faster than the
//! old account takes it.

use std::{num::NonZeroU32, process::ExitCode, time::Duration, vec};

use domain::{
    store::{Store, StoreError, SubscriberQuery, SubscriberReader},
    subscriber::{Email, MigrationSource},
    usecase::{self, Migration},
};
use tokio::time::{Instant, sleep_until};

use crate::{
    cli::SubscribersMigrateArgs,
    clock::{self, Clock},
    conflicts::decide_again,
    database::Database,
    newsletter, output, progress,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// People who are moved in one commit at most.
const BATCH: u32 = 500;
/// People who are read at once to count them.
const PAGE: usize = 1000;
/// What a move takes of the old account's requests: looking somebody up, and removing them.
const REQUESTS: u32 = 2;

/// The command.
pub(super) async fn run(args: SubscribersMigrateArgs) -> anyhow::Result<ExitCode> {
    let stop = StopSignals::listen()?.asked();
    let database = Database::open(&args.store.database()).await?;
    let subscribers = &*database.subscribers;
    let (people, count) = if args.all {
        let count = count(subscribers).await?;
        (People::everybody(subscribers), count)
    } else {
        let count = args.emails.len() as u64;
        (People::Named(args.emails.into_iter()), count)
    };
    let mover = Mover {
        store: &*database.store,
        clock: clock::system(),
        source: args.source,
        pace: Pace::new(args.pace.requests_per_minute),
    };
    let bar = progress::of_things(count);
    let mut tally = Tally::default();
    let ended = mover
        .drive(people, stop, |email, migration| {
            tally.add(migration);
            bar.inc(1);
            bar.set_message(tally.progress());
            if migration == Migration::Unknown {
                let email = plain(email.as_str());
                bar.suspend(|| output::complain(format_args!("not a subscriber: {email}")));
            }
        })
        .await;
    bar.finish_and_clear();
    output::print(format_args!("{}.", tally.progress()))?;
    Ok(match ended? {
        End::Stopped => {
            output::print("Stopped before the end. Run it again to go on.")?;
            ExitCode::from(INTERRUPTED)
        }
        End::Complete if tally.unknown == 0 => ExitCode::SUCCESS,
        End::Complete => ExitCode::FAILURE,
    })
}

/// How many have not moved yet.
async fn count(subscribers: &dyn SubscriberReader) -> Result<u64, StoreError> {
    let mut people = People::everybody(subscribers);
    let mut count = 0;
    loop {
        let page = people.next(PAGE).await?;
        count += page.len() as u64;
        if page.len() < PAGE {
            return Ok(count);
        }
    }
}

/// How a run ended that nothing went wrong with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    /// It was asked to stop.
    Stopped,
}

/// What became of the people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    started: u64,
    unchanged: u64,
    unknown: u64,
}

impl Tally {
    const fn add(&mut self, migration: Migration) {
        match migration {
            Migration::Started => self.started += 1,
            Migration::Unchanged => self.unchanged += 1,
            Migration::Unknown => self.unknown += 1,
        }
    }

    fn progress(&self) -> String {
        let Self {
            started,
            unchanged,
            unknown,
        } = self;
        format!("{started} moved, {unchanged} had moved before, {unknown} unknown")
    }
}

/// Who is to move.
enum People<'a> {
    /// These.
    Named(vec::IntoIter<Email>),
    /// Whoever has not moved yet, behind an address.
    Everybody {
        subscribers: &'a dyn SubscriberReader,
        after: Option<Email>,
    },
}

impl<'a> People<'a> {
    const fn everybody(subscribers: &'a dyn SubscriberReader) -> Self {
        Self::Everybody {
            subscribers,
            after: None,
        }
    }

    /// The next ones.
    async fn next(&mut self, limit: usize) -> Result<Vec<Email>, StoreError> {
        match self {
            Self::Named(emails) => Ok(emails.take(limit).collect()),
            Self::Everybody { subscribers, after } => {
                let query = SubscriberQuery {
                    only_unmigrated: true,
                    after: after.clone(),
                    limit,
                };
                let page = subscribers.list(&query).await?;
                let emails: Vec<_> = page.into_iter().map(|person| person.email).collect();
                if let Some(last) = emails.last() {
                    *after = Some(last.clone());
                }
                Ok(emails)
            }
        }
    }
}

/// How fast people may move.
#[derive(Clone, Copy, Debug)]
struct Pace {
    batch: usize,
    /// For each who moves.
    wait: Duration,
}

impl Pace {
    fn new(requests_per_minute: NonZeroU32) -> Self {
        let limit = requests_per_minute.get();
        let batch = (limit / REQUESTS).clamp(1, BATCH);
        Self {
            batch: usize::try_from(batch).unwrap_or(1),
            wait: Duration::from_mins(1) * REQUESTS / limit,
        }
    }
}

/// Moves people.
struct Mover<'a> {
    store: &'a dyn Store,
    clock: Clock,
    source: MigrationSource,
    pace: Pace,
}

impl Mover<'_> {
    /// Moves people batch by batch until there are no more, or it is asked to stop between two
    /// batches.
    async fn drive(
        &self,
        mut people: People<'_>,
        stop: impl Future<Output = ()>,
        mut settle: impl FnMut(&Email, Migration),
    ) -> anyhow::Result<End> {
        tokio::pin!(stop);
        let mut batch = people.next(self.pace.batch).await?;
        while !batch.is_empty() {
            let begun = Instant::now();
            let attempt = || usecase::migrate(self.store, &batch, self.source, (self.clock)());
            let answers = decide_again(newsletter::DEADLINE, attempt).await?;
            let mut moved = 0;
            for (email, migration) in batch.iter().zip(answers) {
                moved += u32::from(migration == Migration::Started);
                settle(email, migration);
            }
            batch = people.next(self.pace.batch).await?;
            if batch.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = &mut stop => return Ok(End::Stopped),
                () = sleep_until(begun + self.pace.wait * moved) => {}
            }
        }
        Ok(End::Complete)
    }
}

#[cfg(test)]
mod tests;
