use std::collections::BTreeMap;

use diesel::sql_types::{BigInt, Text};
use domain::company::{Company, CompanyView, name_key, site};
use kernel::{CompanyId, PostingId, SourceIdentifier, Status};
use uuid::Uuid;

use super::CompanyRow;
use crate::{
    binds,
    executor::{Executor, Outcome, values},
    statement,
    stored::{Decode, end_of, most},
    types::Id,
};

fn list(which: &str) -> String {
    format!("SELECT {{companies read}} FROM companies WHERE {which} LIMIT :limit")
}

statement! {
    List = &list("alias_of IS NULL AND website_key > :after ORDER BY website_key"),
    returns CompanyRow;

    OfName = &list(
        "alias_of IS NULL AND name_key >= :start AND name_key < :end ORDER BY name_key, website_key"
    ),
    returns CompanyRow;

    Aliases = &list("alias_of = :company ORDER BY website_key"),
    returns CompanyRow;

    /// The index is used in spite of the additional condition on `id`.
    Namesakes = &list("alias_of IS NULL AND name_key = :key AND id <> :id ORDER BY website_key"),
    returns CompanyRow;

    Neighbours = &list("alias_of IS NULL AND site = :key AND id <> :id ORDER BY website_key"),
    returns CompanyRow
}

pub async fn companies(
    conn: &mut impl Executor,
    after: &str,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    values(
        conn.load::<List>(binds! { after, limit: most(limit) })
            .await?,
    )
}

pub async fn companies_named(
    conn: &mut impl Executor,
    beginning: &str,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    let end = end_of(beginning);
    let asked = binds! { start: beginning, end: &end, limit: most(limit) };
    values(conn.load::<OfName>(asked).await?)
}

pub async fn aliases(
    conn: &mut impl Executor,
    of: CompanyId,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    values(
        conn.load::<Aliases>(binds! { company: of.uuid(), limit: most(limit) })
            .await?,
    )
}

pub async fn alike(
    conn: &mut impl Executor,
    to: &Company,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    let (name, site) = (name_key(&to.name), site(&to.website.key()));
    let (id, limit) = (to.id.uuid(), most(limit));
    let mut found = conn
        .load::<Namesakes>(binds! { key: &name, id, limit })
        .await?;
    found.extend(
        conn.load::<Neighbours>(binds! { key: &site, id, limit })
            .await?,
    );
    let found = values::<_, CompanyView>(found)?.into_iter();
    let found = found.map(|view| (view.company.id, view));
    Ok(found.collect::<BTreeMap<_, _>>().into_values().collect())
}

statement! {
    Counts = r"
        SELECT status, count(*) FROM (
            SELECT status FROM postings WHERE company_id = :company LIMIT :limit
        ) AS counted
        GROUP BY status",
    returns (Text, BigInt)
}

pub async fn count_postings(
    conn: &mut impl Executor,
    company: CompanyId,
    limit: usize,
) -> Outcome<BTreeMap<Status, usize>> {
    let asked = binds! { company: company.uuid(), limit: most(limit) };
    let found = conn.load::<Counts>(asked).await?;
    let count = |(status, count): (String, i64)| {
        let count = usize::try_from(count).unwrap_or_default();
        Ok((status.decode("postings.status")?, count))
    };
    found.into_iter().map(count).collect()
}

fn postings(which: &str) -> String {
    format!(
        "SELECT id, source_identifier FROM postings
        WHERE {which} = :company AND id > :after ORDER BY id LIMIT :limit"
    )
}

statement! {
    OfCompany = &postings("company_id"), returns (Id, Text);
    OfAlias = &postings("came_by"), returns (Id, Text);
    ShownOfCompany = &postings("shown ->> 'company_id'"), returns (Id, Text);
    ShownOfAlias = &postings("shown ->> 'came_by'"), returns (Id, Text)
}

/// The postings of an alias, or those that came by a former alias. A posting is included even if
/// only its shown version has that company.
pub async fn misplaced(
    conn: &mut impl Executor,
    company: &Company,
    after: Option<PostingId>,
    at_most: usize,
) -> Outcome<Vec<(PostingId, SourceIdentifier)>> {
    let after = after.map_or(Uuid::nil(), PostingId::uuid);
    let (limit, id) = (most(at_most), company.id.uuid());
    let (own, text) = (binds! { company: id, after, limit }, id.to_string());
    let shown = binds! { company: text.as_str(), after, limit };
    let found = match company.alias_of {
        Some(_) => [
            conn.load::<OfCompany>(own).await?,
            conn.load::<ShownOfCompany>(shown).await?,
        ],
        None => [
            conn.load::<OfAlias>(own).await?,
            conn.load::<ShownOfAlias>(shown).await?,
        ],
    };
    let mut misplaced = BTreeMap::new();
    for (id, identifier) in found.into_iter().flatten() {
        misplaced.insert(
            id.decode("postings.id")?,
            identifier.decode("postings.source_identifier")?,
        );
    }
    Ok(misplaced.into_iter().take(at_most).collect())
}
