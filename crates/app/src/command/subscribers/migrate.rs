//! `posthaste subscribers migrate`: moves subscribers to the e-mail provider's new account, see
//! [`Launch`].

use std::{num::NonZeroU32, process::ExitCode};

use adapters_mailerlite::preflight::{self, Expected};
use clap::{Args, builder::TypedValueParser};
use kernel::StoreError;
use newsletter::{
    audit,
    store::Store,
    subscriber::{Email, MigrationSource},
    usecase::{
        Forecast, LAUNCH_PAGE, Migration, People, PersonError, PersonRef, Run, count_to_move,
        sample_to_move,
    },
};
use runtime::clock;
use workers::{Launch, LaunchEnd};

use super::intake::Tally;
use crate::{
    args::{AccountsArgs, ChangeArgs, exit_code, values},
    misconfigured::Misconfigured,
    output, progress,
    serve::provider,
    shutdown::{INTERRUPTED, StopSignals},
    text::plain,
};

/// Move subscribers to the new account of the e-mail provider
#[derive(Debug, Args)]
#[command(
    override_usage = "posthaste subscribers migrate [OPTIONS] --source <SOURCE> <EMAIL>...\n       \
                            posthaste subscribers migrate [OPTIONS] --source <SOURCE> --all"
)]
pub struct Migrate {
    /// Addresses or UUIDs of subscribers. Subscribers who have moved do not change
    #[arg(value_name = "EMAIL", required_unless_present = "all", value_parser = values::person)]
    emails: Vec<PersonRef>,

    /// Move all subscribers who have not moved yet, as fast as the accounts allow
    #[arg(long, conflicts_with = "emails")]
    all: bool,

    /// Why they move: `manual` or `launch`
    #[arg(long, value_name = "SOURCE", value_parser = migration_source())]
    source: MigrationSource,

    /// Print what would happen and what is missing at the provider, and move no subscriber
    #[arg(long)]
    dry_run: bool,

    /// With `--all`, move only this number of subscribers, spread evenly over the list
    #[arg(long, value_name = "N", conflicts_with = "emails")]
    sample: Option<NonZeroU32>,

    /// Move subscribers although no group starts their chain of e-mails; the chain does not start
    /// later, either
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
            return Err(Misconfigured(
                "POSTHASTE_MAILERLITE_NEW_GROUP_ID names no group that starts the chain of \
                 e-mails, and the chain does not start later; --no-group moves people without it"
                    .to_owned(),
            )
            .into());
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
        let launch = Launch {
            store: &*database.newsletter,
            outbox: &*database.outbox,
            clock: clock::system(),
            source: self.source,
            requests_per_minute: self.accounts.requests_per_minute,
        };
        let mut run = Run::new(entry);
        run.begin(launch.store).await?;
        let bar = progress::of_items(count);
        let mut tally = Tally::new(["moved", "unchanged", "unknown"]);
        tally.add("unknown", unknown);
        let ended = launch
            .run(people, stop, |email, migration| {
                let outcome = match migration {
                    Migration::Started => "moved",
                    Migration::Unchanged => "unchanged",
                    Migration::Unknown => "unknown",
                };
                tally.add(outcome, 1);
                bar.inc(1);
                bar.set_message(tally.to_string());
                if migration == Migration::Unknown {
                    let email = plain(email.as_str());
                    bar.suspend(|| output::print_error(format_args!("not a subscriber: {email}")));
                }
            })
            .await;
        bar.finish_and_clear();
        output::print(format_args!("{tally}."))?;
        let recorded = run.end(launch.store, tally.counts().iter().copied()).await;
        let ended = ended?;
        recorded?;
        Ok(match ended {
            LaunchEnd::Stopped => {
                output::print("Stopped before the end. Run it again to continue.")?;
                ExitCode::from(INTERRUPTED)
            }
            LaunchEnd::TooManyFailed(outcome) => {
                output::print_error(format_args!(
                    "Stopped: {outcome}. `posthaste outbox list` and `outbox list --dead` say why. \
                     Run it again to continue."
                ));
                ExitCode::FAILURE
            }
            LaunchEnd::Complete => exit_code(tally.is_good()),
        })
    }
}

/// An operator's reason for moving subscribers. The other sources are the subscribers' own
/// confirmations.
fn migration_source() -> impl TypedValueParser<Value = MigrationSource> {
    const SOURCES: &[(&str, MigrationSource)] = &[
        ("manual", MigrationSource::Manual),
        ("launch", MigrationSource::Launch),
    ];
    values::one_of(SOURCES)
}

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
    Ok(exit_code(is_good))
}
