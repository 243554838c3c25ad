//! Reading postings: for the rules, for the worker that ends lifetimes, and for answers.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SelectableHelper,
    SqliteConnection,
    dsl::{AsSelect, IntoBoxed, sql},
    expression::SqlLiteral,
    sql_types::{BigInt, Binary, Bool, Text},
    sqlite::Sqlite,
};
use domain::{
    company::{Company, CompanyId},
    enrichment::EnrichedTexts,
    posting::{Posting, PostingId, PostingView, SourceIdentifier},
    store::{
        Known, ListEntry, ListQuery, Position, PostingPage, PostingReader, StoreError,
        stored::words,
    },
};
use time::OffsetDateTime;

use super::{
    history,
    row::{IDENTIFIER, PostingRow, TextsRow},
};
use crate::{
    IN_LIST, SqliteStore,
    company::{self, CompanyRow},
    error::Failure,
    schema::{companies, posting_texts, postings},
    statement::{self, statement},
    value::{micros, time, uuid},
};

/// The postings with these identifiers, their companies, and the companies with these ids.
pub(crate) fn load(
    conn: &mut SqliteConnection,
    identifiers: &[SourceIdentifier],
    companies: &[CompanyId],
) -> Result<Known, Failure> {
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

/// The postings with these ids, and their companies.
pub(crate) fn load_by_id(conn: &mut SqliteConnection, ids: &[PostingId]) -> Result<Known, Failure> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IN_LIST) {
        let rows = postings::table
            .filter(postings::id.eq_any(ids.iter().map(|id| id.as_bytes().as_slice())))
            .select((PostingRow::as_select(), postings::raw_description))
            .load::<(PostingRow, String)>(conn)?;
        for (row, description) in rows {
            found.push(row.posting(Some(description))?);
        }
    }
    known(conn, found, &[])
}

fn known(
    conn: &mut SqliteConnection,
    found: Vec<Posting>,
    companies: &[CompanyId],
) -> Result<Known, Failure> {
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
    Ok(Known {
        postings,
        companies,
    })
}

statement! {
    /// Names the statuses as the index does, or it could not be used; and the index, because
    /// SQLite would rather go through all postings of the two statuses and sort them.
    Overdue =
    "SELECT source_identifier FROM postings INDEXED BY postings_by_end \
     WHERE expire_at <= ? AND status IN ('PendingEnrichment', 'approved') \
     ORDER BY expire_at, source_identifier LIMIT ?",
    returns Text
}

/// Postings whose lifetime is over, the longest overdue first.
pub(crate) fn overdue(
    conn: &mut SqliteConnection,
    now: OffsetDateTime,
    limit: i64,
) -> Result<Vec<SourceIdentifier>, Failure> {
    let found: Vec<String> =
        statement::load::<Overdue, _>(conn, &[micros(now).into(), limit.into()])?;
    Ok(words(found, IDENTIFIER)?)
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
        let query = *query;
        self.connections.read(move |conn| list(conn, &query)).await
    }
}

fn list(conn: &mut SqliteConnection, query: &ListQuery) -> Result<PostingPage, Failure> {
    let found = listed(query).load::<EntryRow>(conn)?;
    let found: Vec<_> = found.into_iter().map(entry).collect::<Result<_, _>>()?;
    let (page, next) = query.page(&found);
    let ids = page
        .iter()
        .map(|entry| entry.position.id.as_bytes().as_slice());
    let rows = views()
        .filter(postings::id.eq_any(ids))
        .load::<ViewRow>(conn)?;
    let mut views = rows.into_iter().map(view).collect::<Result<Vec<_>, _>>()?;
    // One that was changed meanwhile stands further on, and may be larger now.
    views.retain(|view| page.iter().any(|entry| entry.position == position(view)));
    views.sort_unstable_by_key(|view| {
        let Position { updated_at, id } = position(view);
        (updated_at, id)
    });
    Ok(PostingPage {
        postings: views,
        next,
    })
}

fn position(view: &PostingView) -> Position {
    Position {
        updated_at: view.posting.updated_at,
        id: view.posting.id.uuid(),
    }
}

