//! What once leaked, and what was once hidden wrongly, each kind by name.

use super::{check_cases, markdown, of_company};

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
        let hidden = markdown(text, &of_company((name, "")));
        let stem: String = name.to_lowercase().chars().take(4).collect();
        assert!(hidden.contains("[company]"), "{name}: {hidden}");
        assert!(!hidden.to_lowercase().contains(&stem), "{name}: {hidden}");
    }
}

#[test]
fn legal_forms_of_other_scripts_and_of_the_baltic() {
    check_cases(&[
        "ООО «Ромашка» | «{c:Ромашка}» ищет",
        "株式会社メルカリ | {c:メルカリ}の仕事",
        "Boltrex Technology OÜ | {c:Boltrex Technology} is hiring",
        "ΟΤΕΞ ΑΕ | Η {c:ΟΤΕΞ} αναζητά",
        "شركة سنديان | في {c:سنديان} نهتم",
    ]);
}

#[test]
fn persons_addresses_and_registers() {
    check_cases(&[
        // All of them.
        "Acmera | Frau {n:Kerstin Holzmann}, {a:Lindenstraße 4}, {i:HRB 14502}, IBAN {i:AT09 \
         3678 0512 2143 1883}",
    ]);
}

#[test]
fn look_alikes() {
    check_cases(&[
        // Styled letters.
        "Acmera | {c:𝐀𝐜𝐦𝐞𝐫𝐚} hires",
        // Letters apart.
        "Acmera | At {c:A c m e r a} you grow",
        // Cyrillic letters.
        "Acmera | At {c:Аcmеrа} you grow",
    ]);
}

#[test]
fn contacts_of_every_form() {
    check_cases(&[
        "Contacts: {n:Susan Marsh} ({p:01632 960 406}) and {n:Kezia Haddlesey} ({p:01632 960 \
         407}).",
        "Kontakt: {n:Mette Skov} ({p:2155 0149}) og {n:Oddny Bjergager} ({p:2155 0150}).",
        "Kind regards, {n:Zephyrine Haddlesey}, Head of Operations",
        "Apply to {n:J. Haddlesey}, {e:jobs@haddle.example}.",
        "Vraag naar mevrouw {n:van der Zalm}, {p:038 550 14 22}.",
        "Kontaktperson: {n:Viggo-Emil Skov}",
        "{p:01632 960 406} and ask for {n:Siobhra}.",
        "担当：{n:田中健一}（{p:0120-55-0133}）、{n:五十嵐翔}（{p:076-255-0143}）",
        "電話{p:090-5501-3131}まで",
    ]);
}

#[test]
fn addresses_of_every_form() {
    check_cases(&[
        "{a:P. O. Box 114, 280 02} Kolín",
        "{a:Apartado de correos 114, 09003} Burgos",
        "{a:ZA du Ponteix, 14 allée des Chênes}",
        "{a:Flat 2, 9 Queen's Gardens}, Derby",
        "{a:Obala kralja Tomislava 7, 23000} Zadar",
        "{a:C/ San Juan, 7, 2º B}, Burgos",
        "VAT number: {i:SI76074721}",
    ]);
}

#[test]
fn names_that_a_name_has_in_it() {
    check_cases(&[
        "Piekarnia KLM s.c. | Klienci {c:KLM} wracają",
        "R&K Bäckerei GmbH | Bei {c:R&K} im Team",
        "Marieke van der Zalm B.V. | Bij {c:van der Zalm} werk je",
        "東雲食品株式会社 | {c:東雲}では学べます",
    ]);
}
