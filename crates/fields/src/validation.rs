//! Validation errors, by the paths of their fields.

use std::{fmt, mem, sync::Arc};

/// What kind of error it is. A sentence about several begins with those of the first kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// A value is wrong by itself.
    Value,
    /// A value is missing.
    Missing,
    /// Values are wrong together.
    Together,
}

/// Errors by field, as `company.website_url` or `employment_types.0`. The messages complete a
/// sentence that starts with the field: "must be at most 255 characters long". Unknown fields are
/// beside them, because most clients may send any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    /// By kind, then in the order in which they were added.
    fields: Vec<Field>,
    /// The number of errors.
    count: usize,
    left_out: usize,
    unknown: Vec<Arc<str>>,
    unknown_left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    kind: ErrorKind,
    path: String,
    messages: Vec<String>,
}

/// The largest number of described errors, and of unknown fields; further ones are only counted. A
/// megabyte of wrong items would make many megabytes of answer.
pub const MOST_ERRORS: usize = 100;

impl FieldErrors {
    /// No errors.
    pub const fn new() -> Self {
        Self {
            fields: Vec::new(),
            count: 0,
            left_out: 0,
            unknown: Vec::new(),
            unknown_left_out: 0,
        }
    }

    /// One error.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::new();
        errors.add(field, message);
        errors
    }

    /// Adds an error of a value, or only counts it past [`MOST_ERRORS`]. The same error twice
    /// counts once.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add_as(ErrorKind::Value, field, message);
    }

    /// Adds an error of any kind likewise. A field has errors of one kind, that of its first.
    pub fn add_as(
        &mut self,
        kind: ErrorKind,
        field: impl Into<String>,
        message: impl Into<String>,
    ) {
        let (path, message) = (field.into(), message.into());
        let known = self.fields.iter().position(|known| known.path == path);
        if known.is_some_and(|at| self.fields[at].messages.contains(&message)) {
            return;
        }
        if self.is_full() {
            self.left_out += 1;
            return;
        }
        let at = known.unwrap_or_else(|| {
            let at = self.fields.partition_point(|known| known.kind <= kind);
            let messages = Vec::new();
            let field = Field {
                kind,
                path,
                messages,
            };
            self.fields.insert(at, field);
            at
        });
        self.fields[at].messages.push(message);
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
        for Field {
            kind,
            path,
            messages,
        } in other.fields
        {
            let path = rename(path);
            for message in messages {
                self.add_as(kind, path.as_str(), message);
            }
        }
        for path in other.unknown {
            self.note_unknown(rename(path.as_ref().to_owned()));
        }
        self.left_out += other.left_out;
        self.unknown_left_out += other.unknown_left_out;
    }

    /// Puts the fields of each kind of error in an order.
    pub fn sort_by_key<K: Ord>(&mut self, place: impl Fn(&str) -> K) {
        self.fields
            .sort_by_key(|field| (field.kind, place(&field.path)));
    }

    /// Notes an unknown field, which is no error. The same one twice is one, unless there are many.
    pub fn note_unknown(&mut self, path: String) {
        if self.unknown.len() == MOST_ERRORS {
            self.unknown_left_out += 1;
        } else if self.unknown.iter().all(|known| **known != *path) {
            self.unknown.push(path.into());
        }
    }

    /// The paths of unknown fields as they were sent; of many the first.
    pub fn unknown(&self) -> impl Iterator<Item = &Arc<str>> {
        self.unknown.iter()
    }

    /// Makes errors of the unknown fields, each with the path and message that are made of its
    /// name.
    pub fn refuse_unknown(&mut self, describe: impl Fn(&str) -> (String, String)) {
        for path in mem::take(&mut self.unknown) {
            if self.is_full() {
                self.leave_out(1);
            } else {
                let (path, message) = describe(&path);
                self.add(path, message);
            }
        }
        self.left_out += mem::take(&mut self.unknown_left_out);
    }

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.count == 0 && self.left_out == 0
    }

    /// Whether there is an error of this field, inside it or around it.
    pub fn concern(&self, field: &str) -> bool {
        let is_within = |inner: &str, outer: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut known = self.fields.iter().map(|known| known.path.as_str());
        known.any(|known| is_within(known, field) || is_within(field, known))
    }

    /// The errors that are described, by field: first wrong values, then missing ones, then those
    /// of several fields together.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        let fields = self.fields.iter();
        fields.map(|field| (field.path.as_str(), field.messages.as_slice()))
    }
}

