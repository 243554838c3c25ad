//! Copies all rows from the embedded database into an empty PostgreSQL database.
//!
//! Rows are copied table by table in the order of their keys, so an interrupted copy resumes. At
//! the end every row is compared, because the source may have changed between two attempts.

use std::{collections::BTreeSet, path::Path};

use adapters_postgres::{Begun, CopyTarget, PostgresUrl};
use adapters_sqlite::{
    CopySource,
    rows::{Column, Row, TABLES, Table, ZERO, key_of},
};
use anyhow::{Context as _, anyhow, bail, ensure};
use cli::{output, text::hex};
use kernel::StoreError;
use sha2::{Digest as _, Sha256};
use tokio::task::block_in_place;

const SHOWN_DIGITS: usize = 16;

/// A copy in progress. Reads of the source block the thread (in `block_in_place`).
pub struct Copying {
    source: CopySource,
    target: CopyTarget,
    batch: usize,
}

impl Copying {
    /// Each write has at most `batch` rows. Fails if another process has the source open.
    pub async fn open(source: &Path, target: &PostgresUrl, batch: usize) -> anyhow::Result<Self> {
        let opened = block_in_place(|| CopySource::open(source)).map_err(|error| match error {
            StoreError::Unavailable(why) => anyhow!(
                "{} is in use ({why}); stop every service and command that has it open, and try \
                 again",
                source.display()
            ),
            error => anyhow::Error::new(error).context("cannot open the database"),
        })?;
        let target = CopyTarget::open(target).await;
        Ok(Self {
            source: opened,
            target: target.context("cannot open the database to copy to")?,
            batch,
        })
    }

    /// Copies all rows and prints the progress. Returns the number of rows.
    pub async fn run(&mut self) -> anyhow::Result<u64> {
        let columns = self.target.columns().await?;
        self.check_source(&columns)?;
        match self.target.begin().await? {
            Begun::New => {}
            Begun::Resumed => output::print("Resuming an interrupted copy.")?,
            Begun::InUse(tables) => bail!(
                "the database to copy to is not empty: there are rows in {}; name an empty one",
                tables.join(", ")
            ),
        }
        for (table, columns) in TABLES.into_iter().zip(&columns) {
            let rows = self.copy(table, columns).await?;
            output::print(format_args!("{:<20}{rows:>10} rows copied", table.name))?;
        }
        let mut all = 0;
        for (table, columns) in TABLES.into_iter().zip(&columns) {
            let (rows, digest) = self.compare(table, columns).await?;
            let digest = digest.get(..SHOWN_DIGITS).unwrap_or_default();
            output::print(format_args!(
                "{:<20}{rows:>10} rows are equal, SHA-256 {digest}…",
                table.name
            ))?;
            all += rows;
        }
        let outbox = block_in_place(|| self.source.last_number("outbox"))?;
        let events = block_in_place(|| self.source.last_number("events"))?;
        self.target.finish(outbox, events).await?;
        Ok(all)
    }

    fn check_source(&mut self, columns: &[Vec<Column>]) -> anyhow::Result<()> {
        let pending = block_in_place(|| self.source.pending_migrations())?;
        ensure!(
            pending.is_empty(),
            "the embedded database lacks {}; run `posthaste migrate` on it first",
            pending.join(", ")
        );
        let there: BTreeSet<String> = block_in_place(|| self.source.tables())?
            .into_iter()
            .collect();
        let known = TABLES.map(|table| table.name.to_owned()).into();
        ensure!(
            there == known,
            "only the embedded database or only this program has the tables {}",
            there
                .symmetric_difference(&known)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        );
        for (table, columns) in TABLES.into_iter().zip(columns) {
            let there: BTreeSet<String> = block_in_place(|| self.source.columns(&table))?
                .into_iter()
                .collect();
            let copied: BTreeSet<String> = columns.iter().map(|it| it.name.clone()).collect();
            let differ = there.symmetric_difference(&copied);
            let mut differ = differ.filter(|name| !ZERO.contains(&name.as_str()));
            if let Some(name) = differ.next() {
                bail!(
                    "only one of the databases has the column {}.{name}",
                    table.name
                );
            }
        }
        Ok(())
    }

    async fn copy(&mut self, table: Table, columns: &[Column]) -> anyhow::Result<u64> {
        let last = self.target.last(table, columns).await?;
        let mut after = key(&table, columns, last.as_ref())?;
        let mut copied = 0;
        loop {
            let rows = self.source_page(table, columns, after.as_deref())?;
            if rows.is_empty() {
                return Ok(copied);
            }
            let write = self.target.write(table, columns, &rows).await;
            write.with_context(|| format!("cannot write rows of {}", table.name))?;
            copied += rows.len() as u64;
            after = key(&table, columns, rows.last())?;
        }
    }

    async fn compare(&mut self, table: Table, columns: &[Column]) -> anyhow::Result<(u64, String)> {
        let (mut after, mut compared) = (None, 0);
        let mut digest = Sha256::new();
        loop {
            let rows = self.source_page(table, columns, after.as_deref())?;
            // Reads at least one row, to find rows that only the target has.
            let most = rows.len().max(1);
            let copied = self
                .target
                .page(table, columns, after.as_deref(), most)
                .await?;
            ensure!(
                rows == copied,
                "the rows of {} differ from row {} on: the embedded database has changed since the \
                 copy began, or something else writes to the new one; begin again with an empty one",
                table.name,
                compared + equal(&rows, &copied) + 1
            );
            if rows.is_empty() {
                return Ok((compared, hex(&digest.finalize())));
            }
            for row in &rows {
                digest.update(serde_json::to_vec(row)?);
            }
            compared += rows.len() as u64;
            after = key(&table, columns, rows.last())?;
        }
    }

    fn source_page(
        &mut self,
        table: Table,
        columns: &[Column],
        after: Option<&[String]>,
    ) -> anyhow::Result<Vec<Row>> {
        let (source, batch) = (&mut self.source, self.batch);
        let page = block_in_place(|| source.page(&table, columns, after, batch));
        page.with_context(|| format!("cannot read rows of {}", table.name))
    }
}

fn key(
    table: &Table,
    columns: &[Column],
    row: Option<&Row>,
) -> Result<Option<Vec<String>>, StoreError> {
    row.map(|row| key_of(table, columns, row)).transpose()
}

/// The number of equal rows at the start of both slices.
fn equal(rows: &[Row], others: &[Row]) -> u64 {
    let pairs = rows.iter().zip(others);
    pairs.take_while(|(row, other)| row == other).count() as u64
}
