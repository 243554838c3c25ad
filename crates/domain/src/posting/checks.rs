//! The checks of single fields, in the form that garde calls.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "garde passes every field and its context by reference"
)]

use garde::{
    Path, Report, Validate,
    rules::{email::parse_email, length::chars::Chars},
};

use super::{limits, payload::MetadataField};
use crate::{
    company::check_web_url,
    field::{Choice, Choices, Field, Integer, Line, Object, Presence, Shape, Term, Text},
};

/// What can be wrong with a value of the right type.
pub(super) trait Check {
    fn problem(&self) -> Option<String> {
        None
    }
}

impl Check for Line {
    fn problem(&self) -> Option<String> {
        nul(&self.0)
    }
}

impl Check for Text {
    fn problem(&self) -> Option<String> {
        nul(&self.0)
    }
}

impl Check for Integer {
    fn problem(&self) -> Option<String> {
        let range = 0..=i128::from(limits::INTEGER);
        (!range.contains(&self.0)).then(|| format!("must be between 0 and {}", limits::INTEGER))
    }
}

impl<T: Term> Check for Choice<T> {
    fn problem(&self) -> Option<String> {
        self.0
            .is_none()
            .then(|| format!("must be {}", T::expected()))
    }
}

impl<T> Check for Choices<T> {}
impl<T> Check for Object<T> {}

/// PostgreSQL keeps every character of a text but this one.
fn nul(text: &str) -> Option<String> {
    text.contains('\0')
        .then(|| "must not contain the character U+0000".to_owned())
}

pub(super) fn optional<'de, T: Shape<'de> + Check>(field: &Field<T>, (): &()) -> garde::Result {
    let problem = match field {
        Field::Absent | Field::Null => None,
        Field::Value(value) => value.problem(),
        Field::Mistyped => Some(format!("must be {}", T::EXPECTED)),
    };
    problem.map_or(Ok(()), |problem| Err(garde::Error::new(problem)))
}

/// Like [`optional`], but not to be cleared. Whether it may be absent, the stored posting says.
pub(super) fn required<'de, T: Shape<'de> + Check>(field: &Field<T>, (): &()) -> garde::Result {
    match field {
        Field::Null => Err(garde::Error::new("must not be null or blank")),
        _ => optional(field, &()),
    }
}

pub(super) fn not_sent(sent: &Presence, (): &()) -> garde::Result {
    if sent.0 {
        Err(garde::Error::new(
            "is set by the service and must not be sent",
        ))
    } else {
        Ok(())
    }
}

pub(super) fn object(field: &MetadataField, (): &()) -> garde::Result {
    match &field.0 {
        Field::Value(Err(error)) => Err(garde::Error::new(error)),
        _ => Ok(()),
    }
}

pub(super) fn email(field: &Field<Line>, (): &()) -> garde::Result {
    match field {
        Field::Value(Line(text)) => {
            parse_email(text).map_err(|_| garde::Error::new("must be a valid e-mail address"))
        }
        _ => Ok(()),
    }
}

pub(super) fn web_url(field: &Field<Line>, (): &()) -> garde::Result {
    match field {
        Field::Value(Line(text)) => check_web_url(text).map_err(garde::Error::new),
        _ => Ok(()),
    }
}

impl Chars for Field<Line> {
    fn validate_num_chars(&self, _: usize, max: usize) -> garde::Result {
        match self {
            // No string has more characters than bytes: counting is for the few.
            Self::Value(Line(text)) if text.len() > max && text.chars().count() > max => Err(
                garde::Error::new(format!("must be at most {max} characters long")),
            ),
            _ => Ok(()),
        }
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

impl<T: Term> Validate for Choices<T> {
    type Context = ();

    fn validate_into(
        &self,
        context: &Self::Context,
        parent: &mut dyn FnMut() -> Path,
        report: &mut Report,
    ) {
        for (index, choice) in self.0.iter().enumerate() {
            if let Err(error) = required(choice, context) {
                report.append(parent().join(index), error);
            }
        }
    }
}
