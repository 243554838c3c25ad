use std::{fmt, mem, sync::Arc};

/// The broken rule, for programs. Messages contain values, so rules show which errors have one
/// cause: errors with the same field and rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    Value,
    Type,
    /// Not a word of a closed vocabulary.
    Term,
    Length,
    Range,
    /// A line with a forbidden character.
    Line,
    Null,
    Prohibited,
    Unknown,
    Missing,
    /// Values contradict each other.
    Together,
}

impl Rule {
    /// The order in a summary: wrong values, missing ones, contradictions.
    const fn rank(self) -> u8 {
        match self {
            Self::Missing => 1,
            Self::Together => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "value",
            Self::Type => "type",
            Self::Term => "term",
            Self::Length => "length",
            Self::Range => "range",
            Self::Line => "line",
            Self::Null => "null",
            Self::Prohibited => "prohibited",
            Self::Unknown => "unknown",
            Self::Missing => "missing",
            Self::Together => "together",
        })
    }
}

/// Errors by field, such as `company.website_url` or `employment_types.0`. Messages continue a
/// sentence that starts with the field: "must be at most 255 characters long". Unknown fields are
/// separate, because most clients may send them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    /// Ordered by the rank of their rule, then by addition.
    fields: Vec<Field>,
    count: usize,
    left_out: usize,
    unknown: Vec<Arc<str>>,
    unknown_left_out: usize,
    decoded: Vec<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    path: String,
    messages: Vec<String>,
    rules: Vec<Rule>,
}

impl Field {
    /// The rank of a field's first error. All errors of the field have this rank.
    fn rank(&self) -> u8 {
        self.rules.first().map_or(0, |rule| rule.rank())
    }
}

/// The largest number of described errors, and of listed unknown fields. Further ones are only
/// counted: a megabyte of wrong items would cause an answer of many megabytes.
pub const MOST_ERRORS: usize = 100;

impl FieldErrors {
    pub const fn new() -> Self {
        Self {
            fields: Vec::new(),
            count: 0,
            left_out: 0,
            unknown: Vec::new(),
            unknown_left_out: 0,
            decoded: Vec::new(),
        }
    }

    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::new();
        errors.add(field, message);
        errors
    }

    /// Adds an error. Errors above [`MOST_ERRORS`] are only counted. A repeated error counts once.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add_as(Rule::Value, field, message);
    }

    pub fn add_as(&mut self, rule: Rule, field: impl Into<String>, message: impl Into<String>) {
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
            let is_before = |known: &Field| known.rank() <= rule.rank();
            let at = self.fields.partition_point(is_before);
            let (messages, rules) = (Vec::new(), Vec::new());
            let field = Field {
                path,
                messages,
                rules,
            };
            self.fields.insert(at, field);
            at
        });
        self.fields[at].messages.push(message);
        self.fields[at].rules.push(rule);
        self.count += 1;
    }

    pub const fn is_full(&self) -> bool {
        self.count == MOST_ERRORS
    }

    pub const fn leave_out(&mut self, errors: usize) {
        self.left_out += errors;
    }

    pub fn merge(&mut self, other: Self) {
        self.merge_as(other, |path| path);
    }

    /// Adds errors within a field. In `inner`, the path of the field's own errors is empty.
    pub fn merge_under(&mut self, field: &str, inner: Self) {
        self.merge_as(inner, |path| match path.as_str() {
            "" => field.to_owned(),
            path => format!("{field}.{path}"),
        });
    }

    fn merge_as(&mut self, other: Self, rename: impl Fn(String) -> String) {
        for field in other.fields {
            let path = rename(field.path);
            for (rule, message) in field.rules.into_iter().zip(field.messages) {
                self.add_as(rule, path.as_str(), message);
            }
        }
        for path in other.unknown {
            self.note_unknown(rename(path.as_ref().to_owned()));
        }
        for path in other.decoded {
            self.note_decoded(rename(path.as_ref().to_owned()));
        }
        self.left_out += other.left_out;
        self.unknown_left_out += other.unknown_left_out;
    }

    pub fn sort_by_key<K: Ord>(&mut self, place: impl Fn(&str) -> K) {
        self.fields
            .sort_by_key(|field| (field.rank(), place(&field.path)));
    }

    /// Notes an unknown field, which is no error. Repetitions count only after [`MOST_ERRORS`]
    /// fields.
    pub fn note_unknown(&mut self, path: String) {
        if self.unknown.len() == MOST_ERRORS {
            self.unknown_left_out += 1;
        } else if self.unknown.iter().all(|known| **known != *path) {
            self.unknown.push(path.into());
        }
    }

    pub fn note_decoded(&mut self, path: String) {
        if self.decoded.len() < MOST_ERRORS {
            self.decoded.push(path.into());
        }
    }

    pub fn decoded(&self) -> impl Iterator<Item = &Arc<str>> {
        self.decoded.iter()
    }

    #[must_use]
    pub fn of(&self, field: &str) -> Self {
        let mut errors = Self::new();
        let fields = self.fields.iter().filter(|known| known.path == field);
        errors.fields = fields.cloned().collect();
        errors.count = errors.fields.iter().map(|known| known.messages.len()).sum();
        errors
    }

    pub fn unknown(&self) -> impl Iterator<Item = &Arc<str>> {
        self.unknown.iter()
    }

    /// Turns unknown fields into errors, with the path and message made from their names.
    pub fn refuse_unknown(&mut self, describe: impl Fn(&str) -> (String, String)) {
        for path in mem::take(&mut self.unknown) {
            if self.is_full() {
                self.leave_out(1);
            } else {
                let (path, message) = describe(&path);
                self.add_as(Rule::Unknown, path, message);
            }
        }
        self.left_out += mem::take(&mut self.unknown_left_out);
    }

    pub const fn is_empty(&self) -> bool {
        self.count == 0 && self.left_out == 0
    }

    /// Whether an error concerns this field, a part of the field, or its parent.
    pub fn concern(&self, field: &str) -> bool {
        let is_within = |inner: &str, outer: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut known = self.fields.iter().map(|known| known.path.as_str());
        known.any(|known| is_within(known, field) || is_within(field, known))
    }

    /// The described errors by field: wrong values, missing ones, contradictions.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        let fields = self.fields.iter();
        fields.map(|field| (field.path.as_str(), field.messages.as_slice()))
    }

    /// The broken rules with their fields; `*` replaces an index: `employment_types.*`. Refusals
    /// with the same rules have one cause.
    pub fn rules(&self) -> impl Iterator<Item = (String, Rule)> {
        let fields = self.fields.iter();
        fields.flat_map(|field| {
            let rules = field.rules.iter();
            rules.map(|rule| (field_of(&field.path), *rule))
        })
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.count + self.left_out;
        let Some((field, message)) = self
            .iter()
            .find_map(|(field, messages)| Some((field, messages.first()?)))
        else {
            return f.write_str("Nothing is wrong.");
        };
        // Some messages end with a question.
        let end = if message.ends_with('?') { "" } else { "." };
        match all - 1 {
            0 => write!(f, "{field} {message}{end}"),
            1 => write!(f, "{field} {message} (and 1 more error)."),
            more => write!(f, "{field} {message} (and {more} more errors)."),
        }
    }
}

