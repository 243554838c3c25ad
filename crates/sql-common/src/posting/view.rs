//! Postings as readers see them, and the lists of them.

use diesel::{Queryable, Selectable};
use domain::{
    company::CompanyView,
    posting::{Decision, EnrichedTexts, Posting, PostingView},
    store::{ListEntry, ListOrder, ListQuery, Position},
};
use kernel::{Actor, StoreError};

use super::{CREATOR, DecisionRow, IDENTIFIER, PostingRow, TextsRow, posting_texts};
use crate::{
    company::CompanyViewRow,
    stored::{coordinates, parse, parse_optional},
    types::{StoredId, StoredTime},
};

/// A posting with its description, its company, its texts and the decision about it.
pub type ViewRow = (
    PostingRow,
    String,
    CompanyViewRow,
    Option<TextsRow>,
    Option<DecisionRow>,
);

/// A posting as API clients see it, without its history.
pub fn view(
    (posting, description, company, texts, decision): ViewRow,
) -> Result<PostingView, StoreError> {
    let place = |texts: &TextsRow| coordinates(texts.latitude, texts.longitude);
    Ok(PostingView {
        posting: posting.posting(Some(description))?,
        company: CompanyView::try_from(company)?,
        coordinates: texts.as_ref().and_then(place),
        texts: texts.map(|texts| EnrichedTexts {
            markdown: texts.markdown,
            redacted_markdown: texts.redacted_markdown,
            redacted_title: texts.redacted_title,
        }),
        decision: decision.map(Decision::try_from).transpose()?,
        history: Vec::new(),
    })
}

/// What enrichment made of a posting, with the redacted text alone.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = posting_texts)]
pub struct RedactedRow {
    latitude: Option<f64>,
    longitude: Option<f64>,
    redacted_markdown: String,
    redacted_title: Option<String>,
}

/// A posting without its description, its company and the redacted text.
pub type RedactedViewRow = (
    PostingRow,
    CompanyViewRow,
    Option<RedactedRow>,
    Option<DecisionRow>,
);

/// A posting for readers who want the redacted text alone.
pub fn redacted_view(
    (posting, company, texts, decision): RedactedViewRow,
) -> Result<PostingView, StoreError> {
    let place = |texts: &RedactedRow| coordinates(texts.latitude, texts.longitude);
    Ok(PostingView {
        posting: posting.posting(None)?,
        company: CompanyView::try_from(company)?,
        coordinates: texts.as_ref().and_then(place),
        texts: texts.map(|texts| EnrichedTexts {
            redacted_markdown: texts.redacted_markdown,
            redacted_title: texts.redacted_title,
            ..EnrichedTexts::default()
        }),
        decision: decision.map(Decision::try_from).transpose()?,
        history: Vec::new(),
    })
}

/// What enrichment made of a posting besides its texts.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = posting_texts)]
pub struct BareRow {
    /// Tells that there is a row.
    pub posting_id: StoredId,
    latitude: Option<f64>,
    longitude: Option<f64>,
    redacted_title: Option<String>,
}

/// A posting without its texts, and its company.
pub type BareViewRow = (
    PostingRow,
    CompanyViewRow,
    Option<BareRow>,
    Option<DecisionRow>,
);

/// A posting for readers who want none of its texts.
pub fn bare_view(
    (posting, company, made, decision): BareViewRow,
) -> Result<PostingView, StoreError> {
    let place = |made: &BareRow| coordinates(made.latitude, made.longitude);
    Ok(PostingView {
        posting: posting.posting(None)?,
        company: CompanyView::try_from(company)?,
        coordinates: made.as_ref().and_then(place),
        texts: made.map(|made| EnrichedTexts {
            redacted_title: made.redacted_title,
            ..EnrichedTexts::default()
        }),
        decision: decision.map(Decision::try_from).transpose()?,
        history: Vec::new(),
    })
}

