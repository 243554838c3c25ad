//! Prefixes: the part of the board that a client may use.

use std::fmt;

use crate::{InvalidIdentifier, SourceIdentifier};

const MOST: usize = 50;

const MOST_NAMED: usize = 5;

/// The identifiers that a client may use: those that begin with one of its prefixes, byte for byte.
/// Without prefixes, a client may use all identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes(Vec<String>);

/// Why texts are no prefixes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPrefix {
    /// A text cannot begin an identifier, or is empty.
    #[error("the prefix {text:?} {error}")]
    Text {
        /// The text.
        text: String,
        /// The reason.
        error: InvalidIdentifier,
    },
    /// There are too many prefixes.
    #[error("there are {0} prefixes, and at most {MOST} are possible")]
    TooMany(usize),
}

impl Prefixes {
    /// The whole board.
    pub const ALL: Self = Self(Vec::new());

    /// Checks prefixes. Each must be a possible identifier. A prefix that begins with another
    /// prefix is redundant, and left out. The others are kept in byte order.
    pub fn new<T: AsRef<str>>(texts: &[T]) -> Result<Self, InvalidPrefix> {
        let mut all = Vec::with_capacity(texts.len());
        for text in texts {
            let text = text.as_ref();
            SourceIdentifier::new(text).map_err(|error| InvalidPrefix::Text {
                text: text.to_owned(),
                error,
            })?;
            all.push(text.to_owned());
        }
        all.sort_unstable();
        // In byte order, a prefix precedes all texts that begin with it.
        all.dedup_by(|text, before| text.starts_with(before.as_str()));
        if all.len() > MOST {
            return Err(InvalidPrefix::TooMany(all.len()));
        }
        Ok(Self(all))
    }

    /// The prefixes; empty for the whole board.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Whether they allow everything.
    pub const fn are_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this identifier may be used.
    pub fn permit(&self, identifier: &SourceIdentifier) -> bool {
        let identifier = identifier.as_str();
        self.are_all()
            || self
                .0
                .iter()
                .any(|prefix| identifier.starts_with(prefix.as_str()))
    }

    /// Refuses an identifier that may not be used.
    pub fn check(&self, identifier: &SourceIdentifier) -> Result<(), Forbidden> {
        if self.permit(identifier) {
            Ok(())
        } else {
            Err(Forbidden(self.clone()))
        }
    }
}

/// The refusal of an identifier that does not begin with one of the client's prefixes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("This client may only use identifiers that begin with {0}.")]
pub struct Forbidden(Prefixes);

/// The prefixes as an enumeration: `a-, b- or c-`.
impl fmt::Display for Prefixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = &self.0[..self.0.len().min(MOST_NAMED)];
        let more = self.0.len() - named.len();
        for (n, prefix) in named.iter().enumerate() {
            let before = match n {
                0 => "",
                _ if more == 0 && n + 1 == named.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}{prefix}")?;
        }
        match more {
            0 => Ok(()),
            1 => f.write_str(" or 1 other prefix"),
            more => write!(f, " or {more} other prefixes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::identifier;

    fn prefixes(texts: &[&str]) -> Prefixes {
        Prefixes::new(texts).unwrap()
    }

    #[test]
    fn identifiers_are_compared_byte_for_byte() {
        let some = prefixes(&["acme-", "ü"]);
        for (text, expect) in [
            ("acme-1", true),
            ("acme-", true),
            ("ü1", true),
            ("acme", false),
            ("Acme-1", false),
            ("1-acme-", false),
            ("u\u{308}1", false),
        ] {
            assert_eq!(some.permit(&identifier(text)), expect, "{text}");
            assert!(Prefixes::ALL.permit(&identifier(text)));
        }
    }

    #[test]
    fn a_prefix_within_another_one_is_left_out() {
        let some = prefixes(&["b", "a-b", "a-", "a-", "a-b-c", "a", "c-"]);
        assert_eq!(some.as_slice(), ["a", "b", "c-"]);
        assert_eq!(prefixes(&["a-", "a"]), prefixes(&["a"]));
    }

    #[test]
    fn texts_that_begin_no_identifier_are_refused() {
        for (text, error) in [
            ("", InvalidIdentifier::Empty),
            ("a\n", InvalidIdentifier::Control),
            (&*"x".repeat(256), InvalidIdentifier::TooLong),
        ] {
            let text = text.to_owned();
            let refused = Prefixes::new(&["a-", &text]);
            assert_eq!(refused, Err(InvalidPrefix::Text { text, error }));
        }
        let many: Vec<_> = (100..=100 + MOST).map(|n| n.to_string()).collect();
        assert_eq!(Prefixes::new(&many), Err(InvalidPrefix::TooMany(MOST + 1)));
        assert!(Prefixes::new(&many[1..]).is_ok());
    }

    #[test]
    fn a_message_names_a_few() {
        let refusal = |texts: &[&str]| {
            let refused = prefixes(texts).check(&identifier("z"));
            refused.unwrap_err().to_string()
        };
        assert_eq!(
            refusal(&["acme-"]),
            "This client may only use identifiers that begin with acme-."
        );
        assert!(refusal(&["a", "b"]).ends_with(" begin with a or b."));
        assert!(refusal(&["a", "b", "c"]).ends_with(" begin with a, b or c."));
        let six = ["a", "b", "c", "d", "e", "f"];
        assert!(refusal(&six).ends_with(" begin with a, b, c, d, e or 1 other prefix."));
    }
}
