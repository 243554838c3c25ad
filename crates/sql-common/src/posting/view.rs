use diesel::sql_types::{BigInt, Nullable, Text};
use domain::{
    posting::{AsOf, Decision, EnrichedTexts, Posting, PostingView, Rewind},
    store::{
        HISTORY_SHOWN, ListEntry, ListOrder, ListQuery, PageScan, Position, PostingPage, ScanStep,
        Texts,
    },
};
use kernel::{Actor, SourceIdentifier, StoreError};
use uuid::Uuid;

use super::{
    CREATOR, DecisionRow, HistoryRow, IDENTIFIER, PostingRow, TextsRow, history,
    version::{descriptions, older},
};
use crate::{
    binds,
    company::{CompanyRow, company},
    each,
    executor::{Executor, Outcome},
    read, statement,
    stored::{Decode, coordinates, most},
    types::{Id, Moment, Read, StoredTime},
};

/// Selects postings with the chosen texts. A large text is read only if chosen.
fn views(description: &str, markdown: &str, redacted: &str, which: &str) -> String {
    format!(
        "SELECT {{postings read}}, {description}, {{companies read}}, posting_texts.posting_id,
            latitude, longitude, {markdown}, {redacted}, redacted_title, findings,
            {{posting_decisions read}}
        FROM postings JOIN companies ON companies.id = postings.company_id
        LEFT JOIN posting_texts ON posting_texts.posting_id = postings.id
        LEFT JOIN posting_decisions ON posting_decisions.posting_id = postings.id
        WHERE {which}"
    )
}

type ViewColumns = (
    PostingRow,
    Nullable<Text>,
    CompanyRow,
    Nullable<TextsRow>,
    Nullable<DecisionRow>,
);

fn view(
    (posting, description, company, texts, decision): Read<ViewColumns>,
) -> Result<PostingView, StoreError> {
    let findings = texts.as_ref().and_then(|texts| texts.findings.clone());
    let place = |texts: &TextsRow| coordinates(texts.latitude, texts.longitude);
    Ok(PostingView {
        posting: posting.posting(description)?,
        company: company.try_into()?,
        coordinates: texts.as_ref().and_then(place),
        findings: findings
            .decode("posting_texts.findings")?
            .unwrap_or_default(),
        texts: texts.map(|texts| EnrichedTexts {
            markdown: texts.markdown,
            redacted_markdown: texts.redacted_markdown,
            redacted_title: texts.redacted_title,
        }),
        decision: decision.map(Decision::try_from).transpose()?,
        pending: None,
        history: Vec::new(),
    })
}

async fn show(conn: &mut impl Executor, views: &mut [PostingView]) -> Outcome<()> {
    let with_text = views.iter().filter(|it| {
        let description = &it.posting.details.raw_description;
        description.text().is_some()
    });
    let wanted: Vec<_> = with_text
        .filter_map(|it| it.posting.shown_description())
        .collect();
    let texts = match wanted.as_slice() {
        [] => Vec::new(),
        wanted => descriptions(conn, wanted).await?,
    };
    for view in views.iter_mut().filter(|it| it.posting.shown.is_some()) {
        let company = match view.posting.shown_company() {
            Some(id) => company(conn, id).await?,
            None => None,
        };
        let place = view.posting.shown_description();
        let mut texts = texts.iter();
        let text = texts.find(|(id, version, _)| Some((*id, *version)) == place);
        let text = text.and_then(|(.., text)| text.clone());
        *view = view.clone().shown(text, company);
    }
    Ok(())
}

statement! {
    Find = &views(
        "raw_description", "markdown", "redacted_markdown", "source_identifier = :identifier"
    ),
    returns ViewColumns;

    InFull = &views(
        "raw_description", "markdown", "redacted_markdown", "postings.id = {each id}"
    ),
    returns ViewColumns;

    Redacted = &views("NULL", "''", "redacted_markdown", "postings.id = {each id}"),
    returns ViewColumns;

    Bare = &views("NULL", "''", "''", "postings.id = {each id}"),
    returns ViewColumns;

    History = r"
        SELECT {posting_history} FROM posting_history
        WHERE posting_id = :posting AND version <= :version
        ORDER BY version DESC, step DESC LIMIT :limit",
    returns HistoryRow
}

