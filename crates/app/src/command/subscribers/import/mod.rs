//! `posthaste subscribers import`: imports reports of the membership system from a CSV file.
//!
//! Unchanged lines write nothing, so a file that was imported in part can be imported again.

mod row;

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    fmt,
    process::ExitCode,
    time::{Duration, Instant},
};

use newsletter::{
    audit,
    store::Store,
    subscriber::PutSubscriber,
    usecase::{Reported, decide_subscribers, put_subscribers},
};

use super::{
    COLUMNS, TOKEN,
    intake::{self, Intake},
    records::Layout,
};
use crate::{
    cli::SubscribersImportArgs,
    clock::{self, Clock},
    command::run::Run,
    conflicts::decide_again,
    database::Database,
    newsletter_service, output,
};

/// The columns of the file; the token that an export adds is ignored.
static LAYOUT: Layout = Layout {
    columns: COLUMNS,
    required: COLUMNS.len(),
    is_ordered: true,
    ignored: &[TOKEN],
};

/// Runs the command.
pub(super) async fn run(args: SubscribersImportArgs) -> anyhow::Result<ExitCode> {
    let by = args.operator.attribution()?;
    let entry = by
        .entry(audit::SUBSCRIBERS_IMPORT, clock::now())
        .with("file", args.file.display().to_string());
    let database = Database::open(&args.store.database()).await?;
    let store = &*database.newsletter;
    let mut import = Import {
        store,
        clock: clock::system(),
        tally: Tally::default(),
        run: (!args.dry_run).then(|| Run::new(entry)),
    };
    let started = Instant::now();
    let ended = intake::from_file(&mut import, &args.file, &LAYOUT, row::report).await;
    let Import { tally, run, .. } = import;
    if ended.is_ok() || tally.total() > 0 {
        output::print(Summary(tally, started.elapsed()))?;
    }
    let recorded = match run {
        Some(run) => run.end(store, tally.counts()).await,
        None => Ok(()),
    };
    ended?;
    recorded?;
    if args.dry_run {
        output::print("Nothing was imported: this is what would become of it.")?;
    }
    Ok(if tally.refused == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Counts of the lines by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
}

impl Tally {
    const fn total(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.refused
    }

    fn counts(&self) -> [(&'static str, u64); 4] {
        [
            ("created", self.created),
            ("updated", self.updated),
            ("unchanged", self.unchanged),
            ("refused", self.refused),
        ]
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            created,
            updated,
            unchanged,
            refused,
        } = self;
        write!(
            f,
            "{created} created, {updated} updated, {unchanged} unchanged, {refused} refused"
        )
    }
}

/// The counts and the duration of an import.
struct Summary(Tally, Duration);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(tally, took) = self;
        writeln!(f, "created   {:>10}", tally.created)?;
        writeln!(f, "updated   {:>10}", tally.updated)?;
        writeln!(f, "unchanged {:>10}", tally.unchanged)?;
        writeln!(f, "refused   {:>10}", tally.refused)?;
        let (total, seconds) = (tally.total(), took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = total as f64 / seconds.max(0.001);
        write!(f, "{total} people in {seconds:.1} s, {rate:.0} a second")
    }
}

/// An import in progress.
struct Import<'a> {
    store: &'a dyn Store,
    clock: Clock,
    tally: Tally,
    /// The run in the audit log; `None` in a dry run.
    run: Option<Run>,
}

impl Intake for Import<'_> {
    type Item = PutSubscriber;
    type Tally = Tally;

    async fn take(&mut self, puts: &[PutSubscriber]) -> anyhow::Result<()> {
        let emails: HashSet<_> = puts.iter().map(|put| put.email.clone()).collect();
        let emails: Vec<_> = emails.into_iter().collect();
        if emails.is_empty() {
            return Ok(());
        }
        let mut known = self.store.load(&emails).await?;
        let reported = if let Some(run) = &mut self.run {
            run.begin(self.store).await?;
            let attempt = || put_subscribers(self.store, puts, (self.clock)());
            decide_again(newsletter_service::DEADLINE, attempt).await?
        } else {
            decide_subscribers(self.store, puts, (self.clock)())
                .await?
                .0
        };
        for Reported { subscriber, is_new } in reported {
            let earlier = known.insert(subscriber.email.clone(), subscriber.clone());
            if is_new {
                self.tally.created += 1;
            } else if earlier == Some(subscriber) {
                self.tally.unchanged += 1;
            } else {
                self.tally.updated += 1;
            }
        }
        Ok(())
    }

    fn refuse(&mut self, count: u64) {
        self.tally.refused += count;
    }

    fn tally(&self) -> Tally {
        self.tally
    }
}
