//! `posthaste subscribers suppressions`: exports and imports suppressions as CSV.
//!
//! Only the provider's accounts and this database know the suppressions. An export is a third copy,
//! which an operator imports after restoring an older backup.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use cli::records::{Fields, Layout};
use csv::Writer;
use newsletter::{
    audit,
    store::{SubscriberFilter, SubscriberReader},
    subscriber::{
        Account, Email, ProviderEvent, ReceivedEvent, Subscriber, SubscriberStatus,
        SuppressionSource, operator::ImportedSuppression,
    },
    usecase::import_suppressions,
};
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokens::new_subscriber;

use super::{
    export::pages,
    intake::{self, Intake, Record},
};
use crate::{
    args::{ChangeArgs, StoreArgs, values},
    output,
};

commands! {
    /// Export and import suppressions
    Suppressions {
        Export(Export),
        Import(Import),
    }
}

/// Print all suppressed people as CSV, even people who were never reported
///
/// Fields are printed as they are, so that `import` reads them back; for spreadsheets see
/// `subscribers export`.
#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    store: StoreArgs,
}

impl Export {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        export(&*database.subscribers, output::print_lines).await
    }
}

static LAYOUT: Layout = Layout {
    columns: ["email", "status", "source", "account", "at", "reason"],
    required: 2,
    ignored: &[],
};

/// Prints a CSV line for each suppressed person, reported or not, sorted by address. Leaves out
/// people who are being erased.
pub(super) async fn export(
    subscribers: &dyn SubscriberReader,
    print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    pages(
        subscribers,
        SubscriberFilter::Suppressed,
        LAYOUT.columns,
        write,
        print,
    )
    .await
}

fn write(writer: &mut Writer<Vec<u8>>, subscriber: &Subscriber) -> csv::Result<()> {
    if subscriber.is_being_erased() {
        return Ok(());
    }
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
        .then(|| values::reason(reason))
        .transpose();
    let reason = reason.map_err(|error| errors.push(format!("reason {error}")));
    let (new_id, new_token) = new_subscriber();
    match (email, status, at, reason) {
        (Ok(email), Some(status), Ok(at), Ok(reason)) if errors.is_empty() => {
            Ok(ImportedSuppression {
                notice: ReceivedEvent {
                    event: ProviderEvent {
                        email,
                        status,
                        signed_with: None,
                    },
                    new_id,
                    new_token,
                },
                at: at.map(fields::microseconds),
                reason,
            })
        }
        _ => Err(errors.join("; ")),
    }
}

/// Import suppressions from a CSV file; the import lifts none
#[derive(Debug, Args)]
pub struct Import {
    /// CSV with the columns `email` and `status`, and optionally `source`, `account`, `at` and
    /// `reason`, as in an export; `-` reads standard input. The strongest status counts. Statuses
    /// from before a reinstatement do not count. A file can be imported again safely
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Import {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let (by, database) = self.change.open().await?;
        let entry = by.entry(audit::SUPPRESSIONS_IMPORT, clock::now());
        intake::run::<ImportedSuppression>(&*database.newsletter, &self.file, Some(entry)).await
    }
}

impl Record for ImportedSuppression {
    const LAYOUT: &'static Layout = &LAYOUT;
    const OUTCOMES: &'static [&'static str] = &["suppressed", "unchanged"];

    fn parse(fields: &Fields) -> Result<Self, String> {
        read(fields)
    }

    async fn import(items: &[Self], import: &mut Intake<'_>) -> anyhow::Result<Vec<&'static str>> {
        let store = import.store;
        if let Some(run) = &mut import.run {
            run.begin(store).await?;
        }
        let attempt = || import_suppressions(store, items, (import.clock)());
        let news = decide_again(COMMAND_PATIENCE, attempt).await?;
        let outcome = |is_news| if is_news { "suppressed" } else { "unchanged" };
        Ok(news.into_iter().map(outcome).collect())
    }
}

#[cfg(test)]
mod tests;
