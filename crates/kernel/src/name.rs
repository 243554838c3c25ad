//! Open vocabularies: names declared as constants by contexts.

/// Declares a type of names. Stores accept any name, so older programs can show newer names.
#[macro_export]
macro_rules! name {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(std::borrow::Cow<'static, str>);

        impl $name {
            /// Declares a name.
            pub const fn new(name: &'static str) -> Self {
                Self(std::borrow::Cow::Borrowed(name))
            }

            /// Wraps a stored name.
            pub const fn from_store(name: String) -> Self {
                Self(std::borrow::Cow::Owned(name))
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        $crate::as_text!($name, |text| Some(Self::from_store(text.to_owned())));

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub use name;
