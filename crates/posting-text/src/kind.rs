/// The kind of a redaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The company's name, in any form.
    Company,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A URL or a domain.
    Link,
    /// A person to contact.
    Person,
    /// A street address.
    Address,
    /// A number of a register, tax office or bank.
    Id,
    /// A name in a messenger or network.
    Handle,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Company,
        Self::Email,
        Self::Phone,
        Self::Link,
        Self::Person,
        Self::Address,
        Self::Id,
        Self::Handle,
    ];

    /// Returns the name of the kind in its token.
    pub fn name(self) -> &'static str {
        self.token().trim_matches(['[', ']'])
    }

    /// Returns the token that replaces redacted text of this kind.
    pub const fn token(self) -> &'static str {
        const TOKENS: [&str; Kind::ALL.len()] = [
            "[company]",
            "[email]",
            "[phone]",
            "[link]",
            "[person]",
            "[address]",
            "[id]",
            "[handle]",
        ];
        TOKENS[self as usize]
    }
}

/// The number of redactions of each kind in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u32; Kind::ALL.len()]);

impl Counts {
    /// Returns the number of redactions of a kind.
    pub const fn of(&self, kind: Kind) -> u32 {
        self.0[kind as usize]
    }

    /// Returns each kind with its number of redactions.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, u32)> + '_ {
        Kind::ALL.into_iter().map(|kind| (kind, self.of(kind)))
    }

    pub(crate) const fn add(&mut self, kind: Kind) {
        let count = &mut self.0[kind as usize];
        *count = count.saturating_add(1);
    }
}