/// Generates the readers' queries for one kind of database, in a module of their own: `views`,
/// `redacted_views` and `bare_views` of postings as [`ViewRow`]s, [`RedactedViewRow`]s and
/// [`BareViewRow`]s, and `listed` for a query of a list, as [`EntryRow`]s. `$size` is the SQL
/// expression of a posting's size in bytes.
///
/// A large text is read from where it is stored by naming it, so queries differ in their columns.
#[macro_export]
macro_rules! posting_queries {
    ($db:ty, $size:expr) => {
        use diesel::{
            ExpressionMethods, QueryDsl, SelectableHelper,
            dsl::{AsSelect, IntoBoxed, sql},
            expression::SqlLiteral,
            sql_types::{BigInt, Bool},
        };
        use domain::store::{ListOrder, Step};
        use $crate::{
            company::{CompanyViewRow, companies},
            posting::{
                BareRow, DecisionRow, PostingRow, RedactedRow, TextsRow, posting_decisions,
                posting_texts, postings,
            },
            types::{Id, Moment, StoredId, StoredTime},
        };

        type ViewColumns = (
            AsSelect<PostingRow, $db>,
            postings::raw_description,
            AsSelect<CompanyViewRow, $db>,
            AsSelect<Option<TextsRow>, $db>,
            AsSelect<Option<DecisionRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn views() -> _ {
            let columns: ViewColumns = (
                PostingRow::as_select(),
                postings::raw_description,
                CompanyViewRow::as_select(),
                <Option<TextsRow>>::as_select(),
                <Option<DecisionRow>>::as_select(),
            );
            postings::table
                .inner_join(companies::table)
                .left_join(posting_texts::table)
                .left_join(posting_decisions::table)
                .select(columns)
        }

        type RedactedViewColumns = (
            AsSelect<PostingRow, $db>,
            AsSelect<CompanyViewRow, $db>,
            AsSelect<Option<RedactedRow>, $db>,
            AsSelect<Option<DecisionRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn redacted_views() -> _ {
            let columns: RedactedViewColumns = (
                PostingRow::as_select(),
                CompanyViewRow::as_select(),
                <Option<RedactedRow>>::as_select(),
                <Option<DecisionRow>>::as_select(),
            );
            postings::table
                .inner_join(companies::table)
                .left_join(posting_texts::table)
                .left_join(posting_decisions::table)
                .select(columns)
        }

        type BareViewColumns = (
            AsSelect<PostingRow, $db>,
            AsSelect<CompanyViewRow, $db>,
            AsSelect<Option<BareRow>, $db>,
            AsSelect<Option<DecisionRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn bare_views() -> _ {
            let columns: BareViewColumns = (
                PostingRow::as_select(),
                CompanyViewRow::as_select(),
                <Option<BareRow>>::as_select(),
                <Option<DecisionRow>>::as_select(),
            );
            postings::table
                .inner_join(companies::table)
                .left_join(posting_texts::table)
                .left_join(posting_decisions::table)
                .select(columns)
        }

        type EntryColumns = (
            postings::id,
            postings::updated_at,
            postings::source_identifier,
            postings::created_by,
            SqlLiteral<BigInt>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn entries() -> _ {
            let columns: EntryColumns = (
                postings::id,
                postings::updated_at,
                postings::source_identifier,
                postings::created_by,
                sql($size),
            );
            postings::table
                .left_join(posting_texts::table)
                .select(columns)
        }

        pub(super) fn listed(step: &Step) -> IntoBoxed<'static, entries, $db> {
            let query = &step.query;
            let mut select = entries()
                .limit(i64::try_from(step.length).unwrap_or(i64::MAX))
                .into_boxed();
            if query.order == ListOrder::Id {
                // The other conditions are checked once a posting is read (`posting::page`): a
                // statement with them might have to go far by the key until it has a page.
                select = select.order(postings::id.asc());
                return match query.after {
                    Some(after) => select.filter(postings::id.gt(StoredId::from(after.id))),
                    None => select,
                };
            }
            select = select.order((postings::updated_at.asc(), postings::id.asc()));
            if let Some(status) = query.status {
                select = select.filter(postings::status.eq(status.as_str()));
            }
            // Only the further one of the two starts: one range is what an index is entered by.
            match (query.after, query.updated_after) {
                (Some(after), start) if start.is_none_or(|start| after.updated_at > start) => {
                    select.filter(
                        sql::<Bool>("(postings.updated_at, postings.id) > (")
                            .bind::<Moment, _>(StoredTime::from(after.updated_at))
                            .sql(", ")
                            .bind::<Id, _>(StoredId::from(after.id))
                            .sql(")"),
                    )
                }
                (_, Some(start)) => select.filter(postings::updated_at.gt(StoredTime::from(start))),
                (_, None) => select,
            }
        }
    };
}

/// The id, the time of the last update, the identifier, the creator, and the size of a posting.
pub type EntryRow = (StoredId, StoredTime, String, Option<String>, i64);

/// An entry of a list, before its posting is read.
pub fn entry(
    (id, updated_at, identifier, created_by, bytes): EntryRow,
    query: &ListQuery,
) -> Result<ListEntry, StoreError> {
    let identifier = parse(identifier, IDENTIFIER)?;
    let created_by: Option<Actor> = parse_optional(created_by, CREATOR)?;
    Ok(ListEntry {
        position: Position {
            updated_at: updated_at.time("postings.updated_at")?,
            id: id.uuid("postings.id")?,
        },
        bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
        is_wanted: query.wants(&identifier, created_by.as_ref()),
    })
}

/// The postings of a page as they were read, in order.
pub fn page(
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
            // One that was changed meanwhile stands further on, and may be larger now.
            views.retain(|view| page.iter().any(|entry| entry.position == position(view)));
            views.sort_unstable_by_key(|view| {
                let Position { updated_at, id } = position(view);
                (updated_at, id)
            });
        }
        ListOrder::Id => {
            let is_wanted = |posting: &Posting| {
                query.status.is_none_or(|status| posting.status == status)
                    && query.updated_after.is_none_or(|at| posting.updated_at > at)
            };
            views.retain(|view| is_wanted(&view.posting));
            views.sort_unstable_by_key(|view| position(view).id);
        }
    }
    views
}
