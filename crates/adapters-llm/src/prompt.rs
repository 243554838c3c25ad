//! A model's instructions, and the schema of its answer.
//!
//! Stored drafts belong to the version they were requested with, so these files never change; a
//! better text is a new version beside them.

/// The present version. Tests compare it with the files.
pub const VERSION: &str = "v1";

/// The instructions.
pub const TEXT: &str = include_str!("prompt/v1.md");

/// The schema of the answer, in the subset of every server's strict mode: all properties required,
/// no others, no lengths or patterns. It is kept as text because models write the properties in the
/// order of the schema.
pub const SCHEMA: &str = include_str!("prompt/v1.json");

#[cfg(test)]
mod tests {
    use domain::enrichment::ReasonCode;
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// Every version, with the hash of its two files.
    const PINNED: &[(&str, &str)] = &[(
        "v1",
        "d09a481d0d6b81d47510f24ef2457f3b3a6e1a7575886b3661ca3b0168257a0e",
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
    fn every_code_is_in_the_schema_and_the_text() {
        let codes = ReasonCode::OF_MODELS.map(ReasonCode::as_str);
        assert_eq!(
            schema()["properties"]["code"]["anyOf"][0]["enum"],
            json!(codes)
        );
        for code in codes {
            assert!(TEXT.contains(&format!("- `{code}`: ")), "{code}");
        }
    }

    #[test]
    fn the_schema_is_one_for_strict_mode() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        let required = schema["required"].as_array().unwrap();
        assert_eq!(properties.len(), required.len());
        for name in required {
            assert!(properties.contains_key(name.as_str().unwrap()), "{name}");
        }
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn the_text_names_every_token_and_field() {
        for token in ["[company]", "[email]", "[phone]", "[link]"] {
            assert!(TEXT.contains(&format!("`{token}`")), "{token}");
        }
        for field in schema()["required"].as_array().unwrap() {
            let field = field.as_str().unwrap();
            assert!(TEXT.contains(&format!("`{field}`")), "{field}");
        }
    }
}
