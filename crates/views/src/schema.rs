//! Declares JSON forms and their schemas. Doc comments become descriptions in the OpenAPI document.

use serde_json::json;
use utoipa::openapi::{AllOfBuilder, ObjectBuilder, RefOr, Schema, Type, extensions::Extensions};

/// Marks the schema of a field that may be absent, if a function creates that schema.
pub fn optional(schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let extensions = Some(Extensions::from_iter([("x-optional", json!(true))]));
    let mut schema = match schema.into() {
        // A reference cannot have the mark.
        reference @ RefOr::Ref(_) => AllOfBuilder::new().item(reference).into(),
        schema @ RefOr::T(_) => schema,
    };
    match &mut schema {
        RefOr::T(Schema::Object(object)) => object.extensions = extensions,
        RefOr::T(Schema::Array(array)) => array.extensions = extensions,
        RefOr::T(Schema::AllOf(all)) => all.extensions = extensions,
        _ => {}
    }
    schema
}

/// Declares a part of an answer with its constructor `new`, whose arguments are in parentheses.
/// Each field has a description, a type and an expression.
#[macro_export]
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
            #[must_use]
            pub fn new($($from: $of),+) -> Self {
                Self { $($field: $value,)+ }
            }
        }
    };
}

/// Declares components for closed vocabularies of the domain.
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

pub fn one_of(description: &str, names: &[&str]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description.trim()))
        .enum_values(Some(names.iter().copied()))
}
