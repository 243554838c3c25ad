use std::{
    fmt::Write as _,
    fs::{File, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use clap::Args;
use domain::{
    posting::PostingView,
    store::{self, ListQuery, PostingReader, Retention, Texts},
};
use flate2::{Compression, write::GzEncoder};
use kernel::{Status, audit::Attribution};
use runtime::clock;
use serde::Serialize;
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use views::posting::PostingWithHistory;

use crate::{
    args::{
        ChangeArgs, JsonArgs, LONGEST_TEXTS_KEPT,
        values::{since, whole},
    },
    output,
};

pub(super) const BATCH: usize = 200;
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Delete postings that expired long ago and have not changed since, except postings that an
/// operator took down
#[derive(Debug, Args)]
pub struct Purge {
    /// Only postings that expired at least this number of days ago, or before this day, such as
    /// `2026-03-01`, or time
    #[arg(long, value_name = "DAYS|TIME", value_parser = expired_before)]
    expired_before: Before,

    /// Print the number of postings, and delete nothing
    #[arg(long)]
    dry_run: bool,

    /// First write the postings to a new file, one JSON object per line; compressed if the name
    /// ends with `.gz`
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Purge {
    pub async fn run(self) -> anyhow::Result<()> {
        let now = clock::now();
        let before = self.expired_before.time(now)?;
        let (by, database) = self.change.open().await?;
        let purging = Purging {
            before,
            dry_run: self.dry_run,
            archive: self.archive,
            by,
            now,
        };
        let summary = purging
            .run(&*database.postings, &*database.retention)
            .await?;
        self.json.print(&summary, || summary.sentence())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Days(i64),
    At(OffsetDateTime),
}

impl Before {
    fn time(self, now: OffsetDateTime) -> anyhow::Result<OffsetDateTime> {
        let at = match self {
            Self::Days(days) => now.checked_sub(time::Duration::days(days)),
            Self::At(at) => Some(at),
        };
        at.filter(|at| *at <= now)
            .context("--expired-before must name a time in the past")
    }
}

fn expired_before(text: &str) -> Result<Before, String> {
    if text.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return whole("days", 1..=LONGEST_TEXTS_KEPT)(text.trim()).map(Before::Days);
    }
    let at = since(text).map(Before::At);
    at.map_err(|why| format!("{why}, nor a number of days"))
}

#[derive(Clone, Debug)]
pub(super) struct Purging {
    pub before: OffsetDateTime,
    pub dry_run: bool,
    pub archive: Option<PathBuf>,
    pub by: Attribution,
    pub now: OffsetDateTime,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Summary {
    pub purged: u64,
    /// Postings that stay because they changed or were locked meanwhile.
    pub left: u64,
    /// Taken-down postings stay, so that their identifiers remain taken down.
    pub taken_down: u64,
    pub expired_before: String,
    pub archive: Option<PathBuf>,
    pub dry_run: bool,
}

impl Summary {
    pub(super) fn sentence(&self) -> String {
        let Self {
            purged,
            left,
            taken_down,
            ..
        } = self;
        let did = if self.dry_run {
            "would be deleted"
        } else {
            "deleted"
        };
        let mut text = format!(
            "{purged} postings that expired before {} {did}.",
            self.expired_before
        );
        if *left > 0 {
            let more = "changed meanwhile or were in use, and stay; run it again.";
            let _ = write!(text, " {left} {more}");
        }
        if *taken_down > 0 {
            let _ = write!(
                text,
                " {taken_down} stay because an operator took them down."
            );
        }
        if let Some(archive) = self.archive.as_ref().filter(|_| !self.dry_run) {
            let _ = write!(text, " The deleted postings are in {}.", archive.display());
        }
        text
    }
}

/// A new file of JSON lines. Each compressed batch is a separate gzip member, so the file is
/// readable even after an interrupted run.
struct Archive {
    file: File,
    is_compressed: bool,
}

impl Archive {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        // Never overwrites the archive of an earlier run: its postings are already deleted.
        let options = options.write(true).create_new(true).mode(0o600);
        let file = options
            .open(path)
            .with_context(|| format!("cannot create the archive {}", path.display()))?;
        let is_compressed = path.extension().is_some_and(|it| it == "gz");
        Ok(Self {
            file,
            is_compressed,
        })
    }

    /// Writes postings, and returns once they are on disk.
    fn write(&mut self, postings: &[PostingView]) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        for view in postings {
            serde_json::to_writer(&mut lines, &PostingWithHistory::new(view, None))?;
            lines.push(b'\n');
        }
        if self.is_compressed {
            let mut member = GzEncoder::new(&mut self.file, Compression::default());
            member.write_all(&lines)?;
            member.finish()?;
        } else {
            self.file.write_all(&lines)?;
        }
        self.file.sync_data()?;
        Ok(())
    }
}

impl Purging {
    /// Purges expired postings, beginning with those that have been unchanged longest. If the run
    /// stops at any point, the archive has every deleted posting, and the next run continues.
    pub(super) async fn run(
        &self,
        postings: &dyn PostingReader,
        retention: &dyn Retention,
    ) -> anyhow::Result<Summary> {
        let mut archive = match &self.archive {
            Some(path) if !self.dry_run => Some(Archive::create(path)?),
            _ => None,
        };
        let mut summary = Summary {
            purged: 0,
            left: 0,
            taken_down: 0,
            expired_before: output::time(self.before),
            archive: self.archive.clone(),
            dry_run: self.dry_run,
        };
        let mut query = ListQuery {
            status: Some(Status::Expired),
            texts: Texts::None,
            limit: BATCH,
            ..ListQuery::default()
        };
        if archive.is_some() {
            query.texts = Texts::All;
        }
        loop {
            let start = Instant::now();
            let page = postings.list(&query).await?;
            query.after = page.next;
            let found = page.postings.len();
            let mut old = page.postings;
            old.retain(|view| view.posting.is_long_expired(self.before));
            // The list ascends by last update, which is never before the expiry.
            let is_last = old.len() < found || query.after.is_none();
            let expired = old.len();
            old.retain(|view| !view.posting.is_moderated());
            summary.taken_down += (expired - old.len()) as u64;
            if self.dry_run {
                summary.purged += old.len() as u64;
            } else if !old.is_empty() {
                let count = old.len() as u64;
                if let Some(archive) = &mut archive {
                    old = with_history(postings, old).await?;
                    archive.write(&old)?;
                }
                let purge = store::Purge {
                    postings: old
                        .iter()
                        .map(|view| (view.posting.id, view.posting.version))
                        .collect(),
                    before: self.before,
                    archive: self.archive.as_ref().map(|path| path.display().to_string()),
                    earlier: summary.purged,
                    by: self.by.clone(),
                    at: self.now,
                };
                let purged = retention.purge(&purge).await? as u64;
                summary.purged += purged;
                summary.left += count - purged;
            }
            if is_last {
                return Ok(summary);
            }
            if !self.dry_run {
                // Half of the time is left to clients that push.
                sleep(start.elapsed().min(LONGEST_PAUSE)).await;
            }
        }
    }
}

/// Adds histories, and drops postings that changed meanwhile.
async fn with_history(
    postings: &dyn PostingReader,
    views: Vec<PostingView>,
) -> anyhow::Result<Vec<PostingView>> {
    let mut found = Vec::with_capacity(views.len());
    for view in views {
        let same = postings.find(&view.posting.source_identifier).await?;
        found.extend(same.filter(|same| same.posting.version == view.posting.version));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::values::tests::check;

    #[test]
    fn a_time_in_the_past_is_a_day_or_so_many_days_ago() {
        check(
            expired_before,
            r#"
            365         | Days(365)
            0           ! "0" is not a whole number of days from 1 to
            2026-03-01  | At(2026-03-01 0:00:00.0 +00:00:00)
            soon        ! "soon" is neither a day
            "#,
        );
    }
}
