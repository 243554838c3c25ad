/// Declares the fields of an object that is sent: a struct of [`Patch`]es and its [`FieldValue`].
///
/// Each field is `optional`, `required` or `present`: methods of [`Sent`]. A field's documentation
/// is its description for clients. Its rules are attributes of the crate garde, which
/// [`checks`](crate::checks) applies to patches. A `length` must be the first rule. `with` adds
/// methods of `FieldValue`.
///
/// ```
/// fields::fields! {
///     /// A baker.
///     pub struct Baker {
///         /// The name.
///         #[garde(length(chars, max = 20))]
///         required name: String,
///         /// The number of loaves a day.
///         optional loaves: i64,
///     }
/// }
/// let (baker, errors) = fields::body::parse::<Baker>(r#"{"name":"Ann","loaves":"4"}"#)?;
/// assert_eq!(baker.name.value().map(String::as_str), Some("Ann"));
/// assert_eq!(errors.to_string(), "loaves must be an integer, not a string.");
/// # Ok::<(), fields::body::BodyError>(())
/// ```
#[macro_export]
macro_rules! fields {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $(#[garde($($rule:tt)+)])?
                $need:ident $field:ident: $type:ty,
            )+
        }
        $(prohibited { $($prohibited:ident,)+ })?
        $(with { $($method:tt)+ })?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, ::garde::Validate)]
        #[garde(allow_unvalidated)]
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                $(#[garde($($rule)+)])?
                $vis $field: $crate::Patch<$type>,
            )+
        }

        impl $crate::FieldValue for $name {
            const EXPECTED: &'static str = "an object";
            const FIELDS: &'static [$crate::FieldSpec] = &[$(
                $crate::FieldSpec {
                    name: stringify!($field),
                    description: concat!($($doc),*),
                    max_length: $crate::fields!(@max $($($rule)+)?),
                    fields: <$type as $crate::FieldValue>::FIELDS,
                },
            )+];
            const PROHIBITED: &'static [&'static str] = &[$($(stringify!($prohibited)),+)?];

            fn object<'de, A: ::serde::de::MapAccess<'de>>(
                mut entries: A,
            ) -> Result<$crate::Sent<Self>, A::Error> {
                #[derive(::serde::Deserialize)]
                #[serde(field_identifier)]
                #[expect(non_camel_case_types, reason = "they have the names of the fields")]
                enum Key {
                    $($field,)+
                    $($($prohibited,)+)?
                    Unknown(String),
                }
                #[derive(Default)]
                struct Raw {
                    $($field: Option<$crate::Sent<$type>>,)+
                    $($($prohibited: Option<$crate::Sent<$crate::Prohibited>>,)+)?
                }
                let (mut raw, mut errors) =
                    (Raw::default(), $crate::validation::FieldErrors::new());
                while let Some(key) = entries.next_key()? {
                    match key {
                        $(Key::$field => {
                            $crate::read(&mut entries, stringify!($field), &mut raw.$field)?;
                        })+
                        $($(Key::$prohibited => $crate::read(
                            &mut entries,
                            stringify!($prohibited),
                            &mut raw.$prohibited,
                        )?,)+)?
                        Key::Unknown(name) => {
                            entries.next_value::<::serde::de::IgnoredAny>()?;
                            errors.note_unknown(name);
                        }
                    }
                }
                let object = Self {
                    $(
                        $field: raw.$field.unwrap_or_default().$need()
                            .report(stringify!($field), &mut errors),
                    )+
                };
                $($(
                    raw.$prohibited.unwrap_or_default()
                        .report(stringify!($prohibited), &mut errors);
                )+)?
                Ok($crate::Sent::set_with(object, errors))
            }

            fn missing(&self) -> Vec<&'static str> {
                let mut missing = Vec::new();
                $(
                    if stringify!($need) != "optional" && self.$field.value().is_none() {
                        missing.push(stringify!($field));
                    }
                )+
                missing
            }

            $($($method)+)?
        }
    };
    (@max length(chars, max = $max:expr) $($rest:tt)*) => { Some($max) };
    (@max $($other:tt)*) => { None };
}
