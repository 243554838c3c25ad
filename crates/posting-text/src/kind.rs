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

    /// Its name in the token.
    pub fn name(self) -> &'static str {
        self.token().trim_matches(['[', ']'])
    }

    /// The token that replaces it.
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

/// How many redactions of each kind a text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u32; Kind::ALL.len()]);

impl Counts {
    /// The redactions of one kind.
    pub const fn of(&self, kind: Kind) -> u32 {
        self.0[kind as usize]
    }

    /// Each kind with its number.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, u32)> + '_ {
        Kind::ALL.into_iter().map(|kind| (kind, self.of(kind)))
    }

    pub(crate) const fn add(&mut self, kind: Kind) {
        let count = &mut self.0[kind as usize];
        *count = count.saturating_add(1);
    }
}
