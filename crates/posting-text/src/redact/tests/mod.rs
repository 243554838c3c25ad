//! What must be hidden and what must not, each a named case.

mod contacts;
mod firms;
mod kinds;
mod languages;
mod laws;
mod leak;
mod leaks;
mod names;

use crate::Budget;

use super::Identity;

fn markdown(source: &str, identity: &Identity<'_>) -> String {
    super::hidden(source, identity, &Budget::unlimited()).unwrap()
}

/// Redacts a text, for a company with this name and website.
fn redact(name: &str, website: &str, text: &str) -> String {
    let identity = Identity {
        name,
        website,
        ..Identity::default()
    };
    markdown(text, &identity)
}

#[track_caller]
fn check(case: &str, (name, website): (&str, &str), text: &str, expect: &str) {
    assert_eq!(redact(name, website, text), expect, "{case}");
}

const ACME: (&str, &str) = ("Acmera", "https://www.acmera.com");