/// A sentence for people: the first error, and how many there are besides.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.count + self.left_out;
        let Some((field, message)) = self
            .iter()
            .find_map(|(field, messages)| Some((field, messages.first()?)))
        else {
            return f.write_str("Nothing is wrong.");
        };
        // Some errors end with a question.
        let end = if message.ends_with('?') { "" } else { "." };
        match all - 1 {
            0 => write!(f, "{field} {message}{end}"),
            1 => write!(f, "{field} {message} (and 1 more error)."),
            more => write!(f, "{field} {message} (and {more} more errors)."),
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

/// Stands for a value in a message.
pub const VALUE: &str = "…";

/// A field without the places in lists: `employment_types.*`.
pub fn field_of(path: &str) -> String {
    let is_place = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = path.split('.');
    let parts = parts.map(|part| if is_place(part) { "*" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

/// The rule of a message: without its values, which are numbers and quoted texts.
pub fn rule_of(message: &str) -> String {
    let mut rule = String::with_capacity(message.len());
    for (n, part) in message.split('"').enumerate() {
        // Every other part is between quotes.
        if n % 2 == 1 {
            rule.push_str(VALUE);
            continue;
        }
        for word in part.split_inclusive(' ') {
            let core = word.trim_matches([' ', ',', '.', ';', ':', '(', ')']);
            let digits = core.trim_start_matches(['-', '+']);
            if digits.starts_with(|c: char| c.is_ascii_digit()) {
                rule.push_str(&word.replacen(core, VALUE, 1));
            } else {
                rule.push_str(word);
            }
        }
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_the_first_field_and_counts_the_rest() {
        let mut errors = FieldErrors::one("title", "is required");
        assert_eq!(errors.to_string(), "title is required.");
        errors.add("company.name", "is required");
        assert_eq!(errors.to_string(), "title is required (and 1 more error).");
        errors.add("company.name", "is required");
        assert_eq!(errors.iter().count(), 2, "a repeated error counts once");
    }

    #[test]
    fn wrong_values_come_before_missing_ones_and_these_before_rules_across_fields() {
        let mut errors = FieldErrors::new();
        errors.add_as(ErrorKind::Together, "b", "is too small");
        errors.add_as(ErrorKind::Missing, "d", "is required");
        errors.add_as(ErrorKind::Missing, "c", "is required");
        errors.add("f", "is wrong");
        errors.add("e", "is wrong; is \"x\" meant?");
        errors.sort_by_key(str::to_owned);
        let paths: Vec<_> = errors.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["e", "f", "c", "d", "b"]);
        let first = "e is wrong; is \"x\" meant? (and 4 more errors).";
        assert_eq!(errors.to_string(), first);
    }

    #[test]
    fn a_rule_has_no_values() {
        for (message, expect) in [
            (
                r#"must be one of a, b, not "x y"; is "b" meant?"#,
                "must be one of a, b, not …; is … meant?",
            ),
            (
                "must be at least salary_min, which is -1,5.",
                "must be at least salary_min, which is ….",
            ),
            ("see RFC-3339 (5)", "see RFC-3339 (…)"),
        ] {
            assert_eq!(rule_of(message), expect);
        }
        assert_eq!(field_of("employment_types.17"), "employment_types.*");
        assert_eq!(field_of("company.name"), "company.name");
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
        assert_eq!(other.to_string(), "other is wrong (and 1120 more errors).");
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
