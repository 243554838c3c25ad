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
