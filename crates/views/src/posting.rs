//! A posting as the list shows it, and with its history.

use domain::{
    posting::{self, Coordinates, DESCRIPTION, PostingView},
    store::Texts,
};
use fields::{
    INTEGER,
    codes::{CountryCode, CurrencyCode},
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value, value::RawValue};
use utoipa::{
    PartialSchema as _, ToSchema,
    openapi::{
        ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
        schema::SchemaType,
    },
};
use uuid::Uuid;

use crate::{
    company::Company,
    json::{Nullable, Timestamp},
    schema::{optional, vocabularies},
    view,
};

vocabularies! {
    /// The status of a posting.
    Status(kernel::Status);
    /// A kind of employment.
    EmploymentType(posting::EmploymentType);
    /// Where the work is done.
    LocationType(posting::LocationType);
    /// The period that a salary is paid for.
    SalaryPeriod(posting::SalaryPeriod);
    /// The outcome of a decision.
    DecisionOutcome(posting::DecisionOutcome);
    /// The ground of a rejection or a removal.
    Ground(posting::Ground);
    /// The state of an objection.
    ObjectionState(posting::ObjectionState);
}

fn location_list() -> RefOr<Schema> {
    let about = "Every place of a job that has more than one. Absent if it is not set.";
    let locations = ArrayBuilder::new().items(Location::schema());
    optional(locations.description(Some(about)).build())
}

fn moment() -> RefOr<Schema> {
    optional(Moment::schema())
}

fn company() -> RefOr<Schema> {
    optional(Ref::from_schema_name("Company"))
}

/// A posting with its history.
#[derive(Serialize, ToSchema)]
pub struct PostingWithHistory<'a> {
    #[serde(flatten)]
    posting: Posting<'a>,
    /// The history of the posting's status, oldest first.
    history: Vec<HistoryEntry<'a>>,
    /// The shown version, if a version or time was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = moment)]
    as_of: Option<Moment>,
}

impl<'a> PostingWithHistory<'a> {
    #[must_use]
    pub fn new(view: &'a PostingView, appeal: Option<&'a str>) -> Self {
        Self {
            posting: Posting::new(view, Texts::All, appeal),
            history: view.history.iter().map(HistoryEntry::new).collect(),
            as_of: None,
        }
    }

    #[must_use]
    pub fn as_of(view: &'a PostingView, appeal: Option<&'a str>) -> Self {
        Self {
            as_of: Some(Moment::new(&view.posting)),
            ..Self::new(view, appeal)
        }
    }

    /// The form for webhook receivers, without content that waits for a verdict.
    #[must_use]
    pub fn delivered(view: &'a PostingView, appeal: Option<&'a str>) -> Self {
        let mut data = Self::new(view, appeal);
        data.posting.pending = None;
        data
    }
}

view! {
    /// The version of a posting that is shown.
    #[derive(Serialize, ToSchema)]
    struct Moment(posting: &posting::Posting) {
        /// The version.
        #[schema(minimum = 1)]
        version: i64 = posting.version,
        /// When this version began.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(posting.updated_at),
    }
}

/// The pushed values of an approved posting that wait for a verdict.
#[derive(Serialize, ToSchema)]
struct Pending<'a> {
    /// When the first of these values was pushed.
    #[schema(value_type = OffsetDateTime)]
    since: Timestamp,
    /// The description, if it waits. Absent if `texts` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, extensions(("optional" = json!(true))))]
    raw_description: Option<&'a str>,
    /// The company, if it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = company)]
    company: Option<Company<'a>>,
    /// The other fields that wait, as pushed.
    #[serde(flatten)]
    values: Map<String, Value>,
}

impl<'a> Pending<'a> {
    fn new(pending: &'a posting::Pending, texts: Texts) -> Self {
        let values = pending.values.iter();
        let values = values.filter(|(name, _)| *name != DESCRIPTION);
        Self {
            since: Timestamp(pending.since),
            raw_description: pending
                .description
                .as_deref()
                .filter(|_| texts == Texts::All),
            company: pending.company.as_ref().map(Company::from),
            values: values
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
        }
    }
}

