//! What is wrong with an input: every error, under the path of its field.

use std::{collections::BTreeMap, fmt};

/// Errors by field, as `company.website_url` or `employment_types.0`. The messages complete a
/// sentence that starts with the field: "must be at most 255 characters long".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(BTreeMap<String, Vec<String>>);

impl FieldErrors {
    /// No errors.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// One error.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::new();
        errors.add(field, message);
        errors
    }

    /// Adds an error. The same error twice counts once.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        let messages = self.0.entry(field.into()).or_default();
        let message = message.into();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }

    /// Adds every error of another collection.
    pub fn merge(&mut self, other: Self) {
        for (field, messages) in other.0 {
            for message in messages {
                self.add(field.clone(), message);
            }
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether anything is wrong with this field, within it or around it.
    pub fn concern(&self, field: &str) -> bool {
        let around = field.match_indices('.').map(|(dot, _)| &field[..dot]);
        let is_around = around.chain([field]).any(|path| self.0.contains_key(path));
        let inner = format!("{field}.");
        let within = || self.0.range(inner.clone()..).next();
        is_around || within().is_some_and(|(path, _)| path.starts_with(&inner))
    }

    /// The errors by field, in the fields' alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(field, messages)| (field.as_str(), messages.as_slice()))
    }
}

/// A sentence for people: the first error, and how many there are besides.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: usize = self.0.values().map(Vec::len).sum();
        let Some((field, message)) = self
            .0
            .iter()
            .find_map(|(field, messages)| Some((field, messages.first()?)))
        else {
            return f.write_str("Nothing is wrong.");
        };
        write!(f, "{field} {message}")?;
        match all - 1 {
            0 => f.write_str("."),
            1 => f.write_str(" (and 1 more error)."),
            more => write!(f, " (and {more} more errors)."),
        }
    }
}

impl std::error::Error for FieldErrors {}

impl From<garde::Report> for FieldErrors {
    fn from(report: garde::Report) -> Self {
        let mut errors = Self::new();
        for (path, error) in report.into_inner() {
            // garde writes the third item of a list as `list[2]`, the contract as `list.2`.
            let path = path.to_string().replace('[', ".").replace(']', "");
            errors.add(path, error.message());
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_the_first_field_and_counts_the_rest() {
        let mut errors = FieldErrors::one("title", "is required");
        assert_eq!(errors.to_string(), "title is required.");
        errors.add("company.name", "is required");
        assert_eq!(
            errors.to_string(),
            "company.name is required (and 1 more error)."
        );
        errors.add("company.name", "is required");
        assert_eq!(errors.iter().count(), 2, "a repeated error counts once");
    }

    #[test]
    fn a_field_is_concerned_by_errors_within_and_around_it() {
        let errors = FieldErrors::one("company.name", "is required");
        assert!(errors.concern("company"));
        assert!(errors.concern("company.name"));
        assert!(errors.concern("company.name.0"));
        assert!(!errors.concern("company.website_url"));
        assert!(!errors.concern("comp"));
        assert!(!errors.concern("company.name-0"));
        let errors = FieldErrors::one("a.b.c", "is required");
        assert!(
            ["a", "a.b", "a.b.c", "a.b.c.d"]
                .iter()
                .all(|field| errors.concern(field))
        );
    }
}
