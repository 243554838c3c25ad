//! `posthaste subscribers suppressions`: exports and imports suppressions as CSV.
//!
//! Only the provider's accounts and this database know the suppressions. An export is a third copy:
//! an operator who restores an older backup imports it again.

use std::{fmt, process::ExitCode};

use anyhow::anyhow;
use csv::Writer;
use newsletter::{
    audit,
    store::{Store, SubscriberFilter, SubscriberQuery, SubscriberReader},
    subscriber::{
        Account, Email, Notice, ProviderEvent, Subscriber, SubscriberStatus, SuppressionSource,
        operator::ImportedSuppression,
    },
    usecase::import_suppressions,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    intake::{self, Intake},
    records::{Fields, Layout},
};
use crate::{
    cli::SuppressionsImportArgs,
    clock::{self, Clock},
    command::run::Run,
    config,
    conflicts::decide_again,
    database::Database,
    newsletter_service::{self, new_id, new_token},
    output,
};

/// Subscribers in memory at a time.
const PAGE: usize = 500;

/// The columns of an export. An import needs the first two.
static LAYOUT: Layout = Layout {
    columns: ["email", "status", "source", "account", "at", "reason"],
    required: 2,
    is_ordered: false,
    ignored: &[],
};

/// Prints a header and a line for each suppressed person in the order of addresses, page by page:
/// reported or not, but not being erased.
pub(super) async fn export(
    subscribers: &dyn SubscriberReader,
    mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut query = SubscriberQuery {
        filter: SubscriberFilter::Suppressed,
        after: None,
        limit: PAGE,
    };
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(LAYOUT.columns)?;
    loop {
        let page = subscribers.list(&query).await?;
        for subscriber in page.iter().filter(|one| !one.is_being_erased()) {
            write(&mut writer, subscriber)?;
        }
        let written = writer.into_inner().map_err(|error| anyhow!("{error}"))?;
        print(&written)?;
        match page.last() {
            Some(last) if page.len() == PAGE => query.after = Some(last.email.clone()),
            _ => return Ok(()),
        }
        writer = Writer::from_writer(Vec::new());
    }
}

fn write(writer: &mut Writer<Vec<u8>>, subscriber: &Subscriber) -> csv::Result<()> {
    let suppression = subscriber.suppression.as_ref();
    let account = suppression.and_then(|known| known.account);
    writer.write_record([
        subscriber.email.as_str(),
        subscriber.status.as_str(),
        suppression.map_or("", |known| known.source.as_str()),
        account.map_or("", Account::as_str),
        &suppression.map_or_else(String::new, |known| output::time(known.at)),
        suppression
            .and_then(|known| known.reason.as_deref())
            .unwrap_or_default(),
    ])
}

/// Parses a line; the error names the columns that are wrong.
fn read(fields: &Fields) -> Result<ImportedSuppression, String> {
    let [email, status, source, account, at, reason] = fields;
    let mut errors = Vec::new();
    let email = Email::parse(email).map_err(|error| errors.push(format!("email {error}")));
    let status = SubscriberStatus::parse(status).filter(|status| status.is_suppressed());
    if status.is_none() {
        let all = SubscriberStatus::ALL.iter();
        let all: Vec<_> = all
            .filter(|it| it.is_suppressed())
            .map(|it| it.as_str())
            .collect();
        errors.push(format!("status must be one of {}", all.join(", ")));
    }
    if !source.is_empty() && SuppressionSource::parse(source).is_none() {
        let all = SuppressionSource::NAMES.join(", ");
        errors.push(format!("source must be empty or one of {all}"));
    }
    if !account.is_empty() && Account::parse(account).is_none() {
        errors.push("account must be empty or one of old, new".to_owned());
    }
    let at = (!at.is_empty())
        .then(|| OffsetDateTime::parse(at, &Rfc3339))
        .transpose();
    let at = at.map_err(|_| errors.push("at must be empty or an RFC 3339 time".to_owned()));
    let reason = (!reason.is_empty())
        .then(|| config::reason(reason))
        .transpose();
    let reason = reason.map_err(|error| errors.push(format!("reason {error}")));
    match (email, status, at, reason) {
        (Ok(email), Some(status), Ok(at), Ok(reason)) if errors.is_empty() => {
            Ok(ImportedSuppression {
                notice: Notice {
                    event: ProviderEvent {
                        email,
                        status,
                        signed_with: None,
                    },
                    new_id: new_id(),
                    new_token: new_token(),
                },
                at: at.map(domain::microseconds),
                reason,
            })
        }
        _ => Err(errors.join("; ")),
    }
}

/// Imports a file.
pub(super) async fn import(args: SuppressionsImportArgs) -> anyhow::Result<ExitCode> {
    let by = args.operator.attribution()?;
    let entry = by
        .entry(audit::SUPPRESSIONS_IMPORT, clock::now())
        .with("file", args.file.display().to_string());
    let database = Database::open(&args.store.database()).await?;
    let store = &*database.newsletter;
    let mut import = Import {
        store,
        clock: clock::system(),
        tally: Tally::default(),
        run: Run::new(entry),
    };
    let ended = intake::from_file(&mut import, &args.file, &LAYOUT, read).await;
    let Import { tally, run, .. } = import;
    if ended.is_ok() || tally != Tally::default() {
        output::print(tally)?;
    }
    let recorded = run.end(store, tally.counts()).await;
    ended?;
    recorded?;
    Ok(if tally.refused == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Counts of the lines by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    suppressed: u64,
    unchanged: u64,
    refused: u64,
}

impl Tally {
    const fn counts(self) -> [(&'static str, u64); 3] {
        [
            ("suppressed", self.suppressed),
            ("unchanged", self.unchanged),
            ("refused", self.refused),
        ]
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            suppressed,
            unchanged,
            refused,
        } = self;
        write!(
            f,
            "{suppressed} suppressed, {unchanged} unchanged, {refused} refused"
        )
    }
}

/// An import in progress.
struct Import<'a> {
    store: &'a dyn Store,
    clock: Clock,
    tally: Tally,
    run: Run,
}

impl Intake for Import<'_> {
    type Item = ImportedSuppression;
    type Tally = Tally;

    async fn take(&mut self, items: &[ImportedSuppression]) -> anyhow::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.run.begin(self.store).await?;
        let attempt = || import_suppressions(self.store, items, (self.clock)());
        for is_news in decide_again(newsletter_service::DEADLINE, attempt).await? {
            if is_news {
                self.tally.suppressed += 1;
            } else {
                self.tally.unchanged += 1;
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

#[cfg(test)]
mod tests;
