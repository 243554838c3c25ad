//! What must be hidden and what must not, each a named case.

use std::sync::Arc;

use domain::{enrichment::EnrichmentInput, posting::CountryCode};
use proptest::prelude::*;

use super::{Identity, leaks, markdown};
use crate::markdown::from_description as clean;

/// The redacted form of a text, for a company with a name and a website.
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

#[test]
fn names() {
    check(
        "as it is",
        ACME,
        "At Acmera we work.",
        "At [company] we work.",
    );
    check(
        "any case",
        ACME,
        "ACMERA and acmera",
        "[company] and [company]",
    );
    check(
        "possessive",
        ACME,
        "Acmera's, Acmera’s, Acmeras",
        "[company]'s, [company]’s, [company]",
    );
    check("elision", ACME, "l’équipe d’Acmera", "l’équipe d’[company]");
    check(
        "hyphen",
        ACME,
        "non-Acmera, Acmera-owned",
        "non-[company], [company]-owned",
    );
    check(
        "hump and digit",
        ACME,
        "AcmeraEats, Acmera4You",
        "[company]Eats, [company]4You",
    );
    check(
        "longer words",
        ACME,
        "acmeraish preacmera",
        "acmeraish preacmera",
    );
    check(
        "broken by emphasis",
        ACME,
        "<p>**x**</p><p><b>Ac</b>me<i>ra</i> it</p>",
        "\\*\\*x\\*\\*\n\n**[company]** it",
    );
    check(
        "broken by unseen characters",
        ACME,
        "Acm\u{ad}er\u{200b}a",
        "[company]",
    );
    check(
        "in a heading and a list",
        ACME,
        "<h2>Acmera</h2><ul><li>Acmera</ul>",
        "## [company]\n\n- [company]",
    );
    check(
        "before signs that make links",
        ACME,
        "Acmera(UK) Acmera: x",
        r"[company]\(UK) [company]\: x",
    );
    check(
        "in the text of a link",
        ACME,
        "<a href='https://x.org'>Jobs at Acmera</a>",
        "Jobs at [company]",
    );
    check("said twice", ACME, "Acmera Acmera", "[company]");
}

#[test]
fn legal_forms() {
    for name in [
        "Brightvik Inc.",
        "Brightvik, Inc",
        "Brightvik Ltd",
        "Brightvik GmbH & Co. KG",
        "Brightvik AB",
        "Brightvik A/S",
        "Brightvik S.A.S.",
        "Brightvik Sp. z o.o.",
        "Brightvik Group AS",
        "SARL Brightvik",
        "Groupe Brightvik",
        "Brightvik (publ)",
    ] {
        check(
            name,
            (name, ""),
            "We at Brightvik are many.",
            "We at [company] are many.",
        );
    }
    check(
        "the form in the text",
        ("Brightvik", ""),
        "Brightvik AB, Brightvik Inc. and",
        "[company], [company] and",
    );
    check(
        "a word like a form",
        ("Brightvik", ""),
        "Brightvik as it is",
        "[company] as it is",
    );
}

#[test]
fn several_words() {
    let dawn = ("Northern Dawn Agency", "https://dawn.example.org");
    check(
        "spaces of all kinds",
        dawn,
        "Northern-Dawn\u{a0}Agency",
        "[company]",
    );
    check("as one word", dawn, "NorthernDawnAgency", "[company]");
    check(
        "over a line break",
        dawn,
        "Northern Dawn\nAgency x",
        "[company] x",
    );
    check(
        "parts stay",
        dawn,
        "A northern agency at dawn",
        "A northern agency at dawn",
    );
    check(
        "defined acronym",
        dawn,
        "Northern Dawn Agency (NDA) is. NDA's",
        "[company] is. [company]'s",
    );
    check(
        "undefined acronym",
        dawn,
        "Join NDA today, nda",
        "Join [company] today, nda",
    );
    check(
        "common acronyms",
        ("Simple Quality Labs", ""),
        "SQL needed",
        "SQL needed",
    );
    check(
        "small words",
        ("Office de la Forêt Bleue", ""),
        "Office de la Forêt Bleue (OFB), OFB",
        "[company], [company]",
    );
    check(
        "a country in parentheses",
        ACME,
        "Acmera (UK) hires",
        "[company] (UK) hires",
    );
    check(
        "without accents",
        ("Société Bleuet", ""),
        "Societe Bleuet, SOCIÉTÉ BLEUET",
        "[company], [company]",
    );
    check(
        "ampersand",
        ("Finch & Larkin", ""),
        "Finch and Larkin, Finch&Larkin",
        "[company], [company]",
    );
    check(
        "two letters",
        ("F&L", ""),
        "F&L, F & L, f l",
        "[company], [company], f l",
    );
    check(
        "humps",
        ("JobBoatly", ""),
        "Job Boatly, jobboatly",
        "[company], [company]",
    );
    check(
        "head of a description",
        ("Bluvera Food Services AB", ""),
        "Bluvera has food services",
        "[company] has food services",
    );
    check(
        "shouted head",
        ("BLUVERA Bikes Onwards", ""),
        "Chez Bluvera",
        "Chez [company]",
    );
    check(
        "compounds",
        ("Norvelia Care AB", ""),
        "Norveliakläder, Norvelias",
        "[company]kläder, [company]",
    );
    check(
        "another script",
        ("株式会社山田", ""),
        "私たちは株式会社山田です",
        "私たちは[company]です",
    );
}

