//! The checks that payloads share, in the form that garde calls.

use garde::{Path, Report, Validate, rules::length::chars::Chars};

use crate::{
    field::{
        Boolean, Choice, Choices, Field, INTEGER, Integer, Line, ListAsObject, Object, Shape, Term,
        Text,
    },
    line::{InvalidLine, check_line},
    validation::MOST_ERRORS,
};

/// A check of a value of the right type.
pub trait Check {
    /// The problem of the value, if any.
    fn problem(&self) -> Option<String> {
        None
    }
}

impl Check for Line {
    fn problem(&self) -> Option<String> {
        check_line(&self.0).err().map(|error| error.to_string())
    }
}

impl Check for Text {
    fn problem(&self) -> Option<String> {
        // Lines and whatever is between them, as HTML is.
        self.0.contains('\0').then(|| InvalidLine::Nul.to_string())
    }
}

impl Check for Integer {
    fn problem(&self) -> Option<String> {
        match self.0 {
            ..0 => Some(format!("must be between 0 and {INTEGER}")),
            number if number > INTEGER.into() => {
                Some(format!("is too large; it must be between 0 and {INTEGER}"))
            }
            _ => None,
        }
    }
}

impl<T: Term> Check for Choice<T> {
    fn problem(&self) -> Option<String> {
        self.0
            .is_none()
            .then(|| format!("must be {}", T::expected()))
    }
}

impl Check for Boolean {}
impl<T> Check for Choices<T> {}
impl<T> Check for Object<T> {}
impl<T> Check for ListAsObject<T> {}

/// Checks a field that may be absent, and may be cleared.
pub fn optional<'de, T: Shape<'de> + Check>(field: &Field<T>, (): &()) -> garde::Result {
    let problem = match field {
        Field::Absent | Field::Null => None,
        Field::Value(value) => value.problem(),
        Field::Mistyped => Some(format!("must be {}", T::EXPECTED)),
    };
    problem.map_or(Ok(()), |problem| Err(garde::Error::new(problem)))
}

/// Like [`optional`], but not to be cleared. Whether it may be absent, the stored state says.
pub fn required<'de, T: Shape<'de> + Check>(field: &Field<T>, (): &()) -> garde::Result {
    match field {
        Field::Null => Err(garde::Error::new("must not be null or blank")),
        _ => optional(field, &()),
    }
}

/// Like [`required`], and not to be left out, whatever is stored.
pub fn present<'de, T: Shape<'de> + Check>(field: &Field<T>, (): &()) -> garde::Result {
    match field {
        Field::Absent => Err(garde::Error::new("is required")),
        _ => required(field, &()),
    }
}

impl<T: AsRef<str>> Chars for Field<T> {
    fn validate_num_chars(&self, _: usize, max: usize) -> garde::Result {
        let text = self.value().map_or("", AsRef::as_ref);
        // No string has more characters than bytes: counting is for the few.
        if text.len() > max && text.chars().count() > max {
            let problem = format!("must be at most {max} characters long");
            return Err(garde::Error::new(problem));
        }
        Ok(())
    }
}

impl<T: Validate> Validate for Field<T> {
    type Context = T::Context;

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        if let Self::Value(value) = self {
            value.validate_into(context, parent, report);
        }
    }
}

impl<T: Validate> Validate for Object<T> {
    type Context = T::Context;

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        self.0.validate_into(context, parent, report);
    }
}

impl<T: Validate> Validate for ListAsObject<T> {
    type Context = T::Context;

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        self.0.validate_into(context, parent, report);
    }
}

impl<T: Term> Validate for Choices<T> {
    type Context = ();

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        for (index, choice) in self.wrong().take(MOST_ERRORS) {
            if let Err(error) = required(choice, context) {
                report.append(parent().join(index), error);
            }
        }
    }
}
