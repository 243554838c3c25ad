//! Detects misspelt `POSTHASTE_…` variables, which would have no effect.

use std::{collections::BTreeSet, env};

use fields::suggest;

use super::{dotenv, environment};
use crate::text;

const PREFIX: &str = "POSTHASTE_";

pub fn unknown_variables(root: &clap::Command) -> Vec<String> {
    let known = known(root);
    let mut complaints = Vec::new();
    for (name, value) in env::vars_os() {
        let name = name.to_string_lossy();
        if is_unknown(&name, &value.to_string_lossy(), &known) {
            complaints.push(complaint(&text::plain(&name), &known));
        }
    }
    complaints
}

fn known(root: &clap::Command) -> BTreeSet<String> {
    fn collect(command: &clap::Command, known: &mut BTreeSet<String>) {
        let variables = command.get_arguments().filter_map(clap::Arg::get_env);
        known.extend(variables.map(|name| name.to_string_lossy().into_owned()));
        let secrets = command.get_arguments().filter_map(environment::secret);
        known.extend(secrets.map(|name| dotenv::file_variable(&name)));
        for subcommand in command.get_subcommands() {
            collect(subcommand, known);
        }
    }
    let mut known = BTreeSet::new();
    collect(root, &mut known);
    known
}

fn is_unknown(name: &str, value: &str, known: &BTreeSet<String>) -> bool {
    name.starts_with(PREFIX) && !known.contains(name) && !is_set_by_kubernetes(name, value)
}

/// Kubernetes sets variables for each service, named after the service.
fn is_set_by_kubernetes(name: &str, value: &str) -> bool {
    name.contains("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || (name.contains("_PORT_") && (name.contains("_TCP") || name.contains("_UDP")))
        || (name.ends_with("_PORT") && value.contains("://"))
}

/// A message without the value, which may be a secret.
fn complaint(name: &str, known: &BTreeSet<String>) -> String {
    let own = known.iter().filter_map(|known| known.strip_prefix(PREFIX));
    match suggest::nearest(name.strip_prefix(PREFIX).unwrap_or(name), own) {
        Some(nearest) => format!("unknown variable {name}; is {PREFIX}{nearest} meant?"),
        None => format!("unknown variable {name}; `posthaste serve --help` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    fn known() -> BTreeSet<String> {
        let arg = |name: &'static str| Arg::new(name).long(name).env(name);
        let serve = Command::new("serve").args([
            arg("POSTHASTE_BIND"),
            arg("POSTHASTE_DATA_DIR"),
            arg("POSTHASTE_TOKEN_TTL"),
            arg("POSTHASTE_LLM_API_KEY").hide_env_values(true),
        ]);
        let retire = Command::new("retire").arg(arg("POSTHASTE_KEYS_FORCE"));
        let outbox = Command::new("retry").arg(arg("POSTHASTE_OUTBOX_ALL_DEAD"));
        let root = Command::new("posthaste").arg(arg("POSTHASTE_LOG"));
        super::known(&root.subcommands([serve, retire, outbox]))
    }

    #[test]
    fn a_misspelt_variable_is_reported_with_the_nearest_one() {
        let known = known();
        for (name, expected) in [
            ("POSTHASTE_BNID", "is POSTHASTE_BIND meant?"),
            ("POSTHASTE_DATADIR", "is POSTHASTE_DATA_DIR meant?"),
            ("POSTHASTE_LLM_APIKEY", "is POSTHASTE_LLM_API_KEY meant?"),
            ("POSTHASTE_TOKEN_TTL_", "is POSTHASTE_TOKEN_TTL meant?"),
            ("POSTHASTE_", "`posthaste serve --help` lists them"),
            ("POSTHASTE_QUUX", "`posthaste serve --help` lists them"),
        ] {
            assert!(is_unknown(name, "x", &known), "{name}");
            let complaint = complaint(name, &known);
            assert_eq!(complaint, format!("unknown variable {name}; {expected}"));
        }
    }

    #[test]
    fn known_and_foreign_variables_are_ignored() {
        let known = known();
        for (name, value) in [
            ("POSTHASTE_BIND", ""),
            ("POSTHASTE_LOG", ""),
            ("POSTHASTE_KEYS_FORCE", ""),
            ("POSTHASTE_LLM_API_KEY_FILE", ""),
            ("POSTHASTE_OUTBOX_ALL_DEAD", ""),
            ("DATABASE_URLL", ""),
            ("PATH", ""),
            ("POSTHASTE_SERVICE_HOST", "10.0.0.1"),
            ("POSTHASTE_ADMIN_SERVICE_PORT_METRICS", "9464"),
            ("POSTHASTE_PORT", "tcp://10.0.0.1:80"),
            ("POSTHASTE_PORT_80_TCP_ADDR", "10.0.0.1"),
        ] {
            assert!(!is_unknown(name, value, &known), "{name}");
        }
        assert!(is_unknown("POSTHASTE_PORT", "8080", &known));
    }
}
