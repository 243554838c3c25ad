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
pub(super) struct Case {
    company: String,
    pub(super) text: String,
}

impl Case {
    pub(super) fn of(line: &str) -> Self {
        let (company, text) = line.split_once(" | ").unwrap_or((ACME, line));
        Self {
            company: company.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(super) fn with_posting<T>(&self, act: impl FnOnce(&Posting<'_>) -> T) -> T {
        let (company, place) = self
            .company
            .split_once(" @ ")
            .unwrap_or((&self.company, ""));
        let website = company.find(", https://").unwrap_or(company.len());
        let (names, website) = company.split_at(website);
        let names: Vec<&str> = names.split(" + ").collect();
        act(&Posting {
            company_name: names[0],
            other_names: &names[1..],
            company_website: website.trim_start_matches(", "),
            country: place.split_once(' ').map(|(country, _)| country),
            city: place.split_once(' ').map(|(_, city)| city),
            ..Posting::default()
        })
    }

    fn source_and_expected(&self) -> (String, String) {
        let given = self.text.split_once(" => ");
        let given = given.map(|(source, expect)| (source.to_owned(), expect.to_owned()));
        given.unwrap_or_else(|| {
            let source = with_labels(&self.text, |_, shown| shown);
            (source, with_labels(&self.text, token))
        })
    }
}

/// Returns how many cases there are, and those with another result.
fn failed(
    files: &[&'static str],
    redact: impl Fn(&str, &Posting<'_>) -> String,
) -> (usize, Vec<String>) {
    let (mut count, mut failed) = (0, Vec::new());
    for line in files.iter().flat_map(|file| cases(file)) {
        let case = Case::of(&line);
        let (source, expect) = case.source_and_expected();
        let found = case.with_posting(|posting| redact(&source, posting));
        count += 1;
        if found != expect {
            failed.push(format!("{line}\n    becomes {found:?}"));
        }
    }
    (count, failed)
}

fn check(files: &[&'static str], redact: impl Fn(&str, &Posting<'_>) -> String) {
    let (_, failed) = failed(files, redact);
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// The cases that the model decides.
pub(super) const LEARNED: &str = include_str!("learned.txt");
pub(super) const BY_RULES: [&str; 7] = [
    include_str!("contacts.txt"),
    include_str!("firms.txt"),
    include_str!("kinds.txt"),
    include_str!("languages.txt"),
    include_str!("leaks.txt"),
    include_str!("names.txt"),
    include_str!("spellings.txt"),
];

#[test]
fn what_identifies_a_company_is_hidden() {
    check(&BY_RULES, markdown);
}

#[test]
fn the_model_knows_its_cases() {
    /// One in so many may fail.
    const MOST: usize = 6;
    let (count, failed) = failed(&[LEARNED], markdown);
    let share = format!("{} of {count} cases fail", failed.len());
    assert!(
        count > 200 && failed.len() * MOST <= count,
        "{share}\n{}",
        failed.join("\n")
    );
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

#[test]
fn a_title_names_a_job_that_its_description_names() {
    let line = |company_name, description| {
        let posting = Posting {
            title: "Rope Twister",
            company_name,
            description,
            ..Posting::default()
        };
        super::line(posting.title, &posting, &Budget::unlimited()).unwrap()
    };
    let description = "<p>As a rope twister you twist ropes.</p>";
    assert_eq!(line("Honest Twister Ltd", description), "Rope Twister");
    assert_eq!(
        line("Honest Twister Ltd", "You make ropes."),
        "Rope [company]"
    );
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
