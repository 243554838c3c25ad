//! Closed vocabularies: enums with fixed names in JSON and stores.

/// Declares an enum with fixed names, which are part of the docs. Words after a bar are synonyms,
/// for suggestions; after `?`, not for corrections.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal $(| $other:literal)*,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_meta])* #[doc = concat!("`", $text, "`")] $variant,)+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// Every name, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];

            /// Parses a value by its exact name.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The value's name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl $crate::Term for $name {
            const EXPECTED: &'static str = $crate::vocabulary!(@one_of $($text)+);

            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }

            fn likely(text: &str) -> Option<&'static str> {
                $crate::suggest::word(text, &[$(($text, &[$($other),*]),)+])
            }

            fn certain(text: &str) -> Option<&'static str> {
                $crate::suggest::certain_word(text, &[$(($text, &[$($other),*]),)+])
            }
        }

        $crate::as_text!($name, Self::parse);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
    (@one_of $first:literal $($text:literal)*) => { concat!("one of ", $first $(, ", ", $text)*) };
}

pub use vocabulary;
