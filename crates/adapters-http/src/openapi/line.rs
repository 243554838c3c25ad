//! The JSON Schema of a line of an import, built from the components of the document.

use domain::posting::PostingPatch;
use fields::FieldValue as _;
use serde_json::{Map, Value, json};

use super::Document;

/// The schema. Components to which a line refers are under `$defs`.
pub fn line_schema(document: &Document) -> Value {
    let mut definitions = Map::new();
    let mut payload = json!({"$ref": format!("{COMPONENTS}PostingPayload")});
    define(&mut payload, document, &mut definitions);
    for field in PostingPatch::PROHIBITED {
        definitions["PostingPayload"]["properties"][field] = false.into();
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of an import",
        "anyOf": [
            {
                "type": "object",
                "required": ["id", "payload"],
                "properties": {
                    "id": {"type": ["string", "integer"], "minLength": 1, "maxLength": 255},
                    "payload": payload,
                },
                "additionalProperties": false,
            },
            {
                "description": "The last line, which counts the lines before it.",
                "type": "object",
                "required": ["end"],
                "properties": {"end": {
                    "type": "object",
                    "required": ["lines"],
                    "properties": {"lines": {"type": "integer", "minimum": 0}},
                }},
                "additionalProperties": false,
            },
        ],
        "$defs": definitions,
    })
}

const COMPONENTS: &str = "#/components/schemas/";

/// Makes a schema's references point to `definitions`, and adds the referenced components there.
fn define(schema: &mut Value, document: &Document, definitions: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref")
                && let Some(name) = target.strip_prefix(COMPONENTS).map(str::to_owned)
            {
                *target = format!("#/$defs/{name}");
                if !definitions.contains_key(&name) {
                    // The schema may refer to itself.
                    definitions.insert(name.clone(), Value::Null);
                    let mut component = document.components["schemas"][&name].clone();
                    define(&mut component, document, definitions);
                    definitions.insert(name, component);
                }
            }
            for member in members.values_mut() {
                define(member, document, definitions);
            }
        }
        Value::Array(items) => {
            for item in items {
                define(item, document, definitions);
            }
        }
        _ => {}
    }
}
