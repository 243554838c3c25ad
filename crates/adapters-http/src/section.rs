//! A module's endpoints, their errors, and the schemas of their answers, which are derived from the
//! types that are sent. Doc comments become descriptions.

use std::num::NonZeroU32;

use actix_web::{HttpResponse, ResponseError as _, web::ServiceConfig};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::error::ApiError;

pub type Schemas = Map<String, Value>;

pub struct Section {
    pub routes: fn(&mut ServiceConfig),
    /// Operations, request bodies and examples as OpenAPI.
    pub document: &'static str,
    pub answers: &'static [fn(&mut Schemas) -> serde_json::Result<()>],
    /// The errors of these operations only.
    pub errors: &'static [SharedError],
}

/// An error that operations in an `openapi.json` name. Errors with capitalised names are components
/// of the document.
pub struct SharedError {
    pub name: &'static str,
    pub description: &'static str,
    /// An example of the answer.
    pub sent: fn() -> HttpResponse,
}

/// Declares `ERRORS`. An error has a name, a description, and an example that converts to an
/// [`ApiError`].
macro_rules! errors {
    ($($name:literal $description:literal $example:expr;)+) => {
        const ERRORS: &[$crate::section::SharedError] = &[$($crate::section::SharedError {
            name: $name,
            description: $description,
            sent: || $crate::section::sent($example),
        }),+];
    };
}

pub(crate) use errors;

pub fn sent(error: impl Into<ApiError>) -> HttpResponse {
    error.into().error_response()
}

/// The requests per minute in examples.
pub const LIMIT_EXAMPLE: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

pub fn of_answer<Body: ToSchema>(schemas: &mut Schemas) -> serde_json::Result<()> {
    let mut all = vec![(Body::name().into_owned(), Body::schema())];
    Body::schemas(&mut all);
    for (name, schema) in all {
        let mut schema = serde_json::to_value(schema)?;
        complete(&mut schema);
        schemas.insert(name, schema);
    }
    Ok(())
}

/// Adds what utoipa cannot derive: a field without `x-optional` is always present, even if `null`.
/// A field with `x-const` has a single value. The lines of a doc comment become one description.
fn complete(schema: &mut Value) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    for parts in ["allOf", "oneOf"] {
        if let Some(Value::Array(parts)) = schema.get_mut(parts) {
            parts.iter_mut().for_each(complete);
        }
    }
    let mut always = Vec::new();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        for (name, field) in fields {
            let field_of = field.as_object_mut();
            if field_of.is_none_or(|field| field.remove("x-optional").is_none()) {
                always.push(name.clone());
            }
            complete(field);
            // utoipa wraps a reference to add these marks. Without marks, it becomes a plain
            // reference again.
            if let Some([only]) = field["allOf"].as_array().map(Vec::as_slice) {
                *field = only.clone();
            }
        }
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("required");
        if !always.is_empty() {
            schema.insert("required".to_owned(), json!(always));
        }
        if let Some(value) = schema.remove("x-const") {
            schema.insert("const".to_owned(), value);
        }
    }
}
