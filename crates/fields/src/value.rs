use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::{Patch, Sent};
use crate::{
    line::{check_line, has_references, one_line},
    validation::{FieldErrors, Rule},
};

/// 2^53 − 1, the largest integer that every JSON implementation keeps exactly (RFC 8259 §6).
pub const INTEGER: i64 = 9_007_199_254_740_991;

#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: &'static str,
    /// The field's doc comment, as shown to clients.
    pub description: &'static str,
    pub max_length: Option<usize>,
    pub fields: &'static [Self],
}

impl FieldSpec {
    /// A path's sort key: the positions of its first two parts; unknown parts are last.
    pub fn place(fields: &[Self], path: &str) -> (usize, usize) {
        let mut parts = path.split('.');
        let mut place = |fields: &[Self]| {
            let name = parts.next();
            let at = fields.iter().position(|field| Some(field.name) == name);
            at.unwrap_or(usize::MAX)
        };
        let outer = place(fields);
        let within = fields.get(outer).map_or(&[][..], |field| field.fields);
        (outer, place(within))
    }
}

/// A field's type. A kind of JSON value whose method is not overridden is an error.
pub trait FieldValue: Sized {
    /// As in "must be a string".
    const EXPECTED: &'static str;
    const FIELDS: &'static [FieldSpec] = &[];
    /// Fields that only the service sets.
    const PROHIBITED: &'static [&'static str] = &[];

    fn string(_text: &str) -> Sent<Self> {
        Sent::is_not(Self::EXPECTED, "a string")
    }

    fn integer(_number: i128) -> Sent<Self> {
        Sent::is_not(Self::EXPECTED, "a number")
    }

    fn boolean(_value: bool) -> Sent<Self> {
        Sent::is_not(Self::EXPECTED, "a boolean")
    }

    fn array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Sent<Self>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Sent::is_not(Self::EXPECTED, "an array"))
    }

    fn object<'de, A: MapAccess<'de>>(mut entries: A) -> Result<Sent<Self>, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Sent::is_not(Self::EXPECTED, "an object"))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sent<Self>, D::Error> {
        deserializer.deserialize_any(FieldVisitor(PhantomData))
    }

    /// Required fields that this object does not set.
    fn missing(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

impl<'de, T: FieldValue> Deserialize<'de> for Sent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer)
    }
}

/// Reads a member that must not be repeated.
pub fn read<'de, T: FieldValue, A: MapAccess<'de>>(
    entries: &mut A,
    name: &'static str,
    field: &mut Option<Sent<T>>,
) -> Result<(), A::Error> {
    if field.is_some() {
        return Err(serde::de::Error::duplicate_field(name));
    }
    *field = Some(entries.next_value()?);
    Ok(())
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: FieldValue> Visitor<'de> for FieldVisitor<T> {
    type Value = Sent<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Sent::null())
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
            Sent::is_not(T::EXPECTED, "a number with a fraction")
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

/// One line: white space trimmed and collapsed, `null` when blank.
impl FieldValue for String {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Sent<Self> {
        let Some(line) = one_line(text) else {
            return Sent::null();
        };
        let is_decoded = has_references(text);
        match check_line(&line) {
            Ok(()) if is_decoded => {
                let mut noted = FieldErrors::new();
                noted.note_decoded(String::new());
                Sent::set_with(line.into_owned(), noted)
            }
            check => Sent::set_checked(line.into_owned(), check),
        }
    }
}

/// An integer in any spelling: `5`, `5.0` and `5e0` are equal.
impl FieldValue for i64 {
    const EXPECTED: &'static str = "an integer";

    fn integer(number: i128) -> Sent<Self> {
        match Self::try_from(number) {
            Ok(number @ 0..=INTEGER) => Sent::set(number),
            _ => Sent::wrong_as(Rule::Range, move || {
                let large = if number < 0 { "" } else { "is too large; it " };
                format!("{large}must be between 0 and {INTEGER}")
            }),
        }
    }
}

impl FieldValue for bool {
    const EXPECTED: &'static str = "true or false";

    fn boolean(value: bool) -> Sent<Self> {
        Sent::set(value)
    }
}

/// A value that is sent as a text of a fixed form, such as a word of a closed vocabulary.
pub trait Term: Sized {
    /// As in "must be one of a, b".
    const EXPECTED: &'static str;

    fn parse(text: &str) -> Option<Self>;

