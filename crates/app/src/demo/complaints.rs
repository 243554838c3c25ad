//! A report of a reader and an objection of a client, for the console to show.

use domain::{
    report::{NewReport, PostingName, ReportReason, Reporter},
    store::ListQuery,
    usecase::{self, ModerationError},
};
use kernel::{ClientId, Prefixes, ReportId, SourceIdentifier, Status};
use runtime::clock;
use stores::Stores;
use uuid::Uuid;

pub async fn send(database: &Stores, client: ClientId) -> anyhow::Result<()> {
    let (store, now) = (&*database.store, clock::now());
    if let Some(posting) = first(database, Status::Approved).await? {
        let new = NewReport {
            posting: PostingName(posting),
            reason: ReportReason::Closed,
            statement: "I called them: the job was given to someone else last week.".to_owned(),
            reporter: Some(Reporter {
                name: Some("Ada Reader".to_owned()),
                email: "ada@reader.example".to_owned(),
            }),
            url: None,
        };
        let (ports, id) = ((store, &*database.reports), ReportId::new(Uuid::now_v7()));
        usecase::report(ports, &new, id, &Prefixes::ALL, now).await?;
    }
    if let Some(posting) = first(database, Status::Rejected).await? {
        let ports = (store, &*database.postings);
        let statement = "The crawler took the wrong page; the posting itself is good.";
        match usecase::object(ports, &posting, statement, client, now).await {
            Ok(()) | Err(ModerationError::Objection(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

async fn first(database: &Stores, status: Status) -> anyhow::Result<Option<SourceIdentifier>> {
    let query = ListQuery {
        status: Some(status),
        limit: 1,
        ..ListQuery::default()
    };
    let page = database.postings.list(&query).await?;
    let first = page.postings.into_iter().next();
    Ok(first.map(|view| view.posting.source_identifier))
}
