mod laws;

use super::{IdentifyingTerms, Kind, with_tokens};
use crate::{Budget, Posting, testing::cases};

fn markdown(source: &str, posting: &Posting<'_>) -> String {
    super::markdown(source, posting, &Budget::unlimited()).unwrap()
}

fn of_company<'a>((company_name, company_website): (&'a str, &'a str)) -> Posting<'a> {
    Posting {
        company_name,
        company_website,
        ..Posting::default()
    }
}

/// Each case is a text with labels, such as `{c:Acmera} hires` (see `eval/README.md`), or a text,
/// an arrow and the result. The posting's company is Acmera, or the company before a bar: `name +
/// other name, website @ country city`.
fn check(files: &[&'static str], redact: impl Fn(&str, &Posting<'_>) -> String) {
    let mut failed = Vec::new();
    for case in files.iter().flat_map(|file| cases(file)) {
        let (company, text) = case.split_once(" | ").unwrap_or((ACME, &case));
        let (company, place) = company.split_once(" @ ").unwrap_or((company, ""));
        let website = company.find(", https://").unwrap_or(company.len());
        let (names, website) = company.split_at(website);
        let names: Vec<&str> = names.split(" + ").collect();
        let posting = Posting {
            company_name: names[0],
            other_names: &names[1..],
            company_website: website.trim_start_matches(", "),
            country: place.split_once(' ').map(|(country, _)| country),
            city: place.split_once(' ').map(|(_, city)| city),
            ..Posting::default()
        };
        let labelled = || {
            (
                with_labels(text, |_, shown| shown),
                with_labels(text, token),
            )
        };
        let given = text.split_once(" => ");
        let given = given.map(|(source, expect)| (source.to_owned(), expect.to_owned()));
        let (source, expect) = given.unwrap_or_else(labelled);
        let found = redact(&source, &posting);
        if found != expect {
            failed.push(format!("{case}\n    becomes {found:?}"));
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn what_identifies_a_company_is_hidden() {
    let files = [
        include_str!("contacts.txt"),
        include_str!("firms.txt"),
        include_str!("kinds.txt"),
        include_str!("languages.txt"),
        include_str!("leaks.txt"),
        include_str!("names.txt"),
        include_str!("spellings.txt"),
    ];
    check(&files, markdown);
}

#[test]
fn identifying_terms_are_found() {
    check(&[include_str!("terms.txt")], |text, posting| {
        let terms = IdentifyingTerms::of(posting);
        with_tokens(text, terms.find(text, &Budget::unlimited()).unwrap())
    });
}

#[test]
fn a_title_is_one_line_of_plain_text() {
    let posting = Posting {
        other_names: &["Bolt Brygge"],
        ..crate::testing::posting("")
    };
    for (title, expect) in [
        ("Cook (50 %) * _new_ <b>", "Cook (50 %) * _new_ <b>"),
        ("Cook at Acmera AS, Oslo", "Cook at [company], Oslo"),
        (
            "Ac\u{ad}mera: cook\t\u{1e}\n at night ",
            "[company]: cook at night",
        ),
        ("Cook – Bolt Brygge", "Cook – [company]"),
        ("Write to jobs@acmera.no", "Write to [email]"),
        ("Cook at [company]", "Cook at [company]"),
        ("", ""),
    ] {
        let line = |title| super::line(title, &posting, &Budget::unlimited());
        assert_eq!(line(title).as_deref(), Ok(expect), "{title:?}");
        assert_eq!(line(expect).as_deref(), Ok(expect), "{title:?}");
    }
}

fn with_labels<'a>(text: &'a str, write: fn(&'a str, &'a str) -> &'a str) -> String {
    let pieces = text.split(['{', '}']).enumerate();
    let written = pieces.map(|(number, piece)| match piece.split_once(':') {
        Some((kind, shown)) if number % 2 == 1 => write(kind, shown),
        _ => piece,
    });
    written.collect()
}

fn token<'a>(kind: &str, _: &str) -> &'a str {
    let at = "cepunaih".find(kind).unwrap();
    Kind::ALL[at].token()
}

const ACME: &str = "Acmera, https://www.acmera.com";
