//! What once leaked, and what was once hidden wrongly, each kind by name.

use super::{super::Identity, check, markdown, redact};

#[test]
fn latin_name_beside_kana_or_hangul() {
    let name = ("Uber", "");
    check(
        "kana",
        name,
        "Uberの仕事。Uberは、",
        "[company]の仕事。[company]は、",
    );
    check(
        "hangul",
        name,
        "Uber에서 일하세요",
        "[company]에서 일하세요",
    );
}

#[test]
fn genitive_of_a_short_name_or_acronym() {
    for (name, text, expect) in [
        (
            "NAV",
            "NAVs brukere, Navs folk",
            "[company] brukere, [company] folk",
        ),
        ("DNB", "DNBs kunder", "[company] kunder"),
        ("SAP", "SAPs Kultur", "[company] Kultur"),
        ("NWP", "NWPs ansatte", "[company] ansatte"),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn inflection() {
    for (name, text) in [
        ("Koskelo Oy", "Koskelolla on kiire"),
        ("Kesko Oyj", "Keskon kaupat ja Keskolla"),
        ("Wirtex", "Wirtexu i w Wirteksie"),
        ("Ромашка", "в Ромашке"),
        ("Telekom", "a Telekomnál és"),
        ("Arçelik", "Arçelikte bu iş için"),
        ("Škoda", "ve Škodě je"),
        ("Brandtech", "die Brandtechler und das"),
        ("Lufthansa", "die Lufthanseaten und das"),
        ("Deutsche Bahn", "Die Züge der Deutschen Bahn"),
        ("Telia", "Vi er telianere og det"),
        ("Volvo", "Volvokoncernen och vi"),
    ] {
        let hidden = redact(name, "", text);
        let stem: String = name.to_lowercase().chars().take(4).collect();
        assert!(hidden.contains("[company]"), "{name}: {hidden}");
        assert!(!hidden.to_lowercase().contains(&stem), "{name}: {hidden}");
    }
}

#[test]
fn legal_forms_of_other_scripts_and_of_the_baltic() {
    for (name, text, expect) in [
        ("ООО «Ромашка»", "«Ромашка» ищет", "«[company]» ищет"),
        ("株式会社メルカリ", "メルカリの仕事", "[company]の仕事"),
        (
            "Boltrex Technology OÜ",
            "Boltrex Technology is hiring",
            "[company] is hiring",
        ),
        ("ΟΤΕΞ ΑΕ", "Η ΟΤΕΞ αναζητά", "Η [company] αναζητά"),
        ("شركة سنديان", "في سنديان نهتم", "في [company] نهتم"),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn law_firms() {
    check(
        "partners",
        ("Müllerich & Partner Rechtsanwälte", ""),
        "Müllerich & Partner sucht",
        "[company] sucht",
    );
    check(
        "none is torn",
        ("Wikbjørn Rein Advokatfirma AS", ""),
        "Wikbjørn Rein Advokatfirma og Wikbjørn Rein",
        "[company] og [company]",
    );
}

#[test]
fn long_names_of_authorities() {
    let name = "Direction départementale des finances publiques des Alpes-Maritimes - Pôle Gestion";
    check(
        "first words and an acronym with a small letter",
        (name, ""),
        "La Direction départementale des finances publiques et la DDFiP",
        "La [company] et la [company]",
    );
}

#[test]
fn persons_addresses_and_registers() {
    check(
        "all of them",
        ("Acmera", ""),
        "Frau Kerstin Holzmann, Lindenstraße 4, HRB 14502, IBAN AT09 3678 0512 2143 1883",
        "Frau [person], [address], [id], IBAN [id]",
    );
}

#[test]
fn messengers() {
    let name = ("Brandtech", "");
    check(
        "a name after a messenger",
        name,
        "微信：zhaopin123",
        "微信：[handle]",
    );
    check(
        "a handle with the name",
        name,
        r"@brandtech\_hq",
        "[handle]",
    );
}

#[test]
fn mail_words() {
    for text in [
        "post krøllalfa firma punktum no",
        "praca małpa firma kropka pl",
        "rabota собака firma точка ru",
    ] {
        check(text, ("Acmera", ""), text, "[email]");
    }
}

#[test]
fn digits_of_other_scripts() {
    let name = ("Acmera", "");
    check("arabic", name, "هاتف ٠٥٠١٢٣٤٥٦٧", "هاتف [phone]");
    check(
        "wide",
        name,
        "電話 ０３－１２３４－５６７８",
        "電話 [phone]",
    );
}

#[test]
fn look_alikes() {
    let name = ("Acmera", "");
    check("styled letters", name, "𝐀𝐜𝐦𝐞𝐫𝐚 hires", "[company] hires");
    check(
        "letters apart",
        name,
        "At A c m e r a you grow",
        "At [company] you grow",
    );
    check(
        "Cyrillic letters",
        name,
        "At Аcmеrа you grow",
        "At [company] you grow",
    );
}

#[test]
fn no_name_goes_across_the_end_of_a_sentence() {
    for (name, text) in [
        (
            "Green Valley",
            "We want food that is green. Valley floors are wide.",
        ),
        ("Paris Baguette", "Work in Paris. Baguette and bread"),
        ("eBay Kleinanzeigen", "Bei Stadt. Kleinanzeigen ist toll"),
    ] {
        check(name, (name, ""), text, text);
    }
}

#[test]
fn an_ordinary_word_that_begins_a_sentence() {
    check(
        "Next",
        ("Next", ""),
        "Next year. Join Next!",
        "Next year. Join [company]!",
    );
    check(
        "Target",
        ("Target", ""),
        "Target groups differ. Target is hiring at Target.",
        "Target groups differ. [company] is hiring at [company].",
    );
}

#[test]
fn former_names() {
    let identity = Identity {
        name: "Fjellvik",
        other_names: &["Havgard", "Skogbrink"],
        ..Identity::default()
    };
    assert_eq!(
        markdown("Havgard is hiring. At Skogbrink or Fjellvik", &identity),
        "[company] is hiring. At [company] or [company]"
    );
}

#[test]
fn contacts_of_every_form() {
    for (text, expect) in [
        (
            "Contacts: Susan Marsh (01632 960 406) and Kezia Haddlesey (01632 960 407).",
            "Contacts: [person] ([phone]) and [person] ([phone]).",
        ),
        (
            "Kontakt: Mette Skov (2155 0149) og Oddny Bjergager (2155 0150).",
            "Kontakt: [person] ([phone]) og [person] ([phone]).",
        ),
        (
            "Kind regards, Zephyrine Haddlesey, Head of Operations",
            "Kind regards, [person], Head of Operations",
        ),
        (
            "Apply to J. Haddlesey, jobs@haddle.example.",
            "Apply to [person], [email].",
        ),
        (
            "Vraag naar mevrouw van der Zalm, 038 550 14 22.",
            "Vraag naar mevrouw [person], [phone].",
        ),
        ("Kontaktperson: Viggo-Emil Skov", "Kontaktperson: [person]"),
        (
            "01632 960 406 and ask for Siobhra.",
            "[phone] and ask for [person].",
        ),
        (
            "担当：田中健一（0120-55-0133）、五十嵐翔（076-255-0143）",
            "担当：[person]（[phone]）、[person]（[phone]）",
        ),
        ("電話090-5501-3131まで", "電話[phone]まで"),
    ] {
        check(text, ("", ""), text, expect);
    }
}

#[test]
fn addresses_of_every_form() {
    for (text, expect) in [
        ("P. O. Box 114, 280 02 Kolín", "[address] Kolín"),
        ("Apartado de correos 114, 09003 Burgos", "[address] Burgos"),
        ("ZA du Ponteix, 14 allée des Chênes", "[address]"),
        ("Flat 2, 9 Queen's Gardens, Derby", "[address], Derby"),
        ("Obala kralja Tomislava 7, 23000 Zadar", "[address] Zadar"),
        ("C/ San Juan, 7, 2º B, Burgos", "[address], Burgos"),
        ("VAT number: SI76074721", "VAT number: [id]"),
    ] {
        check(text, ("", ""), text, expect);
    }
}

#[test]
fn names_that_a_name_has_in_it() {
    for (name, text, expect) in [
        (
            "Piekarnia KLM s.c.",
            "Klienci KLM wracają",
            "Klienci [company] wracają",
        ),
        (
            "R&K Bäckerei GmbH",
            "Bei R&K im Team",
            "Bei [company] im Team",
        ),
        (
            "Marieke van der Zalm B.V.",
            "Bij van der Zalm werk je",
            "Bij [company] werk je",
        ),
        (
            "東雲食品株式会社",
            "東雲では学べます",
            "[company]では学べます",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}