pub async fn find(
    conn: &mut impl Executor,
    identifier: &SourceIdentifier,
) -> Outcome<Option<PostingView>> {
    let mut found: Vec<_> = stored(conn, identifier).await?.into_iter().collect();
    show(conn, &mut found).await?;
    Ok(found.pop())
}

async fn stored(
    conn: &mut impl Executor,
    identifier: &SourceIdentifier,
) -> Outcome<Option<PostingView>> {
    let asked = binds! { identifier: identifier.as_str() };
    let found = conn.load::<Find>(asked).await?;
    let Some(row) = found.into_iter().next() else {
        return Ok(None);
    };
    let mut view = view(row)?;
    let Posting { id, version, .. } = &view.posting;
    let asked = binds! { posting: id.uuid(), version: *version, limit: most(HISTORY_SHOWN) };
    view.history = history(conn.load::<History>(asked).await?)?;
    Ok(Some(view))
}

const STEP: usize = 50;

pub async fn as_of(
    conn: &mut impl Executor,
    identifier: &SourceIdentifier,
    moment: AsOf,
) -> Outcome<Option<PostingView>> {
    let Some(view) = stored(conn, identifier).await? else {
        return Ok(None);
    };
    let (id, mut before) = (view.posting.id, view.posting.version + 1);
    let mut rewind = Rewind::new(view, moment);
    loop {
        let found = older(conn, id, before, STEP).await?;
        let Some(last) = found.last() else { break };
        before = last.version;
        if !found.into_iter().all(|version| rewind.take(version)) {
            break;
        }
    }
    let mut then: Vec<_> = rewind.end().into_iter().collect();
    show(conn, &mut then).await?;
    Ok(then.pop())
}

/// Selects list entries. The sizes of compressed texts are known without reading them, except for
/// `metadata`, which is `json` on PostgreSQL.
fn entries_of(which: &str, order: &str) -> String {
    format!(
        "SELECT postings.id, updated_at, source_identifier, created_by, duplicate_identifier,
            octet_length(raw_description){{postgres ::bigint}}
            + coalesce(octet_length(metadata{{postgres ::text}}), 0)
            + coalesce(octet_length(markdown), 0)
            + coalesce(octet_length(redacted_markdown), 0)
        FROM postings LEFT JOIN posting_texts ON posting_texts.posting_id = postings.id
        WHERE {which} ORDER BY {order} LIMIT :limit"
    )
}

read! {
    EntryRow = postings {
        id: Id,
        updated_at: Moment,
        source_identifier: Text,
        created_by: Nullable<Text>,
        duplicate_identifier: Nullable<Text>,
        bytes: BigInt,
    }
}

statement! {
    Changed = &entries_of(
        "(postings.updated_at, postings.id) > (:at, :id)", "postings.updated_at, postings.id"
    ),
    returns EntryRow;

    ChangedOfStatus = &entries_of(
        "status = :status AND (postings.updated_at, postings.id) > (:at, :id)",
        "postings.updated_at, postings.id"
    ),
    returns EntryRow;

    ChangedCopies = &entries_of(
        "duplicate_of IS NOT NULL AND (postings.updated_at, postings.id) > (:at, :id)",
        "postings.updated_at, postings.id"
    ),
    returns EntryRow;

    ChangedCopiesOfStatus = &entries_of(
        "duplicate_of IS NOT NULL AND status = :status
            AND (postings.updated_at, postings.id) > (:at, :id)",
        "postings.updated_at, postings.id"
    ),
    returns EntryRow;

    /// Other conditions are checked after reading (`in_order`). In the statement, they might cause
    /// a long scan along the key.
    InOrderOfIds = &entries_of("postings.id > :id", "postings.id"),
    returns EntryRow
}