view! {
    /// A posting, as the list shows it.
    #[derive(Serialize, ToSchema)]
    pub struct Posting<'a>(view: &'a PostingView, shown: Texts, appeal: Option<&'a str>) {
        /// The posting's id in this service.
        uuid: Uuid = view.posting.id.uuid(),
        /// The posting's id in the source system.
        unique_source_identifier: &'a str = view.posting.source_identifier.as_str(),
        status: Status = Status(view.posting.status()),
        /// The reason of the status. Notes in the history do not change it.
        status_reason: Option<&'a str> = view.posting.status_reason(),
        /// The newest decision; `null` before the first.
        decision: Option<Decision<'a>> =
            view.decision.as_ref().map(|decision| Decision::new(decision, appeal)),
        /// As pushed, trimmed.
        title: &'a str = &view.posting.details.title,
        /// The title without words that identify the company or bypass the board: one line of plain
        /// text. `null` until enriched.
        redacted_title: Option<&'a str> =
            view.texts.as_ref().and_then(|texts| texts.redacted_title.as_deref()),
        /// As pushed. Absent if `texts` leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        raw_description: Option<&'a str> = (shown == Texts::All).then(|| view.description()),
        /// The description in Markdown, once enriched. Absent if `texts` leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
        markdown_description: Option<Nullable<&'a str>> = (shown == Texts::All)
            .then(|| Nullable(view.texts.as_ref().map(|texts| texts.markdown.as_str()))),
        /// The same without words that identify the company or bypass the board. Absent if `texts`
        /// leaves it out.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, extensions(("optional" = json!(true))))]
        markdown_redacted_description: Option<Nullable<&'a str>> = (shown != Texts::None)
            .then(|| Nullable(view.texts.as_ref().map(|texts| texts.redacted_markdown.as_str()))),
        /// As pushed.
        employment_types: Vec<EmploymentType> =
            view.posting.details.employment_types.iter().copied().map(EmploymentType).collect(),
        /// As pushed.
        location_types: Vec<LocationType> =
            view.posting.details.location_types.iter().copied().map(LocationType).collect(),
        /// ISO 3166-1 alpha-2, upper case.
        location_country_code: Option<&'static str> =
            view.posting.details.location_country_code.map(CountryCode::as_str),
        /// As pushed, trimmed.
        location_city: Option<&'a str> = view.posting.details.location_city.as_deref(),
        /// As pushed, trimmed. Absent if it is not set.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        location_region: Option<&'a str> = view.posting.details.location_region.as_deref(),
        /// As pushed, trimmed. Absent if it is not set.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        location_postal_code: Option<&'a str> =
            view.posting.details.location_postal_code.as_deref(),
        /// Every place of a job that has more than one. Absent if it is not set.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(schema_with = location_list)]
        locations: Vec<Location<'a>> = locations(view),
        /// The city's latitude in degrees north, if known.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64> = view.coordinates.map(|place| place.latitude),
        /// The city's longitude in degrees east, if known.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64> = view.coordinates.map(|place| place.longitude),
        #[schema(schema_with = amount)]
        salary_min: Option<i64> = view.posting.details.salary_min,
        #[schema(schema_with = amount)]
        salary_max: Option<i64> = view.posting.details.salary_max,
        /// ISO 4217, upper case.
        salary_currency_code: Option<&'static str> =
            view.posting.details.salary_currency_code.map(CurrencyCode::as_str),
        salary_period: Option<SalaryPeriod> = view.posting.details.salary_period.map(SalaryPeriod),
        /// As pushed, trimmed.
        application_email: Option<&'a str> = view.posting.details.application_email.as_deref(),
        /// As pushed, trimmed and encoded.
        application_url: Option<&'a str> = view.posting.details.application_url.as_deref(),
        /// As pushed, with the digits of its numbers unchanged.
        #[schema(value_type = Option<Object>)]
        metadata: Option<Verbatim<'a>> =
            view.posting.details.metadata.as_ref().map(|metadata| Verbatim(metadata.as_str())),
        /// Problems for a reader or a search engine, found with the newest verdict.
        remarks: Vec<Remark<'a>> = view.findings.remarks.iter().map(Remark::new).collect(),
        company: Company<'a> = Company::from(&view.company),
        /// The pushed values of an approved posting that wait for a verdict and that no reader
        /// sees; `null` without any.
        pending: Option<Pending<'a>> =
            view.pending.as_ref().map(|pending| Pending::new(pending, shown)),
        /// If this posting is a duplicate: the `uuid` of its original, the company's open posting
        /// that offered the same job first (by requisition number, or by title, place and text).
        /// `null` if you may see none.
        duplicate_of: Option<Uuid> =
            view.posting.duplicate_of.as_ref().map(|original| original.id.uuid()),
        /// Whether an operator features the posting.
        is_featured: bool = view.posting.is_featured,
        /// When the posting was first approved.
        #[schema(value_type = Option<OffsetDateTime>)]
        published_at: Option<Timestamp> = view.posting.published_at.map(Timestamp),
        /// When the posting's lifetime ends.
        #[schema(value_type = Option<OffsetDateTime>)]
        expire_at: Option<Timestamp> = view.posting.expire_at.map(Timestamp),
        /// When the posting was taken down.
        #[schema(value_type = Option<OffsetDateTime>)]
        expired_at: Option<Timestamp> = view.posting.expired_at().map(Timestamp),
        /// Why the posting was taken down.
        expiration_reason: Option<&'a str> = view.posting.details.expiration_reason.as_deref(),
        /// The closing date of the source, a date or a time. At its end the posting expires. Absent
        /// if it is not set.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("optional" = json!(true))))]
        valid_through: Option<String> =
            view.posting.details.valid_through.map(|date| date.to_string()),
        /// When the source first published the posting, a date or a time. Absent if it is not set.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(extensions(("optional" = json!(true))))]
        date_posted: Option<String> =
            view.posting.details.date_posted.map(|date| date.to_string()),
        /// The employer's own number of the position. Absent if it is not set.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        requisition_id: Option<&'a str> = view.posting.details.requisition_id.as_deref(),
        /// When the posting was first pushed.
        #[schema(value_type = OffsetDateTime)]
        created_at: Timestamp = Timestamp(view.posting.created_at),
        /// When the posting last changed.
        #[schema(value_type = OffsetDateTime)]
        updated_at: Timestamp = Timestamp(view.posting.updated_at),
        /// The actor of the first push: `client:ID`; `null` if it was not recorded.
        created_by: Option<String> = view.posting.created_by.as_ref().map(ToString::to_string),
        /// The actor of the last change: `client:ID`, `catalogue:NAME`, `operator:NAME`,
        /// `enricher`, `operator`, `lifetime` or `source`; `null` if it was not recorded.
        updated_by: Option<String> = view.posting.updated_by.as_ref().map(ToString::to_string),
    }
}

