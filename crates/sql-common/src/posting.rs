mod decision;
mod load;
mod version;
mod view;

use std::sync::Arc;

use diesel::sql_types::{BigInt, Binary, Bool, Double, Nullable, Text};
use domain::{
    catalogue::CatalogueId,
    posting::{
        ContentHash, Description, Details, EnrichedTexts, HistoryEntry, Metadata, Original,
        Posting, Review, SalaryPeriod, State,
    },
    store::{HISTORY_SHOWN, PostingWrite, WriteSet},
};
use fields::codes::{CountryCode, CurrencyCode};
use kernel::{CompanyId, PostingId, StoreError, Version};

pub use self::{
    decision::{DecisionRow, write_decisions},
    load::{held, load, load_by_id, overdue, repeat_answers},
    version::{VersionSent, forget_versions, records, records_after, versions},
    view::{as_of, find, list},
};
use crate::{
    binds, entity,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, corrupt, decode, decoded, most},
    types::{Count, Id, Moment, StoredId, TextList, ToText},
};

entity! {
    PostingRow = postings of PostingWrite {
        fixed {
            id: Id = Id(|it| Some(it.posting.id.uuid())),
            source_identifier: Text = Text(|it| Some(it.posting.source_identifier.as_str())),
            created_at: Moment = Time(|it| Some(it.posting.created_at)),
            created_by: Nullable<Text> = Rendered(|it| text(it.posting.created_by.as_ref())),
        }
        changing {
            version: BigInt = Integer(|it| Some(it.posting.version)),
            status: Text = Text(|it| Some(it.posting.status().as_str())),
            status_reason: Nullable<Text> = Text(|it| it.posting.status_reason()),
            review: Nullable<Text> = Text(|it| it.posting.review().map(Review::as_str)),
            moderated: Bool = Bool(|it| it.posting.is_moderated()),
            company_id: Id = Id(|it| Some(it.posting.company_id.uuid())),
            came_by: Nullable<Id> = Id(|it| it.posting.came_by.map(CompanyId::uuid)),
            catalogue_id: Nullable<Id> = Id(|it| it.posting.catalogue.map(CatalogueId::uuid)),
            enriched_hash: Nullable<Binary> = Blob(|it| hash(it.posting.enriched_hash.as_ref())),
            approved_hash: Nullable<Binary> = Blob(|it| hash(it.posting.approved_hash.as_ref())),
            texts_digest: Nullable<Binary> = Blob(|it| {
                Some(it.posting.texts_digest.as_ref()?.as_bytes())
            }),
            duplicate_of: Nullable<Id> = Id(|it| Some(it.posting.duplicate_of.as_ref()?.id.uuid())),
            duplicate_identifier: Nullable<Text> = Text(|it| {
                Some(it.posting.duplicate_of.as_ref()?.source_identifier.as_str())
            }),
            content_at: Nullable<Moment> = Time(|it| it.posting.content_at),
            shown: Nullable<Text> = Document(|it| it.posting.shown.as_ref().map(|it| it as _)),
            held_at: Nullable<Moment> = Time(|it| it.posting.shown.as_ref()?.held_since()),
            is_featured: Bool = Bool(|it| it.posting.is_featured),
            published_at: Nullable<Moment> = Time(|it| it.posting.published_at),
            expire_at: Nullable<Moment> = Time(|it| it.posting.expire_at),
            expired_at: Nullable<Moment> = Time(|it| it.posting.expired_at()),
            updated_at: Moment = Time(|it| Some(it.posting.updated_at)),
            updated_by: Nullable<Text> = Rendered(|it| text(it.posting.updated_by.as_ref())),
            title: Text = Text(|it| Some(&details(it).title)),
            employment_types: TextList = TextList(|it| Some(&details(it).employment_types)),
            location_types: TextList = TextList(|it| Some(&details(it).location_types)),
            location_country_code: Nullable<Text> = Text(|it| {
                details(it).location_country_code.map(CountryCode::as_str)
            }),
            salary_min: Nullable<BigInt> = Integer(|it| details(it).salary_min),
            salary_max: Nullable<BigInt> = Integer(|it| details(it).salary_max),
            salary_currency_code: Nullable<Text> = Text(|it| {
                details(it).salary_currency_code.map(CurrencyCode::as_str)
            }),
            salary_period: Nullable<Text> = Text(|it| {
                details(it).salary_period.map(SalaryPeriod::as_str)
            }),
            valid_through: Nullable<Text> = Rendered(|it| text(details(it).valid_through.as_ref())),
            date_posted: Nullable<Text> = Rendered(|it| text(details(it).date_posted.as_ref())),
            locations: Nullable<Text> = Document(|it| text(details(it).locations.as_ref())),
            description_digest: Binary = Blob(|it| Some(details(it).raw_description.digest())),
            description_essence: Binary = Blob(|it| Some(details(it).raw_description.essence())),
            metadata: Nullable<Text> = Json(|it| details(it).metadata.as_ref().map(Metadata::as_str)),
        }
        texts of details -> Details {
            location_city, application_email, application_url, expiration_reason, requisition_id,
            location_region, location_postal_code,
        }
        apart {
            raw_description = Kept(PostingWrite::description),
        }
    }
}

