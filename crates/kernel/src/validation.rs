//! Validation errors, by the paths of their fields.

use std::{collections::BTreeMap, fmt};

/// Errors by field, as `company.website_url` or `employment_types.0`. The messages complete a
/// sentence that starts with the field: "must be at most 255 characters long".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    named: BTreeMap<String, Vec<String>>,
    /// The number of errors.
    count: usize,
    left_out: usize,
}

/// The largest number of described errors; further ones are only counted. A megabyte of wrong items
/// would make many megabytes of answer.
pub const MOST_ERRORS: usize = 100;

impl FieldErrors {
    /// No errors.
    pub const fn new() -> Self {
        Self {
            named: BTreeMap::new(),
            count: 0,
            left_out: 0,
        }
    }

    /// One error.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::new();
        errors.add(field, message);
        errors
    }

    /// Adds an error, or only counts it past [`MOST_ERRORS`]. The same error twice counts once.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        let (field, message) = (field.into(), message.into());
        let known = self.named.get(&field);
        if known.is_some_and(|messages| messages.contains(&message)) {
            return;
        }
        if self.is_full() {
            self.left_out += 1;
            return;
        }
        self.named.entry(field).or_default().push(message);
        self.count += 1;
    }

    /// Whether further errors are counted and not described.
    pub const fn is_full(&self) -> bool {
        self.count == MOST_ERRORS
    }

    /// Counts errors without describing them.
    pub const fn leave_out(&mut self, errors: usize) {
        self.left_out += errors;
    }

    /// Adds every error of another collection.
    pub fn merge(&mut self, other: Self) {
        self.merge_as(other, |path| path);
    }

    /// Adds every error within a field. The field's own ones have an empty path there.
    pub fn merge_under(&mut self, field: &str, inner: Self) {
        self.merge_as(inner, |path| match path.as_str() {
            "" => field.to_owned(),
            path => format!("{field}.{path}"),
        });
    }

    fn merge_as(&mut self, other: Self, rename: impl Fn(String) -> String) {
        for (path, messages) in other.named {
            let path = rename(path);
            for message in messages {
                self.add(path.as_str(), message);
            }
        }
        self.left_out += other.left_out;
    }

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.count == 0 && self.left_out == 0
    }

    /// Whether there is an error of this field, inside it or around it.
    pub fn concern(&self, field: &str) -> bool {
        let around = field.match_indices('.').map(|(dot, _)| &field[..dot]);
        let is_around = around
            .chain([field])
            .any(|path| self.named.contains_key(path));
        let inner = format!("{field}.");
        let within = || self.named.range(inner.clone()..).next();
        is_around || within().is_some_and(|(path, _)| path.starts_with(&inner))
    }

    /// The errors that are named, by field in the fields' alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.named
            .iter()
            .map(|(field, messages)| (field.as_str(), messages.as_slice()))
    }
}

/// A sentence for people: the first error, and how many there are besides.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.count + self.left_out;
        let Some((field, message)) = self
            .named
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
            errors.add(path.to_string(), error.message());
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
    fn what_is_too_much_to_name_is_counted() {
        let mut errors = FieldErrors::new();
        for n in 0..MOST_ERRORS + 20 {
            errors.add(format!("f{n}"), "is wrong");
        }
        errors.add("f0", "is wrong");
        errors.leave_out(1_000);
        assert_eq!(errors.iter().count(), MOST_ERRORS);
        let mut other = FieldErrors::one("other", "is wrong");
        other.merge(errors);
        assert_eq!(other.iter().count(), MOST_ERRORS);
        assert_eq!(other.to_string(), "f0 is wrong (and 1120 more errors).");
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
