//! The table `posting_versions`: the values that each change of a posting replaced.

use std::{collections::HashSet, sync::Arc};

use diesel::sql_types::{BigInt, Double, Nullable, Text};
use domain::{
    posting::{COMPANY, EnrichedTexts, PostingVersion},
    store::PostingWrite,
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError, Version};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    binds, company, each,
    executor::{Executor, Outcome, values},
    read, statement,
    stored::{Decode, coordinates, decoded, most},
    types::{Id, Moment},
    written,
};

written! {
    VersionSent = posting_versions of PostingWrite {
        posting_id = Id(|it| Some(it.posting.id.uuid())),
        version = Integer(|it| Some(it.posting.version)),
        at = Time(|it| Some(it.replaced.as_ref()?.at)),
        actor = Rendered(|it| Some(&it.replaced.as_ref()?.by)),
        import = Id(|it| it.replaced.as_ref()?.import),
        before = Rendered(|it| Some(&it.replaced.as_ref()?.values)),
        has_description = Bool(|it| it.replaced.as_ref().is_some_and(domain::posting::Replaced::has_description)),
        has_texts = Bool(|it| it.replaced.as_ref().is_some_and(domain::posting::Replaced::has_texts)),
    }
}

read! {
    VersionRow = posting_versions {
        posting_id: Id,
        version: BigInt,
        at: Moment,
        actor: Text,
        import: Nullable<Id>,
        before: Text,
        raw_description: Nullable<Text>,
        markdown: Nullable<Text>,
        redacted_markdown: Nullable<Text>,
        redacted_title: Nullable<Text>,
        latitude: Nullable<Double>,
        longitude: Nullable<Double>,
        findings: Nullable<Text>,
    }
}

impl TryFrom<VersionRow> for PostingVersion {
    type Error = StoreError;

    fn try_from(row: VersionRow) -> Result<Self, StoreError> {
        let findings: Option<_> = row.findings.decode("posting_versions.findings")?;
        let texts = row.markdown.zip(row.redacted_markdown);
        let texts = texts.map(|(markdown, redacted_markdown)| EnrichedTexts {
            markdown,
            redacted_markdown,
            redacted_title: row.redacted_title,
        });
        Ok(decoded!(row of posting_versions => Self {
            posting: posting_id, version, at, by: actor, import, before;
            description: row.raw_description.map(Arc::from),
            texts,
            coordinates: coordinates(row.latitude, row.longitude),
            findings: findings.unwrap_or_default(),
            company: None,
        }))
    }
}

statement! {
    Older = r"
        SELECT {posting_versions read} FROM posting_versions
        WHERE posting_id = :posting AND version < :before
        ORDER BY version DESC LIMIT :limit",
    returns VersionRow
}

pub(super) async fn older(
    conn: &mut impl Executor,
    posting: PostingId,
    before: Version,
    limit: usize,
) -> Outcome<Vec<PostingVersion>> {
    let asked = binds! { posting: posting.uuid(), before, limit: most(limit) };
    let rows = conn.load::<Older>(asked).await?;
    let mut versions: Vec<PostingVersion> = values(rows)?;
    let company = |version: &PostingVersion| version.before.get::<CompanyId>(COMPANY);
    let companies: HashSet<_> = versions.iter().filter_map(company).collect();
    let companies = company::views(conn, companies).await?;
    for version in &mut versions {
        version.company = company(version).and_then(|id| companies.get(&id).cloned());
    }
    Ok(versions)
}

statement! {
    IdOf = "SELECT id FROM postings WHERE source_identifier = :identifier", returns (Id,)
}

/// Returns the versions before a version, newest first. `None` if there is no such posting.
pub async fn versions(
    conn: &mut impl Executor,
    identifier: &SourceIdentifier,
    before: Option<Version>,
    limit: usize,
) -> Outcome<Option<Vec<PostingVersion>>> {
    let asked = binds! { identifier: identifier.as_str() };
    let found = conn.load::<IdOf>(asked).await?;
    let Some((id,)) = found.into_iter().next() else {
        return Ok(None);
    };
    let id = id.decode("postings.id")?;
    let found = older(conn, id, before.unwrap_or(Version::MAX), limit).await?;
    Ok(Some(found))
}

statement! {
    SinceImport = r"
        SELECT {posting_versions read} FROM posting_versions
        WHERE posting_id = {each posting} AND version >= (
            SELECT min(version) FROM posting_versions AS begun
            WHERE begun.posting_id = posting_versions.posting_id AND begun.import = :import)
        ORDER BY posting_id, version DESC",
    returns VersionRow
}

/// Returns the versions since an import first changed each posting, newest first.
pub async fn records(
    conn: &mut impl Executor,
    import: Uuid,
    postings: &[PostingId],
) -> Outcome<Vec<PostingVersion>> {
    let postings = each! { postings, id => posting: id.uuid() };
    let rows = conn
        .load_each::<SinceImport>(&postings, binds! { import })
        .await?;
    values(rows)
}

statement! {
    After = r"
        SELECT {posting_versions read} FROM {given posting uuid, known bigint}
        JOIN posting_versions
            ON posting_versions.posting_id = sent.posting AND posting_versions.version > sent.known
        ORDER BY posting_versions.posting_id, posting_versions.version DESC",
    returns VersionRow
}

/// Returns the versions of postings after these versions, newest first.
pub async fn records_after(
    conn: &mut impl Executor,
    versions: &[(PostingId, Version)],
) -> Outcome<Vec<PostingVersion>> {
    let asked = each! { versions, (id, version) => posting: id.uuid(), known: *version };
    let rows = conn.load_each::<After>(&asked, &[]).await?;
    values(rows)
}

statement! {
    Descriptions = r"
        SELECT posting_id, version, raw_description FROM posting_versions
        WHERE posting_id = {each posting} AND version = {each version}",
    returns (Id, BigInt, Nullable<Text>)
}

/// Returns the shown descriptions of postings whose pushed descriptions wait for approval.
pub(super) async fn descriptions(
    conn: &mut impl Executor,
    wanted: &[(PostingId, Version)],
) -> Outcome<Vec<(PostingId, Version, Option<Arc<str>>)>> {
    let wanted = each! { wanted, (id, version) => posting: id.uuid(), version: *version };
    let rows = conn.load_each::<Descriptions>(&wanted, &[]).await?;
    let descriptions = rows.into_iter().map(|(id, version, text)| {
        let id = id.decode("posting_versions.posting_id")?;
        Ok((id, version, text.map(Arc::from)))
    });
    Ok(descriptions.collect::<Result<_, StoreError>>()?)
}

statement! {
    Forget = r"
        DELETE FROM posting_versions WHERE (posting_id, version) IN (
            SELECT posting_id, version FROM posting_versions
            WHERE at < :before AND NOT EXISTS (
                SELECT 1 FROM postings WHERE id = posting_id AND shown IS NOT NULL)
            ORDER BY at LIMIT :limit)"
}

pub async fn forget_versions(
    conn: &mut impl Executor,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { before, limit: most(limit) };
    conn.execute::<Forget>(asked).await
}
