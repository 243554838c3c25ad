//! The parameters of a query.

use std::{
    borrow::Cow,
    fmt::Display,
    future::{Ready, ready},
    str::FromStr,
};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use fields::validation::FieldErrors;
use url::form_urlencoded;

use crate::error::ApiError;

/// The parameters of a query and the errors so far. All errors are reported together.
pub struct Parameters<'a> {
    left: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    errors: FieldErrors,
}

impl<'a> Parameters<'a> {
    pub fn of(query: &'a str) -> Self {
        Self {
            left: form_urlencoded::parse(query.as_bytes()).collect(),
            errors: FieldErrors::new(),
        }
    }

    pub fn take<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let mut values = self.left.extract_if(.., |(key, _)| key == name);
        let (_, value) = values.next()?;
        let is_repeated = values.count() > 0;
        let parsed = if is_repeated {
            Err("must be given at most once".to_owned())
        } else {
            parse(&value)
        };
        parsed
            .map_err(|message| self.errors.add(name, message))
            .ok()
    }

    pub fn finish<T>(self, value: T) -> Result<T, FieldErrors> {
        let errors = self.errors();
        if errors.is_empty() {
            Ok(value)
        } else {
            Err(errors)
        }
    }

    /// Returns all errors. A parameter that no caller has taken is unknown.
    pub fn errors(mut self) -> FieldErrors {
        for (name, _) in self.left {
            self.errors.add(name, "is not a known parameter");
        }
        self.errors
    }
}

/// The parameters of a query string. An answer reports all their errors.
pub trait Options: Sized + 'static {
    fn take(parameters: &mut Parameters<'_>) -> Self;

    fn read(query: &str) -> Result<Self, FieldErrors> {
        let mut parameters = Parameters::of(query);
        let options = Self::take(&mut parameters);
        parameters.finish(options)
    }
}

impl Options for () {
    fn take(_: &mut Parameters<'_>) {}
}

pub struct Query<T>(pub T);

impl<T: Options> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let options = T::read(request.query_string());
        ready(options.map(Self).map_err(ApiError::invalid))
    }
}

pub fn boolean(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "must be true or false".to_owned())
}

pub fn integer<N: Copy + FromStr + PartialOrd + Display>(
    text: &str,
    least: N,
    most: N,
) -> Result<N, String> {
    integer_of(text, least, most, Some)
}

pub fn integer_of<N: Copy + FromStr + PartialOrd + Display, T>(
    text: &str,
    least: N,
    most: N,
    of: impl FnOnce(N) -> Option<T>,
) -> Result<T, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (&least..=&most).contains(&number));
    let value = number.and_then(of);
    value.ok_or_else(|| format!("must be an integer between {least} and {most}"))
}

pub fn one_of<T>(names: &[&str], found: Option<T>) -> Result<T, String> {
    found.ok_or_else(|| format!("must be one of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<Option<usize>, FieldErrors> {
        let mut parameters = Parameters::of(query);
        let limit = parameters.take("limit", |text| integer(text, 1, 9));
        parameters.finish(limit)
    }

    #[test]
    fn a_parameter_is_read_once_and_others_are_not_known() {
        for (query, value) in [("", None), ("&&", None), ("&limit=9&", Some(9))] {
            assert_eq!(parse(query), Ok(value), "{query}");
        }
        let wrong = "must be an integer between 1 and 9";
        for (query, field, message) in [
            ("limit=1&limit=1", "limit", "must be given at most once"),
            ("limit=0", "limit", wrong),
            ("limit=10", "limit", wrong),
            ("limit=-1", "limit", wrong),
            ("limit=1.0", "limit", wrong),
            ("limit=", "limit", wrong),
            ("limit", "limit", wrong),
            ("limit=1e1", "limit", wrong),
            ("limit=99999999999999999999", "limit", wrong),
            ("limit=١", "limit", wrong),
            ("Limit=1", "Limit", "is not a known parameter"),
            ("%FF=x", "\u{fffd}", "is not a known parameter"),
            ("=1", "", "is not a known parameter"),
        ] {
            assert_eq!(
                parse(query),
                Err(FieldErrors::one(field, message)),
                "{query}"
            );
        }
        let all = parse("limit=0&page=2&page=3").unwrap_err();
        assert_eq!(all.iter().count(), 2);
    }
}
