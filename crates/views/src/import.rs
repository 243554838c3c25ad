//! The receipts and the summary of an import, and catalogues.

use std::{borrow::Cow, collections::BTreeMap};

use domain::{
    catalogue::{self, MissingPosting, PastImport},
    import::{self, HeldBecause},
    posting::{self, Notice, NoticeCode},
};
use fields::validation::FieldErrors;
use kernel::{PutOutcome, SourceIdentifier};
use serde::Serialize;
use utoipa::{
    PartialSchema as _, ToSchema,
    openapi::{ArrayBuilder, ObjectBuilder, Ref, RefOr, Schema},
};
use uuid::Uuid;

use crate::{
    json::{Fields, Nullable, Timestamp},
    posting::Preview,
    schema::optional,
    view,
};

/// The receipt of a line, or the summary, which comes last.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum ImportLine<'a> {
    /// A receipt.
    Receipt(ImportReceipt<'a>),
    /// The summary.
    Summary(LastLine<'a>),
}

/// The outcome of a line.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportReceipt)]
pub struct ImportReceipt<'a> {
    /// The number of the line, from 1.
    line: u64,
    /// The identifier; `null` if the line has none.
    id: Option<&'a str>,
    /// `created`, `updated`, `unchanged`, `expired` or `reopened`; `refused`, or `failed` if the
    /// service could not process the line.
    outcome: &'static str,
    /// The status with which the service would have answered a `PUT`.
    status: u16,
    /// The posting's id; `null` in a dry run that would create the posting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, extensions(("x-optional" = json!(true))))]
    uuid: Option<Nullable<Uuid>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(schema_with = notices)]
    notices: Vec<NoticeView>,
    /// The preview of a dry run with `Prefer: return=representation`, without texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = preview)]
    preview: Option<Preview<'a>>,
    /// Why the line was not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(extensions(("x-optional" = json!(true))))]
    message: Option<&'a str>,
    /// What is wrong with each field, by its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = Fields::schema)]
    errors: Option<Fields<'a>>,
}

view! {
    /// How a push and its result differ.
    #[derive(Serialize, ToSchema)]
    #[schema(as = Notice)]
    pub struct NoticeView(notice: &Notice) {
        /// `still_expired`: the posting has expired, and fields alone do not reopen it;
        /// `still_rejected`: an operator rejected it; `taken_down`: an operator took it down, and
        /// it stays down; `company_kept`: the company keeps its name or logo;
        /// `closing_date_passed`: the posting expired because its closing date has passed;
        /// `corrected`: a wrong value was replaced; `left_out`: a wrong value was left out;
        /// `decoded`: character references were replaced; `unknown_field`: a field was left out.
        code: &'static str = notice.code().as_str(),
        /// The notice as a sentence.
        message: Cow<'static, str> = notice.message(),
        /// The field.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("x-optional" = json!(true))))]
        field: Option<String> = notice.field().map(str::to_owned),
        /// The field whose name may be misspelt here.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("x-optional" = json!(true))))]
        nearest: Option<String> = notice.nearest(),
        /// The value used instead of a wrong one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("x-optional" = json!(true))))]
        to: Option<String> = notice.to().map(str::to_owned),
    }
}

impl<'a> ImportReceipt<'a> {
    #[must_use]
    pub fn taken(
        line: u64,
        id: Option<&'a str>,
        answer: &posting::Answer,
        dry_run: bool,
        preview: Option<Preview<'a>>,
    ) -> Self {
        let is_new = answer.outcome == PutOutcome::Created;
        Self {
            line,
            id,
            outcome: answer.outcome.as_str(),
            status: if is_new { 201 } else { 200 },
            uuid: Some(Nullable((!(is_new && dry_run)).then(|| answer.id.uuid()))),
            notices: answer.notices.iter().map(NoticeView::new).collect(),
            preview,
            message: None,
            errors: None,
        }
    }

    /// The receipt of a refused or failed line, with the message and field errors of a `PUT`.
    #[must_use]
    pub fn refused(
        (line, id): (u64, Option<&'a str>),
        is_failure: bool,
        status: u16,
        message: &'a str,
        errors: Option<&'a FieldErrors>,
    ) -> Self {
        Self {
            line,
            id,
            outcome: if is_failure { "failed" } else { "refused" },
            status,
            uuid: None,
            notices: Vec::new(),
            preview: None,
            message: Some(message),
            errors: errors.map(Fields),
        }
    }
}

fn preview() -> RefOr<Schema> {
    optional(Ref::from_schema_name("Preview"))
}

fn missing() -> RefOr<Schema> {
    optional(Missing::schema())
}

fn changes() -> RefOr<Schema> {
    optional(Changes::schema())
}

fn degraded() -> RefOr<Schema> {
    let about = "The changes that make the import degraded; absent if there are none.";
    let names = ArrayBuilder::new().items(String::schema());
    optional(names.description(Some(about)).build())
}

/// The last line of an answer.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportSummaryLine)]
pub struct LastLine<'a> {
    summary: Summary<'a>,
}

