//! Unknown fields, which a client may ask to have refused.

use super::members::NAME;
use crate::{
    field::{FieldSpec, FieldValue},
    line::shown,
    suggest,
    validation::FieldErrors,
};

/// Makes errors of the unknown fields that were found in a body of `T`, each with the known field
/// that it may be a misspelling of.
pub fn refuse<T: FieldValue>(errors: &mut FieldErrors) {
    errors.refuse_unknown(|path| {
        let message = match nearest::<T>(path) {
            Some(nearest) => format!("is not a known field; the nearest one is {nearest}"),
            None => "is not a known field".to_owned(),
        };
        (shown(path, NAME), message)
    });
}

/// The field of `T` that an unknown one may be a misspelling of. Those that the service alone sets
/// are never suggested.
pub fn nearest<T: FieldValue>(path: &str) -> Option<String> {
    let names = |fields: &'static [FieldSpec]| fields.iter().map(|field| field.name);
    let object = path.split_once('.').and_then(|(object, name)| {
        let is_object = |field: &&FieldSpec| field.name == object && !field.fields.is_empty();
        Some((T::FIELDS.iter().find(is_object)?, name))
    });
    match object {
        Some((object, name)) => {
            let nearest = suggest::nearest(name, names(object.fields))?;
            Some(format!("{}.{nearest}", object.name))
        }
        None => suggest::nearest(path, names(T::FIELDS)).map(str::to_owned),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::{body::parse, fields, validation::MOST_ERRORS};

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
        let (_, mut errors) = parse::<Known>(body).unwrap();
        let before = errors.clone();
        refuse::<Known>(&mut errors);
        let found: Vec<_> = errors
            .iter()
            .map(|(name, all)| (name, all.join("|")))
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(name, all)| (*name, all.as_str()))
            .collect();
        let found = &found[before.iter().count()..];
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn a_misspelt_field_is_named_with_the_nearest_known_one() {
        let nearest = "is not a known field; the nearest one is salary_min";
        check(
            r#"{"title":"T","salaryMin":1,"salary_mim":1,"salaryMin":2}"#,
            &[("salaryMin", nearest), ("salary_mim", nearest)],
        );
        check(r#"{"x":{"title":1}}"#, &[("x", "is not a known field")]);
        let nearest = "is not a known field; the nearest one is company.website_url";
        check(
            r#"{"company":{"website":1,"name":"A"}}"#,
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
    fn of_many_unknown_fields_a_few_are_described_and_the_others_counted() {
        let names: Vec<_> = (0..150_000).map(|n| format!(r#""{n:06}":1"#)).collect();
        let (_, mut errors) = parse::<Known>(&format!("{{{}}}", names.join(","))).unwrap();
        assert!(errors.is_empty());
        assert_eq!(errors.unknown().count(), MOST_ERRORS);
        refuse::<Known>(&mut errors);
        assert_eq!(errors.iter().count(), MOST_ERRORS);
        let rest = "(and 149999 more errors).";
        assert!(errors.to_string().ends_with(rest), "{errors}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let name = "ü".repeat(100_000);
        let body = format!(r#"{{"{name}":1}}"#);
        check(&body, &[(&"ü".repeat(100), "is not a known field")]);
    }
}
