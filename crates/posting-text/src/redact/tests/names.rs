//! Companies, by name and in disguise.

use super::{super::Identity, ACME, check, markdown};

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
        r"[company]\(UK) [company]: x",
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
        ("Follow @acmera, @acmera_jobs", "Follow [handle], [handle]"),
        ("@acmerajobs and @workatacmera", "[handle] and [handle]"),
        ("#lifeatacmera #TeamAcmera", "#[company] #[company]"),
        ("#AcmeraLife", "#[company]Life"),
        (
            "LifeAtAcmera, MyAcmera, eAcmera",
            "LifeAt[company], My[company], e[company]",
        ),
        ("Acmerish, acmerish", "Acmerish, acmerish"),
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
        "Follow [handle] and #[company] at [company]",
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
        "[company], [company] and [company]",
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
fn a_title_is_one_line_of_plain_text() {
    let posting = crate::Posting {
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
        let line = |title| crate::redact::line(title, &posting, &crate::Budget::unlimited());
        assert_eq!(line(title).as_deref(), Ok(expect), "{title:?}");
        assert_eq!(line(expect).as_deref(), Ok(expect), "{title:?}");
    }
}
