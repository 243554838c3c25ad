//! Everybody else's packages: their licences and the ones we do without.
//!
//! Both lists are in `deny.toml`, in the words of cargo-deny. That program checks them too, in the
//! workflow, and looks for advisories; this rule needs no download and so runs with every test.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::Package;
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use super::Violation;

const RULE_LICENCE: &str = "licences";
const RULE_BAN: &str = "banned packages";

/// What `deny.toml` says.
pub struct Policy {
    allowed: Vec<Licensee>,
    exceptions: HashMap<String, Vec<Licensee>>,
    /// Name and reason.
    banned: HashMap<String, String>,
}

#[derive(Deserialize)]
struct DenyFile {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

impl Policy {
    /// Reads `deny.toml` in the workspace's folder.
    pub fn read(root: &Path) -> Result<Self> {
        let file = root.join("deny.toml");
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text).context("deny.toml is not as the licence rule expects it")
    }

    fn parse(text: &str) -> Result<Self> {
        let file: DenyFile = toml::from_str(text)?;
        let exceptions = file.licenses.exceptions.into_iter();
        let bans = file.bans.deny.into_iter();
        Ok(Self {
            allowed: licensees(&file.licenses.allow)?,
            exceptions: exceptions
                .map(|exception| Ok((exception.name, licensees(&exception.allow)?)))
                .collect::<Result<_>>()?,
            banned: bans.map(|ban| (ban.name, ban.reason)).collect(),
        })
    }

    /// The packages that break it.
    pub fn check<'package>(
        &self,
        packages: impl Iterator<Item = &'package Package>,
    ) -> Vec<Violation> {
        packages
            .flat_map(|package| {
                let name = package.name.as_str();
                let licence = self.check_licence(name, package.license.as_deref());
                self.check_ban(name).into_iter().chain(licence)
            })
            .collect()
    }

    fn check_ban(&self, name: &str) -> Option<Violation> {
        self.banned.get(name).map(|reason| Violation {
            subject: name.to_owned(),
            rule: RULE_BAN,
            found: format!("is banned by deny.toml ({reason})"),
            remedy: format!(
                "See who brings it by `cargo tree --workspace --all-features --invert {name}`"
            ),
        })
    }

    fn check_licence(&self, name: &str, licence: Option<&str>) -> Option<Violation> {
        let found = match licence {
            None => "names no licence".to_owned(),
            Some(text) => match Expression::parse_mode(text, ParseMode::LAX) {
                Err(error) => format!("has a licence that cannot be read, {text:?}: {error}"),
                Ok(expression) if self.is_allowed(name, &expression) => return None,
                Ok(_) => format!("is licensed {text:?}, which the allowed licences do not cover"),
            },
        };
        Some(Violation {
            subject: name.to_owned(),
            rule: RULE_LICENCE,
            found,
            remedy: "Do without it, or make an exception with its reason in deny.toml".to_owned(),
        })
    }

    fn is_allowed(&self, name: &str, expression: &Expression) -> bool {
        let special = self.exceptions.get(name).map(Vec::as_slice);
        let special = special.unwrap_or_default();
        expression.evaluate(|required| {
            self.allowed
                .iter()
                .chain(special)
                .any(|licensee| licensee.satisfies(required))
        })
    }
}

fn licensees(names: &[String]) -> Result<Vec<Licensee>> {
    names
        .iter()
        .map(|name| Licensee::parse(name).with_context(|| format!("{name:?} is no SPDX licence")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        Policy::parse(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0", "ISC"]
            exceptions = [{ crate = "parser", allow = ["MPL-2.0"] }]
            [bans]
            deny = [{ crate = "openssl-sys", reason = "needs OpenSSL" }]
            "#,
        )
        .unwrap()
    }

    #[test]
    fn licences() {
        let cases = [
            ("any", Some("MIT"), true),
            ("any", Some("MIT/Apache-2.0"), true),
            ("any", Some("Apache-2.0 AND ISC"), true),
            ("any", Some("MIT OR Apache-2.0 OR LGPL-2.1-or-later"), true),
            ("any", Some("(MIT OR GPL-3.0-only) AND ISC"), true),
            ("any", Some("MIT AND GPL-3.0-only"), false),
            ("any", Some("GPL-3.0-only"), false),
            ("any", Some("AGPL-3.0-or-later"), false),
            ("any", Some("LGPL-2.1-or-later"), false),
            ("any", Some("MPL-2.0"), false),
            ("parser", Some("MPL-2.0"), true),
            ("any", Some("Apache-2.0 WITH LLVM-exception"), false),
            ("any", Some("made up"), false),
            ("any", None, false),
        ];
        for (name, licence, allowed) in cases {
            let violation = policy().check_licence(name, licence);
            assert_eq!(violation.is_none(), allowed, "{name}: {licence:?}");
        }
    }

    #[test]
    fn a_banned_package_is_named_with_its_reason() {
        assert_eq!(policy().check_ban("ring"), None);
        let violation = policy().check_ban("openssl-sys").unwrap();
        assert_eq!(violation.found, "is banned by deny.toml (needs OpenSSL)");
    }

    #[test]
    fn an_unknown_licence_in_the_list_is_an_error() {
        let text = "[licenses]\nallow = [\"MTI\"]\n[bans]\ndeny = []";
        assert!(Policy::parse(text).is_err());
    }
}
