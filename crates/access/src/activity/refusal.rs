use std::collections::BTreeMap;

use fields::{unique, validation::FieldErrors};
use time::OffsetDateTime;
use uuid::Uuid;

/// The number of reasons of one import for which refusals are kept.
pub const REASONS_KEPT: usize = 10;

const OTHERS: usize = 4;

const TEXT: usize = 500;

const RULES: usize = 20;
const ERRORS: (usize, usize) = (20, 3);

/// A refused push, or lines of one import that were refused for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its id, which ascends with time.
    pub id: Uuid,
    /// When it was refused.
    pub at: OffsetDateTime,
    /// The identifier, as far as it can be shown.
    pub identifier: String,
    /// The status of the answer.
    pub status: u16,
    /// The message of the answer.
    pub message: String,
    /// The codes of the broken rules, such as `employment_types.*:term`. Refusals with the same
    /// codes and the same status have one reason.
    pub rules: Vec<String>,
    /// The errors by field, if there are any.
    pub errors: BTreeMap<String, Vec<String>>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// How many lines were refused for this reason. The other fields are those of the first line.
    pub count: u64,
    /// Identifiers of some other lines that were refused for this reason.
    pub others: Vec<String>,
}

impl Refusal {
    /// A refusal with its texts shortened.
    pub fn new(
        id: Uuid,
        at: OffsetDateTime,
        identifier: &str,
        status: u16,
        message: &str,
        errors: Option<&FieldErrors>,
    ) -> Self {
        let rules = errors.into_iter().flat_map(FieldErrors::rules);
        let rules = rules.map(|(field, rule)| format!("{}:{rule}", cut(&field)));
        let named = errors.into_iter().flat_map(FieldErrors::iter);
        let errors = named.take(ERRORS.0).map(|(field, messages)| {
            let messages = messages.iter().take(ERRORS.1);
            (cut(field), messages.map(|message| cut(message)).collect())
        });
        Self {
            id,
            at,
            identifier: cut(identifier),
            status,
            message: cut(message),
            rules: unique(rules).into_iter().take(RULES).collect(),
            errors: errors.collect(),
            request_id: None,
            count: 1,
            others: Vec::new(),
        }
    }

    pub(super) fn has_reason_of(&self, other: &Self) -> bool {
        (self.status, &self.rules) == (other.status, &other.rules)
    }

    /// The reason in one line: the errors of the fields, or the message.
    pub fn reason(&self) -> String {
        let errors = self.errors.iter();
        let errors = errors.flat_map(|(field, messages)| {
            messages
                .iter()
                .map(move |message| format!("{field} {message}"))
        });
        let mut errors: Vec<_> = errors.collect();
        errors.sort_by_key(|error| !self.message.starts_with(error.as_str()));
        if errors.is_empty() {
            self.message.clone()
        } else {
            cut(&errors.join("; "))
        }
    }
}

/// The refused lines of one import by reason.
#[derive(Debug, Default)]
pub struct Reasons(Vec<Refusal>);

impl Reasons {
    /// Adds a refused line, unless there are [`REASONS_KEPT`] other reasons.
    pub fn add(&mut self, refusal: Refusal) {
        let is_full = self.0.len() == REASONS_KEPT;
        match self.0.iter_mut().find(|it| it.has_reason_of(&refusal)) {
            Some(first) => {
                first.count += 1;
                let other = refusal.identifier;
                let is_new = other != first.identifier && !first.others.contains(&other);
                if first.others.len() < OTHERS && is_new && !other.is_empty() {
                    first.others.push(other);
                }
            }
            None if is_full => {}
            None => self.0.push(refusal),
        }
    }

    /// Takes the refusals, one for each reason.
    pub fn take(&mut self) -> impl Iterator<Item = Refusal> {
        std::mem::take(&mut self.0).into_iter()
    }
}

/// The beginning of a text. U+0000, which PostgreSQL refuses, is replaced.
fn cut(text: &str) -> String {
    let beginning = text.chars().take(TEXT);
    let storable = beginning.map(|c| match c {
        '\0' => char::REPLACEMENT_CHARACTER,
        other => other,
    });
    storable.collect()
}

#[cfg(test)]
mod tests {
    use kernel::testing::{noon, uuid};

    use super::*;

    #[test]
    fn a_bad_import_is_a_refusal_for_each_reason() {
        let mut reasons = Reasons::default();
        let mut add = |n: u128, status, field: &str, message: &str| {
            let errors = FieldErrors::one(field, message);
            let id = format!("job-{n}");
            let refusal = Refusal::new(uuid(n), noon(), &id, status, message, Some(&errors));
            reasons.add(refusal);
        };
        for n in (0..1_000).flat_map(|n| [n, n]) {
            let place = format!("employment_types.{}", n % 7);
            add(n, 422, &place, &format!("must be one of a, b, not \"{n}\""));
        }
        add(1_000, 422, "title", "is required");
        for n in 0..50 {
            add(
                1_001 + n,
                422,
                &format!("f{}", "x".repeat(n as usize)),
                "is wrong",
            );
        }
        let kept: Vec<_> = reasons.take().collect();
        assert_eq!(kept.len(), REASONS_KEPT);
        let [first, second, ..] = &kept[..] else {
            panic!("{kept:?}");
        };
        assert_eq!((first.count, &*first.identifier), (2_000, "job-0"));
        assert_eq!(first.others, ["job-1", "job-2", "job-3", "job-4"]);
        let reason = "employment_types.0 must be one of a, b, not \"0\"";
        assert_eq!(first.reason(), reason);
        assert_eq!(
            (second.count, second.reason()),
            (1, "title is required".to_owned())
        );
        assert_eq!(reasons.take().count(), 0);
        let plain = Refusal::new(uuid(1), noon(), "job-1", 422, "No.", None);
        assert_eq!(plain.reason(), "No.");
        let mut errors = FieldErrors::one("b", "is wrong");
        errors.add("a", "is wrong");
        let message = errors.to_string();
        let first = Refusal::new(uuid(1), noon(), "job-1", 422, &message, Some(&errors));
        assert_eq!(first.reason(), "b is wrong; a is wrong");
    }

    #[test]
    fn a_refusal_can_be_kept_by_every_store() {
        let errors = FieldErrors::one("a\0", "\0b");
        let kept = Refusal::new(uuid(1), noon(), "\0", 422, "c\0", Some(&errors));
        assert_eq!(
            (&*kept.identifier, &*kept.message),
            ("\u{FFFD}", "c\u{FFFD}")
        );
        let errors = [("a\u{FFFD}".to_owned(), vec!["\u{FFFD}b".to_owned()])];
        assert_eq!(kept.errors, errors.into());
    }

    #[test]
    fn a_refusal_has_a_largest_size() {
        let mut errors = FieldErrors::new();
        for n in 0..90 {
            errors.add(format!("{n:03}{}", "f".repeat(600)), "e".repeat(600));
        }
        let long = "x".repeat(600);
        let kept = Refusal::new(uuid(1), noon(), &long, 422, &long, Some(&errors));
        assert_eq!(kept.identifier.len(), TEXT);
        assert_eq!(kept.message.len(), TEXT);
        assert_eq!(kept.errors.len(), ERRORS.0);
        for (field, messages) in &kept.errors {
            assert_eq!((field.len(), messages[0].len()), (TEXT, TEXT));
        }
    }
}
