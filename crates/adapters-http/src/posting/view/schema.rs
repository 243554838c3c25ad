//! The answers, as the OpenAPI document describes them.

use domain::posting::{EmploymentType, LocationType, SalaryPeriod, Status};
use utoipa::openapi::{
    ArrayBuilder, KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type,
    schema::AdditionalProperties,
};

use crate::schema::{
    Named, object, one_of, optional_amount, optional_one_of, optional_string, optional_time,
    or_null, reference, some_of, string, time, uuid, with_all,
};

/// The schemas of the answers.
pub fn schemas() -> Vec<Named> {
    let envelope = |description, name| with_all(object(description), [("data", reference(name))]);
    vec![
        ("PutAnswer", put_answer().into()),
        (
            "PostingAnswer",
            envelope("One posting.", "PostingWithHistory").into(),
        ),
        ("PostingPage", page().into()),
        (
            "Posting",
            posting("A posting, as the list shows it.").into(),
        ),
        ("PostingWithHistory", posting_with_history().into()),
        ("Company", company().into()),
        ("HistoryEntry", history_entry().into()),
    ]
}

fn put_answer() -> ObjectBuilder {
    let id = with_all(
        object("The posting."),
        [("uuid", uuid("The posting's id."))],
    );
    with_all(object("Which posting it is."), [("data", id)])
}

fn page() -> ObjectBuilder {
    let data = ArrayBuilder::new().items(reference("Posting"));
    with_all::<RefOr<Schema>>(
        object("A page of postings, ascending by `updated_at` and `uuid`."),
        [
            ("data", data.into()),
            (
                "next_cursor",
                optional_string("Send it as `cursor` to get the next page; `null` at the end.")
                    .into(),
            ),
        ],
    )
}

fn posting_with_history() -> ObjectBuilder {
    let history = ArrayBuilder::new()
        .items(reference("HistoryEntry"))
        .description(Some("What became of the posting, oldest first."));
    with_all(
        posting("A posting with its history."),
        [("history", history)],
    )
}

fn posting(description: &str) -> ObjectBuilder {
    with_course(with_terms(with_content(object(description))))
}

/// What the position is.
fn with_content(posting: ObjectBuilder) -> ObjectBuilder {
    with_all::<RefOr<Schema>>(
        posting,
        [
            ("uuid", uuid("The posting's id in this service.").into()),
            (
                "unique_source_identifier",
                string("The posting's id in the world it comes from.").into(),
            ),
            (
                "status",
                one_of("Where the posting stands.", Status::NAMES).into(),
            ),
            (
                "status_reason",
                optional_string("Why it stands there: the newest reason of its history.").into(),
            ),
            ("title", string("As pushed, trimmed.").into()),
            ("raw_description", string("As pushed.").into()),
            (
                "markdown_description",
                optional_string("The description in Markdown, once enriched.").into(),
            ),
            (
                "markdown_redacted_description",
                optional_string(
                    "The same without what identifies the company or bypasses the board.",
                )
                .into(),
            ),
            (
                "employment_types",
                some_of("As pushed.", EmploymentType::NAMES).into(),
            ),
            (
                "location_types",
                some_of("As pushed.", LocationType::NAMES).into(),
            ),
            (
                "location_country_code",
                optional_string("ISO 3166-1 alpha-2, upper case.").into(),
            ),
            (
                "location_city",
                optional_string("As pushed, trimmed.").into(),
            ),
            (
                "latitude",
                degrees("Degrees north of the city, where it is known.", 90.0).into(),
            ),
            (
                "longitude",
                degrees("Degrees east of the city, where it is known.", 180.0).into(),
            ),
        ],
    )
}

/// What it pays, and how to get it.
fn with_terms(posting: ObjectBuilder) -> ObjectBuilder {
    with_all::<RefOr<Schema>>(
        posting,
        [
            ("salary_min", optional_amount("As pushed.").into()),
            ("salary_max", optional_amount("As pushed.").into()),
            (
                "salary_currency_code",
                optional_string("ISO 4217, upper case.").into(),
            ),
            (
                "salary_period",
                optional_one_of("As pushed.", SalaryPeriod::NAMES).into(),
            ),
            (
                "application_email",
                optional_string("As pushed, trimmed.").into(),
            ),
            (
                "application_url",
                optional_string("As pushed, trimmed.").into(),
            ),
            ("metadata", metadata().into()),
            ("company", reference("Company").into()),
        ],
    )
}

/// What became of it.
fn with_course(posting: ObjectBuilder) -> ObjectBuilder {
    with_all::<RefOr<Schema>>(
        posting,
        [
            (
                "is_featured",
                ObjectBuilder::new()
                    .schema_type(Type::Boolean)
                    .description(Some("Whether an operator features the posting."))
                    .into(),
            ),
            (
                "published_at",
                optional_time("When the posting was first approved.").into(),
            ),
            (
                "expire_at",
                optional_time("When the posting's lifetime ends.").into(),
            ),
            (
                "expired_at",
                optional_time("When the posting was taken down.").into(),
            ),
            (
                "expiration_reason",
                optional_string("Why the posting was taken down.").into(),
            ),
            (
                "created_at",
                time("When the posting was first pushed.").into(),
            ),
            ("updated_at", time("When the posting last changed.").into()),
        ],
    )
}

fn degrees(description: &str, most: f64) -> ObjectBuilder {
    or_null(Type::Number)
        .description(Some(description))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Double)))
        .minimum(Some(-most))
        .maximum(Some(most))
}

fn metadata() -> ObjectBuilder {
    or_null(Type::Object)
        .description(Some("As pushed, to the digit."))
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
}

fn company() -> ObjectBuilder {
    with_all(
        object("The company, as last pushed with any posting."),
        [
            (
                "uuid",
                uuid("The company's id: the UUIDv5 of its normalised website."),
            ),
            ("name", string("The company's name.")),
            ("website_url", string("The company's normalised website.")),
            ("logo_path", optional_string("Path to the company's logo.")),
        ],
    )
}

fn history_entry() -> ObjectBuilder {
    with_all(
        object("A step of a posting's history."),
        [
            ("status", one_of("The status from then on.", Status::NAMES)),
            ("at", time("When.")),
            ("reason", optional_string("Why, where there is a reason.")),
            (
                "by",
                string("Who: `client:ID`, `enricher`, `operator` or `lifetime`.")
                    .pattern(Some("^(client:.+|enricher|operator|lifetime)$")),
            ),
        ],
    )
}