impl<'a> LastLine<'a> {
    /// The summary of an import, with the number of omitted receipts, and the reason if it is
    /// incomplete.
    #[must_use]
    pub fn new(
        summary: &'a import::Summary,
        receipts_omitted: u64,
        message: Option<&'a str>,
    ) -> Self {
        let summary = Summary::new(summary, receipts_omitted, message);
        Self { summary }
    }
}

view! {
    /// The summary of an import.
    #[derive(Serialize, ToSchema)]
    #[schema(as = ImportSummary)]
    struct Summary<'a>(of: &'a import::Summary, omitted: u64, message: Option<&'a str>) {
        /// The lines that are not blank.
        lines: u64 = of.counts.lines,
        /// Postings that were created.
        created: u64 = of.counts.created,
        /// Lines that updated a posting or its company.
        updated: u64 = of.counts.updated,
        /// Lines that changed nothing.
        unchanged: u64 = of.counts.unchanged,
        /// Postings that their lines expired.
        expired: u64 = of.counts.expired,
        /// Expired postings that were reopened.
        reopened: u64 = of.counts.reopened,
        /// Lines that were refused.
        refused: u64 = of.counts.refused,
        /// Refused lines that may be about postings that they do not name; absent if there are
        /// none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = u64, extensions(("x-optional" = json!(true))))]
        unattributed: Option<u64> =
            (of.counts.unattributed > 0).then_some(of.counts.unattributed),
        /// Lines that the service could not process. Each has a receipt.
        failed: u64 = of.counts.failed,
        /// The number of notices by code; absent if there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schema(schema_with = notice_counts)]
        notices: BTreeMap<&'static str, u64> =
            of.counts.notices.iter().map(|(code, count)| (code.as_str(), count)).collect(),
        /// The number of omitted receipts. An answer has at most 100,000 receipts or 64 MiB.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = u64, extensions(("x-optional" = json!(true))))]
        receipts_omitted: Option<u64> = (omitted > 0).then_some(omitted),
        /// The postings of a catalogue that no line named.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = missing)]
        missing: Option<Missing<'a>> = of.missing.as_ref().map(Missing::new),
        /// The effects of a complete import on content.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = changes)]
        changes: Option<Changes<'a>> = of.changes.as_ref().map(Changes::new),
        /// The changes of more than 20 postings and more than 30 percent of the lines, such as
        /// `lost:salary_min` and `same_text`; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(schema_with = degraded)]
        degraded: Vec<String> = of.degraded(),
        /// Whether the body ended properly, and the import did not end before it.
        complete: bool = of.complete,
        /// Why the import is not complete.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("x-optional" = json!(true))))]
        message: Option<&'a str> = message,
    }
}

fn notices() -> RefOr<Schema> {
    let notice = Ref::from_schema_name("Notice");
    let about = "How an accepted line and its result differ; absent if they do not.";
    let notices = ArrayBuilder::new().items(notice).description(Some(about));
    optional(notices.build())
}

fn notice_counts() -> RefOr<Schema> {
    let counts = NoticeCode::NAMES
        .iter()
        .fold(ObjectBuilder::new(), |object, code| {
            object.property(*code, optional(u64::schema()))
        });
    optional(counts.build())
}

fn first_missing() -> RefOr<Schema> {
    let about = "The identifiers of the first 100 that are held back, in the answer of the import.";
    let identifiers = ArrayBuilder::new().items(String::schema());
    optional(identifiers.description(Some(about)).build())
}

view! {
    /// Open postings that a catalogue had before an import, and that no line named.
    #[derive(Serialize, ToSchema)]
    struct Missing<'a>(missing: &'a import::Missing) {
        /// The number of these postings.
        count: u64 = missing.count,
        /// How many of these postings have expired. If `held` is false, the others were missed less
        /// often than `misses`.
        expired: u64 = missing.expired,
        /// Whether none expired, for the reason in `because`.
        held: bool = missing.held.is_some(),
        /// `share`: too many are missing; `empty`: no line names any. A release then expires the
        /// missing postings, and so does the same import with `max_missing=100`. `unattributed`:
        /// more than `max_unattributed` refused lines may be about missing postings; correct these
        /// lines. Absent if `held` is false.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("x-optional" = json!(true))))]
        because: Option<&'static str> = missing.held.map(HeldBecause::as_str),
        /// The identifiers of the first 100 held-back postings; only in the import's answer.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(schema_with = first_missing)]
        first: Vec<&'a str> = missing.first.iter().map(SourceIdentifier::as_str).collect(),
    }
}

view! {
    /// The effects of an import on content. A new posting counts only for repeated values.
    #[derive(Serialize, ToSchema)]
    struct Changes<'a>(changes: &'a import::Changes) {
        /// The postings that lost the value of a field, by field.
        lost: &'a BTreeMap<String, u64> = &changes.lost,
        /// The postings whose description fell below a third of its length.
        shrunk: u64 = changes.shrunk,
        /// The lines that set the same description as at least ten others.
        same_text: u64 = changes.same_text,
        /// The lines that set the same title as at least ten others.
        same_title: u64 = changes.same_title,
        /// The lines that set the same application link as at least ten others.
        same_url: u64 = changes.same_url,
    }
}

