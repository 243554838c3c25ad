//! Unknown fields, which a client may ask to have refused.

use super::members::{members, shown};
use crate::validation::FieldErrors;

/// The largest difference between an unknown name and a known one that is suggested: 0 for equal
/// names, 1 for names without anything in common.
const SIMILAR: f64 = 0.6;

/// The names of the fields of a body, and of those of its objects.
#[derive(Clone, Copy, Debug)]
pub struct KnownFields<'a> {
    /// The fields of the body.
    pub fields: &'a [&'a str],
    /// The fields that are objects, with the fields in them.
    pub objects: &'a [(&'a str, &'a [&'a str])],
}

/// Adds an error for each field of a body that is not known, with the known one that it may be a
/// misspelling of.
pub fn refuse(body: &str, known: KnownFields<'_>, errors: &mut FieldErrors) {
    for (name, value) in members(body) {
        if !known.fields.contains(&&*name) {
            errors.add(shown(&name), message(&name, known.fields));
            continue;
        }
        let object = known.objects.iter().find(|(object, _)| **object == name);
        if let Some((object, fields)) = object.filter(|_| value.starts_with('{')) {
            for (inner, _) in members(value) {
                if !fields.contains(&&*inner) {
                    let path = format!("{object}.{}", shown(&inner));
                    errors.add(path, message(&inner, fields));
                }
            }
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

    const KNOWN: KnownFields<'_> = KnownFields {
        fields: &["title", "salary_min", "company"],
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
    fn a_long_name_is_cut() {
        let name = "ü".repeat(100_000);
        let body = format!(r#"{{"{name}":1}}"#);
        check(&body, &[(&"ü".repeat(100), "is not a known field")]);
    }
}
