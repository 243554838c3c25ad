//! Builders for operations, their parameters and bodies.

use serde_json::Value;
use utoipa::openapi::{
    ContentBuilder, RefOr, Required, Schema,
    example::{Example, ExampleBuilder},
    path::{OperationBuilder, ParameterBuilder, ParameterIn},
    request_body::{RequestBody, RequestBodyBuilder},
};

use crate::schema::reference;

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
