//! `posthaste postings list`: postings page by page, as rows or as JSON.

use domain::{
    posting::{PostingView, Status},
    store::{ListQuery, PostingReader},
};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    cli::PostingsListArgs,
    output,
    text::{self, plain},
};

/// Postings that are read at a time.
pub(super) const PAGE: usize = 200;
/// Columns of a row.
pub(super) const WIDTH: usize = 80;

/// The options of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listing {
    pub status: Option<Status>,
    pub limit: usize,
    pub as_json: bool,
}

impl From<&PostingsListArgs> for Listing {
    fn from(args: &PostingsListArgs) -> Self {
        Self {
            status: args.status,
            limit: args.limit,
            as_json: args.json.enabled,
        }
    }
}

/// A posting as JSON shows it in a list; `show` has the rest.
#[derive(Debug, Serialize)]
struct Row<'a> {
    uuid: Uuid,
    unique_source_identifier: &'a str,
    status: &'a str,
    status_reason: Option<&'a str>,
    title: &'a str,
    company: &'a str,
    created_at: String,
    updated_at: String,
}

impl<'a> Row<'a> {
    fn new(
        PostingView {
            posting, company, ..
        }: &'a PostingView,
    ) -> Self {
        Self {
            uuid: posting.id.uuid(),
            unique_source_identifier: posting.source_identifier.as_str(),
            status: posting.status.as_str(),
            status_reason: posting.status_reason.as_deref(),
            title: &posting.details.title,
            company: &company.name,
            created_at: output::time(posting.created_at),
            updated_at: output::time(posting.updated_at),
        }
    }
}

impl Listing {
    /// Prints postings, the longest unchanged first, page by page.
    pub(super) async fn hand_over(
        self,
        postings: &dyn PostingReader,
        mut print: impl FnMut(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if !self.as_json {
            print(row("UPDATED (UTC)", "STATUS", "ID", "TITLE"))?;
        }
        let mut query = ListQuery {
            status: self.status,
            ..ListQuery::default()
        };
        let (mut shown, mut is_more) = (0, false);
        while shown < self.limit {
            query.limit = (self.limit - shown).min(PAGE);
            let page = postings.list(&query).await?;
            for view in &page.postings {
                print(if self.as_json {
                    let before = if shown == 0 { "[" } else { "," };
                    before.to_owned() + &text::json(&serde_json::to_string(&Row::new(view))?)
                } else {
                    line(view)
                })?;
                shown += 1;
            }
            query.after = page.next;
            is_more = query.after.is_some();
            if !is_more {
                break;
            }
        }
        if self.as_json {
            print(if shown == 0 { "[]" } else { "]" }.to_owned())
        } else if is_more {
            print("and more; `--limit` takes a larger number of rows".to_owned())
        } else {
            Ok(())
        }
    }
}

fn line(PostingView { posting, .. }: &PostingView) -> String {
    row(
        &output::minute(posting.updated_at),
        posting.status.as_str(),
        &plain(posting.source_identifier.as_str()),
        &plain(&posting.details.title),
    )
}

/// A row that fits a terminal, unless the identifier leaves too little room for the title.
pub(super) fn row(updated: &str, status: &str, id: &str, title: &str) -> String {
    let start = format!("{updated:<16}  {status:<17}  {id:<20}  ");
    let room = WIDTH.saturating_sub(start.chars().count()).max(16);
    let row = start + &text::shorten(title, room);
    row.trim_end().to_owned()
}
