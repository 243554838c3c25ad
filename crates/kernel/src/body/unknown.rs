//! Unknown fields, which a client may ask to have refused.

use std::collections::HashSet;

use super::members::{members, shown};
use crate::{
    field::{FieldSpec, FieldValue},
    validation::FieldErrors,
};

/// The largest difference between an unknown name and a known one that is suggested: 0 for equal
/// names, 1 for names without anything in common.
const SIMILAR: f64 = 0.6;

/// Adds an error for each field of a body that is not one of `T`, with the known one that it may be
/// a misspelling of. Those that the service alone sets are never suggested, and their errors are
/// others.
pub fn refuse<T: FieldValue>(body: &str, errors: &mut FieldErrors) {
    let mut refusal = Refusal {
        seen: HashSet::new(),
        errors,
    };
    for (name, value) in members(body) {
        if T::PROHIBITED.contains(&&*name) {
            continue;
        }
        match T::FIELDS.iter().find(|field| field.name == name) {
            None => refusal.add(None, &name, T::FIELDS),
            Some(object) if !object.fields.is_empty() && value.starts_with('{') => {
                for (inner, _) in members(value) {
                    if object.fields.iter().all(|field| field.name != inner) {
                        refusal.add(Some(object.name), &inner, object.fields);
                    }
                }
            }
            Some(_) => {}
        }
    }
}

struct Refusal<'a> {
    /// The paths of unknown fields. A body may repeat one many times.
    seen: HashSet<String>,
    errors: &'a mut FieldErrors,
}

impl Refusal<'_> {
    /// Adds an error that will be described, or counts it.
    fn add(&mut self, object: Option<&str>, name: &str, known: &[FieldSpec]) {
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

fn message(name: &str, known: &[FieldSpec]) -> String {
    // The comparison takes as many steps as both names have characters, multiplied.
    let name: String = name.chars().take(super::members::NAME).collect();
    let similarity = |known: &str| strsim::normalized_damerau_levenshtein(&name, known);
    let nearest = known
        .iter()
        .map(|known| (similarity(known.name), known.name));
    match nearest.max_by(|(one, _), (other, _)| one.total_cmp(other)) {
        Some((similarity, nearest)) if similarity >= SIMILAR => {
            format!("is not a known field; the nearest one is {nearest}")
        }
        _ => "is not a known field".to_owned(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::fields;
    use crate::validation::MOST_ERRORS;

    fields! {
        pub struct Known {
            optional title: String,
            optional salary_min: i64,
            optional company: KnownCompany,
        }
        prohibited { latitude, }
    }

    fields! {
        pub struct KnownCompany {
            optional name: String,
            optional website_url: String,
        }
    }

    #[track_caller]
    fn check(body: &str, expect: &[(&str, &str)]) {
        let mut errors = FieldErrors::new();
        refuse::<Known>(body, &mut errors);
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
        refuse::<Known>(&format!("{{{}}}", names.join(",")), &mut errors);
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