#[test]
fn harmless_words_stay() {
    check(
        "accents make another word",
        ("Uber", ""),
        "über Ubermensch",
        "über Ubermensch",
    );
    check(
        "part of a word",
        ("Meta", "https://meta.com"),
        "Meta has metadata",
        "[company] has metadata",
    );
    check(
        "a common word",
        ("Target", ""),
        "Target has a target group",
        "[company] has a target group",
    );
    check(
        "a country",
        ("Canadian Digital Service", "https://digital.canada.ca"),
        "Digital services in Canada, Ottawa, Canada",
        "Digital services in Canada, Ottawa, Canada",
    );
    let identity = Identity {
        name: "Ulvik herad",
        website: "https://www.ulvik.kommune.no",
        city: Some("Ulvik"),
        country: Some("NO"),
    };
    assert_eq!(
        markdown("Ulvik herad i Ulvik sentrum", &identity),
        "[company] i Ulvik sentrum"
    );
    check(
        "two letters of any case",
        ("IT", ""),
        "it is IT",
        "it is [company]",
    );
}

#[test]
fn websites() {
    check(
        "label",
        ("The Firm", "https://jobs.zentrola.co.uk/x"),
        "Zentrola hires",
        "[company] hires",
    );
    check(
        "label of words",
        ("The Firm", "https://visitfjordal.com"),
        "Visit Fjordal, Visit Fjordals",
        "[company], [company]",
    );
    check(
        "front of a label",
        ("Solvik barnehage", "https://norvelianursery.no"),
        "Norvelia har",
        "[company] har",
    );
    check(
        "three letters",
        ("The Firm", "https://zqx.gov"),
        "ZQX or zqxes",
        "[company] or zqxes",
    );
}

#[test]
fn addresses() {
    check("mail", ACME, "a.b-c+d@mail.example.org.", "[email].");
    check(
        "mail link",
        ACME,
        "<a href='mailto:x@y.org'>x@y.org</a>",
        "[email]",
    );
    check(
        "escaped underscore",
        ACME,
        r"**x** jobs\_at@x.com",
        "**x** [email]",
    );
    for hidden in [
        "jobs [at] example [dot] org",
        "jobs(at)example.org",
        "jobs (a) example.org",
        "jobs at example dot org",
        "jobs @ example.org",
        "jobs arobase example point org",
        "jobs{at}example{dot}co{dot}uk",
    ] {
        check(
            hidden,
            ACME,
            &format!("Write {hidden} now"),
            "Write [email] now",
        );
    }
    check(
        "url",
        ACME,
        "See https://x.org/a_(b)?c=d. End",
        "See [link]. End",
    );
    check("url in parentheses", ACME, "(www.x.org/a)", "([link])");
    check(
        "domain",
        ACME,
        "Visit jobs.example.org/apply, or example.no",
        "Visit [link], or [link]",
    );
    check("own domain", ACME, "Acmera.Com is ours", "[link] is ours");
    check(
        "link text that is a URL",
        ACME,
        "<a href='https://x.org'>https://x.org</a>",
        "[link]",
    );
    check(
        "a link keeps its text",
        ACME,
        "<a href='https://x.org'>our page</a>",
        "our page",
    );
}

