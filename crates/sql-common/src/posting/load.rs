//! Loads postings for use cases.
//!
//! Nothing here locks rows or opens a transaction. Results of several queries are consistent all
//! the same: companies are never deleted.

use diesel::sql_types::{Nullable, Text};
use domain::{company::Company, store::Snapshot};
use kernel::{CompanyId, PostingId, SourceIdentifier};
use time::OffsetDateTime;

use super::{IDENTIFIER, PostingRow};
use crate::{
    binds,
    company::{ById, CompanyRow, former_names},
    each,
    entity::Entity,
    executor::{Executor, Outcome},
    statement,
    stored::{most, parse_all},
};

/// Selects postings with their companies, and with what else is named.
macro_rules! with_companies {
    ($more:literal, $which:literal) => {
        concat!(
            "SELECT {postings read}, {companies read}",
            $more,
            " FROM postings JOIN companies ON companies.id = postings.company_id WHERE ",
            $which
        )
    };
}

statement! {
    /// Every push runs it.
    ByIdentifier = with_companies!("", "source_identifier = {each identifier}"),
    over [PostingRow, CompanyRow],
    returns (<PostingRow as Entity>::Row, <CompanyRow as Entity>::Row)
}

/// Loads the postings with these identifiers, their companies, and the companies with these ids.
pub async fn load(
    conn: &mut impl Executor,
    identifiers: &[SourceIdentifier],
    companies: &[CompanyId],
) -> Outcome<Snapshot> {
    let identifiers = each! { identifiers, it => identifier: it.as_str() };
    let companies = each! { companies, id => company: id.uuid() };
    let (postings, companies) = conn
        .load_two::<ByIdentifier, (PostingRow, CompanyRow), ById, CompanyRow>(
            [&identifiers, &companies],
            &[],
        )
        .await?;
    let mut known = Snapshot::default();
    for (posting, company) in postings {
        let posting = posting.posting(None)?;
        add(&mut known, company)?;
        let identifier = posting.source_identifier.clone();
        known.postings.insert(identifier, posting);
    }
    for company in companies {
        add(&mut known, company)?;
    }
    Ok(known)
}

fn add(known: &mut Snapshot, company: CompanyRow) -> Outcome<()> {
    let company = Company::try_from(company)?;
    known.companies.insert(company.id, company);
    Ok(())
}

statement! {
    Whole = with_companies!(
        ", raw_description, companies.former_names", "postings.id = {each id}"
    ),
    over [PostingRow, CompanyRow],
    returns (<PostingRow as Entity>::Row, <CompanyRow as Entity>::Row, Text, Nullable<Text>)
}

/// Loads the postings with these ids, their descriptions, and their companies with former names.
pub async fn load_by_id(conn: &mut impl Executor, ids: &[PostingId]) -> Outcome<Snapshot> {
    let ids = each! { ids, id => id: id.uuid() };
    let rows: Vec<(PostingRow, CompanyRow, String, Option<String>)> =
        conn.load_each::<Whole, _>(&ids, &[]).await?;
    let mut known = Snapshot::default();
    for (posting, company, description, former) in rows {
        let posting = posting.posting(Some(description))?;
        add(&mut known, company)?;
        if let Some(former) = former {
            let names = former_names(&former)?;
            known.former_names.insert(posting.company_id, names);
        }
        let identifier = posting.source_identifier.clone();
        known.postings.insert(identifier, posting);
    }
    Ok(known)
}

/// The statuses are those of the partial index, which could not be used otherwise.
macro_rules! overdue {
    ($hint:literal) => {
        concat!(
            "SELECT source_identifier FROM postings ",
            $hint,
            "WHERE expire_at <= :now AND status IN ('PendingEnrichment', 'approved')
            ORDER BY expire_at, source_identifier LIMIT :limit"
        )
    };
}

statement! {
    /// SQLite would rather read all postings of the two statuses and sort them.
    Overdue = {
        postgres: overdue!(""),
        sqlite: overdue!("INDEXED BY postings_by_end "),
    },
    returns Text
}

/// Returns postings whose lifetime has ended, the longest overdue first.
pub async fn overdue(
    conn: &mut impl Executor,
    now: OffsetDateTime,
    limit: usize,
) -> Outcome<Vec<SourceIdentifier>> {
    let asked = binds! { now, limit: most(limit) };
    let found: Vec<String> = conn.load::<Overdue, _>(asked).await?;
    Ok(parse_all(found, IDENTIFIER)?)
}
