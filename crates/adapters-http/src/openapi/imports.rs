//! The operations on imports and catalogues.

use serde_json::json;
use utoipa::openapi::{
    ContentBuilder, HttpMethod, ObjectBuilder, PathItem, Required, ResponseBuilder, Type,
    path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItemBuilder},
    request_body::{RequestBody, RequestBodyBuilder},
};

use super::{
    errors::{
        ALL, BAD_REQUEST, CATALOGUE_NOT_FOUND, FORBIDDEN, IMPORT_RUNNING, INTERNAL, INVALID,
        LIMITED, SharedError, TIMEOUT, TOO_LARGE, UNAUTHORIZED, UNAVAILABLE, UNSUPPORTED_IMPORT,
        with_errors, with_incomplete,
    },
    operation::{operation, parameter},
    postings::{dry_run, prefer},
    response::{PREFERENCE_APPLIED, lines, ok, response, with_header},
    security::requires,
};
use crate::{
    import::{
        CATALOGUES_PATH, CatalogueAnswer, CataloguesAnswer, IMPORTS_PATH, ImportLine, MOST_FEW,
        UndoneAnswer,
    },
    posting::{NDJSON, READERS, WRITERS},
    schema::{one_of, string},
};

/// The tag of these operations.
pub const TAG: &str = "Imports";

/// The errors of an import before it begins.
const BEFORE: &[&SharedError] = &[&LIMITED, &UNSUPPORTED_IMPORT];
/// The errors of an import that may also come after lines were taken.
const AFTER: &[&SharedError] = &[
    &BAD_REQUEST,
    &UNAUTHORIZED,
    &FORBIDDEN,
    &TIMEOUT,
    &TOO_LARGE,
    &INVALID,
    &INTERNAL,
    &UNAVAILABLE,
];
/// The errors of an operation on one catalogue.
const ONE: &[&SharedError] = &[&BAD_REQUEST, &CATALOGUE_NOT_FOUND];

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let one = PathItemBuilder::new()
        .operation(HttpMethod::Put, import_catalogue())
        .operation(HttpMethod::Get, get())
        .operation(HttpMethod::Delete, delete())
        .build();
    vec![
        (
            IMPORTS_PATH.to_owned(),
            PathItem::new(HttpMethod::Post, import()),
        ),
        (
            CATALOGUES_PATH.to_owned(),
            PathItem::new(HttpMethod::Get, list()),
        ),
        (format!("{CATALOGUES_PATH}/{{name}}"), one),
        (
            format!("{CATALOGUES_PATH}/{{name}}/undo"),
            PathItem::new(HttpMethod::Post, undo()),
        ),
    ]
}

fn import() -> OperationBuilder {
    let operation = operation(
        TAG,
        "importJobPostings",
        "Push many postings",
        "One posting a line, taken in while the body arrives; each line is what a `PUT` of it would \
         be, in order for each identifier. The answer begins when the body has ended: a receipt for \
         each line that was not taken (or for all), in order, and last the summary; of more than \
         100,000 receipts or 64 MiB of them it has the first. Lines that are \
         no JSON are refused with 400, lines past the limit of a body with 413; blank ones are \
         skipped. While the store is away, lines are tried again for a minute. If an import cannot \
         go on, the status says why, and the answer has the receipts so far and \
         `\"complete\": false`. A body that is too large by its `Content-Length` is refused at once, \
         with an error as of any request. Sending all of it again is always safe. A last line \
         `{\"end\":{\"lines\":N}}` says how many lines came before it, blank ones aside; if that is \
         not so, or a line follows it, the body counts as broken off: 422 with the receipts.",
    )
    .securities(Some(requires(WRITERS)));
    let operation = with_wishes(operation)
        .request_body(Some(body()))
        .response("200", answered());
    with_incomplete(with_errors(operation, &[BEFORE]), &[AFTER])
}

fn import_catalogue() -> OperationBuilder {
    let operation = operation(
        TAG,
        "importCatalogue",
        "Push a whole catalogue",
        "As an import, and these are all postings that the client offers under this name. An \
         expired posting that is listed comes back, unless its line has an `expiration` object. \
         When the body has ended as it should, open postings that the catalogue had before and \
         that no line names expire, once `misses` imports in a row have not named them. If more \
         than `min_missing` and more than `max_missing` per cent of them are missing, or all, none \
         expires, and the summary says that they are held back. A \
         posting belongs to the catalogue that listed it last. One import of a catalogue runs at \
         a time.",
    )
    .securities(Some(requires(WRITERS)))
    .parameter(name());
    let operation = with_wishes(operation)
        .parameter(number(
            "max_missing",
            "The largest share of the catalogue's open postings that may expire, in per cent. \
             With 100 all may.",
            (0, 100, 30),
        ))
        .parameter(number(
            "min_missing",
            "The number of missing postings up to which the share does not matter.",
            (0, MOST_FEW, 20),
        ))
        .parameter(number(
            "misses",
            "The number of imports in a row, complete and not held back, that have to miss a \
             posting for it to expire.",
            (1, 10, 1),
        ))
        .request_body(Some(body()))
        .response("200", answered());
    with_incomplete(
        with_errors(operation, &[BEFORE]),
        &[AFTER, &[&IMPORT_RUNNING]],
    )
}

