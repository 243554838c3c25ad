use anyhow::anyhow;
use clap::Args;
use csv::WriterBuilder;
use domain::report::Reports;
use time::OffsetDateTime;
use views::report::StatementView;

use crate::{
    args::{StoreArgs, values::since},
    output,
};

const PAGE: usize = 500;

const COLUMNS: [&str; 7] = [
    "date",
    "outcome",
    "ground",
    "code",
    "automated",
    "by_notice",
    "objection",
];

/// Print rejections and removals, the oldest first, for a transparency report
///
/// The statements name no posting and no person
#[derive(Debug, Args)]
pub struct Statements {
    /// Only statements since this day, such as `2026-03-01`, or this RFC 3339 time
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: OffsetDateTime,

    /// Print CSV instead of one JSON object per line
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    store: StoreArgs,
}

impl Statements {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        export(
            &*database.reports,
            self.since,
            self.csv,
            output::print_lines,
        )
        .await
    }
}

async fn export(
    reports: &dyn Reports,
    since: OffsetDateTime,
    as_csv: bool,
    mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut after = None;
    if as_csv {
        print(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
    }
    loop {
        let page = reports.statements(since, after, PAGE).await?;
        let mut writer = WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        let mut lines = Vec::new();
        for statement in &page {
            let view = StatementView::new(statement);
            if as_csv {
                writer.serialize(&view)?;
            } else {
                serde_json::to_writer(&mut lines, &view)?;
                lines.push(b'\n');
            }
        }
        print(&writer.into_inner().map_err(|error| anyhow!("{error}"))?)?;
        print(&lines)?;
        match page.last() {
            Some(last) if page.len() == PAGE => after = Some((last.at, last.posting)),
            _ => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        posting::{Lifetime, moderation::Moderation},
        testing::{MemoryStore, create},
        usecase::{ingest, moderate},
    };
    use kernel::{
        Ground,
        testing::{by_ann, identifier, minutes, noon},
    };

    use super::*;

    #[tokio::test]
    async fn a_statement_is_a_line_without_posting_and_person() {
        let store = MemoryStore::new();
        ingest(&store, &[create("a", "acme")], Lifetime::NEVER, noon())
            .await
            .unwrap();
        let (reason, ground) = ("A fraud.".to_owned(), Ground::Law);
        let (id, command) = (identifier("a"), Moderation::Expire { reason, ground });
        moderate(
            &store,
            &id,
            &command,
            None,
            &by_ann(1),
            Lifetime::NEVER,
            noon(),
        )
        .await
        .unwrap();
        for (since, as_csv, expect) in [
            (
                noon(),
                true,
                "date,outcome,ground,code,automated,by_notice,objection\n\
                 2026-03-01,removed,law,operator,false,false,\n",
            ),
            (
                noon(),
                false,
                "{\"date\":\"2026-03-01\",\"outcome\":\"removed\",\"ground\":\"law\",\
                 \"code\":\"operator\",\"automated\":false,\"by_notice\":false,\
                 \"objection\":null}\n",
            ),
            (noon() + minutes(1), false, ""),
        ] {
            let mut text = Vec::new();
            let print = |bytes: &[u8]| {
                text.extend_from_slice(bytes);
                Ok(())
            };
            export(&store, since, as_csv, print).await.unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expect);
        }
    }
}
