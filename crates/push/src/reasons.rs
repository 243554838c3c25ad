//! Groups refusals by field and rule. Values in messages do not count.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use fields::validation::field_of;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::answer::Receipt;

/// Replaces a value in a message.
const VALUE: &str = "…";

/// The largest number of distinct reasons; rarer reasons are combined.
const TOLD: usize = 20;

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub reason: String,
    pub count: u64,
}

struct Group {
    count: u64,
    /// The first reason. Values that differ between receipts are replaced.
    example: String,
}

/// Groups refusals by reason, the most frequent first.
pub fn reasons(receipts: &[Receipt]) -> Vec<Reason> {
    let mut groups = HashMap::<String, Group>::new();
    let mut add = |group: String, reason: String| match groups.entry(group) {
        Entry::Vacant(new) => {
            let example = reason;
            new.insert(Group { count: 1, example });
        }
        Entry::Occupied(mut group) => {
            let common = common(&group.get().example, &reason);
            let example = common.unwrap_or_else(|| group.key().clone());
            let count = group.get().count + 1;
            group.insert(Group { count, example });
        }
    };
    for receipt in receipts.iter().filter(|receipt| receipt.is_refusal()) {
        let message = &receipt.message;
        let errors = errors(receipt);
        if errors.is_empty() {
            let status = receipt.status.map(|status| format!("{status} "));
            let status = status.unwrap_or_default();
            add(
                format!("{status}{}", rule_of(message)),
                format!("{status}{message}"),
            );
        }
        for (field, messages) in &errors {
            let field = field_of(field);
            for message in messages {
                add(
                    format!("{field}: {}", rule_of(message)),
                    format!("{field}: {message}"),
                );
            }
        }
    }
    let reason = |Group { count, example }| Reason {
        reason: example,
        count,
    };
    let mut reasons: Vec<_> = groups.into_values().map(reason).collect();
    reasons.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
    let others = reasons.split_off(reasons.len().min(TOLD));
    if !others.is_empty() {
        reasons.push(Reason {
            reason: "for other reasons".to_owned(),
            count: others.iter().map(|other| other.count).sum(),
        });
    }
    reasons
}

/// The common words of two reasons. `None` if values contain spaces.
fn common(one: &str, other: &str) -> Option<String> {
    if one == other {
        return Some(one.to_owned());
    }
    let words = |text: &str| text.split(' ').count();
    if words(one) != words(other) {
        return None;
    }
    let pairs = one.split(' ').zip(other.split(' '));
    let words = pairs.map(|(one, other)| {
        if one == other {
            return one.to_owned();
        }
        let value = one.trim_matches(|c: char| c.is_ascii_punctuation());
        if value.is_empty() {
            VALUE.to_owned()
        } else {
            one.replacen(value, VALUE, 1)
        }
    });
    let common = words.collect::<Vec<_>>().join(" ");
    let ends = [", which is …", ", which is ….", ", and has …"];
    let short = ends.iter().find_map(|end| common.strip_suffix(end));
    Some(short.unwrap_or(&common).to_owned())
}

/// The message without numbers and quoted texts, because the service sends no code.
fn rule_of(message: &str) -> String {
    let mut rule = String::with_capacity(message.len());
    for (n, part) in message.split('"').enumerate() {
        // Every second part is between quotes.
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

fn errors(receipt: &Receipt) -> BTreeMap<String, Vec<String>> {
    let errors = receipt.errors.as_deref().map(RawValue::get);
    let errors = errors.map(serde_json::from_str).and_then(Result::ok);
    errors.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn receipt(status: Option<u16>, message: &str, errors: &str) -> Receipt {
        let errors: serde_json::Value = serde_json::from_str(errors).unwrap();
        let receipt = json!({"line": 1, "id": null, "outcome": "refused", "status": status,
            "message": message, "errors": errors});
        serde_json::from_value(receipt).unwrap()
    }

    #[test]
    fn one_mistake_with_many_values_is_one_reason() {
        let mut receipts = Vec::new();
        for n in 0..50 {
            let errors = format!(
                r#"{{"salary_max":["must be at least salary_min, which is {n}"],
                    "employment_types.{n}":["must be one of full-time, part-time"],
                    "x":["\"v{n}\" is not 1,5{n} to -{n}.5; see RFC-3339 (5)"]}}"#
            );
            receipts.push(receipt(Some(422), "Many.", &errors));
        }
        receipts.extend([
            receipt(Some(422), "One.", r#"{"title":["is at most 255 long"]}"#),
            receipt(Some(404), "Job posting not found.", "{}"),
            receipt(None, "line 3: is too long", "null"),
            receipt(None, "line 4: is too long", "null"),
        ]);
        let expect = [
            (
                "employment_types.*: must be one of full-time, part-time",
                50,
            ),
            ("salary_max: must be at least salary_min", 50),
            ("x: \"…\" is not … to -…; see RFC-3339 (5)", 50),
            ("line …: is too long", 2),
            ("404 Job posting not found.", 1),
            ("title: is at most 255 long", 1),
        ];
        let reasons = reasons(&receipts);
        let reasons: Vec<_> = reasons
            .iter()
            .map(|Reason { reason, count }| (reason.as_str(), *count))
            .collect();
        assert_eq!(reasons, expect);
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
    }

    #[test]
    fn rare_reasons_are_counted_as_one() {
        let receipts = (0..TOLD + 7).map(|n| receipt(Some(400), &format!("a{n}"), "null"));
        let reasons = reasons(&receipts.collect::<Vec<_>>());
        let others = Reason {
            reason: "for other reasons".to_owned(),
            count: 7,
        };
        assert_eq!(reasons.last(), Some(&others));
    }
}
