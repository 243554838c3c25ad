//! The actors that change postings and companies.

use std::{fmt, str::FromStr, sync::Arc};

use crate::{CatalogueName, ClientId};
use fields::line::{InvalidText, short_text};

/// The longest name of an operator, in characters.
const NAME_LENGTH: usize = 100;

/// The name of an operator: one line of at most a hundred characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operator(Arc<str>);

impl Operator {
    /// Parses a name, trimmed.
    pub fn new(name: &str) -> Result<Self, InvalidText> {
        Ok(Self(short_text(name, NAME_LENGTH)?.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fields::as_text!(Operator, |text| Self::new(text).ok());

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An actor that changes postings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An integration, by its OAuth client.
    Client(ClientId),
    /// The import of a catalogue that no longer lists the posting.
    Catalogue(CatalogueName),
    /// The enrichment pipeline.
    Enricher,
    /// A person at the command line or the console, by name. Earlier versions stored no names.
    Operator(Option<Operator>),
    /// The end of the posting's lifetime.
    Lifetime,
    /// The source's closing date, which has passed.
    Source,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(id) => write!(f, "client:{id}"),
            Self::Catalogue(name) => write!(f, "catalogue:{name}"),
            Self::Enricher => f.write_str("enricher"),
            Self::Operator(None) => f.write_str("operator"),
            Self::Operator(Some(name)) => write!(f, "operator:{name}"),
            Self::Lifetime => f.write_str("lifetime"),
            Self::Source => f.write_str("source"),
        }
    }
}

/// A text that names no actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an actor")]
pub struct UnknownActor(String);

fields::as_text!(Actor, |text| text.parse().ok());

impl FromStr for Actor {
    type Err = UnknownActor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownActor(text.to_owned());
        match text {
            "enricher" => Ok(Self::Enricher),
            "operator" => Ok(Self::Operator(None)),
            "lifetime" => Ok(Self::Lifetime),
            "source" => Ok(Self::Source),
            _ => match text.split_once(':').ok_or_else(unknown)? {
                ("client", id) => id.parse().map(Self::Client).map_err(|_| unknown()),
                ("catalogue", name) => {
                    let name = CatalogueName::new(name);
                    name.map(Self::Catalogue).map_err(|_| unknown())
                }
                ("operator", name) => {
                    let name = Operator::new(name).map_err(|_| unknown())?;
                    Ok(Self::Operator(Some(name)))
                }
                _ => Err(unknown()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::uuid;

    #[test]
    fn an_actor_is_read_as_it_was_written() {
        let client = ClientId::new(uuid(1));
        let name = |text| CatalogueName::new(text).unwrap();
        for (actor, text) in [
            (Actor::Client(client), format!("client:{client}")),
            (Actor::Catalogue(name("a")), "catalogue:a".to_owned()),
            (
                Actor::Catalogue(name("enricher")),
                "catalogue:enricher".to_owned(),
            ),
            (Actor::Enricher, "enricher".to_owned()),
            (Actor::Operator(None), "operator".to_owned()),
            (
                Actor::Operator(Operator::new("Ann of: it").ok()),
                "operator:Ann of: it".to_owned(),
            ),
            (Actor::Lifetime, "lifetime".to_owned()),
            (Actor::Source, "source".to_owned()),
        ] {
            assert_eq!(actor.to_string(), text);
            assert_eq!(text.parse(), Ok(actor));
        }
        let none =
            "|a|:|client|client:a|catalogue|catalogue:|catalogue:a b|operator:|operator:a\nb";
        for text in none.split('|') {
            assert_eq!(text.parse::<Actor>(), Err(UnknownActor(text.to_owned())));
        }
    }

    #[test]
    fn an_operator_has_a_name_of_one_line() {
        assert_eq!(Operator::new(" ann ").unwrap().as_str(), "ann");
        assert!(Operator::new(&"é".repeat(NAME_LENGTH)).is_ok());
        for bad in ["", " \t ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
            assert!(Operator::new(bad).is_err(), "{bad:?}");
        }
    }
}
