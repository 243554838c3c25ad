//! The OpenAPI schema of a push. Names, descriptions and lengths come from `domain::posting`.
//! Examples and patterns come from `openapi.json`.

use domain::posting::{CompanyPatch, Expiration, LocationPatch, PostingPatch};
use fields::FieldValue;
use serde_json::{Map, Value, json};

pub fn describe_fields(schemas: &mut Map<String, Value>) {
    describe::<PostingPatch>(&mut schemas["PostingPayload"]);
    describe::<CompanyPatch>(&mut schemas["CompanyPayload"]);
    describe::<Expiration>(&mut schemas["ExpirationPayload"]);
    describe::<LocationPatch>(&mut schemas["LocationPayload"]);
}

/// Describes an object's fields. Unless stated otherwise, a field is an optional text of one line.
fn describe<T: FieldValue>(schema: &mut Value) {
    for field in T::FIELDS {
        let property = &mut schema["properties"][field.name];
        if property.is_null() {
            *property = json!({"type": ["string", "null"]});
        }
        if property.get("$ref").is_some() {
            continue;
        }
        property["description"] = field.description.trim_start().into();
        if let Some(most) = field.max_length {
            // The first alternative is the text. The others clear the field.
            let text = match property.get_mut("anyOf") {
                Some(alternatives) => &mut alternatives[0],
                None => property,
            };
            text["maxLength"] = most.into();
        }
    }
}
