//! Loads postings for use cases, finds expired ones, and serves API reads.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SelectableHelper,
    SqliteConnection,
    dsl::{IntoBoxed, sql},
    sql_types::{Bool, Text},
    sqlite::Sqlite,
};
use domain::{
    posting::{Posting, PostingView},
    store::{ListOrder, ListQuery, PostingPage, PostingReader, Search, Snapshot, Step, Texts},
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use sql_common::{
    posting::{
        EntryRow, IDENTIFIER, PostingRow, ViewRow, bare_view, entry, postings, redacted_view, view,
    },
    statement,
    stored::parse_all,
    types::{Moment, StoredId, StoredTime},
};
use time::OffsetDateTime;

use self::queries::{bare_views, entries, listed, redacted_views, views};
use super::history;
use crate::{IN_LIST, SqliteStore, company, error::Failure, statement::load as load_rows};

/// Loads the postings with these identifiers, their companies, and the companies with these ids.
pub(crate) fn load(
    conn: &mut SqliteConnection,
    identifiers: &[SourceIdentifier],
    companies: &[CompanyId],
) -> Result<Snapshot, Failure> {
    let mut found = Vec::with_capacity(identifiers.len());
    for identifiers in identifiers.chunks(IN_LIST) {
        let rows = postings::table
            .filter(
                postings::source_identifier
                    .eq_any(identifiers.iter().map(SourceIdentifier::as_str)),
            )
            .select(PostingRow::as_select())
            .load(conn)?;
        for row in rows {
            found.push(row.posting(None)?);
        }
    }
    known(conn, found, companies)
}

/// Loads the postings with these ids, their descriptions, and their companies with former names.
pub(crate) fn load_by_id(
    conn: &mut SqliteConnection,
    ids: &[PostingId],
) -> Result<Snapshot, Failure> {
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IN_LIST) {
        let ids = ids.iter().map(|id| StoredId::from(id.uuid()));
        let rows = postings::table
            .filter(postings::id.eq_any(ids))
            .select((PostingRow::as_select(), postings::raw_description))
            .load::<(PostingRow, String)>(conn)?;
        for (row, description) in rows {
            found.push(row.posting(Some(description))?);
        }
    }
    let mut known = known(conn, found, &[])?;
    known.former_names = company::load_former_names(conn, known.companies.keys())?;
    Ok(known)
}

fn known(
    conn: &mut SqliteConnection,
    found: Vec<Posting>,
    companies: &[CompanyId],
) -> Result<Snapshot, Failure> {
    let postings: HashMap<_, _> = found
        .into_iter()
        .map(|posting| (posting.source_identifier.clone(), posting))
        .collect();
    let ids: HashSet<_> = companies
        .iter()
        .chain(postings.values().map(|posting| &posting.company_id))
        .collect();
    let companies = company::load(conn, ids)?;
    let companies = companies
        .into_iter()
        .map(|company| (company.id, company))
        .collect();
    Ok(Snapshot {
        postings,
        companies,
        ..Snapshot::default()
    })
}

statement! {
    /// The statuses are those of the partial index, which could not be used otherwise. `INDEXED
    /// BY`, because SQLite would rather read all postings of the two statuses and sort them.
    Overdue =
    "SELECT source_identifier FROM postings INDEXED BY postings_by_end \
     WHERE expire_at <= ? AND status IN ('PendingEnrichment', 'approved') \
     ORDER BY expire_at, source_identifier LIMIT ?",
    returns Text
}

/// Returns postings whose lifetime has ended, the longest overdue first.
pub(crate) fn overdue(
    conn: &mut SqliteConnection,
    now: OffsetDateTime,
    limit: i64,
) -> Result<Vec<SourceIdentifier>, Failure> {
    let found: Vec<String> = load_rows::<Overdue, _>(conn, &[now.into(), limit.into()])?;
    Ok(parse_all(found, IDENTIFIER)?)
}

#[async_trait]
impl PostingReader for SqliteStore {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        let identifier = identifier.clone();
        self.connections
            .read(move |conn| {
                let row = views()
                    .filter(postings::source_identifier.eq(identifier.as_str()))
                    .first::<ViewRow>(conn)
                    .optional()?;
                let Some(row) = row else { return Ok(None) };
                let mut view = view(row)?;
                view.history = history::load(conn, view.posting.id)?;
                Ok(Some(view))
            })
            .await
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        let query = query.clone();
        self.connections.read(move |conn| list(conn, &query)).await
    }
}

