//! The tables `postings`, `posting_texts` and `posting_history`.

use std::sync::Arc;

use diesel::{
    Queryable, Selectable,
    sql_types::{BigInt, Binary, Bool, Double, Nullable, Text},
};
use domain::{
    catalogue::CatalogueId,
    company::{Company, CompanyId},
    enrichment::EnrichedTexts,
    posting::{
        Actor, ContentHash, CountryCode, CurrencyCode, Description, Details, HistoryEntry,
        Metadata, Posting, PostingId, PostingView, SalaryPeriod, TextsDigest,
    },
    store::{ListEntry, ListOrder, ListQuery, Position, PostingWrite, StoreError},
};

use crate::{
    company::{CompanyRow, companies},
    entity,
    stored::{coordinates, digest, parse, parse_optional},
    types::{Id, Moment, StoredId, StoredTime, TextList, ToText, optional_time},
};

entity! {
    /// A posting without its description.
    PostingRow = postings (id) of PostingWrite {
        fixed {
            id: Id = Id(|write| Some(write.posting.id.uuid())),
            source_identifier: Text = Text(|write| Some(write.posting.source_identifier.as_str())),
            created_at: Moment = Time(|write| Some(write.posting.created_at)),
            created_by: Nullable<Text> = Rendered(|write| actor(write.posting.created_by.as_ref())),
        }
        changing {
            version: BigInt = Integer(|write| Some(write.posting.version)),
            status: Text = Text(|write| Some(write.posting.status.as_str())),
            status_reason: Nullable<Text> = Text(|write| write.posting.status_reason.as_deref()),
            moderated: Bool = Bool(|write| write.posting.moderated),
            company_id: Id = Id(|write| Some(write.posting.company_id.uuid())),
            catalogue_id: Nullable<Id> = Id(|write| write.posting.catalogue.map(CatalogueId::uuid)),
            enriched_hash: Nullable<Binary> = Blob(|write| hash(write.posting.enriched_hash.as_ref())),
            approved_hash: Nullable<Binary> = Blob(|write| hash(write.posting.approved_hash.as_ref())),
            texts_digest: Nullable<Binary> = Blob(|write| {
                write.posting.texts_digest.as_ref().map(|digest| digest.as_bytes().as_slice())
            }),
            duplicate_of: Nullable<Id> = Id(|write| {
                write.posting.duplicate_of.map(PostingId::uuid)
            }),
            is_featured: Bool = Bool(|write| write.posting.is_featured),
            published_at: Nullable<Moment> = Time(|write| write.posting.published_at),
            expire_at: Nullable<Moment> = Time(|write| write.posting.expire_at),
            expired_at: Nullable<Moment> = Time(|write| write.posting.expired_at),
            updated_at: Moment = Time(|write| Some(write.posting.updated_at)),
            updated_by: Nullable<Text> = Rendered(|write| actor(write.posting.updated_by.as_ref())),
            title: Text = Text(|write| Some(&write.posting.details.title)),
            employment_types: TextList = TextList(|write| &write.posting.details.employment_types),
            location_types: TextList = TextList(|write| &write.posting.details.location_types),
            location_country_code: Nullable<Text> = Text(|write| {
                write.posting.details.location_country_code.map(CountryCode::as_str)
            }),
            location_city: Nullable<Text> = Text(|write| write.posting.details.location_city.as_deref()),
            salary_min: Nullable<BigInt> = Integer(|write| write.posting.details.salary_min),
            salary_max: Nullable<BigInt> = Integer(|write| write.posting.details.salary_max),
            salary_currency_code: Nullable<Text> = Text(|write| {
                write.posting.details.salary_currency_code.map(CurrencyCode::as_str)
            }),
            salary_period: Nullable<Text> = Text(|write| {
                write.posting.details.salary_period.map(SalaryPeriod::as_str)
            }),
            application_email: Nullable<Text> = Text(|write| {
                write.posting.details.application_email.as_deref()
            }),
            application_url: Nullable<Text> = Text(|write| {
                write.posting.details.application_url.as_deref()
            }),
            expiration_reason: Nullable<Text> = Text(|write| {
                write.posting.details.expiration_reason.as_deref()
            }),
            description_digest: Binary = Blob(|write| {
                Some(write.posting.details.raw_description.digest())
            }),
            metadata: Nullable<Text> = Json(|write| {
                write.posting.details.metadata.as_ref().map(Metadata::as_str)
            }),
        }
        apart {
            // An unchanged description is not sent.
            raw_description: Text = Kept(PostingWrite::description),
        }
    }
}

