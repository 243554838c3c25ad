use std::sync::Arc;

use access::ClientRef;
use clap::Args;
use domain::browse::{self, PostingBrowser, PostingSearch, PostingSummary, Words};
use kernel::Status;
use serde_json::{Value, json};

use crate::{
    args::{ListArgs, StoreArgs, values},
    command::clients::find_client,
    output,
};

pub(super) const PAGE: usize = 200;

/// List postings, the last changed first
#[derive(Debug, Args)]
pub struct List {
    /// Only postings of this status: `pending`, `approved`, `rejected` or `expired`
    #[arg(long, value_name = "STATUS", value_parser = values::named(Status::NAMES, values::status))]
    status: Option<Status>,

    /// Only postings whose identifiers begin with this; they are listed by identifier
    #[arg(long, value_name = "PREFIX")]
    id: Option<String>,

    /// Only postings with these words, or beginnings of words, in the title
    #[arg(long, value_name = "WORDS")]
    title: Option<String>,

    /// Only postings with these words, or beginnings of words, in the company's name
    #[arg(long, value_name = "WORDS")]
    company: Option<String>,

    /// Only postings that this client created: its id, or its name if no other client has it
    #[arg(long, value_name = "CLIENT")]
    client: Option<ClientRef>,

    /// Only postings that duplicate another one
    #[arg(long)]
    duplicates: bool,
    #[command(flatten)]
    rows: ListArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl List {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let client = match &self.client {
            Some(named) => Some(find_client(named, &*database.clients).await?.id),
            None => None,
        };
        let words = |text: Option<String>| Words::of(&text.unwrap_or_default());
        let wanted = PostingSearch {
            identifier: self.id.map(Arc::from),
            words: words(self.title),
            company: words(self.company),
            status: self.status,
            client,
            duplicates: self.duplicates,
            ..PostingSearch::default()
        };
        print(&*database.browser, &wanted, &self.rows, output::print).await
    }
}

fn data(posting: &PostingSummary) -> Value {
    let original = posting.duplicate_of.as_ref();
    json!({
        "uuid": posting.id.uuid(),
        "unique_source_identifier": posting.source_identifier.as_str(),
        "status": posting.status.as_str(),
        "status_reason": posting.status_reason,
        "title": posting.title,
        "company": posting.company,
        "duplicate_of": original.map(|it| it.id.uuid()),
        "original": original.map(|it| it.source_identifier.as_str()),
        "created_at": output::time(posting.created_at),
        "updated_at": output::time(posting.updated_at),
    })
}

const COLUMNS: &str = "UPDATED (UTC)=updated_at:16  STATUS=status:17  \
                       ID=unique_source_identifier:20  TITLE=title:..80";

pub(super) async fn print(
    browser: &dyn PostingBrowser,
    wanted: &PostingSearch,
    args: &ListArgs,
    print: impl FnMut(String) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut list = output::List::new(args.json.enabled, COLUMNS, print);
    list.page(&[(); 0])?;
    let (mut next, mut has_more) = (None, false);
    while list.shown() < args.limit {
        let limit = (args.limit - list.shown()).min(PAGE);
        let page = browse::search(browser, wanted, next, limit, |_| true).await?;
        list.page(&page.postings.iter().map(data).collect::<Vec<_>>())?;
        next = page.next;
        has_more = next.is_some();
        if !has_more {
            break;
        }
    }
    list.end("", output::more(has_more))
}
