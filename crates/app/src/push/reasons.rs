//! Groups the reasons of refusals by field and rule: values in messages do not count.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::text::shorten;

/// Distinct reasons that are counted; later ones count as other.
const KEPT: usize = 10_000;
/// Reasons that are shown.
const SHOWN: usize = 20;
/// The longest reason that is kept, in characters.
const LONGEST: usize = 200;
/// Stands for a value.
const VALUE: &str = "…";

/// Counts of reasons.
#[derive(Debug, Default)]
pub struct Reasons {
    groups: HashMap<String, Group>,
    other: u64,
}

#[derive(Debug)]
struct Group {
    count: u64,
    /// The first reason as it was; `None` once another one has had other values.
    example: Option<String>,
}

impl Reasons {
    /// Counts the errors by field of a refusal, or its message if there are none.
    pub fn add(&mut self, status: Option<u16>, message: &str, errors: Option<&str>) {
        let fields = errors.map(serde_json::from_str::<Map<String, Value>>);
        let fields = fields.and_then(Result::ok).unwrap_or_default();
        if fields.is_empty() {
            let reason = match status {
                Some(status) => format!("{status} {message}"),
                None => message.to_owned(),
            };
            self.count(
                &format!("{}{}", status_of(status), rule(message)),
                &reason,
                1,
            );
        }
        for (field, messages) in &fields {
            let field = field_of(field);
            for message in messages.as_array().into_iter().flatten() {
                let message = message.as_str().unwrap_or("is not valid");
                self.count(
                    &format!("{field}: {}", rule(message)),
                    &format!("{field}: {message}"),
                    1,
                );
            }
        }
    }

    /// Counts a reason that so many lines have.
    pub fn add_many(&mut self, reason: &str, count: u64) {
        self.count(reason, reason, count);
    }

    fn count(&mut self, group: &str, reason: &str, count: u64) {
        let (group, reason) = (shorten(group, LONGEST), shorten(reason, LONGEST));
        if let Some(group) = self.groups.get_mut(&group) {
            group.count += count;
            group.example = group.example.take().filter(|example| *example == reason);
        } else if self.groups.len() < KEPT {
            let example = Some(reason);
            self.groups.insert(group, Group { count, example });
        } else {
            self.other += count;
        }
    }

    /// The most frequent ones first.
    pub fn most_frequent(self) -> Vec<(String, u64)> {
        let reason = |(group, Group { count, example })| (example.unwrap_or(group), count);
        let mut reasons: Vec<_> = self.groups.into_iter().map(reason).collect();
        reasons.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        let hidden = reasons.split_off(reasons.len().min(SHOWN));
        let other = hidden.iter().map(|(_, count)| count).sum::<u64>() + self.other;
        if other > 0 {
            reasons.push(("for other reasons".to_owned(), other));
        }
        reasons
    }
}

fn status_of(status: Option<u16>) -> String {
    status
        .map(|status| format!("{status} "))
        .unwrap_or_default()
}

/// A field without the places in lists: `employment_types.*`.
fn field_of(field: &str) -> String {
    let is_place = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = field
        .split('.')
        .map(|part| if is_place(part) { "*" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

/// A message with its values, which are numbers and quoted texts, replaced.
fn rule(message: &str) -> String {
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
    let end = [", which is …", ", which is …."];
    let cut = end.iter().find_map(|end| rule.strip_suffix(end));
    cut.map(str::to_owned).unwrap_or(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_with_many_values_is_one_reason() {
        let mut reasons = Reasons::default();
        for n in 0..50 {
            let errors = format!(
                r#"{{"salary_max":["must be at least salary_min, which is {n}"],
                    "employment_types.{n}":["must be one of full-time, part-time"],
                    "x":["\"v{n}\" is not 1,5{n} to -{n}.5; see RFC-3339 (5)"]}}"#
            );
            reasons.add(Some(422), "Many.", Some(&errors));
        }
        reasons.add(
            Some(422),
            "One.",
            Some(r#"{"title":["is at most 255 long"]}"#),
        );
        reasons.add(Some(404), "Job posting not found.", Some("{}"));
        reasons.add(None, "line 3: is too long", None);
        reasons.add(None, "line 4: is too long", None);
        let expect = [
            (
                "employment_types.*: must be one of full-time, part-time",
                50,
            ),
            ("salary_max: must be at least salary_min", 50),
            ("x: … is not … to …; see RFC-3339 (…)", 50),
            ("line …: is too long", 2),
            ("404 Job posting not found.", 1),
            ("title: is at most 255 long", 1),
        ];
        let reasons = reasons.most_frequent();
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(text, n)| (text.as_str(), *n))
            .collect();
        assert_eq!(reasons, expect);
    }

    #[test]
    fn no_more_than_a_few_are_kept_and_shown() {
        let mut reasons = Reasons::default();
        for n in 0..2 * KEPT {
            reasons.add(Some(400), &format!("a{n}"), None);
        }
        assert_eq!(reasons.groups.len(), KEPT);
        let shown = reasons.most_frequent();
        assert_eq!(shown.len(), SHOWN + 1);
        let other = ("for other reasons".to_owned(), (2 * KEPT - SHOWN) as u64);
        assert_eq!(shown.last(), Some(&other));
    }
}
