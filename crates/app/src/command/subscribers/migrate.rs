//! `posthaste subscribers migrate`: moves subscribers to the e-mail provider's new account.
//!
//! The command records moves, and a worker with the accounts' keys carries them out. Two limits
//! apply. Moves are recorded no faster than the old account's rate limit allows, so that a launch
//! does not delay subscribers who confirm their own move meanwhile. And because there is no way
//! back, the command watches the outcome of the moves and stops if too many fail, see
//! [`MoveMonitor`].

use std::{num::NonZeroU32, process::ExitCode, time::Duration};

use adapters_mailerlite::preflight::{self, Expected};
use anyhow::bail;
use clap::Args;
use kernel::{StoreError, outbox::Outbox};
use newsletter::{
    audit,
    store::Store,
    subscriber::{Email, MigrationSource},
    usecase::{
        self, Forecast, LAUNCH_PAGE, Migration, MoveMonitor, Moves, People, PersonError, PersonRef,
        count_to_move, sample_to_move,
    },
};
use runtime::{Clock, clock, decide_again};
use tokio::time::{Instant, sleep_until};

use crate::{
    cli::{AccountsArgs, ChangeArgs, values},
    command::run::Run,
    newsletter_service, output, progress, provider,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// Subscribers that are moved in one commit at most.
const BATCH: u32 = 500;
/// Batches whose moves are in progress at most.
const MAX_BATCHES_IN_PROGRESS: usize = 10;
/// The interval of looking for the workers' progress while too many moves are in progress.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Requests to the old account per move: find the subscriber, and remove them.
const REQUESTS_PER_MOVE: u32 = 2;

/// Move subscribers to the new account of the e-mail provider
#[derive(Debug, Args)]
#[command(
    override_usage = "posthaste subscribers migrate [OPTIONS] --source <SOURCE> <EMAIL>...\n       \
                            posthaste subscribers migrate [OPTIONS] --source <SOURCE> --all"
)]
pub struct Migrate {
    /// Addresses or UUIDs of subscribers. Whoever has moved already stays as they are
    #[arg(value_name = "EMAIL", required_unless_present = "all", value_parser = values::person)]
    emails: Vec<PersonRef>,

    /// Move everybody who has not moved yet, no faster than the accounts take it
    #[arg(long, conflicts_with = "emails")]
    all: bool,

    /// Why they move: `manual` or `launch`
    #[arg(long, value_name = "SOURCE", value_parser = migration_source)]
    source: MigrationSource,

    /// Say what would happen and what is not set up at the provider, and move nobody
    #[arg(long)]
    dry_run: bool,

    /// With `--all`, only so many, spread evenly over the list
    #[arg(long, value_name = "N", conflicts_with = "emails")]
    sample: Option<NonZeroU32>,

    /// Move people although no group starts their chain of e-mails: it never starts later
    #[arg(long)]
    no_group: bool,

    #[command(flatten)]
    change: ChangeArgs,
    #[command(flatten)]
    accounts: AccountsArgs,
}

impl Migrate {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let stop = StopSignals::listen()?.asked();
        let (by, database) = self.change.open().await?;
        let entry = by
            .entry(audit::SUBSCRIBERS_MIGRATE, clock::now())
            .with("source", self.source.as_str())
            .with("all", self.all);
        if !self.dry_run && !self.no_group && !self.accounts.has_group() {
            bail!(
                "no group is named that starts the chain of e-mails \
                 (POSTHASTE_MAILERLITE_NEW_GROUP_ID); for those who move now it never starts: \
                 --no-group moves them without it"
            );
        }
        let subscribers = &*database.subscribers;
        let mut unknown = 0;
        let (people, count) = if self.all {
            let count = count_to_move(subscribers).await?;
            match self.sample {
                Some(sample) => {
                    let sample = sample_to_move(subscribers, count, sample).await?;
                    let count = sample.len() as u64;
                    (People::Named(sample.into_iter()), count)
                }
                None => (People::everybody(subscribers), count),
            }
        } else {
            let (emails, nobody) = resolve(&*database.newsletter, &self.emails).await?;
            unknown = nobody;
            let count = emails.len() as u64;
            (People::Named(emails.into_iter()), count)
        };
        if self.dry_run {
            return dry_run(&self, &*database.newsletter, people, unknown).await;
        }
        let mover = Mover {
            store: &*database.newsletter,
            outbox: &*database.outbox,
            clock: clock::system(),
            source: self.source,
            limiter: RateLimiter::new(self.accounts.requests_per_minute),
        };
        let mut run = Run::new(entry);
        run.begin(mover.store).await?;
        let bar = progress::of_items(count);
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
                    bar.suspend(|| output::print_error(format_args!("not a subscriber: {email}")));
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
            End::TooManyFailed(outcome) => {
                output::print_error(format_args!(
                    "Stopped: {outcome}. `posthaste outbox list` and `outbox list --dead` say why. \
                     Run it again to go on."
                ));
                ExitCode::FAILURE
            }
            End::Complete if tally.unknown == 0 => ExitCode::SUCCESS,
            End::Complete => ExitCode::FAILURE,
        })
    }
}