view! {
    /// A problem for a reader or a search engine.
    #[derive(Serialize, ToSchema)]
    struct Remark<'a>(remark: &'a posting::Remark) {
        /// The reason, for programs. New codes may be added.
        code: &'static str = remark.code.as_str(),
        /// The field concerned.
        field: &'a str = &remark.field,
        /// The remark, for people.
        sentence: &'a str = &remark.sentence,
    }
}

view! {
    /// A place of a job that has more than one.
    #[derive(Serialize, ToSchema)]
    struct Location<'a>(location: &'a posting::Location, place: Option<Coordinates>) {
        /// ISO 3166-1 alpha-2, upper case.
        country_code: Option<&'static str> = location.country_code.map(CountryCode::as_str),
        /// As pushed, trimmed.
        region: Option<&'a str> = location.region.as_deref(),
        /// As pushed, trimmed.
        city: Option<&'a str> = location.city.as_deref(),
        /// As pushed, trimmed.
        postal_code: Option<&'a str> = location.postal_code.as_deref(),
        /// The city's latitude in degrees north, if known.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64> = place.map(|place| place.latitude),
        /// The city's longitude in degrees east, if known.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64> = place.map(|place| place.longitude),
    }
}

fn locations(view: &PostingView) -> Vec<Location<'_>> {
    let locations = view.posting.details.locations.iter();
    let places = view.findings.places.iter().copied();
    let places = places.chain(std::iter::repeat(None));
    let locations = locations.flat_map(posting::Locations::as_slice).zip(places);
    locations
        .map(|(location, place)| Location::new(location, place))
        .collect()
}

/// An integer from 0 to the largest that every JSON implementation represents exactly, or `null`.
fn amount() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .description(Some("As pushed."))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(0))
        .maximum(usize::try_from(INTEGER).ok())
}

view! {
    /// The result of a push by the rules alone. A model, an operator, or the original of a
    /// duplicate may change the result.
    #[derive(Serialize, ToSchema)]
    pub struct Preview<'a>(view: &'a PostingView, shown: Texts, job: Option<&'a str>) {
        /// The verdict of the rules.
        verdict: Option<Decision<'a>> =
            view.decision.as_ref().map(|decision| Decision::new(decision, None)),
        /// Problems for a reader or a search engine, found by the rules.
        remarks: Vec<Remark<'a>> = view.findings.remarks.iter().map(Remark::new).collect(),
        /// The title without words that identify the company or bypass the board.
        redacted_title: Option<&'a str> =
            view.texts.as_ref().and_then(|texts| texts.redacted_title.as_deref()),
        /// The description in Markdown. Absent from a receipt.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        markdown_description: Option<&'a str> = view.texts.as_ref()
            .filter(|_| shown == Texts::All).map(|texts| texts.markdown.as_str()),
        /// The same without words that identify the company or bypass the board. Absent from a
        /// receipt.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = String, extensions(("optional" = json!(true))))]
        markdown_redacted_description: Option<&'a str> = view.texts.as_ref()
            .filter(|_| shown == Texts::All).map(|texts| texts.redacted_markdown.as_str()),
        /// The city's latitude in degrees north, if known.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64> = view.coordinates.map(|place| place.latitude),
        /// The city's longitude in degrees east, if known.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64> = view.coordinates.map(|place| place.longitude),
        /// Every place of a job that has more than one. Absent if it is not set.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(schema_with = location_list)]
        locations: Vec<Location<'a>> = locations(view),
        /// The JSON-LD that hides the employer. Absent from a receipt; `null` for a posting that
        /// would not be approved.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Object>, extensions(("optional" = json!(true))))]
        json_ld: Option<Nullable<Verbatim<'a>>> =
            (shown == Texts::All).then(|| Nullable(job.map(Verbatim))),
    }
}

