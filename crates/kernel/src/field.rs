//! A field of a merge-patch body: absent, `null`, a value, or a value of another type.
//!
//! serde stops at the first value of a wrong type. A [`Field`] reads it as [`Field::Mistyped`] and
//! goes on, so that one answer names every error (contract, "What a field may be"; in the manner of
//! RFC 7396).

use std::{fmt, marker::PhantomData, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use crate::line::{is_blank, one_line};

/// The largest integer: 2^53 − 1, which every JSON implementation keeps exactly (RFC 8259 §6).
pub const INTEGER: i64 = 9_007_199_254_740_991;

/// A field as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Nothing.
    #[default]
    Absent,
    /// `null`, or a blank string.
    Null,
    /// A value of the right type.
    Value(T),
    /// A value of another type.
    Mistyped,
}

impl<T> Field<T> {
    /// The value, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value itself, if there is one.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The same with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Value(value) => Field::Value(convert(value)),
            Self::Mistyped => Field::Mistyped,
        }
    }
}

/// The change of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Keep the value. Also stands for a value in error.
    #[default]
    Keep,
    /// Empty it.
    Clear,
    /// Set the value.
    Set(T),
}

impl<T> Patch<T> {
    /// The value to set, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// The change that a sent field asks for; `convert` returns `None` for a value in error.
    pub fn of<F>(field: Field<F>, convert: impl FnOnce(F) -> Option<T>) -> Self {
        match field {
            Field::Absent | Field::Mistyped => Self::Keep,
            Field::Null => Self::Clear,
            Field::Value(value) => convert(value).map_or(Self::Keep, Self::Set),
        }
    }
}

impl<T: Clone + PartialEq> Patch<T> {
    /// Applies it to an optional field.
    pub fn apply(&self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => match field {
                Some(field) => field.clone_from(value),
                None => *field = Some(value.clone()),
            },
        }
    }

    /// Applies it to a field that is never empty.
    pub fn apply_required(&self, field: &mut T) {
        if let Self::Set(value) = self {
            field.clone_from(value);
        }
    }
}

/// The change that a one-line field asks for.
pub fn line(field: Field<Line>) -> Patch<String> {
    Patch::of(field, |Line(text)| Some(text))
}

/// A type that is recognised by the type of a JSON value. Methods reject the value unless
/// overridden.
pub trait Shape<'de>: Sized {
    /// The expected type, as in "must be a string".
    const EXPECTED: &'static str;

    /// Reads a string.
    fn string(_text: &str) -> Field<Self> {
        Field::Mistyped
    }

    /// Reads a number that is an integer.
    fn integer(_number: i128) -> Field<Self> {
        Field::Mistyped
    }

    /// Reads `true` or `false`.
    fn boolean(_value: bool) -> Field<Self> {
        Field::Mistyped
    }

    /// Reads an array.
    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Field<Self>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::Mistyped)
    }

    /// Reads an object.
    fn object<A: MapAccess<'de>>(mut entries: A) -> Result<Field<Self>, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::Mistyped)
    }
}

impl<'de, T: Shape<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor(PhantomData))
    }
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for FieldVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(T::boolean(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(T::integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(if number.fract() == 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number beyond the range becomes its end, which is too large as well"
            )]
            T::integer(number as i128)
        } else {
            Field::Mistyped
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::string(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        T::array(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        T::object(entries)
    }
}

/// A single-line string: white space trimmed and collapsed, and `null` when blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(pub String);

impl Shape<'_> for Line {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Field<Self> {
        one_line(text).map_or(Field::Null, |line| Field::Value(Self(line.into_owned())))
    }
}

impl AsRef<str> for Line {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A text of any length: as sent, but `null` when blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub Arc<str>);

impl Shape<'_> for Text {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Field<Self> {
        if is_blank(text) {
            Field::Null
        } else {
            Field::Value(Self(text.into()))
        }
    }
}

/// A number without a fraction, however it is spelled: `5`, `5.0` and `5e0` are the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer(pub i128);

impl Shape<'_> for Integer {
    const EXPECTED: &'static str = "an integer";

    fn integer(number: i128) -> Field<Self> {
        Field::Value(Self(number))
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boolean(pub bool);

impl Shape<'_> for Boolean {
    const EXPECTED: &'static str = "true or false";

    fn boolean(value: bool) -> Field<Self> {
        Field::Value(Self(value))
    }
}

/// A word of a closed vocabulary.
pub trait Term: Sized {
    /// Finds the term.
    fn parse(text: &str) -> Option<Self>;

    /// The expected value, as in "must be one of a, b".
    fn expected() -> String;
}

/// A string that should be a [`Term`]; `None` when it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T>(pub Option<T>);

impl<T: Term> Shape<'_> for Choice<T> {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Field<Self> {
        one_line(text).map_or(Field::Null, |line| Field::Value(Self(T::parse(&line))))
    }
}

/// An array of terms. The items are fields again, so each can be wrong by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices<T>(pub Vec<Field<Choice<T>>>);

