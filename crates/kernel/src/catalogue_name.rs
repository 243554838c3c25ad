//! The name of a catalogue.

use std::{fmt, sync::Arc};

/// The largest number of characters of a name.
const LONGEST: usize = 64;

/// A catalogue's name: 1 to 64 characters of `A-Za-z0-9._-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CatalogueName(Arc<str>);

/// The reason why a text is not the name of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {LONGEST} of the characters A-Z, a-z, 0-9, '.', '_' and '-'")]
pub struct InvalidName;

impl CatalogueName {
    /// Parses a name.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_known) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidName)
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fields::as_text!(CatalogueName, |text| Self::new(text).ok());

impl fmt::Display for CatalogueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_64_letters_digits_and_signs() {
        let longest = "a".repeat(64);
        for good in ["a", "A.b_c-9", ".", &longest] {
            assert_eq!(CatalogueName::new(good).unwrap().as_str(), good);
        }
        let too_long = "a".repeat(65);
        for bad in ["", "a b", "a/b", "ä", "a\0", "a:b", &too_long] {
            assert_eq!(CatalogueName::new(bad), Err(InvalidName), "{bad:?}");
        }
    }
}