/// An operator's reason for moving subscribers. The other sources are the subscribers' own
/// confirmations.
fn migration_source(text: &str) -> Result<MigrationSource, String> {
    match MigrationSource::parse(text.trim()) {
        Some(source @ (MigrationSource::Manual | MigrationSource::Launch)) => Ok(source),
        _ => Err(format!("{text:?} is not one of manual, launch")),
    }
}

/// The addresses of the named subscribers, and the number of unknown ones.
async fn resolve(store: &dyn Store, people: &[PersonRef]) -> Result<(Vec<Email>, u64), StoreError> {
    let (mut emails, mut unknown) = (Vec::with_capacity(people.len()), 0);
    for person in people {
        match person.address(store).await {
            Ok(email) => emails.push(email),
            Err(PersonError::NotFound) => {
                output::print_error(format_args!("not a subscriber: {person}"));
                unknown += 1;
            }
            Err(PersonError::Store(error)) => return Err(error),
        }
    }
    Ok((emails, unknown))
}

/// Prints the outcome that a run would have, and what is not set up at the provider.
async fn dry_run(
    args: &Migrate,
    store: &dyn Store,
    mut people: People<'_>,
    unknown: u64,
) -> anyhow::Result<ExitCode> {
    let mut forecast = Forecast {
        unknown,
        ..Forecast::default()
    };
    loop {
        let batch = people.next(LAUNCH_PAGE).await?;
        if batch.is_empty() {
            break;
        }
        let known = store.load(&batch).await?;
        for email in &batch {
            forecast.add(known.get(email));
        }
    }
    output::print(forecast.text())?;
    let provider = provider::connect(&args.accounts.settings(), None)?;
    let expected = Expected {
        requests_per_minute: args.accounts.requests_per_minute.get(),
        may_lack_group: args.no_group || args.accounts.has_group(),
    };
    let mut is_good = forecast.unknown == 0;
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

/// The end of a run without errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    /// A signal asked it to stop.
    Stopped,
    /// Too many moves failed.
    TooManyFailed(Moves),
}

/// Counts of the subscribers by outcome.
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

/// The rate limit of moves.
#[derive(Clone, Copy, Debug)]
struct RateLimiter {
    batch: usize,
    /// The wait per move.
    wait: Duration,
}

impl RateLimiter {
    fn new(requests_per_minute: NonZeroU32) -> Self {
        let limit = requests_per_minute.get();
        let batch = (limit / REQUESTS_PER_MOVE).clamp(1, BATCH);
        Self {
            batch: usize::try_from(batch).unwrap_or(1),
            wait: Duration::from_mins(1) * REQUESTS_PER_MOVE / limit,
        }
    }
}

/// Records moves of subscribers.
struct Mover<'a> {
    store: &'a dyn Store,
    outbox: &'a dyn Outbox,
    clock: Clock,
    source: MigrationSource,
    limiter: RateLimiter,
}

impl Mover<'_> {
    /// Moves subscribers batch by batch until there are no more, `stop` is ready between two
    /// batches, or too many moves fail. Only [`MAX_BATCHES_IN_PROGRESS`] batches are ahead of the
    /// workers, so that failures show before many more subscribers follow.
    async fn drive(
        &self,
        mut people: People<'_>,
        stop: impl Future<Output = ()>,
        mut settle: impl FnMut(&Email, Migration),
    ) -> anyhow::Result<End> {
        tokio::pin!(stop);
        let mut monitor = MoveMonitor::new(self.store, self.outbox);
        let mut batch = people.next(self.limiter.batch).await?;
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
            monitor.watch(&moved).await?;
            batch = people.next(self.limiter.batch).await?;
            if batch.is_empty() {
                break;
            }
            let count = u32::try_from(moved.len()).unwrap_or(u32::MAX);
            let mut next = begun + self.limiter.wait * count;
            loop {
                tokio::select! {
                    biased;
                    () = &mut stop => return Ok(End::Stopped),
                    () = sleep_until(next) => {}
                }
                let outcome = monitor.check().await?;
                if outcome.exceed_failure_limit() {
                    return Ok(End::TooManyFailed(outcome));
                }
                if outcome.under_way <= MAX_BATCHES_IN_PROGRESS * self.limiter.batch {
                    break;
                }
                next = Instant::now() + POLL_INTERVAL;
            }
        }
        Ok(End::Complete)
    }
}

#[cfg(test)]
mod tests;