/// The sizes of texts are known without reading them.
const SIZE: &str = "octet_length(postings.raw_description) \
    + coalesce(octet_length(postings.metadata), 0) \
    + coalesce(octet_length(posting_texts.markdown), 0) \
    + coalesce(octet_length(posting_texts.redacted_markdown), 0)";

type EntryRow = (Vec<u8>, i64, i64);

type EntryColumns = (postings::id, postings::updated_at, SqlLiteral<BigInt>);

#[diesel::dsl::auto_type]
fn entries() -> _ {
    let columns: EntryColumns = (postings::id, postings::updated_at, sql(SIZE));
    postings::table
        .left_join(posting_texts::table)
        .select(columns)
}

fn entry((id, updated_at, bytes): EntryRow) -> Result<ListEntry, StoreError> {
    Ok(ListEntry {
        position: Position {
            updated_at: time(updated_at, "postings.updated_at")?,
            id: uuid(&id, "postings.id")?,
        },
        bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
    })
}

fn listed(query: &ListQuery) -> IntoBoxed<'static, entries, Sqlite> {
    let ListQuery {
        status,
        updated_after,
        after,
        limit,
        max_bytes: _,
    } = *query;
    // One more than asked for tells whether there is a next page.
    let ahead = limit.saturating_add(1);
    let mut select = entries()
        .order((postings::updated_at, postings::id))
        .limit(i64::try_from(ahead).unwrap_or(i64::MAX))
        .into_boxed();
    if let Some(status) = status {
        select = select.filter(postings::status.eq(status.as_str()));
    }
    // Only the further one of the two starts: with both, SQLite might begin at the nearer one
    // and step over everything in between.
    match (after, updated_after) {
        (Some(after), start) if start.is_none_or(|start| after.updated_at > start) => select
            .filter(
                sql::<Bool>("(postings.updated_at, postings.id) > (")
                    .bind::<BigInt, _>(micros(after.updated_at))
                    .sql(", ")
                    .bind::<Binary, _>(after.id.as_bytes().to_vec())
                    .sql(")"),
            ),
        (_, Some(start)) => select.filter(postings::updated_at.gt(micros(start))),
        (_, None) => select,
    }
}

type ViewRow = (PostingRow, String, CompanyRow, Option<TextsRow>);

type ViewColumns = (
    AsSelect<PostingRow, Sqlite>,
    postings::raw_description,
    AsSelect<CompanyRow, Sqlite>,
    AsSelect<Option<TextsRow>, Sqlite>,
);

#[diesel::dsl::auto_type]
fn views() -> _ {
    let columns: ViewColumns = (
        PostingRow::as_select(),
        postings::raw_description,
        CompanyRow::as_select(),
        <Option<TextsRow>>::as_select(),
    );
    postings::table
        .inner_join(companies::table)
        .left_join(posting_texts::table)
        .select(columns)
}

fn view((posting, description, company, texts): ViewRow) -> Result<PostingView, StoreError> {
    Ok(PostingView {
        posting: posting.posting(Some(description))?,
        company: Company::try_from(company)?,
        coordinates: texts.as_ref().and_then(TextsRow::coordinates),
        texts: texts.map(EnrichedTexts::from),
        history: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use diesel::debug_query;
    use domain::{
        posting::Status,
        testing::{noon, uuid},
    };

    use super::*;
    use crate::{statement::Sql, tests::uses_index};

    #[tokio::test]
    async fn overdue_postings_are_found_by_their_end() {
        uses_index(Overdue::TEXT, "postings_by_end").await;
    }

    #[tokio::test]
    async fn lists_are_read_in_order() {
        let after = Some(Position {
            updated_at: noon(),
            id: uuid(1),
        });
        for updated_after in [None, Some(noon())] {
            for after in [None, after] {
                let query = ListQuery {
                    status: None,
                    updated_after,
                    after,
                    limit: 50,
                    ..ListQuery::default()
                };
                let text = debug_query::<Sqlite, _>(&listed(&query)).to_string();
                uses_index(&text, "postings_by_update").await;
                let query = ListQuery {
                    status: Some(Status::Approved),
                    ..query
                };
                let text = debug_query::<Sqlite, _>(&listed(&query)).to_string();
                uses_index(&text, "postings_by_status").await;
            }
        }
    }
}