const fn details(write: &PostingWrite) -> &Details {
    &write.posting.details
}

fn hash(hash: Option<&ContentHash>) -> Option<&[u8]> {
    hash.map(|hash| hash.as_bytes().as_slice())
}

fn text<T: ToText>(value: Option<&T>) -> Option<&dyn ToText> {
    value.map(|value| value as _)
}

/// The column of the identifier. Some queries read only this column.
pub const IDENTIFIER: &str = "postings.source_identifier";

pub(crate) const CREATOR: &str = "postings.created_by";

/// Returns a posting's original. `None` without its identifier, which decides who may see it.
pub(crate) fn original(
    id: Option<StoredId>,
    identifier: Option<String>,
) -> Result<Option<Original>, StoreError> {
    let (Some(id), Some(identifier)) = (id, identifier) else {
        return Ok(None);
    };
    Ok(Some(Original {
        id: id.decode("postings.duplicate_of")?,
        source_identifier: identifier.decode("postings.duplicate_identifier")?,
    }))
}

impl PostingRow {
    /// The posting, with its description if that was read. Rules do not need the large description.
    pub fn posting(self, description: Option<String>) -> Result<Posting, StoreError> {
        let mut row = self;
        let texts = row.take_texts();
        let digest = row
            .description_digest
            .decode("postings.description_digest")?;
        let essence = row
            .description_essence
            .decode("postings.description_essence")?;
        let details = decoded!(row of postings => Details {
            title, employment_types, location_types, location_country_code, salary_min, salary_max,
            salary_currency_code, salary_period, metadata, valid_through, date_posted, locations;
            raw_description: Description::stored(digest, essence, description.map(Arc::from));
            ..texts
        });
        let state = (
            row.status.decode("postings.status")?,
            row.review.decode("postings.review")?,
            row.moderated,
            row.expired_at.decode("postings.expired_at")?,
        );
        let (status, review, moderated, expired_at) = state;
        let stored = State::stored(status, review, moderated, expired_at);
        let columns = "postings.status, postings.review, postings.moderated or postings.expired_at";
        let stored = stored.ok_or_else(|| corrupt(columns, state))?;
        let mut posting = Posting::stored(
            (stored, row.status_reason),
            row.id.decode("postings.id")?,
            row.source_identifier.decode(IDENTIFIER)?,
            row.company_id.decode("postings.company_id")?,
            details,
            row.created_at.decode("postings.created_at")?,
        );
        posting.version = row.version;
        posting.came_by = row.came_by.decode("postings.came_by")?;
        posting.catalogue = row.catalogue_id.decode("postings.catalogue_id")?;
        posting.enriched_hash = row.enriched_hash.decode("postings.enriched_hash")?;
        posting.approved_hash = row.approved_hash.decode("postings.approved_hash")?;
        posting.texts_digest = row.texts_digest.decode("postings.texts_digest")?;
        posting.duplicate_of = original(row.duplicate_of, row.duplicate_identifier)?;
        posting.content_at = row.content_at.decode("postings.content_at")?;
        posting.shown = row.shown.decode("postings.shown")?;
        posting.is_featured = row.is_featured;
        posting.published_at = row.published_at.decode("postings.published_at")?;
        posting.expire_at = row.expire_at.decode("postings.expire_at")?;
        posting.created_by = row.created_by.decode(CREATOR)?;
        posting.updated_at = row.updated_at.decode("postings.updated_at")?;
        posting.updated_by = row.updated_by.decode("postings.updated_by")?;
        Ok(posting)
    }
}

