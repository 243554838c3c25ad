//! `posthaste postings list`: postings page by page, as rows or as JSON.

use std::sync::Arc;

use access::Clients;
use domain::browse::{self, PostingBrowser, PostingSearch, PostingSummary, Words};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    cli::PostingsListArgs,
    command::clients,
    output,
    text::{self, plain},
};

/// Postings that are read at a time.
pub(super) const PAGE: usize = 200;
/// Columns of a row.
pub(super) const WIDTH: usize = 80;

/// What is listed, and how.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub wanted: PostingSearch,
    pub limit: usize,
    pub as_json: bool,
}

impl Listing {
    /// The listing that an operator asked for.
    pub(super) async fn of(args: &PostingsListArgs, known: &dyn Clients) -> anyhow::Result<Self> {
        let client = match &args.client {
            Some(named) => Some(clients::find(known, named).await?.id),
            None => None,
        };
        let words = |text: &Option<String>| Words::of(text.as_deref().unwrap_or_default());
        let wanted = PostingSearch {
            identifier: args.id.as_deref().map(Arc::from),
            words: words(&args.title),
            company: words(&args.company),
            status: args.status,
            client,
        };
        Ok(Self {
            wanted,
            limit: args.limit,
            as_json: args.json.enabled,
        })
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
    fn new(posting: &'a PostingSummary) -> Self {
        Self {
            uuid: posting.id.uuid(),
            unique_source_identifier: posting.source_identifier.as_str(),
            status: posting.status.as_str(),
            status_reason: posting.status_reason.as_deref(),
            title: &posting.title,
            company: &posting.company,
            created_at: output::time(posting.created_at),
            updated_at: output::time(posting.updated_at),
        }
    }
}

impl Listing {
    /// Prints postings page by page.
    pub(super) async fn hand_over(
        self,
        browser: &dyn PostingBrowser,
        mut print: impl FnMut(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if !self.as_json {
            print(row("UPDATED (UTC)", "STATUS", "ID", "TITLE"))?;
        }
        let (mut shown, mut next, mut is_more) = (0, None, false);
        while shown < self.limit {
            let limit = (self.limit - shown).min(PAGE);
            let page = browse::search(browser, &self.wanted, next, limit, |_| true).await?;
            for posting in &page.postings {
                print(if self.as_json {
                    let before = if shown == 0 { "[" } else { "," };
                    before.to_owned() + &text::json(&serde_json::to_string(&Row::new(posting))?)
                } else {
                    line(posting)
                })?;
                shown += 1;
            }
            next = page.next;
            is_more = next.is_some();
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

fn line(posting: &PostingSummary) -> String {
    row(
        &output::minute(posting.updated_at),
        posting.status.as_str(),
        &plain(posting.source_identifier.as_str()),
        &plain(&posting.title),
    )
}

/// A row that fits a terminal, unless the identifier leaves too little room for the title.
pub(super) fn row(updated: &str, status: &str, id: &str, title: &str) -> String {
    let start = format!("{updated:<16}  {status:<17}  {id:<20}  ");
    let room = WIDTH.saturating_sub(start.chars().count()).max(16);
    let row = start + &text::shorten(title, room);
    row.trim_end().to_owned()
}