impl std::error::Error for FieldErrors {}

/// A field without indices: `employment_types.*`.
pub fn field_of(path: &str) -> String {
    let is_place = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = path.split('.');
    let parts = parts.map(|part| if is_place(part) { "*" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Term, fields};

    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Kind;

    impl Term for Kind {
        const EXPECTED: &'static str = "x";

        fn parse(text: &str) -> Option<Self> {
            (text == "x").then_some(Self)
        }
    }

    fields! {
        struct Known {
            #[garde(length(chars, max = 20))]
            optional title: String,
            optional size: i64,
            optional kinds: Vec<Kind>,
        }
    }

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
        errors.add_as(Rule::Together, "b", "is too small");
        errors.add_as(Rule::Missing, "d", "is required");
        errors.add_as(Rule::Missing, "c", "is required");
        errors.add("f", "is wrong");
        errors.add("e", "is wrong; is \"x\" meant?");
        errors.sort_by_key(str::to_owned);
        let paths: Vec<_> = errors.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["e", "f", "c", "d", "b"]);
        let first = "e is wrong; is \"x\" meant? (and 4 more errors).";
        assert_eq!(errors.to_string(), first);
    }

    #[test]
    fn errors_have_one_rule_for_all_values() {
        let errors = |json: &str| {
            let (_, errors) = crate::body::parse::<Known>(json).unwrap();
            errors.rules().collect::<Vec<_>>()
        };
        let rule = |field: &str, rule| vec![(field.to_owned(), rule)];
        let many = errors(r#"{"kinds":["a","x","b"]}"#);
        assert_eq!(
            many,
            [rule("kinds.*", Rule::Term), rule("kinds.*", Rule::Term)].concat()
        );
        assert_eq!(errors(r#"{"title":1}"#), rule("title", Rule::Type));
        assert_eq!(errors(r#"{"size":-1}"#), rule("size", Rule::Range));
        let title = "x".repeat(21);
        let long = errors(&format!(r#"{{"title":"{title}"}}"#));
        assert_eq!(long, rule("title", Rule::Length));
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
