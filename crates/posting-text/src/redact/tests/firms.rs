//! Names as firms have them, and who has the name of the firm.

use super::check;

#[test]
fn parts_of_the_names_of_firms() {
    for (name, text, expect) in [
        // A family after a given name.
        (
            "Murermester Jens Kragh ApS",
            "Kraghs svende er glade.",
            "[company] svende er glade.",
        ),
        // Later words together.
        (
            "Schrijnwerkerij De Backer & Zonen BV",
            "Bij De Backer werk je met eik.",
            "Bij [company] werk je met eik.",
        ),
        // An acronym before the words that it stands for, and one with the legal form.
        (
            "SWZ Stadtwerke Zellerfeld AöR",
            "Die Stadtwerke Zellerfeld bilden aus.",
            "Die [company] bilden aus.",
        ),
        (
            "Alpstein Treuhand AG",
            "Die ATAG wächst.",
            "Die [company] wächst.",
        ),
        // An ordinary first word that somebody is at.
        (
            "Nova Install",
            "Kom werken bij Nova! Een nova is een ster.",
            "Kom werken bij [company]! Een nova is een ster.",
        ),
        // A numbered institution.
        (
            "Городская больница № 7",
            "В Городской больнице № 7 тихо.",
            "В [company] тихо.",
        ),
        // The letters of a legal form are none in lower case.
        (
            "Spitalul Sfânta Parascheva",
            "Spitalului Sfânta Parascheva i s-a acordat premiul.",
            "[company] i s-a acordat premiul.",
        ),
        // A trade that begins like the website.
        (
            "Bakkerij Oosterhuis",
            "Bakker gezocht door Oosterhuis.",
            "Bakker gezocht door [company].",
        ),
        // Parts of a name in a script without spaces.
        (
            "医療法人 青空会 みどりクリニック",
            "みどりクリニックは内科の診療所です。",
            "[company]は内科の診療所です。",
        ),
        (
            "成都启明星儿童教育咨询有限公司",
            "加入启明星，带薪培训。",
            "加入[company]，带薪培训。",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn persons_with_the_name_of_the_firm() {
    for (name, text, expect) in [
        (
            "Menuiserie Delcourt SARL",
            "Envoyez votre CV à Patrice Delcourt, 03 21 55 50 14.",
            "Envoyez votre CV à [person] [company], [phone].",
        ),
        (
            "Varga és Fia Autószerviz",
            "Tel: +36 70 555 0182, Varga Péter.",
            "Tel: [phone], [company] [person].",
        ),
        // At the start of a sentence without a contact it may be any word.
        ("Bloom", "Will Bloom hire?", "Will [company] hire?"),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn persons_and_numbers_beside_each_other() {
    let text = "Skriv til Malthe: hej@x.example. Tel. 081 55 50 18, Bernadette.";
    let expect = "Skriv til [person]: [email]. Tel. [phone], [person].";
    check("Acmera", ("Acmera", ""), text, expect);
    let text = "Renata Hušková, 321 555 018.";
    check("Acmera", ("Acmera", ""), text, "[person], [phone].");
    let text = "Turnover 321 555 018.";
    check("Acmera", ("Acmera", ""), text, text);
    let text = "Registered in England and Wales No. 07734215.";
    let expect = "Registered in England and Wales No. [id].";
    check("Acmera", ("Acmera", ""), text, expect);
}

#[test]
fn shortened_names() {
    for (name, text, expect) in [
        (
            "Farmácia Popular do Ipezal",
            "Na Farmácia do Ipezal e na Farmácia Popular do Ipezal há vagas para você.",
            "Na [company] e na [company] há vagas para você.",
        ),
        (
            "Vendéglő a Fehérkúthoz Kft.",
            "A Fehérkútban és a Fehérkútnál jó dolgozni, hogy van hely.",
            "A [company] és a [company] jó dolgozni, hogy van hely.",
        ),
        (
            "Statens havnetilsyn",
            "Havnetilsynet ligger i Bodø, og det er godt. Et havnetilsyn er viktig.",
            "[company] ligger i Bodø, og det er godt. Et havnetilsyn er viktig.",
        ),
        (
            "Vishandel P. de Wit en Zn.",
            "Bij De Wit begin je om vier uur.",
            "Bij [company] begin je om vier uur.",
        ),
        (
            "Kovács Gép Kft.",
            "A KG-nél jó, hogy jó a hely.",
            "A [company]-nél jó, hogy jó a hely.",
        ),
        (
            "Solmar 코리아",
            "Solmar코리아가 채용합니다.",
            "[company]가 채용합니다.",
        ),
        (
            "Кав'ярня «Зерно»",
            "У «Зерні» варять каву. Мелемо зерно самі.",
            "У «[company]» варять каву. Мелемо зерно самі.",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn regions_and_things_that_a_name_has() {
    for (name, text) in [
        (
            "Kommunale Verkehrsbetriebe Rheintal AöR",
            "Wer im Rheintal lebt, kennt den Fluss.",
        ),
        ("Hutmet Śląsk S.A.", "Na Śląsku jest w tym i jest dobrze."),
        (
            "Direction départementale des finances de la Corvenne",
            "La Corvenne est un beau pays pour vous.",
        ),
        (
            "Landesbetrieb Forst und Gewässer Nordheide",
            "Forst und Gewässer sind Ihnen und der Chefin vertraut.",
        ),
    ] {
        check(name, (name, ""), text, text);
    }
    // The one word that is the company's own.
    check(
        "a region alone",
        ("Родопа Текстил АД", ""),
        "Фабриката Родопа е нова. Стани част от Родопа!",
        "Фабриката [company] е нова. Стани част от [company]!",
    );
}