    /// The term that a wrong text probably means.
    fn likely(_text: &str) -> Option<&'static str> {
        None
    }

    /// The term that a wrong text certainly means.
    fn certain(_text: &str) -> Option<&'static str> {
        None
    }
}

impl<T: Term> FieldValue for T {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Sent<Self> {
        one_line(text).map_or_else(Sent::null, |line| {
            let no_term = || Sent::no_term(&line, <Self as Term>::EXPECTED, Self::likely);
            Self::parse(&line).map_or_else(no_term, Sent::set)
        })
    }
}

/// An array of terms without repetitions. Each item has its own errors.
impl<T: Term + PartialEq> FieldValue for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Sent<Self>, A::Error> {
        let (mut terms, mut errors) = (Self::new(), FieldErrors::new());
        let mut index = 0_usize;
        while let Some(item) = items.next_element::<Sent<T>>()? {
            match item.required() {
                Sent {
                    patch: Patch::Set(term),
                    ..
                } => {
                    if !terms.contains(&term) {
                        terms.push(term);
                    }
                }
                _ if errors.is_full() => errors.leave_out(1),
                wrong => drop(wrong.report(&index.to_string(), &mut errors)),
            }
            index += 1;
        }
        Ok(Sent::set_with(terms, errors))
    }
}

/// A field that only the service sets; sending it, even as `null`, is an error.
#[derive(Clone, Copy, Debug)]
pub enum Prohibited {}

impl FieldValue for Prohibited {
    const EXPECTED: &'static str = "absent";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sent<Self>, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Sent::wrong_as(Rule::Prohibited, || {
            "is set by the service and must not be sent".to_owned()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<T: FieldValue>(json: &str) -> (Patch<T>, Vec<String>) {
        let mut errors = FieldErrors::new();
        let sent: Sent<T> = serde_json::from_str(json).unwrap();
        let patch = sent.report("it", &mut errors);
        let errors = errors.iter();
        let errors = errors.map(|(path, messages)| format!("{path} {}", messages.join(", ")));
        (patch, errors.collect())
    }

    #[track_caller]
    fn is_wrong<T: FieldValue + PartialEq + fmt::Debug>(json: &str, message: &str) {
        let (patch, errors) = parse::<T>(json);
        let expect = (Patch::Keep, vec![message.to_owned()]);
        assert_eq!((patch, errors), expect, "{json}");
    }

    #[test]
    fn lines_have_single_spaces_and_are_null_when_blank() {
        let (line, _) = parse::<String>(r#"" a\r\n b\t""#);
        assert_eq!(line, Patch::Set("a b".into()));
    }

    #[test]
    fn integers_are_numbers_without_a_fraction() {
        for (json, number) in [("5.0E+4", 50_000), ("50e-1", 5), ("-0", 0)] {
            assert_eq!(parse(json), (Patch::Set(number), vec![]), "{json}");
        }
        is_wrong::<i64>(
            "5e-1",
            "it must be an integer, not a number with a fraction",
        );
        is_wrong::<i64>(
            "-9223372036854775808",
            "it must be between 0 and 9007199254740991",
        );
    }

    #[test]
    fn booleans_are_strict() {
        assert_eq!(parse("true"), (Patch::Set(true), vec![]));
        assert_eq!(parse::<bool>("null"), (Patch::Clear, vec![]));
        is_wrong::<bool>(r#""true""#, "it must be true or false, not a string");
    }

    #[derive(Debug, PartialEq, Eq)]
    struct Ab;

    impl Term for Ab {
        const EXPECTED: &'static str = "ab";

        fn parse(text: &str) -> Option<Self> {
            (text == "ab").then_some(Self)
        }

        fn likely(text: &str) -> Option<&'static str> {
            (text == "AB").then_some("ab")
        }
    }

    #[test]
    fn items_can_be_wrong_one_by_one() {
        let (patch, errors) = parse::<Vec<Ab>>(r#"[" ab", "AB", 1, null, "ab", "x\u001by"]"#);
        assert_eq!(patch, Patch::Set(vec![Ab]), "a repeated one is kept once");
        let expect = [
            "it.1 must be ab, not \"AB\"; is \"ab\" meant?",
            "it.2 must be a string, not a number",
            "it.3 must not be null or blank",
            "it.5 must be ab, not \"x\u{fffd}y\"",
        ];
        assert_eq!(errors, expect);
        is_wrong::<Vec<Ab>>("{}", "it must be an array, not an object");
    }
}
