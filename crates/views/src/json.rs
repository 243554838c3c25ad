use fields::validation::FieldErrors;
use serde::{Serialize, Serializer, ser::Error as _};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};
use utoipa::openapi::{
    ArrayBuilder, ObjectBuilder, RefOr, Schema, Type, schema::AdditionalProperties,
};

use crate::schema::optional;

/// A time in RFC 3339 and UTC, with as many decimals as needed.
pub struct Timestamp(pub OffsetDateTime);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self
            .0
            .to_offset(UtcOffset::UTC)
            .format(&Rfc3339)
            .map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

/// The value of a field that may be absent. If the field is present, it may be `null`.
#[derive(Serialize)]
pub struct Nullable<T>(pub Option<T>);

pub struct Fields<'a>(pub &'a FieldErrors);

impl Fields<'_> {
    pub fn schema() -> RefOr<Schema> {
        let message = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Completes a sentence that starts with the field."));
        let messages = ArrayBuilder::new().items(message).min_items(Some(1));
        let errors = ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("What is wrong with each field, by its path."))
            .additional_properties(Some(AdditionalProperties::RefOr(messages.into())));
        optional(errors)
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}
