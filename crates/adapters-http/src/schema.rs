//! Schemas of the OpenAPI document for what is serialised.
//!
//! They are derived from the types that are sent, and doc comments are the descriptions.

use serde_json::{Map, Value, json};
use utoipa::{
    ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type, extensions::Extensions},
};

/// Adds the schema of an answer's body, and all schemas that it refers to.
pub fn of_answer<Body: ToSchema>(schemas: &mut Map<String, Value>) -> serde_json::Result<()> {
    let mut all = vec![(Body::name().into_owned(), Body::schema())];
    Body::schemas(&mut all);
    for (name, schema) in all {
        let mut schema = serde_json::to_value(schema)?;
        complete(&mut schema);
        schemas.insert(name, schema);
    }
    Ok(())
}

/// Adds what utoipa's derive cannot say: every field but those with `x-optional` is there, though
/// it may be `null`, and the value of a field with `x-const` is always the same. The lines of a doc
/// comment are one description.
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

/// The schema of a field that may be absent, where a schema is given by a function.
pub fn optional(schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let mut schema = schema.into();
    let extensions = Some(Extensions::from_iter([("x-optional", json!(true))]));
    match &mut schema {
        RefOr::T(Schema::Object(object)) => object.extensions = extensions,
        RefOr::T(Schema::Array(array)) => array.extensions = extensions,
        _ => {}
    }
    schema
}

/// Declares a part of an answer and its constructor, `new`: the arguments of `new` are in
/// parentheses, and each field has its description, its type and the expression that gives it.
macro_rules! view {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(<$life:lifetime>)?
        ($($from:ident: $of:ty),+ $(,)?) {
            $($(#[$about:meta])* $field:ident: $type:ty = $value:expr,)+
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name $(<$life>)? {
            $($(#[$about])* $field: $type,)+
        }

        impl $(<$life>)? $name $(<$life>)? {
            pub fn new($($from: $of),+) -> Self {
                Self { $($field: $value,)+ }
            }
        }
    };
}

pub(crate) use view;

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

/// One of these names.
pub fn one_of(description: &str, names: &[&str]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description.trim()))
        .enum_values(Some(names.iter().copied()))
}
