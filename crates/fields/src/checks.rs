//! Field rules that garde checks on a [`Patch`].
//!
//! Only set values are checked, after they were read. So a rule never sees a value of a wrong type.
//! ADR 47 describes what garde checks, and what types check.

use std::fmt::Display;

use garde::{Path, Report, Validate, rules::length::chars::Chars};

use crate::{
    FieldSpec, FieldValue, Patch, Sent,
    validation::{FieldErrors, Rule},
};

impl<T: FieldValue + Validate<Context = ()> + Default> Sent<T> {
    /// A body's value, and its errors in field order.
    pub fn checked(self) -> (T, FieldErrors) {
        let (value, mut errors) = self.into_parts();
        if let Err(report) = value.validate() {
            errors.merge(report.into());
        }
        errors.sort_by_key(|path| FieldSpec::place(T::FIELDS, path));
        (value, errors)
    }
}

/// Implements `length(chars, max = N)`, with the API's error message.
impl<T: AsRef<str>> Chars for Patch<T> {
    fn validate_num_chars(&self, _: usize, max: usize) -> garde::Result {
        let text = self.value().map_or("", AsRef::as_ref);
        // A text has no more characters than bytes, so counting is rare.
        if text.len() > max && text.chars().count() > max {
            let length = text.chars().count();
            let problem = format!("must be at most {max} characters long, and has {length}");
            return Err(garde::Error::new(format!("{TOO_LONG}{problem}")));
        }
        Ok(())
    }
}

/// Implements `dive`, which checks a set object by its own rules.
impl<T: Validate> Validate for Patch<T> {
    type Context = T::Context;

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        if let Self::Set(value) = self {
            value.validate_into(context, parent, report);
        }
    }
}

/// Implements `custom(value(CHECK))`, which checks a set value.
pub fn value<T: AsRef<U>, U: ?Sized, E: Display>(
    check: impl Fn(&U) -> Result<(), E>,
) -> impl Fn(&Patch<T>, &()) -> garde::Result {
    move |patch, (): &()| match patch {
        Patch::Set(value) => {
            check(value.as_ref()).map_err(|error| garde::Error::new(error.to_string()))
        }
        Patch::Keep | Patch::Clear => Ok(()),
    }
}

/// Marks a length's message, because garde keeps only an error's text.
const TOO_LONG: &str = "length\u{1f}";

impl From<Report> for FieldErrors {
    fn from(report: Report) -> Self {
        let mut errors = Self::new();
        for (path, error) in report.into_inner() {
            let (rule, message) = match error.message().strip_prefix(TOO_LONG) {
                Some(message) => (Rule::Length, message),
                None => (Rule::Value, error.message()),
            };
            errors.add_as(rule, path.to_string(), message);
        }
        errors
    }
}
