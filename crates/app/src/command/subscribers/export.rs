use anyhow::anyhow;
use clap::Args;
use csv::Writer;
use fields::day;
use newsletter::{
    store::{SubscriberFilter, SubscriberQuery, SubscriberReader},
    subscriber::Subscriber,
};

use crate::{args::StoreArgs, output};

pub(super) const COLUMNS: [&str; 6] = [
    "email",
    "name",
    "country",
    "plan_category",
    "status",
    "expires_at",
];
/// The column that an export adds. Imports ignore it: a token is assigned once.
pub(super) const TOKEN: &str = "migration_token";

const PAGE: usize = 500;

/// Print all subscribers as CSV
///
/// Fields are printed as they are, so that `import` reads them back. A spreadsheet treats a field
/// that begins with `=`, `+`, `-` or `@` as a formula: import the columns as text, or use the file
/// only in programs
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

pub(super) async fn export(
    subscribers: &dyn SubscriberReader,
    print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let header = COLUMNS.iter().chain([&TOKEN]).copied();
    pages(
        subscribers,
        SubscriberFilter::default(),
        header,
        write,
        print,
    )
    .await
}

pub(super) async fn pages(
    subscribers: &dyn SubscriberReader,
    filter: SubscriberFilter,
    header: impl IntoIterator<Item = &'static str>,
    write: fn(&mut Writer<Vec<u8>>, &Subscriber) -> csv::Result<()>,
    mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    let mut query = SubscriberQuery {
        filter,
        after: None,
        limit: PAGE,
    };
    loop {
        let page = subscribers.list(&query).await?;
        for subscriber in &page {
            write(&mut writer, subscriber)?;
        }
        let mut written = writer.into_inner().map_err(|error| anyhow!("{error}"))?;
        print(&written)?;
        match page.last() {
            Some(last) if page.len() == PAGE => query.after = Some(last.email.clone()),
            _ => return Ok(()),
        }
        written.clear();
        writer = Writer::from_writer(written);
    }
}

fn write(writer: &mut Writer<Vec<u8>>, subscriber: &Subscriber) -> csv::Result<()> {
    let membership = subscriber.membership;
    let expires_at = membership.and_then(|membership| membership.expires_at);
    writer.write_record([
        subscriber.email.as_str(),
        subscriber.name.as_deref().unwrap_or_default(),
        subscriber.country.as_deref().unwrap_or_default(),
        membership.map_or("", |membership| membership.plan_category.as_str()),
        membership.map_or("", |membership| membership.status.as_str()),
        &expires_at.map(day::write).unwrap_or_default(),
        subscriber.token.reveal(),
    ])
}

#[cfg(test)]
mod tests {
    use kernel::testing::noon;
    use newsletter::{
        testing::{MemoryStore, report, token},
        usecase::put_subscribers,
    };

    use super::*;

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

    #[tokio::test]
    async fn every_field_has_its_column() {
        let store = MemoryStore::new();
        let body = r#"{"name":"Lovelace, \"Ada\"","country":"Côte d'Ivoire","membership":
            {"plan_category":"team","status":"canceled","expires_at":"2027-01-31"}}"#;
        let puts = [report("b@example.com", body), report("a@example.com", "{}")];
        put_subscribers(&store, &puts, noon()).await.unwrap();
        let expect = format!(
            "email,name,country,plan_category,status,expires_at,migration_token\n\
             a@example.com,,,,,,{}\n\
             b@example.com,\"Lovelace, \"\"Ada\"\"\",Côte d'Ivoire,team,canceled,2027-01-31,{}\n",
            token("a@example.com").reveal(),
            token("b@example.com").reveal()
        );
        assert_eq!(exported(&store).await.0, expect);
    }

    #[tokio::test]
    async fn all_pages_are_written_one_by_one() {
        let store = MemoryStore::new();
        assert_eq!(exported(&store).await.0.lines().count(), 1, "the header");
        let person = |n| report(&format!("person{n:04}@example.com"), "{}");
        let puts: Vec<_> = (0..=PAGE).map(person).collect();
        put_subscribers(&store, &puts, noon()).await.unwrap();
        let (text, parts) = exported(&store).await;
        assert_eq!(parts, 2);
        let emails: Vec<_> = text.lines().skip(1).map(|line| &line[..22]).collect();
        assert_eq!(emails.len(), PAGE + 1);
        assert!(emails.is_sorted_by(|one, other| one < other));
    }
}
