//! Loads postings for use cases.
//!
//! Nothing here locks rows or opens a transaction. The results of several queries are still
//! consistent, because companies are never deleted.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable, Text};
use domain::{
    company::Company,
    posting::{Answer, Basis, RepeatAnswer},
    store::Snapshot,
};
use fields::DayOrTime;
use kernel::{CompanyId, PostingId, PutOutcome, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use super::{IDENTIFIER, PostingRow};
use crate::{
    binds,
    company::{ById, CompanyRow},
    each,
    executor::{Executor, Outcome},
    read, statement,
    stored::{Decode, decoded, most},
    types::{Id, Moment},
};

fn with_companies(more: &str, which: &str) -> String {
    format!(
        "SELECT {{postings read}}, {{companies read}}{more}
        FROM postings JOIN companies ON companies.id = postings.company_id WHERE {which}"
    )
}

statement! {
    ByIdentifier = &with_companies(
        ", CAST(octet_length(raw_description) AS bigint)", "source_identifier = {each identifier}"
    ),
    returns (PostingRow, CompanyRow, BigInt)
}

pub async fn load(
    conn: &mut impl Executor,
    identifiers: &[SourceIdentifier],
    companies: &[CompanyId],
) -> Outcome<Snapshot> {
    let identifiers = each! { identifiers, it => identifier: it.as_str() };
    let companies = each! { companies, id => company: id.uuid() };
    let (postings, companies) = conn
        .load_two::<ByIdentifier, ById>([&identifiers, &companies], &[])
        .await?;
    let mut known = Snapshot::default();
    for (posting, company, length) in postings {
        let mut posting = posting.posting(None)?;
        let length = usize::try_from(length).unwrap_or_default();
        let description = &mut posting.details.raw_description;
        *description = description.unread().of_length(length);
        add(&mut known, company)?;
        let identifier = posting.source_identifier.clone();
        known.postings.insert(identifier, posting);
    }
    for company in companies {
        add(&mut known, company)?;
    }
    add_targets(conn, &mut known).await?;
    Ok(known)
}

async fn add_targets(conn: &mut impl Executor, known: &mut Snapshot) -> Outcome<()> {
    loop {
        let targets = known.targets();
        if targets.is_empty() {
            return Ok(());
        }
        let targets = each! { &targets, id => company: id.uuid() };
        let found = conn.load_each::<ById>(&targets, &[]).await?;
        if found.is_empty() {
            return Ok(());
        }
        for company in found {
            add(known, company)?;
        }
    }
}

read! {
    /// The columns needed to answer an unchanged push.
    RepeatRow = postings {
        source_identifier: Text,
        id: Id,
        version: BigInt,
        status: Text,
        catalogue_id: Nullable<Id>,
        expire_at: Nullable<Moment>,
        valid_through: Nullable<Text>,
        created_by: Nullable<Text>,
        updated_by: Nullable<Text>,
    }
}

statement! {
    /// Runs for every unchanged line of an import, so it must be cheap.
    RepeatAnswers = r"
        SELECT {postings read}, name, logo_path
        FROM postings JOIN companies ON companies.id = postings.company_id
        WHERE source_identifier = {each identifier}",
    returns (RepeatRow, Text, Nullable<Text>)
}

pub async fn repeat_answers(
    conn: &mut impl Executor,
    identifiers: &[SourceIdentifier],
) -> Outcome<HashMap<SourceIdentifier, RepeatAnswer>> {
    let identifiers = each! { identifiers, it => identifier: it.as_str() };
    let found = conn.load_each::<RepeatAnswers>(&identifiers, &[]).await?;
    let answer = |(row, name, logo_path): (RepeatRow, String, Option<String>)| {
        let id = row.id.decode("postings.id")?;
        let closes_at: Option<DayOrTime> = row.valid_through.decode("postings.valid_through")?;
        let answer = decoded!(row of postings => Answer {
            status, created_by, updated_by;
            id,
            outcome: PutOutcome::Unchanged,
            notices: Vec::new(),
            basis: Some(Basis::of((id, row.version), (&name, logo_path.as_deref()))),
            effects: None,
            fields: 0,
        });
        let answer = RepeatAnswer {
            answer,
            catalogue: row.catalogue_id.decode("postings.catalogue_id")?,
            expire_at: row.expire_at.decode("postings.expire_at")?,
            closes_at: closes_at.map(DayOrTime::end),
        };
        Ok((row.source_identifier.decode(IDENTIFIER)?, answer))
    };
    found.into_iter().map(answer).collect()
}

fn add(known: &mut Snapshot, company: CompanyRow) -> Outcome<()> {
    let company = Company::try_from(company)?;
    known.companies.insert(company.id, company);
    Ok(())
}

statement! {
    Whole = &with_companies(
        ", raw_description, companies.former_names", "postings.id = {each id}"
    ),
    returns (PostingRow, CompanyRow, Text, Nullable<Text>)
}

pub async fn load_by_id(conn: &mut impl Executor, ids: &[PostingId]) -> Outcome<Snapshot> {
    let ids = each! { ids, id => id: id.uuid() };
    let rows = conn.load_each::<Whole>(&ids, &[]).await?;
    let mut known = Snapshot::default();
    for (posting, company, description, former) in rows {
        let posting = posting.posting(Some(description))?;
        add(&mut known, company)?;
        if let Some(names) = former.decode("companies.former_names")? {
            known.former_names.insert(posting.company_id, names);
        }
        let identifier = posting.source_identifier.clone();
        known.postings.insert(identifier, posting);
    }
    Ok(known)
}

fn overdue_of(hint: &str) -> String {
    format!(
        "SELECT source_identifier FROM postings {hint}
        WHERE expire_at <= :now AND status IN ('PendingEnrichment', 'approved')
        ORDER BY expire_at, source_identifier LIMIT :limit"
    )
}

statement! {
    /// Without the hint, SQLite would read and sort all pending and approved postings.
    Overdue = {
        postgres: &overdue_of(""),
        sqlite: &overdue_of("INDEXED BY postings_by_end"),
    },
    returns Text
}

pub async fn overdue(
    conn: &mut impl Executor,
    now: OffsetDateTime,
    limit: usize,
) -> Outcome<Vec<SourceIdentifier>> {
    let asked = binds! { now, limit: most(limit) };
    let found = conn.load::<Overdue>(asked).await?;
    Ok(identifiers(found)?)
}

statement! {
    Held = r"
        SELECT source_identifier FROM postings WHERE held_at <= :before
        ORDER BY held_at LIMIT :limit",
    returns Text
}

pub async fn held(
    conn: &mut impl Executor,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<Vec<SourceIdentifier>> {
    let asked = binds! { before, limit: most(limit) };
    let found = conn.load::<Held>(asked).await?;
    Ok(identifiers(found)?)
}

fn identifiers(found: Vec<String>) -> Result<Vec<SourceIdentifier>, StoreError> {
    let identifiers = found.into_iter();
    identifiers.map(|it| it.decode(IDENTIFIER)).collect()
}
