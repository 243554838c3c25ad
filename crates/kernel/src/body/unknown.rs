//! Unknown fields, which a client may ask to have refused.

use std::collections::HashSet;

use super::members::{members, shown};
use crate::validation::FieldErrors;

/// The largest difference between an unknown name and a known one that is suggested: 0 for equal
/// names, 1 for names without anything in common.
const SIMILAR: f64 = 0.6;

/// The names of the fields of a body, and of those of its objects.
#[derive(Clone, Copy, Debug)]
pub struct KnownFields<'a> {
    /// The fields that may be sent.
    pub fields: &'a [&'a str],
    /// The fields that are known and may not be sent, so that they are never suggested. Their
    /// errors are others.
    pub prohibited: &'a [&'a str],
    /// The fields that are objects, with the fields in them.
    pub objects: &'a [(&'a str, &'a [&'a str])],
}

/// Adds an error for each field of a body that is not known, with the known one that it may be a
/// misspelling of. Errors that will not be described are only counted.
pub fn refuse(body: &str, known: KnownFields<'_>, errors: &mut FieldErrors) {
    let mut refusal = Refusal {
        seen: HashSet::new(),
        errors,
    };
    for (name, value) in members(body) {
        if known.prohibited.contains(&&*name) {
            continue;
        }
        if !known.fields.contains(&&*name) {
            refusal.add(None, &name, known.fields);
            continue;
        }
        let object = known.objects.iter().find(|(object, _)| **object == name);
        if let Some((object, fields)) = object.filter(|_| value.starts_with('{')) {
            for (inner, _) in members(value) {
                if !fields.contains(&&*inner) {
                    refusal.add(Some(object), &inner, fields);
                }
            }
        }
    }
}

struct Refusal<'a> {
    /// The paths of unknown fields. A body may repeat one many times.
    seen: HashSet<String>,
    errors: &'a mut FieldErrors,
}

impl Refusal<'_> {
    fn add(&mut self, object: Option<&str>, name: &str, known: &[&str]) {
        let shown = shown(name);
        let path = object.map_or_else(|| shown.clone(), |object| format!("{object}.{shown}"));
        if !self.seen.insert(path.clone()) {
            return;
        }
        // A message takes as long as some hundred names.
        if self.errors.is_full() {
            self.errors.leave_out(1);
        } else {
            self.errors.add(path, message(name, known));
        }
    }
}

fn message(name: &str, known: &[&str]) -> String {
    // The comparison takes as many steps as both names have characters, multiplied.
    let name: String = name.chars().take(super::members::NAME).collect();
    let similarity = |known: &str| strsim::normalized_damerau_levenshtein(&name, known);
    let nearest = known.iter().map(|known| (similarity(known), known));
    match nearest.max_by(|(one, _), (other, _)| one.total_cmp(other)) {
        Some((similarity, nearest)) if similarity >= SIMILAR => {
            format!("is not a known field; the nearest one is {nearest}")
        }
        _ => "is not a known field".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::MOST_ERRORS;

    const KNOWN: KnownFields<'_> = KnownFields {
        fields: &["title", "salary_min", "company"],
        prohibited: &["latitude"],
        objects: &[("company", &["name", "website_url"])],
    };

    #[track_caller]
    fn check(body: &str, expect: &[(&str, &str)]) {
        let mut errors = FieldErrors::new();
        refuse(body, KNOWN, &mut errors);
        let found: Vec<_> = errors
            .iter()
            .map(|(name, all)| (name, all.join("|")))
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(name, all)| (*name, all.as_str()))
            .collect();
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn a_misspelt_field_is_named_with_the_nearest_known_one() {
        let nearest = "is not a known field; the nearest one is salary_min";
        check(
            r#"{"title":1,"salary_mim":1,"salaryMin":1}"#,
            &[("salaryMin", nearest), ("salary_mim", nearest)],
        );
        check(r#"{"x":{"title":1}}"#, &[("x", "is not a known field")]);
        let nearest = "is not a known field; the nearest one is website_url";
        check(
            r#"{"company":{"website":1,"name":2}}"#,
            &[("company.website", nearest)],
        );
        check(r#"{"company":["website"],"title":{"x":1}}"#, &[]);
    }

    #[test]
    fn a_prohibited_field_is_left_to_others_and_not_suggested() {
        let body = r#"{"latitude":1,"lattitude":1}"#;
        check(body, &[("lattitude", "is not a known field")]);
    }

    #[test]
    fn of_many_unknown_fields_a_few_are_described_and_all_are_counted() {
        let names: Vec<_> = (0..150_000)
            .map(|n| format!(r#""{:05}":1"#, n / 2))
            .collect();
        let mut errors = FieldErrors::new();
        refuse(&format!("{{{}}}", names.join(",")), KNOWN, &mut errors);
        assert_eq!(errors.iter().count(), MOST_ERRORS);
        let rest = "(and 74999 more errors).";
        assert!(errors.to_string().ends_with(rest), "{errors}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let name = "ü".repeat(100_000);
        let body = format!(r#"{{"{name}":1}}"#);
        check(&body, &[(&"ü".repeat(100), "is not a known field")]);
    }
}