impl<T> Choices<T> {
    /// The items that are no terms, with their places.
    pub fn wrong(&self) -> impl Iterator<Item = (usize, &Field<Choice<T>>)> {
        let is_wrong = |item: &Field<_>| !matches!(item, Field::Value(Choice(Some(_))));
        let items = self.0.iter().enumerate();
        items.filter(move |(_, item)| is_wrong(item))
    }

    /// The number of wrong items beyond those that are named.
    pub fn wrong_beyond(&self, most: usize) -> usize {
        self.wrong().skip(most).count()
    }
}

impl<'de, T: Term> Shape<'de> for Choices<T> {
    const EXPECTED: &'static str = "an array";

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Field<Self>, A::Error> {
        let mut choices = Vec::new();
        while let Some(choice) = items.next_element()? {
            choices.push(choice);
        }
        Ok(Field::Value(Self(choices)))
    }
}

/// A nested object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Shape<'de> for Object<T> {
    const EXPECTED: &'static str = "an object";

    fn object<A: MapAccess<'de>>(entries: A) -> Result<Field<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(|inner| Field::Value(Self(inner)))
    }
}

/// A nested object. An empty list counts as an empty one: PHP cannot tell them apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListAsObject<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Shape<'de> for ListAsObject<T> {
    const EXPECTED: &'static str = "an object";

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Field<Self>, A::Error> {
        let mut is_empty = true;
        while items.next_element::<IgnoredAny>()?.is_some() {
            is_empty = false;
        }
        Ok(if is_empty {
            Field::Value(Self(T::default()))
        } else {
            Field::Mistyped
        })
    }

    fn object<A: MapAccess<'de>>(entries: A) -> Result<Field<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(|inner| Field::Value(Self(inner)))
    }
}

/// Whether a field was sent, with any value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence(pub bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<T: for<'de> Shape<'de>>(json: &str) -> Field<T> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn lines_have_single_spaces_and_are_null_when_blank() {
        assert_eq!(
            parse::<Line>(r#"" a\r\n b\t""#),
            Field::Value(Line("a b".into()))
        );
        for blank in ["null", r#""""#, r#"" \n""#, "\"\u{a0}\"", r#""\u200b""#] {
            assert_eq!(parse::<Line>(blank), Field::Null, "{blank}");
        }
    }

    #[test]
    fn texts_are_kept_as_sent_and_null_when_blank() {
        assert_eq!(
            parse::<Text>(r#"" <p>\n""#),
            Field::Value(Text(" <p>\n".into()))
        );
        for blank in [r#"" \n""#, r#""\ufeff""#] {
            assert_eq!(parse::<Text>(blank), Field::Null, "{blank}");
        }
    }

    #[test]
    fn strings_are_strict() {
        for other in ["1", "1.5", "true", "[]", "{}", r#"["a"]"#, r#"{"a":[{}]}"#] {
            assert_eq!(parse::<Line>(other), Field::Mistyped, "{other}");
        }
    }

    #[test]
    fn integers_are_numbers_without_a_fraction() {
        for (json, number) in [
            ("5", 5),
            ("-5", -5),
            ("50000.0", 50_000),
            ("5e4", 50_000),
            ("5.0E+4", 50_000),
            ("50e-1", 5),
            ("-0", 0),
            ("9007199254740991.0", INTEGER.into()),
            ("1e20", 100_000_000_000_000_000_000),
            ("1e300", i128::MAX),
        ] {
            assert_eq!(parse(json), Field::Value(Integer(number)), "{json}");
        }
        for other in [r#""5""#, "5.5", "5e-1", "false", "[5]", "{}"] {
            assert_eq!(parse::<Integer>(other), Field::Mistyped, "{other}");
        }
    }

    #[test]
    fn booleans_are_strict() {
        assert_eq!(parse::<Boolean>("true"), Field::Value(Boolean(true)));
        assert_eq!(parse::<Boolean>("false"), Field::Value(Boolean(false)));
        assert_eq!(parse::<Boolean>("null"), Field::Null);
        for other in ["1", "0", r#""true""#, "[]", "[true]", "{}"] {
            assert_eq!(parse::<Boolean>(other), Field::Mistyped, "{other}");
        }
    }

    #[derive(Debug, PartialEq, Eq)]
    struct Ab;

    impl Term for Ab {
        fn parse(text: &str) -> Option<Self> {
            (text == "ab").then_some(Self)
        }

        fn expected() -> String {
            "ab".into()
        }
    }

    #[test]
    fn items_can_be_wrong_one_by_one() {
        let Field::Value(Choices(items)) = parse::<Choices<Ab>>(r#"[" ab", "AB", 1, null, []]"#)
        else {
            panic!("an array is an array");
        };
        assert_eq!(
            items,
            [
                Field::Value(Choice(Some(Ab))),
                Field::Value(Choice(None)),
                Field::Mistyped,
                Field::Null,
                Field::Mistyped,
            ]
        );
        assert_eq!(parse::<Choices<Ab>>("{}"), Field::Mistyped);
    }
}
