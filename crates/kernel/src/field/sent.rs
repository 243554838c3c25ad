//! A field as it was sent: its change, and what is wrong with it.

use std::{borrow::Cow, fmt::Display};

use super::Patch;
use crate::{
    line::shown,
    validation::{ErrorKind, FieldErrors},
};

/// The most characters of a text that an error repeats.
const SHOWN: usize = 40;

/// A field as it was sent.
#[derive(Clone, Debug)]
pub struct Sent<T> {
    /// The change that it asks for. A text in error is there, because other rules may hold for it.
    pub patch: Patch<T>,
    wrong: Wrong,
}

/// What is wrong with a field. Messages are made only for errors that are told.
#[derive(Clone, Debug, Default)]
enum Wrong {
    #[default]
    Nothing,
    /// The value has to be the first, and is the second.
    IsNot(&'static str, &'static str),
    NoTerm(Box<NoTerm>),
    Missing,
    Itself(Cow<'static, str>),
    /// By path, which is empty for the field itself.
    Within(Box<FieldErrors>),
}

/// A text that is not what it should be.
#[derive(Clone, Debug)]
struct NoTerm {
    text: String,
    expected: &'static str,
    likely: fn(&str) -> Option<&'static str>,
}

impl NoTerm {
    fn message(&self) -> String {
        let (expected, text) = (self.expected, shown(&self.text, SHOWN));
        match (self.likely)(&self.text) {
            Some(likely) => format!("must be {expected}, not \"{text}\"; is \"{likely}\" meant?"),
            None => format!("must be {expected}, not \"{text}\""),
        }
    }
}

impl<T> Sent<T> {
    /// A value.
    pub const fn set(value: T) -> Self {
        Self::with(Patch::Set(value), Wrong::Nothing)
    }

    /// A value, with what was found in it.
    pub fn set_with(value: T, errors: FieldErrors) -> Self {
        let wrong = if errors == FieldErrors::new() {
            Wrong::Nothing
        } else {
            Wrong::Within(Box::new(errors))
        };
        Self::with(Patch::Set(value), wrong)
    }

    /// A value, with what a check of it says.
    pub(super) fn set_checked<E: Display>(value: T, check: Result<(), E>) -> Self {
        let wrong = check.map_or_else(
            |error| Wrong::Itself(error.to_string().into()),
            |()| Wrong::Nothing,
        );
        Self::with(Patch::Set(value), wrong)
    }

    /// `null`.
    pub const fn null() -> Self {
        Self::with(Patch::Clear, Wrong::Nothing)
    }

    /// No value, because it is not `expected`, as in "must be a string, not a number".
    pub const fn is_not(expected: &'static str, sent: &'static str) -> Self {
        Self::with(Patch::Keep, Wrong::IsNot(expected, sent))
    }

    /// No value, because the text is not `expected`, though it may say what is `likely` meant.
    pub(super) fn no_term(
        text: &str,
        expected: &'static str,
        likely: fn(&str) -> Option<&'static str>,
    ) -> Self {
        // Longer than any term.
        let text = text.chars().take(100).collect();
        let no_term = NoTerm {
            text,
            expected,
            likely,
        };
        Self::with(Patch::Keep, Wrong::NoTerm(Box::new(no_term)))
    }

    /// No value, for another reason.
    pub fn wrong(message: impl Into<Cow<'static, str>>) -> Self {
        Self::with(Patch::Keep, Wrong::Itself(message.into()))
    }

    const fn with(patch: Patch<T>, wrong: Wrong) -> Self {
        Self { patch, wrong }
    }

    /// The same with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Sent<U> {
        Sent::with(
            self.patch.and_then(|value| Some(convert(value))),
            self.wrong,
        )
    }

    /// A field that may be absent, and may be cleared.
    #[must_use]
    pub const fn optional(self) -> Self {
        self
    }

    /// A field that is not to be cleared. Whether it may be absent, the stored state says.
    #[must_use]
    pub fn required(mut self) -> Self {
        if matches!(self.patch, Patch::Clear) {
            self.wrong = Wrong::Itself("must not be null or blank".into());
        }
        self
    }

    /// A field that is neither to be cleared nor to be left out, whatever is stored.
    #[must_use]
    pub fn present(mut self) -> Self {
        if matches!((&self.patch, &self.wrong), (Patch::Keep, Wrong::Nothing)) {
            self.wrong = Wrong::Missing;
        }
        self.required()
    }

    /// The change, after its errors were added under the name of the field.
    pub fn report(self, name: &str, errors: &mut FieldErrors) -> Patch<T> {
        match self.wrong {
            Wrong::Nothing => {}
            Wrong::IsNot(expected, sent) => {
                errors.add(name, format!("must be {expected}, not {sent}"));
            }
            Wrong::NoTerm(text) => errors.add(name, text.message()),
            Wrong::Missing => errors.add_as(ErrorKind::Missing, name, "is required"),
            Wrong::Itself(message) => errors.add(name, message),
            Wrong::Within(inner) => errors.merge_under(name, *inner),
        }
        self.patch
    }

    /// The value of a whole body, and the errors of its fields.
    pub(crate) fn into_parts(self) -> (T, FieldErrors)
    where
        T: Default,
    {
        let errors = match self.wrong {
            Wrong::Within(errors) => *errors,
            _ => FieldErrors::new(),
        };
        (self.patch.into_value().unwrap_or_default(), errors)
    }
}

/// An absent field.
impl<T> Default for Sent<T> {
    fn default() -> Self {
        Self::with(Patch::Keep, Wrong::Nothing)
    }
}
