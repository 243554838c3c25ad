//! The invariants of `docs/architecture.md` that a tool can hold.
//!
//! `layers` reads what each crate declares, `closure` what the pure crates really pull in,
//! `packages` everybody else's names and licences against `deny.toml`, `purity` the text of the
//! pure crates, and `workflows` how other people's actions are named.

mod closure;
mod layers;
mod packages;
mod purity;
mod workflows;

use std::fmt;

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// The crates without runtime, I/O, clock and randomness, by their folders.
const PURE: &[&str] = &["crates/domain", "crates/newsletter"];

/// One broken rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    /// The crate or file.
    subject: String,
    /// The rule's name.
    rule: &'static str,
    /// What is wrong.
    found: String,
    /// What to do about it.
    remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            rule,
            found,
            remedy,
        } = self;
        write!(formatter, "{subject} [{rule}]: {found}. {remedy}.")
    }
}

/// Holds every rule against the workspace; the error lists all that are broken.
pub fn check(workspace: &Workspace) -> Result<()> {
    let mut violations = layers::check(&layers::members(workspace));
    for pure in PURE {
        violations.extend(closure::check(pure, &closure::of(workspace, pure)?));
    }
    let policy = packages::Policy::read(workspace.root().as_std_path())?;
    violations.extend(policy.check(workspace.third_party()));
    violations.extend(purity::check(workspace.root().as_std_path())?);
    violations.extend(workflows::check(workspace.root().as_std_path())?);
    if violations.is_empty() {
        println!(
            "{} crates of ours and {} of others keep the rules",
            workspace.members().len(),
            workspace.third_party().count()
        );
        return Ok(());
    }
    let list = violations
        .iter()
        .map(Violation::to_string)
        .collect::<Vec<_>>();
    bail!("{} broken rules:\n  {}", list.len(), list.join("\n  "))
}

/// Whether a name is the pattern, or starts with it where it ends in `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

fn matches_any(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_keeps_every_rule() {
        check(&Workspace::load().unwrap()).unwrap();
    }

    #[test]
    fn patterns() {
        assert!(matches("diesel", "diesel"));
        assert!(!matches("diesel", "diesel-async"));
        assert!(matches("diesel*", "diesel_migrations"));
        assert!(!matches("diesel*", "tokio"));
    }

    #[test]
    fn a_violation_names_the_crate_the_rule_and_the_way_out() {
        let violation = Violation {
            subject: "crates/domain".to_owned(),
            rule: "layers",
            found: "depends on tokio".to_owned(),
            remedy: "Move the I/O to an adapter".to_owned(),
        };
        assert_eq!(
            violation.to_string(),
            "crates/domain [layers]: depends on tokio. Move the I/O to an adapter."
        );
    }
}
