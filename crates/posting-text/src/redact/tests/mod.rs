//! What must be hidden and what must not, each a named case.

mod contacts;
mod firms;
mod kinds;
mod languages;
mod laws;
mod leak;
mod leaks;
mod names;

use super::Kind;
use crate::{Budget, Posting};

fn markdown(source: &str, posting: &Posting<'_>) -> String {
    super::markdown(source, posting, &Budget::unlimited()).unwrap()
}

/// The posting of a company with this name and website.
fn of_company<'a>((company_name, company_website): (&'a str, &'a str)) -> Posting<'a> {
    Posting {
        company_name,
        company_website,
        ..Posting::default()
    }
}

#[track_caller]
fn check(company: (&str, &str), text: &str, expect: &str) {
    let found = markdown(text, &of_company(company));
    assert_eq!(found, expect, "{text:?} of {company:?}");
}

/// Checks cases. Each is a text with labels for what must be hidden, such as `{c:Acmera} hires`
/// (`eval/README.md` has their kinds), or a text, an arrow and what it becomes. It is of Acmera, or
/// of the company before a bar: a name, or a name, a comma and a website.
#[track_caller]
fn check_cases(cases: &[&str]) {
    for case in cases {
        let (company, text) = case.split_once(" | ").unwrap_or(("", case));
        let website = company.find(", https://");
        let (name, website) = company.split_at(website.unwrap_or(company.len()));
        let company = match name {
            "" => ACME,
            name => (name, website.trim_start_matches(", ")),
        };
        match text.split_once(" => ") {
            Some((text, expect)) => check(company, text, expect),
            None => check(
                company,
                &with_labels(text, |_, shown| shown),
                &with_labels(text, token),
            ),
        }
    }
}

/// A text with something else in place of each label, by its kind and its text.
fn with_labels<'a>(text: &'a str, write: fn(&'a str, &'a str) -> &'a str) -> String {
    let pieces = text.split(['{', '}']).enumerate();
    let written = pieces.map(|(number, piece)| match piece.split_once(':') {
        Some((kind, shown)) if number % 2 == 1 => write(kind, shown),
        _ => piece,
    });
    written.collect()
}

/// The token of a kind, which a label has by its letter.
fn token<'a>(kind: &str, _: &str) -> &'a str {
    let at = "cepunaih".find(kind).unwrap();
    Kind::ALL[at].token()
}

const ACME: (&str, &str) = ("Acmera", "https://www.acmera.com");
