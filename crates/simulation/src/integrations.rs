use fields::WebsiteKey;
use kernel::{CatalogueName, ClientId, CompanyId, Prefixes, SourceIdentifier, testing::uuid};

#[derive(Clone, Copy, Debug)]
pub struct Integration {
    pub number: u8,
    prefixes: &'static [&'static str],
    pub identifiers: &'static [&'static str],
}

/// Two clients are limited to prefixes, the third is not.
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
pub const IDENTIFIERS: [&str; 8] = ["a-1", "a-2", "a-3", "b-1", "b-2", "b-3", "c-1", "c-2"];

pub fn may_use(client: ClientId, identifier: &SourceIdentifier) -> bool {
    let mut clients = CLIENTS.iter();
    clients.any(|one| one.id() == client && one.prefixes().permit(identifier))
}

impl Integration {
    pub fn id(&self) -> ClientId {
        ClientId::new(uuid(self.number.into()))
    }

    pub fn prefixes(&self) -> Prefixes {
        if self.is_fenced() {
            Prefixes::new(self.prefixes).unwrap()
        } else {
            Prefixes::ALL
        }
    }

    pub const fn is_fenced(&self) -> bool {
        !self.prefixes.is_empty()
    }

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

pub fn catalogue() -> CatalogueName {
    CatalogueName::new("main").unwrap()
}

pub fn company(number: u64) -> CompanyId {
    let website = WebsiteKey::parse(&format!("https://acme-{number}.example"));
    CompanyId::of(&website.expect("it is a website"))
}
