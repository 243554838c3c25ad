//! `posthaste subscribers migrate`: moves subscribers to the e-mail provider's new account.
//!
//! It writes what is to happen, and a worker with the accounts' keys does it. So that a launch
//! does not hold up those who confirm their move meanwhile, people are moved no faster than the
//! old account takes it; and because there is no way back, it keeps an eye on what becomes of
//! them, and stops by itself, see [`brake`].

mod brake;

use std::{num::NonZeroU32, process::ExitCode, time::Duration, vec};

use anyhow::bail;
use domain::{outbox::Outbox, store::StoreError};
use newsletter::{
    audit,
    store::{Store, SubscriberQuery, SubscriberReader, Who},
    subscriber::{Email, MigrationSource, Subscriber},
    usecase::{self, Migration},
};
use tokio::time::{Instant, sleep_until};

use self::brake::{Brake, Moves};
use super::person;
use crate::{
    cli::SubscribersMigrateArgs,
    clock::{self, Clock},
    command::run::Run,
    config::PersonRef,
    conflicts::decide_again,
    database::Database,
    newsletter_service, output,
    preflight::{self, Expected},
    progress, provider,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// People who are moved in one commit at most.
const BATCH: u32 = 500;
/// People who are read at once to count them.
const PAGE: usize = 1000;
/// So many batches may be under way at once.
const AHEAD: usize = 10;
/// How long to wait for a worker before looking again at what it has done.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// What a move takes of the old account's requests: looking somebody up, and removing them.
const REQUESTS: u32 = 2;

/// The command.
pub(super) async fn run(args: SubscribersMigrateArgs) -> anyhow::Result<ExitCode> {
    let stop = StopSignals::listen()?.asked();
    let deed = args.operator.deed()?;
    let entry = deed
        .entry(audit::SUBSCRIBERS_MIGRATE, clock::now())
        .with("source", args.source.as_str())
        .with("all", args.all);
    let database = Database::open(&args.store.database()).await?;
    if !args.dry_run && !args.no_group && !args.accounts.has_group() {
        bail!(
            "no group is named that starts the chain of e-mails \
             (POSTHASTE_MAILERLITE_NEW_GROUP_ID); for those who move now it never starts: \
             --no-group moves them without it"
        );
    }
    let subscribers = &*database.subscribers;
    let mut unknown = 0;
    let (people, count) = if args.all {
        let count = count(subscribers).await?;
        match args.sample {
            Some(sample) => {
                let sample = sampled(subscribers, count, sample).await?;
                let count = sample.len() as u64;
                (People::Named(sample.into_iter()), count)
            }
            None => (People::everybody(subscribers), count),
        }
    } else {
        let (emails, nobody) = named(&*database.newsletter, &args.emails).await?;
        unknown = nobody;
        let count = emails.len() as u64;
        (People::Named(emails.into_iter()), count)
    };
    if args.dry_run {
        return dry_run(&args, &*database.newsletter, people, unknown).await;
    }
    let mover = Mover {
        store: &*database.newsletter,
        outbox: &*database.outbox,
        clock: clock::system(),
        source: args.source,
        pace: Pace::new(args.accounts.requests_per_minute()),
    };
    let mut run = Run::new(entry);
    run.begin(mover.store).await?;
    let bar = progress::of_things(count);
    let mut tally = Tally {
        unknown,
        ..Tally::default()
    };
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
    let recorded = run.end(mover.store, tally.counts()).await;
    let ended = ended?;
    recorded?;
    Ok(match ended {
        End::Stopped => {
            output::print("Stopped before the end. Run it again to go on.")?;
            ExitCode::from(INTERRUPTED)
        }
        End::Braked(outcome) => {
            output::complain(format_args!(
                "Stopped: {outcome}. `posthaste outbox list` and `outbox list --dead` say why. \
                 Run it again to go on."
            ));
            ExitCode::FAILURE
        }
        End::Complete if tally.unknown == 0 => ExitCode::SUCCESS,
        End::Complete => ExitCode::FAILURE,
    })
}

/// The addresses of the people who are named, and how many of them nobody is.
async fn named(store: &dyn Store, people: &[PersonRef]) -> Result<(Vec<Email>, u64), StoreError> {
    let (mut emails, mut unknown) = (Vec::with_capacity(people.len()), 0);
    for person in people {
        if let Some(email) = person::address(store, person).await? {
            emails.push(email);
        } else {
            output::complain(format_args!("not a subscriber: {person}"));
            unknown += 1;
        }
    }
    Ok((emails, unknown))
}

/// Says what would become of people, and what is not set up at the provider.
async fn dry_run(
    args: &SubscribersMigrateArgs,
    store: &dyn Store,
    mut people: People<'_>,
    unknown: u64,
) -> anyhow::Result<ExitCode> {
    let mut would = Would {
        unknown,
        ..Would::default()
    };
    loop {
        let batch = people.next(PAGE).await?;
        if batch.is_empty() {
            break;
        }
        let known = store.load(&batch).await?;
        for email in &batch {
            would.add(known.get(email));
        }
    }
    output::print(would.text())?;
    let provider = provider::connect(&args.accounts.settings())?;
    let expected = Expected {
        requests_per_minute: args.accounts.requests_per_minute().get(),
        may_lack_group: args.no_group || args.accounts.has_group(),
    };
    let mut is_good = would.unknown == 0;
    for finding in preflight::newsletter(&*provider, expected).await {
        let mark = if finding.is_good() { "ok" } else { "WRONG" };
        output::print(format_args!("{mark:<6}{}", plain(&finding.to_string())))?;
        is_good &= finding.is_good();
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What would become of people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Would {
    moved: u64,
    suppressed: u64,
    unchanged: u64,
    unknown: u64,
}

impl Would {
    fn add(&mut self, known: Option<&Subscriber>) {
        let count = match known.filter(|known| known.reported_at.is_some()) {
            None => &mut self.unknown,
            Some(known) if known.migrated.is_some() => &mut self.unchanged,
            Some(known) if known.status.is_suppressed() => &mut self.suppressed,
            Some(_) => &mut self.moved,
        };
        *count += 1;
    }

    fn text(self) -> String {
        let Self {
            moved,
            suppressed,
            unchanged,
            unknown,
        } = self;
        format!(
            "Nobody was moved. {moved} would move, {suppressed} are known to want no mail and \
             would get none, {unchanged} had moved before, {unknown} are unknown."
        )
    }
}

/// So many of those who have not moved yet, spread evenly over the list.
async fn sampled(
    subscribers: &dyn SubscriberReader,
    count: u64,
    sample: NonZeroU32,
) -> Result<Vec<Email>, StoreError> {
    let sample = u64::from(sample.get()).min(count);
    let mut people = People::everybody(subscribers);
    let mut chosen = Vec::new();
    let mut nth = 0_u64;
    while (chosen.len() as u64) < sample {
        let page = people.next(PAGE).await?;
        if page.is_empty() {
            break;
        }
        for email in page {
            // The first of each of so many equal parts.
            if nth * sample / count.max(1) >= chosen.len() as u64 && (chosen.len() as u64) < sample
            {
                chosen.push(email);
            }
            nth += 1;
        }
    }
    Ok(chosen)
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
    /// It stopped by itself, because of what became of these.
    Braked(Moves),
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

    const fn counts(&self) -> [(&'static str, u64); 3] {
        [
            ("moved", self.started),
            ("unchanged", self.unchanged),
            ("unknown", self.unknown),
        ]
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
                    who: Who::Unmigrated,
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
    outbox: &'a dyn Outbox,
    clock: Clock,
    source: MigrationSource,
    pace: Pace,
}

impl Mover<'_> {
    /// Moves people batch by batch until there are no more, it is asked to stop between two
    /// batches, or too many moves fail. It runs ahead of the workers by so many batches at most:
    /// what becomes of people is to be seen before many more of them follow.
    async fn drive(
        &self,
        mut people: People<'_>,
        stop: impl Future<Output = ()>,
        mut settle: impl FnMut(&Email, Migration),
    ) -> anyhow::Result<End> {
        tokio::pin!(stop);
        let mut brake = Brake::new(self.store, self.outbox);
        let mut batch = people.next(self.pace.batch).await?;
        while !batch.is_empty() {
            let begun = Instant::now();
            let attempt = || usecase::migrate(self.store, &batch, self.source, (self.clock)());
            let answers = decide_again(newsletter_service::DEADLINE, attempt).await?;
            let mut moved = Vec::new();
            for (email, migration) in batch.iter().zip(answers) {
                if migration == Migration::Started {
                    moved.push(email.clone());
                }
                settle(email, migration);
            }
            brake.watch(&moved).await?;
            batch = people.next(self.pace.batch).await?;
            if batch.is_empty() {
                break;
            }
            let count = u32::try_from(moved.len()).unwrap_or(u32::MAX);
            let mut next = begun + self.pace.wait * count;
            loop {
                tokio::select! {
                    biased;
                    () = &mut stop => return Ok(End::Stopped),
                    () = sleep_until(next) => {}
                }
                let outcome = brake.look().await?;
                if outcome.are_too_bad() {
                    return Ok(End::Braked(outcome));
                }
                if outcome.under_way <= AHEAD * self.pace.batch {
                    break;
                }
                next = Instant::now() + LOOK_AGAIN;
            }
        }
        Ok(End::Complete)
    }
}

#[cfg(test)]
mod tests;