#[test]
fn no_addresses() {
    for text in [
        "e.g. this, i.e. that, etc.and more",
        "Node.js, ASP.NET, Socket.io and Vue.js",
        "the end.Start here",
        "End.In the morning",
        "z.B. so, bl.a. slik, p.ex. ça",
        "file.md and main.rs",
        "version 1.2.3",
        "M.Sc. or B.Tech and Ph.D",
        "at work.in the office",
        "We work at nine",
        "c.à.d. rien",
        "(a) first (b) second",
        "meet me at the dot com bubble",
        "and/or",
        "24/7, 9.00-17.00",
        "@handle",
    ] {
        check(text, ACME, text, text);
    }
}

#[test]
fn phones() {
    for number in [
        "+47 918 12 345",
        "+33 (0)1 23 45 67 89",
        "0047 91812345",
        "+1 (555) 123-4567",
        "(555) 123-4567",
        "555-123-4567",
        "1-800-555-0199",
        "01 23 45 67 89",
        "0123456789",
        "01.23.45.67.89",
        "08-123 45 67",
        "030/1234567",
        "020 7946 0958",
        "918 12 345",
        "22 33 44 55",
        "(11) 91234-5678",
        "138 1234 5678",
    ] {
        check(number, ACME, &format!("Ask {number} or"), "Ask [phone] or");
    }
    for (text, expect) in [
        ("tlf. 4000 7151", "tlf. [phone]"),
        ("Telefon: 91812345 / 91812346", "Telefon: [phone] / [phone]"),
        ("call us at 612 345 678", "call us at [phone]"),
        ("Tél : 612345678.", "Tél : [phone]."),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_phones() {
    for text in [
        "$142,701 to $170,800",
        "100 000 - 120 000 €",
        "45 000 000 kr",
        "2019-2020",
        "01.02.2024",
        "2024-01-31",
        "01/02/2024 - 31/12/2024",
        "08.00-16.00",
        "06.30 – 17.30",
        "0800-1600",
        "K1A 0B1",
        "75014 Paris",
        "12345-6789",
        "GS-13/14",
        "10%-20%",
        "ID 0123456789",
        "ref: 01 23 45 67 89",
        "SIRET 123 456 789 00012",
        "5 CFR 213.3102(r)",
        "+10 000 000 users",
        "35–40 h",
        "1,000,000 people",
        "kl. 08.00 - 15.30",
        "100200300",
        "0.5 - 0.75",
        "1 234 567,89",
        "R-0123456789",
        "1990 2000 2010",
    ] {
        check(text, ACME, text, text);
    }
}

fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: "Driver".to_owned(),
        raw_description: Arc::from(description),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Acmera AS".to_owned(),
        company_website: "https://acmera.no".to_owned(),
    }
}

#[test]
fn leaks_are_found() {
    let input = input("");
    let found = leaks(
        "At **Acm**era, [here](https://x.org), a@b.no, +47 91812345, acmera.no",
        &input,
    );
    let kinds: Vec<&str> = found.iter().map(|leak| leak.kind.token()).collect();
    assert_eq!(
        kinds,
        ["[company]", "[email]", "[phone]", "[link]", "[link]"]
    );
    assert_eq!(
        leaks("At [company], [link], [email], [phone] in Oslo", &input),
        []
    );
}

fn advertisement() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "Acmera",
            "acmera",
            "Acm",
            "era",
            "ACMERA AS",
            "acmera.no",
            "a@b.no",
            "https://x.org/y",
            "+47 91812345",
            "<b>",
            "</b>",
            "<p>",
            "</p>",
            "<a href='https://x.org'>",
            "</a>",
            "<li>",
            "<br>",
            "tlf ",
            "(at)",
            "dot ",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9 .,:()@/+-]{0,10}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_leaks(raw in advertisement()) {
        let input = input(&raw);
        let redacted = markdown(&raw, &Identity::of(&input));
        let found = leaks(&redacted, &input);
        prop_assert!(found.is_empty(), "{found:?} in {redacted:?}");
        prop_assert!(!redacted.contains("x.org"), "{redacted:?}");
        prop_assert!(!redacted.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Acmera"));
    }

    #[test]
    fn redacting_again_changes_nothing(raw in advertisement()) {
        let input = input(&raw);
        let once = markdown(&raw, &Identity::of(&input));
        let cleaned = clean(&once);
        prop_assert_eq!(markdown(&once, &Identity::of(&input)), cleaned);
    }

    #[test]
    fn any_text_and_name(raw in ".{0,100}", name in ".{0,20}", website in ".{0,20}") {
        let _ = redact(&name, &website, &raw);
    }
}
