//! The rules of fields that garde checks: what it needs to know of a [`Patch`].
//!
//! A value is checked after it was read, so a rule never sees a value of another type. Only what is
//! set is checked. See ADR 47 for what garde does here, and what types do.

use std::fmt::Display;

use garde::{Path, Report, Validate, rules::length::chars::Chars};

use crate::{
    FieldSpec, FieldValue, Patch, Sent,
    validation::{FieldErrors, Rule},
};

impl<T: FieldValue + Validate<Context = ()> + Default> Sent<T> {
    /// The value of a whole body, and its errors in the order of its fields.
    pub fn checked(self) -> (T, FieldErrors) {
        let (value, mut errors) = self.into_parts();
        if let Err(report) = value.validate() {
            errors.merge(report.into());
        }
        errors.sort_by_key(|path| FieldSpec::place(T::FIELDS, path));
        (value, errors)
    }
}

/// `length(chars, max = N)`, with the sentence of the contract.
impl<T: AsRef<str>> Chars for Patch<T> {
    fn validate_num_chars(&self, _: usize, max: usize) -> garde::Result {
        let text = self.value().map_or("", AsRef::as_ref);
        // No string has more characters than bytes: counting is for the few.
        if text.len() > max && text.chars().count() > max {
            let length = text.chars().count();
            let problem = format!("must be at most {max} characters long, and has {length}");
            return Err(garde::Error::new(format!("{TOO_LONG}{problem}")));
        }
        Ok(())
    }
}

/// `dive`: the rules of an object that is set.
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

/// `custom(value(CHECK))`: a check of a value that is set.
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

/// Stands before the message of a length. garde keeps nothing of an error but its text.
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
