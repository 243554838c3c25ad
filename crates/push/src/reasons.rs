//! Groups the reasons of refusals by field and rule: values in messages do not count.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::answer::Receipt;

/// Reasons that are told apart; rarer ones are one.
const TOLD: usize = 20;
/// Stands for a value.
const VALUE: &str = "…";

/// A reason why lines were not taken.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The field with what is wrong with it, or the status and the message.
    pub reason: String,
    /// How many lines have it.
    pub count: u64,
}

#[derive(Default)]
struct Group {
    count: u64,
    /// The first reason as it was; `None` once another one has had other values.
    example: Option<String>,
}

/// The reasons of all refusals, the most frequent ones first.
pub fn reasons(receipts: &[Receipt]) -> Vec<Reason> {
    let mut groups = HashMap::<String, Group>::new();
    let mut add = |group: String, reason: String| {
        let group = groups.entry(group).or_default();
        if group.count == 0 {
            group.example = Some(reason);
        } else if group.example.as_ref() != Some(&reason) {
            group.example = None;
        }
        group.count += 1;
    };
    for receipt in receipts.iter().filter(|receipt| receipt.is_refusal()) {
        let message = &receipt.message;
        let errors = errors(receipt);
        if errors.is_empty() {
            let status = receipt.status.map(|status| format!("{status} "));
            let status = status.unwrap_or_default();
            add(
                format!("{status}{}", rule(message)),
                format!("{status}{message}"),
            );
        }
        for (field, messages) in &errors {
            let field = field_of(field);
            for message in messages {
                add(
                    format!("{field}: {}", rule(message)),
                    format!("{field}: {message}"),
                );
            }
        }
    }
    let reason = |(group, Group { count, example }): (String, Group)| Reason {
        reason: example.unwrap_or(group),
        count,
    };
    let mut reasons: Vec<_> = groups.into_iter().map(reason).collect();
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

/// The errors by field.
fn errors(receipt: &Receipt) -> BTreeMap<String, Vec<String>> {
    let errors = receipt.errors.as_deref().map(RawValue::get);
    let errors = errors.map(serde_json::from_str).and_then(Result::ok);
    errors.unwrap_or_default()
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
            ("x: … is not … to …; see RFC-3339 (…)", 50),
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
    fn rare_reasons_are_told_as_one() {
        let receipts = (0..TOLD + 7).map(|n| receipt(Some(400), &format!("a{n}"), "null"));
        let reasons = reasons(&receipts.collect::<Vec<_>>());
        let others = Reason {
            reason: "for other reasons".to_owned(),
            count: 7,
        };
        assert_eq!(reasons.last(), Some(&others));
    }
}
