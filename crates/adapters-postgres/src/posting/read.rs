//! Loads postings for use cases, finds expired ones, and serves API reads.
//!
//! Nothing here locks rows or opens a transaction. Results of several queries are consistent all
//! the same: companies are never deleted, and history entries carry the posting's version.

use std::{collections::HashMap, sync::LazyLock};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, dsl::AsSelect, pg::Pg,
    sql_types::Text,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    company::Company,
    posting::{Posting, PostingView},
    store::{ListQuery, PostingPage, PostingReader, Search, Snapshot, Texts},
};
use futures_util::future::try_join;
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use sql_common::{
    company::{CompanyRow, companies, former_names},
    posting::{
        EntryRow, IDENTIFIER, PostingRow, ViewRow, bare_view, entry, postings, redacted_view, view,
    },
    statement,
    stored::parse_all,
    types::StoredId,
};
use time::OffsetDateTime;

use self::queries::{bare_views, listed, redacted_views, views};
use super::history;
use crate::{
    PostgresStore, company,
    error::Failure,
    statement::{TypesOf, load as load_rows, text_of, texts, uuids},
};

/// Loads the postings with these identifiers, their companies, and the companies with these ids.
///
/// Usually these are the companies of those postings, and one query suffices. For a single posting,
/// both queries are sent at once instead of waiting to find out.
pub(crate) async fn load(
    conn: &mut AsyncPgConnection,
    identifiers: &[SourceIdentifier],
    companies: &[CompanyId],
) -> Result<Snapshot, Failure> {
    let mut known = Snapshot::default();
    let named = [texts(identifiers, |identifier| Some(identifier.as_str()))];
    if let ([_], false) = (identifiers, companies.is_empty()) {
        let ids = [uuids(companies, |id| id.uuid())];
        let (mut first, mut second) = (&*conn, &*conn);
        let postings = load_rows::<ByIdentifier, _>(&mut first, &named);
        let companies = load_rows::<company::ById, _>(&mut second, &ids);
        let (postings, companies) = try_join(postings, companies).await?;
        known = of(postings)?;
        company::add(&mut known, companies)?;
        return Ok(known);
    }
    if !identifiers.is_empty() {
        known = of(load_rows::<ByIdentifier, _>(conn, &named).await?)?;
    }
    let missing = companies
        .iter()
        .filter(|id| !known.companies.contains_key(id));
    let missing: Vec<_> = missing.collect();
    if !missing.is_empty() {
        let ids = [uuids(&missing, |id| id.uuid())];
        company::add(&mut known, load_rows::<company::ById, _>(conn, &ids).await?)?;
    }
    Ok(known)
}

static BY_IDENTIFIER: LazyLock<String> = LazyLock::new(|| {
    let named: [&str; 0] = [];
    text_of(&with_companies().filter(postings::source_identifier.eq_any(named)))
});

statement! {
    /// Every push runs it.
    ByIdentifier = &BY_IDENTIFIER, returns (TypesOf<PostingRow>, TypesOf<CompanyRow>)
}

/// Loads the postings with these ids, their descriptions, and their companies with former names.
pub(crate) async fn load_by_id(
    conn: &mut AsyncPgConnection,
    ids: &[PostingId],
) -> Result<Snapshot, Failure> {
    if ids.is_empty() {
        return Ok(Snapshot::default());
    }
    let ids: Vec<_> = ids.iter().map(|id| StoredId::from(id.uuid())).collect();
    let rows = in_full()
        .filter(postings::id.eq_any(ids))
        .load::<(PostingRow, String, CompanyRow, Option<String>)>(conn)
        .await?;
    let mut names = HashMap::new();
    let mut loaded = Vec::with_capacity(rows.len());
    for (posting, description, company, former) in rows {
        let posting = posting.posting(Some(description))?;
        names.extend(former.map(|names| (posting.company_id, names)));
        loaded.push(Ok((posting, company)));
    }
    let mut known = known(loaded.into_iter())?;
    for (id, names) in names {
        known.former_names.insert(id, former_names(&names)?);
    }
    Ok(known)
}

#[diesel::dsl::auto_type]
fn in_full() -> _ {
    let columns: (
        AsSelect<PostingRow, Pg>,
        postings::raw_description,
        AsSelect<CompanyRow, Pg>,
        companies::former_names,
    ) = (
        PostingRow::as_select(),
        postings::raw_description,
        CompanyRow::as_select(),
        companies::former_names,
    );
    postings::table.inner_join(companies::table).select(columns)
}

/// Selects postings with their companies.
#[diesel::dsl::auto_type]
fn with_companies() -> _ {
    let columns: (AsSelect<PostingRow, Pg>, AsSelect<CompanyRow, Pg>) =
        (PostingRow::as_select(), CompanyRow::as_select());
    postings::table.inner_join(companies::table).select(columns)
}

fn of(rows: Vec<(PostingRow, CompanyRow)>) -> Result<Snapshot, Failure> {
    known(rows.into_iter().map(|(posting, company)| {
        let posting = posting.posting(None);
        posting.map(|posting| (posting, company))
    }))
}

