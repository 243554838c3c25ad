//! Checks the licences of third-party packages, and banned packages. Both lists are in `deny.toml`,
//! which cargo-deny uses to check advisories.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::{ROOT, assert_none, metadata};

#[derive(Deserialize)]
struct Policy {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
    exceptions: Vec<Named>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    reason: String,
}

impl Policy {
    fn read() -> Self {
        let text = fs::read_to_string(Path::new(ROOT).join("deny.toml")).unwrap();
        toml::from_str(&text).unwrap()
    }

    fn allows(&self, name: &str, licence: &str) -> bool {
        let special = self.licenses.exceptions.iter();
        let special = special.filter(|exception| exception.name == name);
        let allowed = special.flat_map(|exception| &exception.allow);
        let allowed: Vec<_> = allowed
            .chain(&self.licenses.allow)
            .map(|name| Licensee::parse(name).unwrap())
            .collect();
        let is_allowed = |required: &_| allowed.iter().any(|licensee| licensee.satisfies(required));
        Expression::parse_mode(licence, ParseMode::LAX)
            .is_ok_and(|expression| expression.evaluate(is_allowed))
    }
}

#[test]
fn every_licence_is_allowed_and_no_package_is_banned() {
    let policy = Policy::read();
    let bans = policy.bans.deny.iter();
    let banned: HashMap<_, _> = bans.map(|ban| (ban.name.as_str(), &ban.reason)).collect();
    let mut violations = Vec::new();
    for package in metadata().packages {
        let name = package.name.as_str();
        if let Some(reason) = banned.get(name) {
            let who = format!("see `cargo tree --workspace --all-features --invert {name}`");
            violations.push(format!("{name} is banned, as it {reason}: {who}"));
        }
        let licence = package.license.as_deref().unwrap_or_default();
        if package.source.is_some() && !policy.allows(name, licence) {
            violations.push(format!(
                "{name} is licensed {licence:?}, which deny.toml does not allow"
            ));
        }
    }
    assert_none(&violations);
}

#[test]
fn a_licence_is_allowed_when_one_of_its_alternatives_is() {
    let policy = Policy::read();
    let cases = [
        ("any", "MIT/Apache-2.0", true),
        ("any", "MIT OR LGPL-2.1-or-later", true),
        ("any", "(MIT OR GPL-3.0-only) AND ISC", true),
        ("any", "MIT AND GPL-3.0-only", false),
        ("any", "AGPL-3.0-or-later", false),
        ("any", "CDLA-Permissive-2.0", false),
        ("webpki-root-certs", "CDLA-Permissive-2.0", true),
        ("any", "made up", false),
        ("any", "", false),
    ];
    for (name, licence, is_allowed) in cases {
        assert_eq!(
            policy.allows(name, licence),
            is_allowed,
            "{name}: {licence}"
        );
    }
}
