//! Builders for operations, their parameters and bodies.

use serde_json::{Value, json};
use utoipa::openapi::{
    ContentBuilder, KnownFormat, ObjectBuilder, RefOr, Required, ResponseBuilder, Schema,
    SchemaFormat, Type,
    example::{Example, ExampleBuilder},
    path::{OperationBuilder, ParameterBuilder, ParameterIn},
    request_body::{RequestBody, RequestBodyBuilder},
};

use super::response::{ETAG, response, with_header};
use crate::schema::{reference, string};

/// Named examples of a body, each with its summary.
pub type Examples = Vec<(&'static str, &'static str, Value)>;

/// An operation with its tag, id and texts.
pub fn operation(tag: &str, id: &str, summary: &str, description: &str) -> OperationBuilder {
    OperationBuilder::new()
        .tag(tag)
        .operation_id(Some(id))
        .summary(Some(summary))
        .description(Some(description))
}

/// A parameter; a path parameter is required.
pub fn parameter(
    place: ParameterIn,
    name: &str,
    description: &str,
    schema: impl Into<RefOr<Schema>>,
) -> ParameterBuilder {
    let required = match place {
        ParameterIn::Path => Required::True,
        _ => Required::False,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(description))
        .schema(Some(schema))
}

/// An integer of the query, with its range and its default.
pub fn integer(
    name: &str,
    description: &str,
    (least, most): (usize, usize),
    default: usize,
) -> ParameterBuilder {
    let schema = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(least))
        .maximum(Some(most))
        .default(Some(json!(default)));
    parameter(ParameterIn::Query, name, description, schema)
}

/// An operation with a conditional answer (RFC 9110, `If-None-Match`): this success, or 304.
pub fn conditional(operation: OperationBuilder, success: ResponseBuilder) -> OperationBuilder {
    let known = parameter(
        ParameterIn::Header,
        "If-None-Match",
        "The `ETag` of an earlier answer. If that still holds, the answer is 304 without a body.",
        string("Entity tags."),
    );
    let unchanged = response("The answer is still the one with this `ETag`.");
    operation
        .parameter(known)
        .response("200", tagged(success))
        .response("304", tagged(unchanged))
}

fn tagged(response: ResponseBuilder) -> ResponseBuilder {
    with_header(with_header(response, ETAG), "Cache-Control")
}

/// A JSON request body.
pub fn json_body(schema: &str, description: Option<&str>, examples: Examples) -> RequestBody {
    let examples = examples.into_iter().map(|(name, summary, value)| {
        let example = ExampleBuilder::new().summary(summary).value(Some(value));
        (name, example.build())
    });
    let content = ContentBuilder::new()
        .schema(Some(reference(schema)))
        .examples_from_iter::<_, _, Example>(examples)
        .build();
    RequestBodyBuilder::new()
        .description(description)
        .required(Some(Required::True))
        .content("application/json", content)
        .build()
}
