//! The operations on postings.

use enrichment::Identity;
use kernel::SourceIdentifier;
use serde_json::json;
use utoipa::openapi::{
    HttpMethod, ObjectBuilder, PathItem, ResponseBuilder, Type,
    path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItemBuilder},
};

use super::{
    errors::{
        ALL, BAD_REQUEST, FORBIDDEN_TO_PUSH, NEEDS_HTTP_1_1, NOT_ACCEPTABLE, NOT_FOUND, WRITING,
        with_errors,
    },
    operation::{Examples, conditional, integer, json_body, operation, parameter},
    response::{PREFERENCE_APPLIED, json_ld, lines, ok, with_header},
    security::requires,
};
use crate::posting::{
    DEFAULT_LIMIT, EXPORT_PATH, FORMS, LIST_PATH, MAX_LIMIT, ME, PageAnswer, Posting,
    PostingAnswer, PutAnswer, READERS, STRICT, TEXTS, WRITERS,
};
use crate::replica::REPLICA_LAG;
use crate::schema::{one_of, reference, string, time};

/// The tag of these operations.
pub const TAG: &str = "Job postings";

/// The pattern of texts without control characters.
const NO_CONTROLS: &str = r"^[^\x00-\x1f\x7f-\x9f]+$";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let one = PathItemBuilder::new()
        .operation(HttpMethod::Put, put())
        .operation(HttpMethod::Get, get())
        .build();
    let list = PathItemBuilder::new()
        .operation(HttpMethod::Get, list())
        .build();
    let export = PathItemBuilder::new()
        .operation(HttpMethod::Get, export())
        .build();
    vec![
        (format!("{LIST_PATH}/{{uniqueSourceIdentifier}}"), one),
        (LIST_PATH.to_owned(), list),
        (EXPORT_PATH.to_owned(), export),
    ]
}

fn put() -> OperationBuilder {
    let body = json_body(
        "PostingPayload",
        Some("What to set; see the schema for what absence and `null` mean."),
        examples(),
    );
    let operation = operation(
        TAG,
        "putJobPosting",
        "Create, update or expire a posting",
        "Creates the posting if there is none with this identifier. Otherwise updates it: \
             absent fields are kept, `null` clears. With an `expiration` object it takes the \
             posting down; with `\"expiration\": null` it reopens one that was taken down. Fields \
             that are sent along are applied in the same step, and a refusal applies nothing. \
             Repeating a push changes nothing.\n\n\
             Refusals come in this order: 401, 429, 403, 405, 415, 413, 400, 422 for fields and \
             parameters, 404 for expiring what is not there, 422 for what the status does not \
             allow.",
    )
    .securities(Some(requires(WRITERS)))
    .parameter(identifier())
    .parameter(dry_run())
    .parameter(prefer())
    .request_body(Some(body))
    .response("201", pushed("The posting was created."))
    .response(
        "200",
        pushed("The posting was updated, expired or reopened, or is so already."),
    );
    with_errors(
        operation,
        &[
            ALL,
            WRITING,
            &[&BAD_REQUEST, &NOT_FOUND, &FORBIDDEN_TO_PUSH],
        ],
    )
}

/// The parameter for an answer without a write.
pub(super) fn dry_run() -> ParameterBuilder {
    parameter(
        ParameterIn::Query,
        "dry_run",
        "With `true` the answer is the one that a push would have now, and nothing is written. \
         Where a posting would be created, `uuid` is `null`.",
        ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .default(Some(json!(false))),
    )
}

/// The header for the refusal of unknown fields.
pub(super) fn prefer() -> ParameterBuilder {
    parameter(
        ParameterIn::Header,
        "Prefer",
        "With `handling=strict` (RFC 7240) unknown fields are refused, which are ignored \
         otherwise. Other preferences are ignored.",
        string("Preferences."),
    )
    .example(Some(json!(STRICT)))
}

fn pushed(description: &str) -> ResponseBuilder {
    let headers = [
        "Posthaste-Outcome",
        "Posthaste-Status",
        "Posthaste-Notice",
        PREFERENCE_APPLIED,
    ];
    let answer = ok::<PutAnswer>(description);
    headers.into_iter().fold(answer, with_header)
}

fn get() -> OperationBuilder {
    let operation = operation(
        TAG,
        "getJobPosting",
        "Read a posting",
        "The posting with all its fields, and the newest 100 entries of its history. An approved \
         posting is given as JSON-LD to a client whose `Accept` has more weight for \
         `application/ld+json` than for JSON. Unknown parameters are refused.",
    )
    .securities(Some(requires(READERS)))
    .parameter(identifier())
    .parameter(identity());
    let (kind, job) = json_ld();
    let posting = ok::<PostingAnswer>("The posting.").content(kind, job);
    let operation = conditional(operation, posting);
    with_errors(
        operation,
        &[ALL, &[&BAD_REQUEST, &NOT_FOUND, &NOT_ACCEPTABLE]],
    )
}