fn list(conn: &mut SqliteConnection, query: &ListQuery) -> Result<PostingPage, Failure> {
    let mut search = Search::new(query);
    while let Some(step) = search.step() {
        let rows = in_order(&step).load::<EntryRow>(conn)?;
        let found = rows.into_iter().map(|row| entry(row, query));
        search.add(&step, found.collect::<Result<Vec<_>, _>>()?);
    }
    let (page, next) = search.page();
    let ids = page.iter().map(|entry| StoredId::from(entry.position.id));
    let views = with_texts(conn, ids.collect(), query.texts)?;
    Ok(PostingPage {
        postings: sql_common::posting::page(views, &page, query),
        next,
    })
}

/// The query of a list. By ids SQLite would rather sort all postings of a status for each page, so
/// a `+` keeps it from the indexes of other orders.
fn in_order(step: &Step) -> IntoBoxed<'static, entries, Sqlite> {
    let query = &step.query;
    if query.order == ListOrder::Changed {
        return listed(step);
    }
    let mut select = listed(&Step {
        query: ListQuery {
            status: None,
            updated_after: None,
            ..query.clone()
        },
        ..*step
    });
    if let Some(status) = query.status {
        let status = sql::<Bool>("+postings.status = ").bind::<Text, _>(status.as_str());
        select = select.filter(status);
    }
    if let Some(start) = query.updated_after {
        let start =
            sql::<Bool>("+postings.updated_at > ").bind::<Moment, _>(StoredTime::from(start));
        select = select.filter(start);
    }
    select
}

/// The postings with these ids, in any order, with these of their texts.
fn with_texts(
    conn: &mut SqliteConnection,
    ids: Vec<StoredId>,
    texts: Texts,
) -> Result<Vec<PostingView>, Failure> {
    let these = postings::id.eq_any(ids);
    Ok(match texts {
        Texts::All => each(views().filter(these).load(conn)?, view)?,
        Texts::Redacted => each(redacted_views().filter(these).load(conn)?, redacted_view)?,
        Texts::None => each(bare_views().filter(these).load(conn)?, bare_view)?,
    })
}

fn each<R>(
    rows: Vec<R>,
    view: fn(R) -> Result<PostingView, StoreError>,
) -> Result<Vec<PostingView>, StoreError> {
    rows.into_iter().map(view).collect()
}

mod queries {
    /// The sizes of texts are known without reading them.
    const SIZE: &str = "octet_length(postings.raw_description) \
        + coalesce(octet_length(postings.metadata), 0) \
        + coalesce(octet_length(posting_texts.markdown), 0) \
        + coalesce(octet_length(posting_texts.redacted_markdown), 0)";

    sql_common::posting_queries!(diesel::sqlite::Sqlite, SIZE);
}

#[cfg(test)]
mod tests {
    use diesel::debug_query;
    use domain::store::Position;
    use kernel::{
        Status,
        testing::{noon, uuid},
    };

    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn overdue_postings_are_found_by_their_end() {
        assert_uses_index(Overdue::text(), "postings_by_end").await;
    }

    #[tokio::test]
    async fn lists_are_read_in_order() {
        let after = Some(Position {
            updated_at: noon(),
            id: uuid(1),
        });
        for updated_after in [None, Some(noon())] {
            for after in [None, after] {
                for (order, status, index) in [
                    (ListOrder::Changed, None, "postings_by_update"),
                    (
                        ListOrder::Changed,
                        Some(Status::Approved),
                        "postings_by_status",
                    ),
                    (ListOrder::Id, None, "sqlite_autoindex_postings_1"),
                    (
                        ListOrder::Id,
                        Some(Status::Approved),
                        "sqlite_autoindex_postings_1",
                    ),
                ] {
                    let query = ListQuery {
                        order,
                        status,
                        updated_after,
                        after,
                        limit: 50,
                        ..ListQuery::default()
                    };
                    let step = Step { query, length: 51 };
                    let text = debug_query::<Sqlite, _>(&in_order(&step)).to_string();
                    assert_uses_index(&text, index).await;
                }
            }
        }
    }
}
