//! Short builders for OpenAPI schemas.
//!
//! The schema of an answer is derived from the serialised type, and its doc comments are the
//! descriptions. The schema of a request body is written by hand, because parsing distinguishes an
//! absent field from `null`, which a derived schema cannot express.

use kernel::field::INTEGER;
use serde::Serialize;
use serde_json::json;
use utoipa::{
    ToSchema,
    openapi::{
        ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
        extensions::Extensions,
        schema::{AnyOfBuilder, SchemaType},
    },
};

/// The pattern of a text with at least one character that is not white space.
const NOT_BLANK: &str = r"\S";

/// The pattern of a text that is treated as `null`.
const BLANK: &str = r"^\s*$";

/// A named schema.
pub type Named = (&'static str, RefOr<Schema>);

/// The body of an answer, with an example.
pub trait Answer: Serialize + ToSchema {
    /// The example in the document.
    fn example() -> Self;
}

/// The schema of an answer's body, and all schemas that it refers to.
pub fn of_answer<Body: ToSchema>() -> Vec<(String, RefOr<Schema>)> {
    let mut all = vec![(Body::name().into_owned(), Body::schema())];
    Body::schemas(&mut all);
    for (_, schema) in &mut all {
        complete(schema);
    }
    all
}

/// Adds what utoipa's derive cannot say: every field but those with `x-optional` is there, though
/// it may be `null`, and the value of a field with `x-const` is always the same.
fn complete(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            let fields = object.properties.iter_mut();
            let always = fields.filter_map(|(name, of)| (!is_optional(of)).then(|| name.clone()));
            object.required = always.collect();
            object.properties.values_mut().for_each(complete);
            if let Some(extensions) = &mut object.extensions
                && let Some(value) = extensions.remove("x-const")
            {
                extensions.insert("const".to_owned(), value);
            }
        }
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(complete),
        _ => {}
    }
}

/// Whether a field had `x-optional`, which is taken off.
fn is_optional(schema: &mut RefOr<Schema>) -> bool {
    let RefOr::T(Schema::Object(object)) = schema else {
        return false;
    };
    let extensions = object.extensions.as_mut();
    extensions.is_some_and(|extensions| extensions.remove("x-optional").is_some())
}

/// The schema of a field that may be absent, where a schema is given by a function.
pub fn optional(schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let mut schema = schema.into();
    if let RefOr::T(Schema::Object(object)) = &mut schema {
        object.extensions = Some(Extensions::from_iter([("x-optional", json!(true))]));
    }
    schema
}

/// Declares components of the document for closed vocabularies of the domain. They are written by
/// their names.
macro_rules! vocabularies {
    ($(#[doc = $description:literal] $name:ident($of:ty);)+) => {$(
        #[doc = $description]
        #[derive(Clone, Copy)]
        pub struct $name(pub $of);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.as_str())
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::schema::one_of($description, <$of>::NAMES).into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}

pub(crate) use vocabularies;

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

/// A schema for a type or `null`.
pub fn or_null(of: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(nullable(of))
}

/// An object, `null`, or an empty list, which stands for an empty object.
pub fn object_or_empty_list() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([
            Type::Object,
            Type::Array,
            Type::Null,
        ]))
        .extensions(Some(Extensions::from_iter([
            ("items", json!({})),
            ("maxItems", json!(0)),
        ])))
}

/// A type, or `null`.
pub fn nullable(of: Type) -> SchemaType {
    SchemaType::from_iter([of, Type::Null])
}

/// A format for which utoipa has no constant, or only with a feature.
pub fn format(name: &str) -> SchemaFormat {
    SchemaFormat::Custom(name.to_owned())
}

/// A time in RFC 3339.
pub fn time(description: &str) -> ObjectBuilder {
    string(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

/// An optional field of a body, which is cleared by `null` and by a blank string.
pub fn unless_empty(value: impl Into<RefOr<Schema>>) -> AnyOfBuilder {
    AnyOfBuilder::new()
        .item(value)
        .item(string("Clears the field, as `null` does.").pattern(Some(BLANK)))
        .item(ObjectBuilder::new().schema_type(Type::Null))
}

/// A value of a named schema, or `null`.
pub fn nullable_reference(name: &str) -> AnyOfBuilder {
    AnyOfBuilder::new()
        .item(reference(name))
        .item(ObjectBuilder::new().schema_type(Type::Null))
}

/// A day, as a full date of RFC 3339.
pub fn date(description: &str) -> ObjectBuilder {
    string(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
}

/// An integer from 0 to the largest that every JSON implementation represents exactly, or `null`.
pub fn optional_amount(description: &str) -> ObjectBuilder {
    or_null(Type::Integer)
        .description(Some(description))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(0))
        .maximum(usize::try_from(INTEGER).ok())
}

/// One of these names.
pub fn one_of(description: &str, names: &[&str]) -> ObjectBuilder {
    string(description.trim()).enum_values(Some(names.iter().copied()))
}

/// An array of values of a named schema, or `null`.
pub fn some_of(description: &str, name: &str) -> ArrayBuilder {
    ArrayBuilder::new()
        .schema_type(nullable(Type::Array))
        .items(reference(name))
        .description(Some(description))
}

/// A reference to a schema among the components.
pub fn reference(name: &str) -> Ref {
    Ref::from_schema_name(name)
}

/// Adds required properties.
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