view! {
    /// The results of an undo of the last import that expired or changed postings.
    #[derive(Serialize, ToSchema)]
    pub struct Undone(undone: catalogue::Undone) {
        /// How many postings were reopened.
        reopened: u64 = undone.reopened,
        /// How many postings got their former values back.
        restored: u64 = undone.restored,
        /// How many were left: they changed later, were deleted, or have a forbidden identifier.
        left: u64 = undone.left,
    }
}

view! {
    /// The results of a release of the postings that the last complete import held back.
    #[derive(Serialize, ToSchema)]
    pub struct Released(released: catalogue::Released) {
        /// How many have expired.
        expired: u64 = released.expired,
        /// How many were left: named later, no longer open, or with a forbidden identifier.
        left: u64 = released.left,
    }
}

view! {
    /// A posting that the last complete import of its catalogue did not name.
    #[derive(Serialize, ToSchema)]
    #[schema(as = MissingPosting)]
    pub struct MissingView<'a>(missing: &'a MissingPosting) {
        /// The posting's id.
        uuid: Uuid = missing.id.uuid(),
        /// The identifier.
        unique_source_identifier: &'a str = missing.identifier.as_str(),
        /// Its present status.
        status: &'static str = missing.status.as_str(),
        /// Whether a release would expire it.
        held: bool = missing.is_held,
    }
}

view! {
    /// A catalogue as operators see it: with its client.
    #[derive(Serialize)]
    pub struct CatalogueOfOperator<'a>(of: &'a catalogue::Catalogue) {
        client: String = of.client.to_string(),
        #[serde(flatten)]
        catalogue: Catalogue<'a> = Catalogue::new(of),
    }
}

view! {
    /// A catalogue: the postings that a client offers under a name.
    #[derive(Serialize, ToSchema)]
    pub struct Catalogue<'a>(catalogue: &'a catalogue::Catalogue) {
        /// The name.
        name: &'a str = catalogue.name.as_str(),
        /// The number of its postings that wait for enrichment or are approved.
        postings: u64 = catalogue.postings,
        /// Whether an import, a release or an undo of the catalogue is running.
        running: bool = catalogue.is_running,
        /// The number of postings that its last complete import holds back, and that a release
        /// expires; `null` if there are none.
        held: Option<u64> = catalogue.held,
        /// The last import that ended.
        last_import: Option<LastImport<'a>> = catalogue.last_import().map(LastImport::new),
        /// The last 30 imports that ended, the newest first.
        imports: Vec<LastImport<'a>> = catalogue.imports.iter().map(LastImport::new).collect(),
    }
}

view! {
    /// A past import of a catalogue.
    #[derive(Serialize, ToSchema)]
    struct LastImport<'a>(import: &'a PastImport) {
        /// When it began.
        #[schema(value_type = OffsetDateTime)]
        started_at: Timestamp = Timestamp(import.started_at),
        /// When it ended.
        #[schema(value_type = OffsetDateTime)]
        finished_at: Timestamp = Timestamp(import.finished_at),
        /// Its summary.
        #[serde(flatten)]
        summary: Summary<'a> = Summary::new(&import.summary, 0, None),
    }
}

#[cfg(test)]
mod tests {
    use domain::import::LineCounts;
    use kernel::testing::{minutes, noon};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_past_import_is_shown_with_its_summary() {
        let counts = LineCounts {
            lines: 40,
            created: 2,
            updated: 37,
            refused: 1,
            unattributed: 1,
            notices: [(NoticeCode::TakenDown, 2)].into_iter().collect(),
            ..LineCounts::default()
        };
        let missing = import::Missing {
            count: 5,
            held: Some(HeldBecause::Unattributed),
            ..import::Missing::default()
        };
        let past = PastImport {
            started_at: noon(),
            finished_at: noon() + minutes(1),
            summary: import::Summary {
                counts,
                missing: Some(missing),
                changes: Some(import::Changes {
                    lost: [("salary_min".to_owned(), 21)].into(),
                    shrunk: 1,
                    ..import::Changes::default()
                }),
                complete: true,
            },
        };
        let last = LastImport::new(&past);
        let expect = json!({
            "started_at": "2026-03-01T12:00:00.123456Z", "finished_at": "2026-03-01T12:01:00.123456Z",
            "lines": 40, "created": 2, "updated": 37, "unchanged": 0, "expired": 0, "reopened": 0,
            "refused": 1, "unattributed": 1, "failed": 0, "complete": true,
            "notices": {"taken_down": 2},
            "changes": {"lost": {"salary_min": 21}, "shrunk": 1, "same_text": 0, "same_title": 0,
                "same_url": 0},
            "degraded": ["lost:salary_min"],
            "missing": {"count": 5, "expired": 0, "held": true, "because": "unattributed"},
        });
        assert_eq!(serde_json::to_value(last).unwrap(), expect);
    }
}
