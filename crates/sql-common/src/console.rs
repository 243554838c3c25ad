use std::collections::BTreeMap;

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    browse::{PostingSummary, WindowOrder},
    posting::Shown,
    store::Position,
};
use kernel::{Actor, ClientId, PostingId, SourceIdentifier, Status, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds,
    company::company,
    executor::{Executor, Outcome, counted},
    posting::original,
    read,
    sql::count_of,
    statement,
    stored::{Decode, decoded, end_of, most},
    types::{Id, Moment, Read, StoredTime},
};

/// Selects a window of postings. Subqueries find company names: a join might read all companies.
fn window_of(condition: &str, order: &str) -> String {
    format!(
        "SELECT {{postings read}},
            (SELECT name FROM companies WHERE companies.id = postings.company_id) AS company
        FROM postings WHERE {condition} ORDER BY {order} LIMIT :limit"
    )
}

read! {
    SummaryRow = postings {
        id: Id,
        version: BigInt,
        source_identifier: Text,
        status: Text,
        status_reason: Nullable<Text>,
        moderated: Bool,
        is_featured: Bool,
        title: Text,
        shown: Nullable<Text>,
        created_by: Nullable<Text>,
        duplicate_of: Nullable<Id>,
        duplicate_identifier: Nullable<Text>,
        created_at: Moment,
        published_at: Nullable<Moment>,
        updated_at: Moment,
    }
}

type Columns = (SummaryRow, Nullable<Text>);

statement! {
    Newest = &window_of("(updated_at, id) < (:at, :id)", "updated_at DESC, id DESC"),
    returns Columns;

    NewestOfStatus = &window_of(
        "status = :status AND (updated_at, id) < (:at, :id)",
        "updated_at DESC, id DESC"
    ),
    returns Columns;

    /// With `>` as a second lower bound, SQLite might read all identifiers up to the prefix.
    ByIdentifier = &window_of(
        "source_identifier >= :start AND source_identifier <> :after AND source_identifier < :end",
        "source_identifier"
    ),
    returns Columns;

    Copies = &window_of(
        "duplicate_of IS NOT NULL AND (updated_at, id) < (:at, :id)",
        "updated_at DESC, id DESC"
    ),
    returns Columns;

    OfCompany = &window_of("company_id = :company AND id < :before", "id DESC"),
    returns Columns
}

fn place(before: Option<Position>) -> (StoredTime, Uuid) {
    before.map_or((StoredTime::MAX, Uuid::max()), |it| {
        (it.updated_at.into(), it.id)
    })
}

pub async fn window(
    conn: &mut impl Executor,
    order: &WindowOrder,
    limit: usize,
) -> Outcome<Vec<PostingSummary>> {
    let limit = most(limit);
    let rows = match order {
        WindowOrder::Newest { status, before } => {
            let (at, id) = place(*before);
            match status {
                None => conn.load::<Newest>(binds! { at, id, limit }).await,
                Some(status) => {
                    let asked = binds! { status: status.as_str(), at, id, limit };
                    conn.load::<NewestOfStatus>(asked).await
                }
            }
        }
        WindowOrder::Identifier { prefix, after } => {
            let after = after.as_ref().map_or("", SourceIdentifier::as_str);
            let (start, end) = (after.max(prefix), end_of(prefix));
            let asked = binds! { start, after, end: &end, limit };
            conn.load::<ByIdentifier>(asked).await
        }
        WindowOrder::Copies { before } => {
            let (at, id) = place(*before);
            conn.load::<Copies>(binds! { at, id, limit }).await
        }
        WindowOrder::Company { company, before } => {
            let before = before.map_or(Uuid::max(), PostingId::uuid);
            let asked = binds! { company: company.uuid(), before, limit };
            conn.load::<OfCompany>(asked).await
        }
    }?;
    let mut postings = Vec::with_capacity(rows.len());
    for (row, name) in rows {
        let shown: Option<Shown> = row.shown.clone().decode("postings.shown")?;
        let mut posting = summary((row, name))?;
        if let Some(shown) = shown {
            let company = match shown.company_id {
                Some(id) => company(conn, id).await?,
                None => None,
            };
            posting.show(&shown, company.map(|it| it.company.name));
        }
        postings.push(posting);
    }
    Ok(postings)
}

fn summary((row, company): Read<Columns>) -> Result<PostingSummary, StoreError> {
    let duplicate_of = original(row.duplicate_of, row.duplicate_identifier)?;
    Ok(decoded!(row of postings => PostingSummary {
        id, version, source_identifier, status, status_reason, moderated, is_featured, title,
        created_by, created_at, published_at, updated_at;
        company: company.unwrap_or_default(),
        duplicate_of,
    }))
}

statement! {
    CountStatus = &count_of("postings WHERE status = :status"),
    returns (BigInt,)
}

pub async fn count_status(
    conn: &mut impl Executor,
    status: Status,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { status: status.as_str(), limit: most(limit) };
    Ok(counted(&conn.load::<CountStatus>(asked).await?))
}

/// Counts each client's visible postings. Reads only a partial index, which includes the creator.
fn visible_of(hint: &str) -> String {
    format!(
        "SELECT created_by, count(*) FROM postings {hint}
        WHERE status = 'approved' AND created_by IS NOT NULL GROUP BY created_by"
    )
}

statement! {
    /// Without the hint, SQLite would read all postings with the status.
    Visible = {
        postgres: &visible_of(""),
        sqlite: &visible_of("INDEXED BY postings_visible"),
    },
    returns (Text, BigInt);

    /// The condition matches a partial index with few postings.
    HeldBack = r"
        SELECT created_by, count(*) FROM postings
        WHERE held_at <= :now AND created_by IS NOT NULL GROUP BY created_by",
    returns (Text, BigInt)
}

pub async fn visible(conn: &mut impl Executor) -> Outcome<BTreeMap<ClientId, u64>> {
    by_client(conn.load::<Visible>(&[]).await?)
}

pub async fn held_back(
    conn: &mut impl Executor,
    now: OffsetDateTime,
) -> Outcome<BTreeMap<ClientId, u64>> {
    by_client(conn.load::<HeldBack>(binds! { now }).await?)
}

fn by_client(rows: Vec<(String, i64)>) -> Outcome<BTreeMap<ClientId, u64>> {
    let mut visible = BTreeMap::new();
    for (actor, count) in rows {
        if let Actor::Client(client) = actor.decode("postings.created_by")? {
            visible.insert(client, count.decode("postings.count")?);
        }
    }
    Ok(visible)
}