entity! {
    /// Texts from enrichment, which are written only with a new result.
    TextsRow = posting_texts of PostingWrite {
        fixed {
            posting_id: Id = Id(|it| Some(it.posting.id.uuid())),
        }
        changing {
            latitude: Nullable<Double> = Real(|it| Some(it.enriched.as_ref()?.1?.latitude)),
            longitude: Nullable<Double> = Real(|it| Some(it.enriched.as_ref()?.1?.longitude)),
            markdown: Text = Text(|it| Some(&texts(it)?.markdown)),
            redacted_markdown: Text = Text(|it| Some(&texts(it)?.redacted_markdown)),
            redacted_title: Nullable<Text> = Text(|it| texts(it)?.redacted_title.as_deref()),
            findings: Nullable<Text> = Document(|it| Some(&it.findings)),
        }
    }
}

fn texts(write: &PostingWrite) -> Option<&EnrichedTexts> {
    Some(&write.enriched.as_ref()?.0)
}

/// A history entry: its place in the commit, its posting and version, and the entry.
pub type HistoryAdded = (i64, PostingId, Version, HistoryEntry);

pub fn history_of(write: &PostingWrite) -> impl Iterator<Item = HistoryAdded> {
    let (posting, version) = (write.posting.id, write.posting.version);
    let entries = (0..).zip(write.history.iter().cloned());
    entries.map(move |(step, entry)| (step, posting, version, entry))
}

entity! {
    HistoryRow = posting_history of HistoryAdded {
        fixed {
            posting_id: Id = Id(|(_, posting, ..)| Some(posting.uuid())),
            version: BigInt = Integer(|(_, _, version, _)| Some(*version)),
            step: Count = Integer(|(step, ..)| Some(*step)),
            at: Moment = Time(|(.., entry)| Some(entry.at)),
            status: Text = Text(|(.., entry)| Some(entry.status.as_str())),
            reason: Nullable<Text> = Text(|(.., entry)| entry.reason.as_deref()),
            actor: Text = Rendered(|(.., entry)| Some(&entry.by)),
        }
        changing {}
    }
}

decode! { row: HistoryRow of posting_history => HistoryEntry { status, at, reason, by: actor } }

statement! {
    /// Deletes history entries that are older than the last one to keep.
    TrimHistory = r"
        DELETE FROM posting_history WHERE posting_id = :posting AND (version, step) < (
            SELECT version, step FROM posting_history WHERE posting_id = :posting
            ORDER BY version DESC, step DESC LIMIT 1 OFFSET :others
        )"
}

/// Trims the histories of a commit's postings after it has added entries.
pub async fn trim_histories(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let trimmed = writes.postings.iter();
    for (posting, _) in trimmed.filter(|(_, write)| write.trims_history()) {
        let kept = binds! { posting: posting.uuid(), others: most(HISTORY_SHOWN - 1) };
        conn.execute::<TrimHistory>(kept).await?;
    }
    Ok(())
}

fn history(newest_first: Vec<HistoryRow>) -> Result<Vec<HistoryEntry>, StoreError> {
    let oldest_first = newest_first.into_iter().rev();
    oldest_first.map(HistoryEntry::try_from).collect()
}
