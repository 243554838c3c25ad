use std::fmt::Display;

use crate::Patch;
use crate::{
    line::shown,
    validation::{FieldErrors, Rule},
};

const SHOWN: usize = 40;

pub struct Sent<T> {
    /// The requested change. An invalid text is included, because other rules may apply to it.
    pub patch: Patch<T>,
    wrong: Wrong,
}

enum Wrong {
    Nothing,
    /// An error of the field itself. Its message is created on demand.
    Itself(Rule, Box<dyn FnOnce() -> String>),
    /// Errors by path, relative to the field; the field's own path is empty.
    Within(Box<FieldErrors>),
}

impl<T> Sent<T> {
    pub const fn set(value: T) -> Self {
        Self::with(Patch::Set(value), Wrong::Nothing)
    }

    pub fn set_with(value: T, errors: FieldErrors) -> Self {
        let wrong = if errors == FieldErrors::new() {
            Wrong::Nothing
        } else {
            Wrong::Within(Box::new(errors))
        };
        Self::with(Patch::Set(value), wrong)
    }

    pub(super) fn set_checked<E: Display + 'static>(value: T, check: Result<(), E>) -> Self {
        let wrong = check.map_or_else(
            |error| Wrong::Itself(Rule::Line, Box::new(move || error.to_string())),
            |()| Wrong::Nothing,
        );
        Self::with(Patch::Set(value), wrong)
    }

    pub const fn null() -> Self {
        Self::with(Patch::Clear, Wrong::Nothing)
    }

    /// Creates a type error, as in "must be a string, not a number".
    pub fn is_not(expected: &'static str, sent: &'static str) -> Self {
        Self::wrong_as(Rule::Type, move || {
            format!("must be {expected}, not {sent}")
        })
    }

    /// Creates the error of a text that is not the `expected` term. `likely` is the text that was
    /// probably meant.
    pub(super) fn no_term(
        text: &str,
        expected: &'static str,
        likely: fn(&str) -> Option<&'static str>,
    ) -> Self {
        let text: String = text.chars().take(100).collect();
        Self::wrong_as(Rule::Term, move || {
            let meant = likely(&text).map(|likely| format!("; is \"{likely}\" meant?"));
            let (text, meant) = (shown(&text, SHOWN), meant.unwrap_or_default());
            format!("must be {expected}, not \"{text}\"{meant}")
        })
    }

    pub fn wrong(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::wrong_as(Rule::Value, move || message)
    }

    pub(super) fn wrong_as(rule: Rule, message: impl FnOnce() -> String + 'static) -> Self {
        Self::with(Patch::Keep, Wrong::Itself(rule, Box::new(message)))
    }

    const fn with(patch: Patch<T>, wrong: Wrong) -> Self {
        Self { patch, wrong }
    }

    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Sent<U> {
        Sent::with(
            self.patch.and_then(|value| Some(convert(value))),
            self.wrong,
        )
    }

    /// Allows the field to be absent or cleared.
    #[must_use]
    pub const fn optional(self) -> Self {
        self
    }

    /// Forbids clearing. The stored state decides whether the field may be absent.
    #[must_use]
    pub fn required(self) -> Self {
        match self.patch {
            Patch::Clear => Self {
                patch: Patch::Clear,
                ..Self::wrong_as(Rule::Null, || "must not be null or blank".to_owned())
            },
            _ => self,
        }
    }

    /// Forbids clearing and absence, whatever is stored.
    #[must_use]
    pub fn present(self) -> Self {
        match self {
            Self {
                patch: Patch::Keep,
                wrong: Wrong::Nothing,
            } => Self::wrong_as(Rule::Missing, || "is required".to_owned()),
            sent => sent.required(),
        }
    }

    pub fn report(self, name: &str, errors: &mut FieldErrors) -> Patch<T> {
        match self.wrong {
            Wrong::Nothing => {}
            Wrong::Itself(rule, message) => errors.add_as(rule, name, message()),
            Wrong::Within(inner) => errors.merge_under(name, *inner),
        }
        self.patch
    }

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

impl<T> Default for Sent<T> {
    fn default() -> Self {
        Self::with(Patch::Keep, Wrong::Nothing)
    }
}
