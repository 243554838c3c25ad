//! `posthaste subscribers suppressions`: who is suppressed, as CSV to write out and take in again.
//!
//! The accounts of the provider and this database are the only places that know who must not be
//! written to. An export is a third one: whoever restores an older backup takes it in again.

use std::{fmt, process::ExitCode};

use anyhow::anyhow;
use csv::Writer;
use domain::{
    audit::Action,
    store::{Store, SubscriberQuery, SubscriberReader, Who},
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
    newsletter::{self, new_id, new_token},
    output,
};

/// People who are in memory at once.
const PAGE: usize = 500;

/// The columns that an export writes. An import needs the first two.
static LAYOUT: Layout = Layout {
    columns: ["email", "status", "source", "account", "at", "reason"],
    required: 2,
    is_ordered: false,
    ignored: &[],
};

/// Hands over a header and a line for each person who is suppressed, reported or not, in the
/// order of their addresses, some at a time.
pub(super) async fn export(
    subscribers: &dyn SubscriberReader,
    mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut query = SubscriberQuery {
        who: Who::Suppressed,
        after: None,
        limit: PAGE,
    };
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(LAYOUT.columns)?;
    loop {
        let page = subscribers.list(&query).await?;
        for subscriber in &page {
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

/// A line of the file, or what is wrong with it by columns.
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
                    event: ProviderEvent { email, status },
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

/// Takes in a file.
pub(super) async fn import(args: SuppressionsImportArgs) -> anyhow::Result<ExitCode> {
    let deed = args.operator.deed()?;
    let entry = deed
        .entry(Action::SUPPRESSIONS_IMPORT, clock::now())
        .with("file", args.file.display().to_string());
    let database = Database::open(&args.store.database()).await?;
    let store = &*database.store;
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

/// What became of the lines.
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

/// An import that is under way.
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
        for is_news in decide_again(newsletter::DEADLINE, attempt).await? {
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
mod tests {
    use std::{collections::HashMap, io::Cursor};

    use domain::{
        audit::{AuditLog, AuditQuery},
        testing::{MemoryStore, deed, email, noon, notice, report, subscriber_id},
        usecase::{self, find_subscriber, put_subscribers},
    };

    use super::*;

    const ADA: &str = "ada@example.com";
    const BOB: &str = "bob@example.com";
    const STRANGER: &str = "'=stranger@example.com";

    async fn exported(store: &MemoryStore) -> (String, usize) {
        let (mut text, mut parts) = (Vec::new(), 0);
        let print = |bytes: &[u8]| {
            text.extend_from_slice(bytes);
            parts += 1;
            Ok(())
        };
        export(store, print).await.unwrap();
        (String::from_utf8(text).unwrap(), parts)
    }

    /// Takes in a file; gives the tally and what was said of bad lines.
    async fn imported(store: &MemoryStore, file: &str) -> (anyhow::Result<Tally>, Vec<String>) {
        let mut import = Import {
            store,
            clock: std::sync::Arc::new(noon),
            tally: Tally::default(),
            run: Run::new(deed(7).entry(Action::SUPPRESSIONS_IMPORT, noon())),
        };
        let mut said = Vec::new();
        let input = Cursor::new(file.to_owned().into_bytes());
        let batches = intake::spawn(input, &LAYOUT, read);
        let ended = intake::drive(&mut import, batches, |step| {
            if let intake::Step::Refused(line, why) = step {
                said.push(format!("{line}: {why}"));
            }
        });
        let ended = ended.await;
        let Import { tally, run, .. } = import;
        run.end(store, tally.counts()).await.unwrap();
        (ended.map(|()| tally), said)
    }

    const fn tally(suppressed: u64, unchanged: u64, refused: u64) -> Tally {
        Tally {
            suppressed,
            unchanged,
            refused,
        }
    }

    /// Ada has left, Bob has not, and of a stranger nothing else is known.
    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let puts = [report(ADA, "{}"), report(BOB, "{}")];
        put_subscribers(&store, &puts, noon()).await.unwrap();
        let asked = notice(ADA, SubscriberStatus::Unsubscribed);
        let reason = "\"never\", she\u{1F980} said";
        let deed = deed(1);
        let done = usecase::suppress(&store, &asked, reason, &deed, noon());
        assert!(done.await.unwrap().is_news);
        let said = [notice(STRANGER, SubscriberStatus::Bounced)];
        usecase::notice_events(&store, &said, noon()).await.unwrap();
        store
    }

    #[tokio::test]
    async fn an_export_has_everybody_who_is_suppressed_and_no_one_else() {
        let expect = format!(
            "email,status,source,account,at,reason\n\
             {STRANGER},bounced,webhook,,2026-03-01T12:00:00.123456Z,\n\
             {ADA},unsubscribed,operator,,2026-03-01T12:00:00.123456Z,\
             \"\"\"never\"\", she\u{1F980} said\"\n"
        );
        assert_eq!(exported(&store().await).await, (expect, 1));
    }

    /// The database is lost; whoever is reported anew is suppressed.
    #[tokio::test]
    async fn what_was_exported_suppresses_in_another_database() {
        let (csv, _) = exported(&store().await).await;
        let fresh = MemoryStore::new();
        let (done, said) = imported(&fresh, &csv).await;
        assert_eq!((done.unwrap(), said), (tally(2, 0, 0), Vec::new()));
        let puts = [ADA, BOB, STRANGER].map(|address| report(address, "{}"));
        put_subscribers(&fresh, &puts, noon()).await.unwrap();
        for (address, status) in [
            (ADA, SubscriberStatus::Unsubscribed),
            (BOB, SubscriberStatus::Active),
            (STRANGER, SubscriberStatus::Bounced),
        ] {
            let known = find_subscriber(&fresh, &email(address)).await.unwrap();
            let known = known.unwrap();
            assert_eq!(known.status, status, "{address}");
            let source = known.suppression.as_ref().map(|known| known.source);
            let expect = status.is_suppressed().then_some(SuppressionSource::Import);
            assert_eq!(source, expect);
            let waits = known.unquiet().count();
            assert_eq!(waits, if status.is_suppressed() { 2 } else { 0 });
        }
        let (done, _) = imported(&fresh, &csv).await;
        assert_eq!(done.unwrap(), tally(0, 2, 0));
        let query = AuditQuery {
            limit: 10,
            ..AuditQuery::default()
        };
        let entries = fresh.entries(&query).await.unwrap();
        assert_eq!(entries.len(), 1, "the same run");
        let counts: HashMap<_, _> = tally(0, 2, 0).counts().into();
        for (name, count) in counts {
            assert_eq!(entries[0].details[name], count);
        }
    }

    #[tokio::test]
    async fn columns_may_be_few_and_in_any_order_and_bad_lines_are_said() {
        let store = store().await;
        let file = format!(
            "status,email\n\
             spam_reported,{ADA}\n\
             active,{BOB}\n\
             bounced,nonsense\n\
             ,{BOB}\n\
             removed, BOB@example.com \n"
        );
        let (done, said) = imported(&store, &file).await;
        let statuses = "removed, bounced, unsubscribed, spam_reported";
        assert_eq!(
            said,
            [
                format!("3: status must be one of {statuses}"),
                "4: email must be a valid e-mail address".to_owned(),
                format!("5: status must be one of {statuses}"),
            ]
        );
        assert_eq!(done.unwrap(), tally(2, 0, 3));
        let known = store
            .load_subscribers_by_id(&[subscriber_id(ADA), subscriber_id(BOB)])
            .await
            .unwrap();
        assert_eq!(
            known[&subscriber_id(ADA)].status,
            SubscriberStatus::SpamReported
        );
        assert_eq!(known[&subscriber_id(BOB)].status, SubscriberStatus::Removed);

        let file = format!(
            "email,status,source,account,at,reason\n{BOB},bounced,rumour,newest,yesterday,a\tb\n"
        );
        let (_, said) = imported(&store, &file).await;
        assert_eq!(
            said,
            [
                "2: source must be empty or one of webhook, answer, move, import, reconciliation, \
              operator; account must be empty or one of old, new; at must be empty or an RFC 3339 \
              time; reason must not contain control characters, as U+0009"
            ]
        );
        for header in [
            "email",
            "email,status,email",
            "email,status,other",
            "status",
        ] {
            let (done, _) = imported(&store, &format!("{header}\n")).await;
            let error = done.unwrap_err().to_string();
            assert!(
                error.contains("must be email,status, and may have source,account,at,reason"),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn all_pages_are_written_one_by_one() {
        let store = MemoryStore::new();
        let said: Vec<_> = (0..=PAGE)
            .map(|n| {
                notice(
                    &format!("person{n:04}@example.com"),
                    SubscriberStatus::Bounced,
                )
            })
            .collect();
        usecase::notice_events(&store, &said, noon()).await.unwrap();
        let (text, parts) = exported(&store).await;
        assert_eq!((text.lines().count(), parts), (PAGE + 2, 2));
    }
}