fn entry(row: EntryRow, query: &ListQuery) -> Result<ListEntry, StoreError> {
    let identifier = row.source_identifier.decode(IDENTIFIER)?;
    let created_by: Option<Actor> = row.created_by.decode(CREATOR)?;
    let original = row.duplicate_identifier;
    let original: Option<SourceIdentifier> = original.decode("postings.duplicate_identifier")?;
    Ok(ListEntry {
        position: Position {
            updated_at: row.updated_at.time("postings.updated_at")?,
            id: row.id.uuid("postings.id")?,
        },
        bytes: usize::try_from(row.bytes).unwrap_or(usize::MAX),
        is_wanted: query.wants(&identifier, created_by.as_ref(), original.as_ref()),
    })
}

async fn entries(conn: &mut impl Executor, step: &ScanStep) -> Outcome<Vec<EntryRow>> {
    let (query, limit) = (&step.query, most(step.length));
    if query.order == ListOrder::Id {
        let id = query.after.map_or(Uuid::nil(), |after| after.id);
        return conn.load::<InOrderOfIds>(binds! { id, limit }).await;
    }
    // Uses only the later of the two starts, so that the index gets a single range.
    let (at, id) = match (query.after, query.updated_after) {
        (Some(after), start) if start.is_none_or(|start| after.updated_at > start) => {
            (after.updated_at.into(), after.id)
        }
        (_, Some(start)) => (start.into(), Uuid::max()),
        (_, None) => (StoredTime::MIN, Uuid::nil()),
    };
    match (query.status, query.duplicates) {
        (None, false) => conn.load::<Changed>(binds! { at, id, limit }).await,
        (None, true) => conn.load::<ChangedCopies>(binds! { at, id, limit }).await,
        (Some(status), is_copy) => {
            let asked = binds! { status: status.as_str(), at, id, limit };
            if is_copy {
                conn.load::<ChangedCopiesOfStatus>(asked).await
            } else {
                conn.load::<ChangedOfStatus>(asked).await
            }
        }
    }
}

pub async fn list(conn: &mut impl Executor, query: &ListQuery) -> Outcome<PostingPage> {
    let mut scan = PageScan::new(query);
    while let Some(step) = scan.step() {
        let found = entries(conn, &step).await?.into_iter();
        let found = found.map(|row| entry(row, query));
        scan.add(&step, found.collect::<Result<Vec<_>, _>>()?);
    }
    let (page, next) = scan.page();
    let ids = each! { &page, entry => id: entry.position.id };
    let rows = match query.texts {
        Texts::All => conn.load_each::<InFull>(&ids, &[]).await?,
        Texts::Redacted => conn.load_each::<Redacted>(&ids, &[]).await?,
        Texts::None => conn.load_each::<Bare>(&ids, &[]).await?,
    };
    let mut views = rows.into_iter().map(view).collect::<Result<Vec<_>, _>>()?;
    show(conn, &mut views).await?;
    Ok(PostingPage {
        postings: in_order(views, &page, query),
        next,
    })
}

fn in_order(
    mut views: Vec<PostingView>,
    page: &[ListEntry],
    query: &ListQuery,
) -> Vec<PostingView> {
    let position = |view: &PostingView| Position {
        updated_at: view.posting.updated_at,
        id: view.posting.id.uuid(),
    };
    match query.order {
        ListOrder::Changed => {
            // If a posting has changed meanwhile, it is in a later place, and it may be larger.
            views.retain(|view| page.iter().any(|entry| entry.position == position(view)));
            views.sort_unstable_by_key(|view| {
                let Position { updated_at, id } = position(view);
                (updated_at, id)
            });
        }
        ListOrder::Id => {
            let is_wanted = |posting: &Posting| {
                query.status.is_none_or(|status| posting.status() == status)
                    && query.updated_after.is_none_or(|at| posting.updated_at > at)
            };
            views.retain(|view| is_wanted(&view.posting));
            views.sort_unstable_by_key(|view| position(view).id);
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dialect::Dialect, sql::Sql as _};

    #[test]
    fn a_text_that_is_not_asked_for_is_not_named() {
        let texts = ["raw_description", " markdown", " redacted_markdown"];
        for (query, named) in [
            (InFull::texts(), [true; 3]),
            (Redacted::texts(), [false, false, true]),
            (Bare::texts(), [false; 3]),
        ] {
            let query = query.of(Dialect::Postgres).with_marks();
            assert_eq!(texts.map(|text| query.contains(text)), named, "{query}");
        }
    }
}
