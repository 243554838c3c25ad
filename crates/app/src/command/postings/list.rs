//! `posthaste postings list`: postings page by page, as rows or as JSON.

use std::sync::Arc;

use clap::Args;
use domain::browse::{self, PostingBrowser, PostingSearch, PostingSummary, Words};
use kernel::Status;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    cli::{
        ListArgs, StoreArgs,
        values::{self, ClientRef},
    },
    command::clients,
    output, text,
};

/// Postings that are read at a time.
pub(super) const PAGE: usize = 200;
/// Columns of a row.
pub(super) const WIDTH: usize = 80;

/// List postings, the last changed first
#[derive(Debug, Args)]
pub struct List {
    /// Only postings of this status: `PendingEnrichment`, `approved`, `rejected` or `expired`
    #[arg(long, value_name = "STATUS", value_parser = values::status)]
    status: Option<Status>,

    /// Only postings whose identifiers begin so; they are listed by identifier
    #[arg(long, value_name = "PREFIX")]
    id: Option<String>,

    /// Only postings with these words, or words that begin so, in the title
    #[arg(long, value_name = "WORDS")]
    title: Option<String>,

    /// Only postings with these words, or words that begin so, in the company's name
    #[arg(long, value_name = "WORDS")]
    company: Option<String>,

    /// Only postings that this client created: its id, or its name if no other client has it
    #[arg(long, value_name = "CLIENT", value_parser = values::client)]
    client: Option<ClientRef>,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let client = match &self.client {
            Some(named) => Some(clients::find(&*database.clients, named).await?.id),
            None => None,
        };
        let words = |text: Option<String>| Words::of(&text.unwrap_or_default());
        let wanted = PostingSearch {
            identifier: self.id.map(Arc::from),
            words: words(self.title),
            company: words(self.company),
            status: self.status,
            client,
            ..PostingSearch::default()
        };
        print(&*database.browser, &wanted, &self.rows, output::print).await
    }
}

/// A posting as JSON shows it in a list; `show` has the rest.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row<'a> {
    pub uuid: Uuid,
    pub unique_source_identifier: &'a str,
    pub status: &'a str,
    pub status_reason: Option<&'a str>,
    pub title: &'a str,
    pub company: &'a str,
    pub created_at: String,
    pub updated_at: String,
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

impl output::Row for Row<'_> {
    const HEADINGS: &'static str = "UPDATED (UTC)  STATUS  ID  TITLE";
    const WIDTHS: &'static [usize] = &[16, 17, 20, 5];

    /// Cells that fit a terminal, unless the identifier leaves too little room for the title.
    fn cells(&self) -> Vec<String> {
        let id = self.unique_source_identifier;
        let start = 16 + 2 + 17 + 2 + id.chars().count().max(20) + 2;
        let room = WIDTH.saturating_sub(start).max(16);
        vec![
            output::to_the_minute(&self.updated_at),
            self.status.to_owned(),
            id.to_owned(),
            text::shorten(&text::plain(self.title), room),
        ]
    }
}

/// Prints postings page by page.
pub(super) async fn print(
    browser: &dyn PostingBrowser,
    wanted: &PostingSearch,
    args: &ListArgs,
    print: impl FnMut(String) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut list = output::List::new(args.json.enabled, print);
    list.page::<Row<'_>>(&[])?;
    let (mut next, mut has_more) = (None, false);
    while list.shown() < args.limit {
        let limit = (args.limit - list.shown()).min(PAGE);
        let page = browse::search(browser, wanted, next, limit, |_| true).await?;
        list.page(&page.postings.iter().map(Row::new).collect::<Vec<_>>())?;
        next = page.next;
        has_more = next.is_some();
        if !has_more {
            break;
        }
    }
    list.end("", output::more(has_more))
}
