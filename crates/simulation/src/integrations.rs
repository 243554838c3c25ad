//! Who the clients are, and what they may use.

use kernel::{CatalogueName, ClientId, Prefixes, SourceIdentifier, testing::uuid};

/// A client.
#[derive(Clone, Copy, Debug)]
pub struct Integration {
    /// Its number.
    pub number: u8,
    /// The identifiers that it may use.
    prefixes: &'static [&'static str],
    /// Those that it uses.
    pub identifiers: &'static [&'static str],
}

/// All clients: two have fences, and one has not.
pub const CLIENTS: [Integration; 3] = [
    Integration {
        number: 1,
        prefixes: &["a-"],
        identifiers: &["a-1", "a-2", "a-3"],
    },
    Integration {
        number: 2,
        prefixes: &["b-"],
        identifiers: &["b-1", "b-2", "b-3"],
    },
    Integration {
        number: 3,
        prefixes: &[],
        identifiers: &["a-1", "b-1", "c-1", "c-2"],
    },
];

/// Every identifier that anyone uses.
pub const IDENTIFIERS: [&str; 8] = ["a-1", "a-2", "a-3", "b-1", "b-2", "b-3", "c-1", "c-2"];

/// Whether a client may use an identifier.
pub fn may_use(client: ClientId, identifier: &SourceIdentifier) -> bool {
    let mut clients = CLIENTS.iter();
    clients.any(|one| one.id() == client && one.prefixes().permit(identifier))
}

impl Integration {
    pub fn id(&self) -> ClientId {
        ClientId::new(uuid(self.number.into()))
    }

    /// The identifiers that it may use.
    pub fn prefixes(&self) -> Prefixes {
        if self.is_fenced() {
            Prefixes::new(self.prefixes).unwrap()
        } else {
            Prefixes::ALL
        }
    }

    /// Whether it may not use all.
    pub const fn is_fenced(&self) -> bool {
        !self.prefixes.is_empty()
    }

    /// What it sends under a number.
    pub fn body(&self, number: u64) -> String {
        let (company, by) = (number % 2, self.number);
        let name = if number.is_multiple_of(4) { number } else { 0 };
        format!(
            r#"{{"title": "Engineer {number}", "raw_description": "<p>Build things.</p>",
            "application_url": "https://acme.example/apply", "company": {{"name":
            "Acme {name} by {by}", "website_url": "https://acme-{company}.example"}}}}"#
        )
    }
}

/// The name of each client's catalogue.
pub fn catalogue() -> CatalogueName {
    CatalogueName::new("main").unwrap()
}
