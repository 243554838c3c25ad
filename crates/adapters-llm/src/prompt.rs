//! A model's instructions, and the schema of its answers.
//!
//! Stored drafts refer to a version, so its files never change. A better text gets a new version.

/// The current version. A test pins the hashes of its files.
pub const VERSION: &str = "v3";

pub const TEXT: &str = include_str!("prompt/v3.md");

/// The schema uses only features that every server's strict mode accepts: all properties are
/// required, no others are allowed, and there are no lengths or patterns. Models write the
/// properties in the order of this text.
pub const SCHEMA: &str = include_str!("prompt/v3.json");

#[cfg(test)]
mod tests {
    use domain::posting::ReasonCode;
    use enrichment::{MODEL_CODES, PhraseKind};
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};

    use super::*;

    const PINNED: &[(&str, &str)] = &[(
        "v3",
        "70b77c0349a7be5dc96361ae18256d340ff6542745a892ee85c83432f53bcf97",
    )];

    #[test]
    fn a_changed_prompt_is_a_new_version() {
        let hash = Sha256::digest([TEXT, SCHEMA].concat());
        let hash: Vec<_> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let (_, pinned) = PINNED
            .iter()
            .find(|(version, _)| *version == VERSION)
            .expect("a new version is pinned here");
        assert_eq!(
            hash.concat(),
            *pinned,
            "drafts are kept by version: leave {VERSION} as it is and add a version"
        );
    }

    fn schema() -> Value {
        serde_json::from_str(SCHEMA).unwrap()
    }

    #[test]
    fn every_code_kind_and_field_is_in_the_schema_and_the_text() {
        let schema = schema();
        let codes = MODEL_CODES.map(ReasonCode::as_str);
        let kinds = PhraseKind::ALL.map(PhraseKind::name);
        let properties = &schema["properties"];
        assert_eq!(properties["code"]["anyOf"][0]["enum"], json!(codes));
        let kind = &properties["hide"]["items"]["properties"]["kind"];
        assert_eq!(kind["enum"], json!(kinds));
        for name in codes.iter().chain(&kinds) {
            assert!(TEXT.contains(&format!("- `{name}`: ")), "{name}");
        }
        for field in schema["required"].as_array().unwrap() {
            let field = field.as_str().unwrap();
            assert!(TEXT.contains(&format!("`{field}`")), "{field}");
        }
    }

    #[test]
    fn the_schema_is_one_for_strict_mode() {
        let schema = schema();
        for object in [&schema, &schema["properties"]["hide"]["items"]] {
            let properties = object["properties"].as_object().unwrap();
            let required = object["required"].as_array().unwrap();
            assert_eq!(properties.len(), required.len());
            for name in required {
                assert!(properties.contains_key(name.as_str().unwrap()), "{name}");
            }
            assert_eq!(object["additionalProperties"], false);
        }
    }

    #[test]
    fn the_example_is_an_answer() {
        let json = TEXT.lines().last().unwrap();
        let draft = crate::draft::read(json).unwrap();
        assert_eq!(draft.hide.len(), 5);
        for phrase in draft.hide {
            assert!(TEXT.replace('\n', " ").contains(&phrase.text), "{phrase:?}");
        }
    }
}
