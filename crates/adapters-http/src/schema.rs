//! Words for schemas, so that a field reads as what it is and not as a builder.

use domain::posting::limits;
use serde_json::{Value, json};
use utoipa::openapi::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
    extensions::Extensions,
    schema::{AnyOfBuilder, SchemaType},
};

/// At least one character that is not white space.
const NOT_BLANK: &str = r"\S";

/// What is treated as `null`.
const BLANK: &str = r"^\s*$";

/// A named schema.
pub type Named = (&'static str, RefOr<Schema>);

/// A string.
pub fn string(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
}

/// A string, or `null`.
pub fn optional_string(description: &str) -> ObjectBuilder {
    or_null(Type::String).description(Some(description))
}

/// A string that must not be blank.
pub fn filled_string(description: &str) -> ObjectBuilder {
    string(description)
        .min_length(Some(1))
        .pattern(Some(NOT_BLANK))
}

/// An e-mail address.
pub fn email(description: &str) -> ObjectBuilder {
    string(description).format(Some(format("email")))
}

/// An object.
pub fn object(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some(description))
}

/// A schema of a type, or `null`.
pub fn or_null(of: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(nullable(of))
}

/// An object, an empty list in place of an empty one, or `null`.
pub fn object_or_empty_list() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([
            Type::Object,
            Type::Array,
            Type::Null,
        ]))
        .extensions(Some(Extensions::from_iter([("maxItems", json!(0))])))
}

/// A type, or `null`.
pub fn nullable(of: Type) -> SchemaType {
    SchemaType::from_iter([of, Type::Null])
}

/// A UUID.
pub fn uuid(description: &str) -> ObjectBuilder {
    string(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
}

/// A format that utoipa has no name for, or only with a feature.
pub fn format(name: &str) -> SchemaFormat {
    SchemaFormat::Custom(name.to_owned())
}

/// A time in RFC 3339.
pub fn time(description: &str) -> ObjectBuilder {
    string(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

/// A time in RFC 3339, or `null`.
pub fn optional_time(description: &str) -> ObjectBuilder {
    time(description).schema_type(nullable(Type::String))
}

/// An optional field of a body, which is cleared by `null` and by a blank string.
pub fn unless_empty(value: ObjectBuilder) -> AnyOfBuilder {
    AnyOfBuilder::new()
        .item(value)
        .item(string("Clears the field, as `null` does.").pattern(Some(BLANK)))
        .item(ObjectBuilder::new().schema_type(Type::Null))
}

/// A day in RFC 3339's form of a full date.
pub fn date(description: &str) -> ObjectBuilder {
    string(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
}

/// A day in RFC 3339's form of a full date, or `null`.
pub fn optional_date(description: &str) -> ObjectBuilder {
    date(description).schema_type(nullable(Type::String))
}

/// An integer from 0 to the largest that every JSON implementation keeps exactly, or `null`.
pub fn optional_amount(description: &str) -> ObjectBuilder {
    or_null(Type::Integer)
        .description(Some(description))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(0))
        .maximum(usize::try_from(limits::INTEGER).ok())
}

/// One of these names.
pub fn one_of(description: &str, names: &[&str]) -> ObjectBuilder {
    string(description).enum_values(Some(names.iter().copied()))
}

/// One of these names, or `null`.
pub fn optional_one_of(description: &str, names: &[&str]) -> ObjectBuilder {
    let names = names.iter().map(|name| json!(name)).chain([Value::Null]);
    optional_string(description).enum_values(Some(names))
}

/// An array of these names.
pub fn some_of(description: &str, names: &[&str]) -> ArrayBuilder {
    let items = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names.iter().copied()));
    ArrayBuilder::new()
        .items(items)
        .description(Some(description))
}

/// What must not be there. OpenAPI 3.1 takes any keyword of JSON Schema; utoipa passes through
/// those it has no name for.
pub fn prohibited(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some(description))
        .schema_type(SchemaType::AnyValue)
        .extensions(Some(Extensions::from_iter([("not", json!({}))])))
}

/// A reference to a schema among the components.
pub fn reference(name: &str) -> Ref {
    Ref::from_schema_name(name)
}

/// Adds properties that are all required.
pub fn with_all<S: Into<RefOr<Schema>>>(
    object: ObjectBuilder,
    properties: impl IntoIterator<Item = (&'static str, S)>,
) -> ObjectBuilder {
    properties
        .into_iter()
        .fold(object, |object, (name, schema)| {
            object.property(name, schema).required(name)
        })
}