view! {
    /// An entry of a posting's history.
    #[derive(Serialize, ToSchema)]
    struct HistoryEntry<'a>(entry: &'a posting::HistoryEntry) {
        /// The new status.
        status: Status = Status(entry.status),
        /// The time of the change.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(entry.at),
        /// The reason, if there is one.
        reason: Option<&'a str> = entry.reason.as_deref(),
        /// The actor: `client:ID`, `catalogue:NAME`, `operator:NAME`, `enricher`, `operator`,
        /// `lifetime`, or `source` if the source's closing date has passed.
        #[schema(pattern = "^(client:.+|catalogue:.+|operator:.+|enricher|operator|lifetime|source)$")]
        by: String = entry.by.to_string(),
    }
}

view! {
    /// The newest decision whether the posting may be shown. It stays until the next decision, even
    /// if the posting expires or is reopened.
    #[derive(Serialize, ToSchema)]
    struct Decision<'a>(decision: &'a posting::Decision, appeal: Option<&'a str>) {
        /// `removed`: an operator took the posting down.
        outcome: DecisionOutcome = DecisionOutcome(decision.outcome),
        /// When it was decided.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(decision.at),
        /// Who decided: `rules`, `model`, `operator:NAME`, or `operator` for content that an
        /// operator approved earlier.
        #[schema(pattern = "^(rules|model|operator|operator:.+)$")]
        by: String = decision.by.to_string(),
        /// Whether rules or a model decided.
        automated: bool = decision.code.is_automated(),
        /// The version of the rules, or the model's name and prompt version; `null` for an
        /// operator's decision.
        version: Option<&'a str> = decision.by.version(),
        /// The reason, for programs. New codes may be added.
        code: &'a str = decision.code.as_str(),
        /// The reason, for people.
        #[schema(max_length = 1000)]
        sentence: &'a str = &decision.sentence,
        /// The passages that led to the decision, verbatim from the title or the description as
        /// shown.
        #[schema(max_items = 3)]
        passages: &'a [String] = &decision.passages,
        /// The ground of a rejection or a removal; `null` for an approval.
        ground: Option<Ground> = decision.ground.map(Ground),
        /// Where a rejection or a removal applies: `everywhere`; `null` for an approval.
        #[schema(pattern = "^everywhere$")]
        scope: Option<&'a str> = decision.ground.map(|_| "everywhere"),
        /// Whether a reader's report led to the decision.
        by_notice: bool = decision.by_notice,
        /// Where the decision can be contested, if the board offers that.
        appeal: Option<&'a str> = appeal,
        /// The objection to this decision, or to the decision that this one reverses; `null` if
        /// there is none.
        objection: Option<Objection<'a>> = decision.objection.as_ref().map(Objection::new),
    }
}

view! {
    /// An objection to a rejection or a removal.
    #[derive(Serialize, ToSchema)]
    struct Objection<'a>(objection: &'a posting::Objection) {
        /// When it was sent.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(objection.at),
        /// `reversed`: the decision no longer applies.
        state: ObjectionState = ObjectionState(objection.state),
        /// The operator's answer; `null` before the answer.
        #[schema(max_length = 1000)]
        sentence: Option<&'a str> = objection.sentence.as_deref(),
    }
}

/// JSON text written unchanged, so that a client gets back the digits that it sent.
struct Verbatim<'a>(&'a str);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use domain::{posting::EnrichedTexts, testing};

    use super::*;

    #[test]
    fn texts_that_are_left_out_are_absent() {
        let company = testing::company("acme");
        let posting = testing::posting(1, company.id);
        let new = testing::posting_view(posting, testing::company_view(&company));
        let enriched = PostingView {
            texts: Some(EnrichedTexts::default()),
            ..new.clone()
        };
        let names = [
            "raw_description",
            "markdown_description",
            "markdown_redacted_description",
        ];
        for (texts, shown) in [
            (Texts::All, &names[..]),
            (Texts::Redacted, &names[2..]),
            (Texts::None, &[]),
        ] {
            for view in [&enriched, &new] {
                let posting = serde_json::to_value(Posting::new(view, texts, None)).unwrap();
                let found = names.into_iter().filter(|name| posting.get(name).is_some());
                assert!(found.eq(shown.iter().copied()), "{posting}");
            }
        }
    }
}
