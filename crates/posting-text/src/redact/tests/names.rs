//! Companies, by name and in disguise.

use super::{check, check_cases, markdown};
use crate::Posting;

#[test]
fn names() {
    check_cases(&[
        // As it is.
        "At {c:Acmera} we work.",
        // Any case.
        "{c:ACMERA} and {c:acmera}",
        // Possessive.
        "{c:Acmera}'s, {c:Acmera}’s, {c:Acmeras}",
        // Elision.
        "l’équipe d’{c:Acmera}",
        // Hyphen.
        "non-{c:Acmera}, {c:Acmera}-owned",
        // Hump and digit.
        "{c:Acmera}Eats, {c:Acmera}4You",
        // Longer words.
        "acmeraish preacmera",
        // Broken by emphasis.
        "<p>**x**</p><p><b>Ac</b>me<i>ra</i> it</p> => **x**\n\n**[company]** it",
        // Broken by unseen characters.
        "{c:Acm\u{ad}er\u{200b}a}, {c:Acm&shy;er&#8203;a}",
        // In a heading and a list.
        "<h2>Acmera</h2><ul><li>Acmera</ul> => ## [company]\n\n- [company]",
        // Before signs that make links.
        "Acmera(UK) Acmera: x => [company]\\(UK) [company]: x",
        // In the text of a link.
        "<a href='https://x.org'>Jobs at Acmera</a> => Jobs at [company]",
        // Said twice.
        "{c:Acmera Acmera}",
    ]);
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
        let text = "We at Brightvik are many.";
        check((name, ""), text, "We at [company] are many.");
    }
    check_cases(&[
        // The form in the text.
        "Brightvik | {c:Brightvik AB}, {c:Brightvik Inc.} and",
        // A word like a form.
        "Brightvik | {c:Brightvik} as it is",
    ]);
}

#[test]
fn several_words() {
    check_cases(&[
        // Spaces of all kinds.
        "Northern Dawn Agency, https://dawn.example.org | {c:Northern-Dawn\u{a0}Agency}",
        // As one word.
        "Northern Dawn Agency, https://dawn.example.org | {c:NorthernDawnAgency}",
        // Over a line break.
        "Northern Dawn Agency, https://dawn.example.org | {c:Northern Dawn\nAgency} x",
        // Parts stay.
        "Northern Dawn Agency, https://dawn.example.org | A northern agency at dawn",
        // Defined acronym.
        "Northern Dawn Agency, https://dawn.example.org | {c:Northern Dawn Agency (NDA)} is. \
         {c:NDA}'s",
        // Undefined acronym.
        "Northern Dawn Agency, https://dawn.example.org | Join {c:NDA} today, nda",
        // Common acronyms.
        "Simple Quality Labs | SQL needed",
        // Small words.
        "Office de la Forêt Bleue | {c:Office de la Forêt Bleue (OFB)}, {c:OFB}",
        // A country in parentheses.
        "{c:Acmera} (UK) hires",
        // Without accents.
        "Société Bleuet | {c:Societe Bleuet}, {c:SOCIÉTÉ BLEUET}",
        // Ampersand.
        "Finch & Larkin | {c:Finch and Larkin}, {c:Finch&Larkin}",
        // Two letters.
        "F&L | {c:F&L}, {c:F & L}, f l",
        // Humps.
        "JobBoatly | {c:Job Boatly}, {c:jobboatly}",
        // Head of a description.
        "Bluvera Food Services AB | {c:Bluvera} has food services",
        // Shouted head.
        "BLUVERA Bikes Onwards | Chez {c:Bluvera}",
        // Compounds.
        "Norvelia Care AB | {c:Norvelia}kläder, {c:Norvelias}",
        // Another script.
        "株式会社山田 | 私たちは{c:株式会社山田}です",
    ]);
}

#[test]
fn inside_other_words() {
    check_cases(&[
        "Follow {h:@acmera}, {h:@acmera_jobs}",
        "{h:@acmerajobs} and {h:@workatacmera}",
        "#{c:lifeatacmera} #{c:TeamAcmera}",
        "#{c:Acmera}Life",
        "LifeAt{c:Acmera}, My{c:Acmera}, e{c:Acmera}",
        "Acmerish, acmerish",
        "{c:Acmeraians}, {c:Acmeraites}",
        "preAcmerable",
        // An ordinary word in a tag.
        "Target | #ourtargetgroup and #{c:targetjobs} at {c:Target}",
        // The first word of a name.
        "Acmera Cold Storage AS, https://www.acmera.no | Follow {h:@acmera_no} and \
         #{c:teamacmera} at {c:Acmera}",
    ]);
}

#[test]
fn written_out_and_introduced() {
    check_cases(&[
        // One of several.
        "Northern Dawn Services, https://ndx.gov | The {c:Northern Dawn Service} hires, a \
         northern dawn service",
        // What the website's label stands for.
        "Northern Dawn Services, https://ndx.gov | In the {c:National Depot of Xylophones \
         (NDX)}, {c:National Depot of Xylophones}",
        // What only looks like it.
        "Northern Dawn Services, https://ndx.gov | Our new data ({c:NDX}) team",
        // A product named after the company.
        "{c:Acmera} for Business ({c:A4B}), {c:A4B} is, Good for Business (G4B)",
        // Initials with an ampersand.
        "Finch & Larkin | {c:F&L}, {c:F & L} and {c:FL}",
        // Initials that the website has.
        "Finch and Larkin, https://fl.example.com | {c:F&L} is",
        // Initials that the website is called by.
        "Finch & Larkin, https://www.fl.com | {c:FL}, {c:F&L}, fl",
    ]);
}

#[test]
fn names_that_are_hardly_names() {
    check_cases(&[
        // Two letters.
        "Vy | {c:Vy} and {c:VY}, a vy",
        // A small word.
        "Go | Go on at {c:GO}",
        // An ordinary word.
        "Finn | Hos {c:Finn} kan du finne ut hva du finn",
        // Accents on some letters.
        "École Élan | {c:Ecole Élan}, {c:École Elan}, {c:ECOLE ELAN}",
        // Accents left out of capitals.
        "Forêt de l'Érable | La {c:Forêt de l'Erable}",
        // A hospital.
        "Helse Acmera HF | I {c:Helse Acmera}",
    ]);
}

#[test]
fn harmless_words_stay() {
    check_cases(&[
        // Accents make another word.
        "Uber | über Ubermensch",
        // Part of a word.
        "Meta, https://meta.com | {c:Meta} has metadata",
        // A common word.
        "Target | {c:Target} has a target group",
        // A country.
        "Canadian Digital Service, https://digital.canada.ca | Digital services in Canada, \
         Ottawa, Canada",
    ]);
    let posting = Posting {
        company_name: "Ulvik herad",
        company_website: "https://www.ulvik.kommune.no",
        city: Some("Ulvik"),
        country: Some("NO"),
        ..Posting::default()
    };
    assert_eq!(
        markdown("Ulvik herad i Ulvik sentrum", &posting),
        "[company] i Ulvik sentrum"
    );
    check_cases(&[
        // Two letters of any case.
        "IT | it is {c:IT}",
    ]);
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
        let line = |title| crate::redact::line(title, &posting, &crate::Budget::unlimited());
        assert_eq!(line(title).as_deref(), Ok(expect), "{title:?}");
        assert_eq!(line(expect).as_deref(), Ok(expect), "{title:?}");
    }
}