/// An integer of the query, by its least, largest and default value.
fn number(
    name: &'static str,
    description: &'static str,
    (least, most, default): (usize, usize, usize),
) -> ParameterBuilder {
    let schema = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(least))
        .maximum(Some(most))
        .default(Some(json!(default)));
    parameter(ParameterIn::Query, name, description, schema)
}

fn list() -> OperationBuilder {
    let answer = ok::<CataloguesAnswer>("The catalogues.");
    let operation = operation(
        TAG,
        "listCatalogues",
        "The client's catalogues",
        "All catalogues of the client, by name: 100 at most.",
    )
    .securities(Some(requires(READERS)))
    .response("200", with_header(answer, "Cache-Control"));
    with_errors(operation, &[ALL])
}

fn get() -> OperationBuilder {
    let answer = ok::<CatalogueAnswer>("The catalogue.");
    let operation = operation(
        TAG,
        "getCatalogue",
        "A catalogue",
        "How many open postings the catalogue has, and what came of its last import.",
    )
    .securities(Some(requires(READERS)))
    .parameter(name())
    .response("200", with_header(answer, "Cache-Control"));
    with_errors(operation, &[ALL, ONE])
}

fn delete() -> OperationBuilder {
    let operation = operation(
        TAG,
        "deleteCatalogue",
        "Forget a catalogue",
        "Its postings stay as they are. A running import of it ends without success.",
    )
    .securities(Some(requires(WRITERS)))
    .parameter(name())
    .response("204", response("It is forgotten."));
    with_errors(operation, &[ALL, ONE])
}

fn undo() -> OperationBuilder {
    let answer = ok::<UndoneAnswer>("What was done.");
    let operation = operation(
        TAG,
        "undoCatalogue",
        "Undo what a catalogue expired",
        "Reopens what the last import of the catalogue that expired anything had expired, as far as \
         nothing has changed it since. An undo that ended early goes on, and counts what it did \
         before; after its end there is nothing to undo, and both numbers are 0.",
    )
    .securities(Some(requires(WRITERS)))
    .parameter(name())
    .response("200", with_header(answer, "Cache-Control"));
    with_errors(operation, &[ALL, ONE, &[&IMPORT_RUNNING]])
}

fn with_wishes(operation: OperationBuilder) -> OperationBuilder {
    operation
        .parameter(parameter(
            ParameterIn::Query,
            "receipts",
            "Whether lines that were taken have a receipt, too.",
            one_of("A choice of receipts.", &["refused", "all"]).default(Some(json!("refused"))),
        ))
        .parameter(parameter(
            ParameterIn::Query,
            "require_end",
            "Whether a body without its end counts as broken off.",
            ObjectBuilder::new()
                .schema_type(Type::Boolean)
                .default(Some(json!(false))),
        ))
        .parameter(dry_run())
        .parameter(prefer())
        .parameter(content_encoding())
}

fn content_encoding() -> ParameterBuilder {
    parameter(
        ParameterIn::Header,
        "Content-Encoding",
        "The compression of the body.",
        one_of("An encoding.", &["gzip", "zstd", "identity"]),
    )
}

fn name() -> Parameter {
    let schema = string("A name.")
        .min_length(Some(1))
        .max_length(Some(64))
        .pattern(Some("^[A-Za-z0-9._-]+$"));
    parameter(
        ParameterIn::Path,
        "name",
        "The name of the catalogue.",
        schema,
    )
    .example(Some(json!("berlin")))
    .build()
}

fn body() -> RequestBody {
    let line = json!({
        "id": "example-4711",
        "payload": {"title": "Senior Backend Engineer"}
    });
    let content = ContentBuilder::new()
        .schema(Some(string(
            "Lines of JSON: the identifier as `id`, and as `payload` the body of a `PUT` \
             (`PostingPayload`).",
        )))
        .example(Some(json!(format!("{line}\n"))))
        .build();
    RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content(NDJSON, content)
        .build()
}

fn answered() -> ResponseBuilder {
    let answer = lines::<ImportLine>("Receipts, and the summary.");
    with_header(answer, PREFERENCE_APPLIED)
}