fn hash(hash: Option<&ContentHash>) -> Option<&[u8]> {
    hash.map(|hash| hash.as_bytes().as_slice())
}

fn actor(by: Option<&Actor>) -> Option<&dyn ToText> {
    by.map(|by| by as _)
}

/// The column of the identifier, which some queries read alone.
pub const IDENTIFIER: &str = "postings.source_identifier";

const CREATOR: &str = "postings.created_by";

impl PostingRow {
    /// The posting, with its description if that was read: it is a column of its own, because it is
    /// large and rules do without it.
    pub fn posting(self, description: Option<String>) -> Result<Posting, StoreError> {
        let row = self;
        let details = Details {
            title: row.title,
            raw_description: Description::stored(
                digest(&row.description_digest, "postings.description_digest")?,
                description.map(Arc::from),
            ),
            employment_types: row.employment_types.parse("postings.employment_types")?,
            location_types: row.location_types.parse("postings.location_types")?,
            location_country_code: parse_optional(
                row.location_country_code,
                "postings.location_country_code",
            )?,
            location_city: row.location_city,
            salary_min: row.salary_min,
            salary_max: row.salary_max,
            salary_currency_code: parse_optional(
                row.salary_currency_code,
                "postings.salary_currency_code",
            )?,
            salary_period: parse_optional(row.salary_period, "postings.salary_period")?,
            application_email: row.application_email,
            application_url: row.application_url,
            metadata: row.metadata.as_deref().map(Metadata::from_store),
            expiration_reason: row.expiration_reason,
        };
        let hash = |bytes: Option<Vec<u8>>, column: &str| {
            let hash = bytes.map(|bytes| digest(&bytes, column)).transpose()?;
            Ok::<_, StoreError>(hash.map(ContentHash::from_bytes))
        };
        let texts_digest = row.texts_digest.as_deref();
        let texts_digest = texts_digest
            .map(|bytes| digest(bytes, "postings.texts_digest"))
            .transpose()?;
        let duplicate_of = row.duplicate_of;
        let duplicate_of = duplicate_of.map(|id| id.uuid("postings.duplicate_of"));
        let catalogue = row.catalogue_id;
        let catalogue = catalogue.map(|id| id.uuid("postings.catalogue_id"));
        Ok(Posting {
            id: PostingId::new(row.id.uuid("postings.id")?),
            source_identifier: parse(row.source_identifier, IDENTIFIER)?,
            version: row.version,
            status: parse(row.status, "postings.status")?,
            status_reason: row.status_reason,
            moderated: row.moderated,
            details,
            company_id: CompanyId::new(row.company_id.uuid("postings.company_id")?),
            catalogue: catalogue.transpose()?.map(CatalogueId::new),
            enriched_hash: hash(row.enriched_hash, "postings.enriched_hash")?,
            approved_hash: hash(row.approved_hash, "postings.approved_hash")?,
            texts_digest: texts_digest.map(TextsDigest::from_bytes),
            duplicate_of: duplicate_of.transpose()?.map(PostingId::new),
            is_featured: row.is_featured,
            published_at: optional_time(row.published_at, "postings.published_at")?,
            expire_at: optional_time(row.expire_at, "postings.expire_at")?,
            expired_at: optional_time(row.expired_at, "postings.expired_at")?,
            created_at: row.created_at.time("postings.created_at")?,
            created_by: parse_optional(row.created_by, CREATOR)?,
            updated_at: row.updated_at.time("postings.updated_at")?,
            updated_by: parse_optional(row.updated_by, "postings.updated_by")?,
        })
    }
}

entity! {
    /// The texts that enrichment made of a posting; written only with a new result.
    TextsRow = posting_texts (posting_id) of PostingWrite {
        fixed {
            posting_id: Id = Id(|write| Some(write.posting.id.uuid())),
        }
        changing {
            latitude: Nullable<Double> = Real(|write| {
                write.enriched.as_ref()?.1.map(|place| place.latitude)
            }),
            longitude: Nullable<Double> = Real(|write| {
                write.enriched.as_ref()?.1.map(|place| place.longitude)
            }),
            markdown: Text = Text(|write| Some(&write.enriched.as_ref()?.0.markdown)),
            redacted_markdown: Text = Text(|write| {
                Some(&write.enriched.as_ref()?.0.redacted_markdown)
            }),
            redacted_title: Nullable<Text> = Text(|write| {
                write.enriched.as_ref()?.0.redacted_title.as_deref()
            }),
        }
        apart {}
    }
}

diesel::joinable!(postings -> companies (company_id));
diesel::joinable!(posting_texts -> postings (posting_id));
diesel::allow_tables_to_appear_in_same_query!(companies, postings, posting_texts);

