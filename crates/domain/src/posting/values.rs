//! Values of fields by their names, as JSON.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Values of some fields of a posting, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Values(Map<String, Value>);

impl Values {
    /// Parses a stored text from [`Self::to_text`].
    pub fn from_store(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The JSON text for a store.
    pub fn to_text(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a value of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of this name, if there is one of its type.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        T::deserialize(self.0.get(name)?).ok()
    }

    pub(super) fn note<T: Serialize + PartialEq>(&mut self, name: &str, before: &T, after: &T) {
        if before != after {
            let value = serde_json::to_value(before).unwrap_or_default();
            self.0.insert(name.to_owned(), value);
        }
    }

    pub(super) fn put<T: DeserializeOwned>(&self, name: &str, field: &mut T) {
        if let Some(value) = self.get(name) {
            *field = value;
        }
    }

    /// Removes the description's text, which is stored elsewhere, but keeps the digest.
    pub(super) fn drop_text(mut self) -> Self {
        if let Some(Value::Object(description)) = self.0.get_mut(DESCRIPTION) {
            description.remove("text");
        }
        self
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| is_kept(name));
    }
}

/// The name of the description in [`Values`]. Its text is stored elsewhere.
pub const DESCRIPTION: &str = "raw_description";
/// The name of the company in [`Values`].
pub const COMPANY: &str = "company_id";
/// The name of the texts' digest in [`Values`], which do not contain the texts.
pub const TEXTS: &str = "texts_digest";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_digest_of_the_description_stays() {
        let values = r#"{"title":"A","raw_description":{"digest":1,"text":"T"}}"#;
        let values = Values::from_store(values).unwrap();
        assert!(values.has("title") && !values.has("salary_max"));
        let expect = r#"{"raw_description":{"digest":1},"title":"A"}"#;
        assert_eq!(values.drop_text().to_text(), expect);
    }
}