fn known(
    rows: impl ExactSizeIterator<Item = Result<(Posting, CompanyRow), StoreError>>,
) -> Result<Snapshot, Failure> {
    let mut known = Snapshot {
        postings: HashMap::with_capacity(rows.len()),
        companies: HashMap::with_capacity(rows.len()),
        former_names: HashMap::new(),
    };
    for row in rows {
        let (posting, company) = row?;
        let company = Company::try_from(company)?;
        known.companies.insert(company.id, company);
        known
            .postings
            .insert(posting.source_identifier.clone(), posting);
    }
    Ok(known)
}

statement! {
    /// The statuses are those of the partial index, which could not be used otherwise.
    Overdue =
    "SELECT source_identifier FROM postings \
     WHERE expire_at <= ? AND status IN ('PendingEnrichment', 'approved') \
     ORDER BY expire_at, source_identifier LIMIT ?",
    returns Text
}

/// Returns postings whose lifetime has ended, the longest overdue first.
pub(crate) async fn overdue(
    conn: &mut AsyncPgConnection,
    now: OffsetDateTime,
    limit: i64,
) -> Result<Vec<SourceIdentifier>, Failure> {
    let values = [now.into(), limit.into()];
    let found: Vec<String> = load_rows::<Overdue, _>(conn, &values).await?;
    Ok(parse_all(found, IDENTIFIER)?)
}

#[async_trait]
impl PostingReader for PostgresStore {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        let identifier = identifier.clone();
        self.connections
            .run(async move |conn| {
                let row = views()
                    .filter(postings::source_identifier.eq(identifier.as_str()))
                    .first::<ViewRow>(conn)
                    .await
                    .optional()?;
                let Some(row) = row else { return Ok(None) };
                let mut view = view(row)?;
                let Posting { id, version, .. } = view.posting;
                view.history = history::load(conn, id, version).await?;
                Ok(Some(view))
            })
            .await
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        let query = query.clone();
        self.connections
            .run(async move |conn| {
                let mut search = Search::new(&query);
                while let Some(step) = search.step() {
                    let rows = listed(&step).load::<EntryRow>(conn).await?;
                    let found = rows.into_iter().map(|row| entry(row, &query));
                    search.add(&step, found.collect::<Result<Vec<_>, _>>()?);
                }
                let (page, next) = search.page();
                let ids = page.iter();
                let ids: Vec<_> = ids.map(|entry| StoredId::from(entry.position.id)).collect();
                let views = with_texts(conn, ids, query.texts).await?;
                Ok(PostingPage {
                    postings: sql_common::posting::page(views, &page, &query),
                    next,
                })
            })
            .await
    }
}

/// The postings with these ids, in any order, with these of their texts.
async fn with_texts(
    conn: &mut AsyncPgConnection,
    ids: Vec<StoredId>,
    texts: Texts,
) -> Result<Vec<PostingView>, Failure> {
    let these = postings::id.eq_any(ids);
    Ok(match texts {
        Texts::All => each(views().filter(these).load(conn).await?, view)?,
        Texts::Redacted => each(
            redacted_views().filter(these).load(conn).await?,
            redacted_view,
        )?,
        Texts::None => each(bare_views().filter(these).load(conn).await?, bare_view)?,
    })
}

fn each<R>(
    rows: Vec<R>,
    view: fn(R) -> Result<PostingView, StoreError>,
) -> Result<Vec<PostingView>, StoreError> {
    rows.into_iter().map(view).collect()
}

mod queries {
    /// The sizes of texts are known without reading them, compressed and elsewhere as they may be; only
    /// `metadata` is json, which the server has to read for that.
    const SIZE: &str = "octet_length(postings.raw_description)::bigint \
        + coalesce(octet_length(postings.metadata::text), 0) \
        + coalesce(octet_length(posting_texts.markdown), 0) \
        + coalesce(octet_length(posting_texts.redacted_markdown), 0)";

    sql_common::posting_queries!(diesel::pg::Pg, SIZE);
}

#[cfg(test)]
mod tests {
    use diesel::debug_query;
    use domain::store::{ListOrder, Position, Step};
    use kernel::{
        Status,
        testing::{noon, uuid},
    };

    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan, plan_of_millions},
    };

    #[tokio::test]
    async fn overdue_postings_are_found_by_their_end() {
        let plan = plan(Overdue::text(), "").await;
        assert_uses_index(&plan, "postings_by_end");
        assert!(!plan.contains("Sort"), "{plan}");
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
                    (ListOrder::Id, None, "postings_pkey"),
                    (ListOrder::Id, Some(Status::Approved), "postings_pkey"),
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
                    let text = debug_query::<Pg, _>(&listed(&step)).to_string();
                    let plan = plan_of_millions(&text).await;
                    assert_uses_index(&plan, index);
                    assert!(!plan.contains("Sort"), "{plan}");
                    assert!(!plan.contains("Gather"), "{plan}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_not_asked_for_is_not_named() {
        let texts = ["raw_description", "\"markdown\"", "redacted_markdown"];
        for (query, named) in [
            (debug_query::<Pg, _>(&views()).to_string(), [true; 3]),
            (
                debug_query::<Pg, _>(&redacted_views()).to_string(),
                [false, false, true],
            ),
            (debug_query::<Pg, _>(&bare_views()).to_string(), [false; 3]),
        ] {
            assert_eq!(texts.map(|text| query.contains(text)), named, "{query}");
        }
    }
}