fn list() -> OperationBuilder {
    let operation = operation(
        TAG,
        "listJobPostings",
        "Postings by their last change",
        "For reconciling: ascending by `updated_at` and `uuid`, a page at a time. What is \
             written at the same moment may become visible a little later, so let \
             `updated_after` overlap by a minute. A page ends early at 8 MiB, and `next_cursor` \
             goes on there. A page may be short, or even empty, before the last one: if few \
             postings are the client's or have its prefixes, the answer does not wait for all \
             others to be passed by. Unknown and repeated parameters are refused.",
    )
    .securities(Some(requires(READERS)))
    .parameter(status())
    .parameter(parameter(
        ParameterIn::Query,
        "updated_after",
        "Only postings that changed after this time. A plus sign is written `%2B`.",
        time("A time of RFC 3339.").examples(["2026-01-31T12:00:00Z"]),
    ))
    .parameter(parameter(
        ParameterIn::Query,
        "client",
        &format!("Only postings that this client created: `{ME}`, or a client's id."),
        string("A client.").min_length(Some(1)).examples([ME]),
    ))
    .parameter(integer(
        "limit",
        "How many postings a page has at most.",
        (1, MAX_LIMIT),
        DEFAULT_LIMIT,
    ))
    .parameter(parameter(
        ParameterIn::Query,
        "cursor",
        "The `next_cursor` of the page before. Its content may change at any time.",
        string("An opaque position.").min_length(Some(1)),
    ))
    .parameter(texts())
    .response(
        "200",
        with_header(ok::<PageAnswer>("A page of postings."), REPLICA_LAG),
    );
    with_errors(operation, &[ALL])
}

fn export() -> OperationBuilder {
    let operation = operation(
        TAG,
        "exportJobPostings",
        "All postings at once",
        "Every posting once, a line each, as the list shows it, sent while it is read. The answer \
         ends properly only if it is complete. Follow the events from `Posthaste-Events-Cursor` \
         on, and nothing is missed: a posting that changes during the export is among the events, \
         and may or may not be in the export with that change. Unknown and repeated parameters \
         are refused.",
    )
    .securities(Some(requires(READERS)))
    .parameter(status())
    .parameter(texts())
    .parameter(parameter(
        ParameterIn::Query,
        "form",
        "With `jsonld` lines are approved postings as JSON-LD, as `GET` of one gives them.",
        one_of("A form.", &FORMS).default(Some(json!(FORMS[0]))),
    ))
    .parameter(identity())
    .response(
        "200",
        with_header(
            with_header(
                lines::<Posting>("Lines of JSON, each of them a posting."),
                "Posthaste-Events-Cursor",
            ),
            REPLICA_LAG,
        ),
    );
    with_errors(operation, &[ALL, &[&NEEDS_HTTP_1_1]])
}

fn identity() -> ParameterBuilder {
    parameter(
        ParameterIn::Query,
        "identity",
        "Whether JSON-LD tells the company: `hidden` takes the redacted texts and nothing else \
         that would.",
        one_of("A choice.", Identity::NAMES).default(Some(json!(Identity::Hidden.as_str()))),
    )
}

fn status() -> ParameterBuilder {
    parameter(
        ParameterIn::Query,
        "status",
        "Only postings with this status.",
        reference("Status"),
    )
}

fn texts() -> ParameterBuilder {
    parameter(
        ParameterIn::Query,
        "texts",
        "Which of `raw_description`, `markdown_description` and `markdown_redacted_description` \
         postings have: all of them, the redacted one, or none.",
        one_of("A choice of texts.", &TEXTS).default(Some(json!(TEXTS[0]))),
    )
}

fn identifier() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(SourceIdentifier::LONGEST))
        .pattern(Some(NO_CONTROLS));
    parameter(
        ParameterIn::Path,
        "uniqueSourceIdentifier",
        "The posting's id in the source system: percent-encoded UTF-8 without control \
         characters. A slash in it is written `%2F`. Compared byte for byte.",
        schema,
    )
    .example(Some(json!("example-4711")))
    .build()
}

fn examples() -> Examples {
    vec![
        (
            "create",
            "Create",
            json!({
                "title": "Backend Engineer",
                "raw_description": "<p>You build our API.</p><ul><li>Rust</li></ul>",
                "employment_types": ["full-time"],
                "location_types": ["hybrid"],
                "location_country_code": "DE",
                "location_city": "Berlin",
                "salary_min": 60000,
                "salary_max": 80000,
                "salary_currency_code": "EUR",
                "salary_period": "annually",
                "application_url": "https://example.com/jobs/4711/apply",
                "metadata": {"source": "example"},
                "company": {"name": "Example GmbH", "website_url": "https://example.com"}
            }),
        ),
        (
            "update",
            "Change one field",
            json!({"title": "Senior Backend Engineer"}),
        ),
        (
            "update-clear",
            "Clear optional fields",
            json!({"salary_min": null, "salary_max": null}),
        ),
        (
            "expire",
            "Take down",
            json!({"expiration": {"reason": "Position filled"}}),
        ),
        ("reopen", "Reopen", json!({"expiration": null})),
    ]
}
