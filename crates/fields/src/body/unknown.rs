//! Unknown fields, which a client may ask the service to refuse.

use super::members::NAME;
use crate::{FieldSpec, FieldValue, line::shown, suggest, validation::FieldErrors};

/// Turns unknown fields of a `T` into errors, each with the nearest known field.
pub fn refuse<T: FieldValue>(errors: &mut FieldErrors) {
    refuse_as(errors, nearest::<T>);
}

/// Does the same, with a given function that finds the intended field.
pub fn refuse_as(errors: &mut FieldErrors, nearest: impl Fn(&str) -> Option<String>) {
    errors.refuse_unknown(|path| {
        let message = match nearest(path) {
            Some(nearest) => format!("is not a known field; the nearest one is {nearest}"),
            None => "is not a known field".to_owned(),
        };
        (shown(path, NAME), message)
    });
}

/// The field of `T` that an unknown field may misspell. Fields that only the service sets do not
/// count.
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

    fn refused(body: &str) -> Vec<String> {
        let (_, mut errors) = parse::<Known>(body).unwrap();
        let others = errors.iter().count();
        refuse::<Known>(&mut errors);
        let unknown = errors.iter().skip(others);
        let each = unknown.map(|(path, all)| format!("{path} {}", all.join("|")));
        each.collect()
    }

    #[test]
    fn the_nearest_known_field_is_named_but_none_that_is_prohibited() {
        let body = r#"{"latitude":1,"lattitude":1,"salaryMin":1,"salaryMin":2,"title":{"x":1},
            "company":{"website":1}}"#;
        let expect = [
            "lattitude is not a known field",
            "salaryMin is not a known field; the nearest one is salary_min",
            "company.website is not a known field; the nearest one is company.website_url",
        ];
        assert_eq!(refused(body), expect);
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
        let body = format!(r#"{{"{}":1}}"#, "ü".repeat(100_000));
        let expect = format!("{} is not a known field", "ü".repeat(100));
        assert_eq!(refused(&body), [expect]);
    }
}