/// A posting with its description, its company and its texts.
pub type ViewRow = (PostingRow, String, CompanyRow, Option<TextsRow>);

/// A posting as API clients see it, without its history.
pub fn view((posting, description, company, texts): ViewRow) -> Result<PostingView, StoreError> {
    let place = |texts: &TextsRow| coordinates(texts.latitude, texts.longitude);
    Ok(PostingView {
        posting: posting.posting(Some(description))?,
        company: Company::try_from(company)?,
        coordinates: texts.as_ref().and_then(place),
        texts: texts.map(|texts| EnrichedTexts {
            markdown: texts.markdown,
            redacted_markdown: texts.redacted_markdown,
            redacted_title: texts.redacted_title,
        }),
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
pub type RedactedViewRow = (PostingRow, CompanyRow, Option<RedactedRow>);

/// A posting for readers who want the redacted text alone.
pub fn redacted_view(
    (posting, company, texts): RedactedViewRow,
) -> Result<PostingView, StoreError> {
    let place = |texts: &RedactedRow| coordinates(texts.latitude, texts.longitude);
    Ok(PostingView {
        posting: posting.posting(None)?,
        company: Company::try_from(company)?,
        coordinates: texts.as_ref().and_then(place),
        texts: texts.map(|texts| EnrichedTexts {
            redacted_markdown: texts.redacted_markdown,
            redacted_title: texts.redacted_title,
            ..EnrichedTexts::default()
        }),
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
pub type BareViewRow = (PostingRow, CompanyRow, Option<BareRow>);

/// A posting for readers who want none of its texts.
pub fn bare_view((posting, company, made): BareViewRow) -> Result<PostingView, StoreError> {
    let place = |made: &BareRow| coordinates(made.latitude, made.longitude);
    Ok(PostingView {
        posting: posting.posting(None)?,
        company: Company::try_from(company)?,
        coordinates: made.as_ref().and_then(place),
        texts: made.map(|made| EnrichedTexts {
            redacted_title: made.redacted_title,
            ..EnrichedTexts::default()
        }),
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
            company::{CompanyRow, companies},
            posting::{BareRow, PostingRow, RedactedRow, TextsRow, posting_texts, postings},
            types::{Id, Moment, StoredId, StoredTime},
        };

        type ViewColumns = (
            AsSelect<PostingRow, $db>,
            postings::raw_description,
            AsSelect<CompanyRow, $db>,
            AsSelect<Option<TextsRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn views() -> _ {
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

        type RedactedViewColumns = (
            AsSelect<PostingRow, $db>,
            AsSelect<CompanyRow, $db>,
            AsSelect<Option<RedactedRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn redacted_views() -> _ {
            let columns: RedactedViewColumns = (
                PostingRow::as_select(),
                CompanyRow::as_select(),
                <Option<RedactedRow>>::as_select(),
            );
            postings::table
                .inner_join(companies::table)
                .left_join(posting_texts::table)
                .select(columns)
        }

        type BareViewColumns = (
            AsSelect<PostingRow, $db>,
            AsSelect<CompanyRow, $db>,
            AsSelect<Option<BareRow>, $db>,
        );

        #[diesel::dsl::auto_type]
        pub(super) fn bare_views() -> _ {
            let columns: BareViewColumns = (
                PostingRow::as_select(),
                CompanyRow::as_select(),
                <Option<BareRow>>::as_select(),
            );
            postings::table
                .inner_join(companies::table)
                .left_join(posting_texts::table)
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

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::types::{Id, Moment};

    posting_history (posting_id, version, step) {
        posting_id -> Id,
        version -> BigInt,
        step -> Integer,
        at -> Moment,
        status -> Text,
        reason -> Nullable<Text>,
        actor -> Text,
    }
}

/// An entry of a posting's history.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = posting_history)]
pub struct HistoryRow {
    status: String,
    at: StoredTime,
    reason: Option<String>,
    actor: String,
}

impl TryFrom<HistoryRow> for HistoryEntry {
    type Error = StoreError;

    fn try_from(row: HistoryRow) -> Result<Self, StoreError> {
        Ok(Self {
            status: parse(row.status, "posting_history.status")?,
            at: row.at.time("posting_history.at")?,
            reason: row.reason,
            by: parse(row.actor, "posting_history.actor")?,
        })
    }
}

/// The history in order, from rows that were read newest first.
pub fn history(newest_first: Vec<HistoryRow>) -> Result<Vec<HistoryEntry>, StoreError> {
    let oldest_first = newest_first.into_iter().rev();
    oldest_first.map(HistoryEntry::try_from).collect()
}
