//! What must be hidden and what must not, each a named case.

use std::sync::Arc;

use domain::{
    enrichment::{
        Craft, EnrichmentInput,
        rules::{self, Secrets},
    },
    posting::CountryCode,
};
use proptest::prelude::*;

use super::{Identity, leaks, markdown};
use crate::{Builtin, markdown::from_description as clean};

/// The redacted form of a text, for a company with a name and a website.
fn redact(name: &str, website: &str, text: &str) -> String {
    let identity = Identity {
        name,
        website,
        ..Identity::default()
    };
    markdown(text, &identity)
}

/// The redacted form of a text for a posting.
fn hidden(text: &str, input: &EnrichmentInput) -> String {
    let secrets = Secrets::of(input);
    markdown(text, &Identity::of(input, &secrets))
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
        "**x**\n\n**[company]** it",
    );
    check(
        "broken by unseen characters",
        ACME,
        "Acm\u{ad}er\u{200b}a, Acm&shy;er&#8203;a",
        "[company], [company]",
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
fn inside_other_words() {
    for (text, expect) in [
        (
            "Follow @acmera, @acmera_jobs",
            "Follow @[company], @[company]\\_jobs",
        ),
        ("@acmerajobs and @workatacmera", "@[company] and @[company]"),
        ("#lifeatacmera #TeamAcmera", "#[company] #[company]"),
        ("#AcmeraLife", "#[company]Life"),
        (
            "LifeAtAcmera, MyAcmera, eAcmera",
            "LifeAt[company], My[company], e[company]",
        ),
        ("Acmerians, acmerians", "Acmerians, acmerians"),
        ("Acmeraians, Acmeraites", "[company], [company]"),
        ("preAcmerable", "preAcmerable"),
    ] {
        check(text, ACME, text, expect);
    }
    let target = ("Target", "");
    check(
        "an ordinary word in a tag",
        target,
        "#ourtargetgroup and #targetjobs at Target",
        "#ourtargetgroup and #[company] at [company]",
    );
    check(
        "the first word of a name",
        ("Acmera Cold Storage AS", "https://www.acmera.no"),
        "Follow @acmera_no and #teamacmera at Acmera",
        "Follow @[company]\\_no and #[company] at [company]",
    );
}

#[test]
fn written_out_and_introduced() {
    let dawn = ("Northern Dawn Services", "https://ndx.gov");
    check(
        "one of several",
        dawn,
        "The Northern Dawn Service hires, a northern dawn service",
        "The [company] hires, a northern dawn service",
    );
    check(
        "what the website's label stands for",
        dawn,
        "In the National Depot of Xylophones (NDX), National Depot of Xylophones",
        "In the [company], [company]",
    );
    check(
        "what only looks like it",
        dawn,
        "Our new data (NDX) team",
        "Our new data ([company]) team",
    );
    check(
        "a product named after the company",
        ACME,
        "Acmera for Business (A4B), A4B is, Good for Business (G4B)",
        "[company] for Business ([company]), [company] is, Good for Business (G4B)",
    );
    check(
        "initials with an ampersand",
        ("Finch & Larkin", ""),
        "F&L, F & L and FL",
        "[company], [company] and FL",
    );
    check(
        "initials that the website has",
        ("Finch and Larkin", "https://fl.example.com"),
        "F&L is",
        "[company] is",
    );
    check(
        "initials that the website is called by",
        ("Finch & Larkin", "https://www.fl.com"),
        "FL, F&L, fl",
        "[company], [company], fl",
    );
}

#[test]
fn names_that_are_hardly_names() {
    check(
        "two letters",
        ("Vy", ""),
        "Vy and VY, a vy",
        "[company] and [company], a vy",
    );
    check(
        "a small word",
        ("Go", ""),
        "Go on at GO",
        "Go on at [company]",
    );
    check(
        "an ordinary word",
        ("Finn", ""),
        "Hos Finn kan du finne ut hva du finn",
        "Hos [company] kan du finne ut hva du finn",
    );
    check(
        "accents on some letters",
        ("École Élan", ""),
        "Ecole Élan, École Elan, ECOLE ELAN",
        "[company], [company], [company]",
    );
    check(
        "accents left out of capitals",
        ("Forêt de l'Érable", ""),
        "La Forêt de l'Erable",
        "La [company]",
    );
    check(
        "a hospital",
        ("Helse Acmera HF", ""),
        "I Helse Acmera",
        "I [company]",
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
        ..Identity::default()
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
        "jobs AT example DOT org",
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
        "Frame.io, Draw.io and monday.com",
        "the end.Start here",
        "End.In the morning",
        "z.B. so, bl.a. slik, p.ex. ça",
        "Org.nr 912345678, tlf.nr. og f.eks. slik",
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
        let redacted = hidden(&raw, &input);
        let found = leaks(&redacted, &input);
        prop_assert!(found.is_empty(), "{found:?} in {redacted:?}");
        prop_assert!(!redacted.contains("x.org"), "{redacted:?}");
        prop_assert!(!redacted.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Acmera"));
    }

    #[test]
    fn redacting_again_changes_nothing(raw in advertisement()) {
        let input = input(&raw);
        let once = hidden(&raw, &input);
        let cleaned = clean(&once);
        prop_assert_eq!(hidden(&once, &input), cleaned);
    }

    #[test]
    fn any_text_and_name(raw in ".{0,100}", name in ".{0,20}", website in ".{0,20}") {
        let _ = redact(&name, &website, &raw);
    }
}

/// Names as companies have them, and some that are hardly names.
fn name() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[A-ZÅÉ][a-zåéø]{0,8}",
        "[A-Z]{1,4}[0-9]{0,2}",
        prop::sample::select(vec![
            "Target",
            "The",
            "Nord",
            "AS",
            "Group",
            "GmbH",
            "&",
            "+",
            "og",
            "3M",
            "X",
            "7",
            "Yahu!",
            "(R)evolve",
            "株式会社山田",
            "Åse's",
            "a.b",
            "No-No",
            "Company",
            "Link",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

/// A piece of an advertisement of the company with this name.
fn about(name: &str, number: usize, words: &str) -> String {
    match number % 14 {
        0 => name.to_owned(),
        1 => format!("<b>{name}</b>"),
        2 => format!("{}<i>{}</i>", &name[..start(name)], &name[start(name)..]),
        3 => name.to_uppercase(),
        4 => format!("{name}'s {words}"),
        5 => format!("({name}), <a href='https://sub.acme-host.no/x'>{name}</a>"),
        6 => "https://www.acme-host.no/jobs?a=b_c".to_owned(),
        7 => "Jobs.Acme-Host.no".to_owned(),
        8 => "<i>jobs_at</i>@acme-host.no".to_owned(),
        9 => "+47 918 <b>12</b> 345".to_owned(),
        10 => format!(
            "&#65;{name}&amp;{words}, {}&shy;{}",
            &name[..start(name)],
            &name[start(name)..]
        ),
        11 => format!("<h2>{name} {words}</h2><ul><li>{words} {name}</ul>"),
        12 => format!("<code>{name}</code> `{name}` **{name}** \\{name}"),
        _ => words.to_owned(),
    }
}

/// Where the second character starts.
fn start(text: &str) -> usize {
    text.char_indices().nth(1).map_or(text.len(), |(at, _)| at)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_rules_hold(
        name in name(),
        website in prop::sample::select(vec![
            "https://www.acme-host.no/", "https://jobs.acme-host.no", "https://acme-host.no/a",
        ]),
        pieces in prop::collection::vec((0_usize..14, "[a-zA-Z0-9 .,:()@/+_*-]{0,8}"), 1..12),
        gap in prop::sample::select(vec![" ", "", "\n", ", ", "<br>", "_", "\u{a0}"]),
    ) {
        let pieces: Vec<String> = pieces
            .iter()
            .map(|(number, words)| about(&name, *number, words))
            .collect();
        let mut input = input(&format!("A job for you. {}", pieces.join(gap)));
        input.company_name = name;
        website.clone_into(&mut input.company_website);
        let enrichment = Builtin.prepare(&input);
        prop_assert_eq!(rules::check(&enrichment, &input), Ok(()), "{:?}", enrichment.texts);
        let again = Builtin.redact(&enrichment.texts.redacted_markdown, &input);
        let mut twice = enrichment;
        twice.texts.redacted_markdown = again;
        prop_assert_eq!(rules::check(&twice, &input), Ok(()), "{:?}", twice.texts);
    }
}
